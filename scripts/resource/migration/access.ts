import type { TablePlan } from './plan'
import { wrap } from './sql'

const MEMBER = '((select app.sees_all()) or company_id = (select app.own_company()))'
const PLATFORM = '(select app.sees_all())'

function grants({ table, isTenant, insertable, updatable, canDelete }: TablePlan): string {
  const inserted = [...(isTenant ? ['company_id'] : []), ...insertable]
  // Grants are by column: never the id (a collision would reveal it elsewhere), never one that the database writes.
  const parts = [
    `select${canDelete ? ', delete' : ''}`,
    ...(insertable.length > 0 ? [`insert (${wrap(inserted, '    ')})`] : []),
    ...(updatable.length > 0 ? [`update (${wrap(updatable, '    ')})`] : []),
  ]
  const text = parts.join(',\n  ')
  return `grant ${text}${parts.length > 1 ? '\n ' : ''} on public.${table} to authenticated;`
}

/** Grants and row-level security of the table; in a table of everybody only a Super Admin writes. */
export function renderAccess(plan: TablePlan): string {
  const { table, resource, isTenant, insertable, updatable, canDelete } = plan
  const can = (verb: string) => `(select app.can('${resource}', '${verb}'))`
  const read = isTenant ? `(${can('list')} and ${MEMBER})` : `(${can('list')})`
  const write = (verb: string) => `(${can(verb)} and ${isTenant ? MEMBER : PLATFORM})`
  const who = isTenant ? 'member' : 'platform'
  const policy = (name: string, clauses: string) =>
    `create policy ${table}_${name} on public.${table} for ${name.split('_')[0]} to authenticated\n  ${clauses};`
  return [
    `revoke all on public.${table} from public, anon, authenticated;`,
    grants(plan),
    `grant select, insert, update, delete on public.${table} to service_role;`,
    '',
    `alter table public.${table} enable row level security;`,
    policy('select_member', `using ${read}`),
    ...(insertable.length > 0 ? [policy(`insert_${who}`, `with check ${write('create')}`)] : []),
    ...(updatable.length > 0
      ? [policy(`update_${who}`, `using ${write('edit')}\n  with check ${write('edit')}`)]
      : []),
    ...(canDelete ? [policy(`delete_${who}`, `using ${write('delete')}`)] : []),
  ].join('\n')
}
