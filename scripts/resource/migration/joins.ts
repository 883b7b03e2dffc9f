import { renderPeople } from './guards'
import type { JoinPlan, TablePlan } from './plan'
import { literal, named } from './sql'

const MEMBER = '((select app.sees_all()) or company_id = (select app.own_company()))'

function tenantJoin({ table, near, far }: JoinPlan): string {
  const lines = [
    'company_id uuid not null references public.companies (id)',
    `${near.column} uuid not null`,
    `${far.column} uuid not null${far.isTenant ? '' : ` references public.${far.table} (id) on delete cascade`}`,
    `primary key (company_id, ${near.column}, ${far.column})`,
    `foreign key (company_id, ${near.column}) references public.${near.table} (company_id, id) on delete cascade`,
    ...(far.isTenant
      ? [
          `foreign key (company_id, ${far.column}) references public.${far.table} (company_id, id) on delete cascade`,
        ]
      : []),
  ]
  const index = far.isTenant ? `company_id, ${far.column}` : far.column
  return `create table public.${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);
comment on table public.${table} is 'Which ${far.table.replaceAll('_', ' ')} belong to which ${near.table.replaceAll('_', ' ')}.';
create index ${named(table, far.column, 'idx')} on public.${table} (${index});`
}

function platformJoin({ table, near, far }: JoinPlan): string {
  return `create table public.${table} (
  ${near.column} uuid not null references public.${near.table} (id) on delete cascade,
  ${far.column} uuid not null references public.${far.table} (id) on delete cascade,
  primary key (${near.column}, ${far.column})
);
comment on table public.${table} is 'Which ${far.table.replaceAll('_', ' ')} belong to which ${near.table.replaceAll('_', ' ')}.';
create index ${named(table, far.column, 'idx')} on public.${table} (${far.column});`
}

/** The table between two resources: whoever may edit the near record may change it, whoever sees that sees it. */
export function renderJoin(
  join: JoinPlan,
  { resource, isTenant }: Pick<TablePlan, 'resource' | 'isTenant'>,
): string {
  const { table, near, far } = join
  const scope = isTenant ? MEMBER : '(select app.sees_all())'
  const edit = `((select app.can('${resource}', 'edit')) and ${scope})`
  const read = `((select app.can('${resource}', 'list'))${isTenant ? ` and ${MEMBER}` : ''})`
  const columns = [...(isTenant ? ['company_id'] : []), near.column, far.column]
  return [
    isTenant ? tenantJoin(join) : platformJoin(join),
    ...(isTenant && far.table === 'profiles' ? [renderPeople({ table, people: [far.column] })] : []),
    ...(isTenant && far.table === 'profiles'
      ? [
          `create trigger ${named(table, 'people', 'active')} before insert on public.${table}`,
          `  for each row execute function app.refuse_deactivated_people(${literal(far.column)});`,
        ]
      : []),
    `create trigger ${named(table, 'permission')} before insert or update or delete on public.${table}`,
    `  for each statement execute function app.require_edit(${literal(resource)});`,
    ...(isTenant
      ? [
          `select app.keep_audit('public.${table}', ${literal(near.column)}, array[${literal(near.column)}, 'company_id']);`,
          `select app.keep_announced('public.${table}', 'company', 'company_id', ${literal(near.column)});`,
        ]
      : []),
    `revoke all on public.${table} from public, anon, authenticated;`,
    `grant select, delete, insert (${columns.join(', ')}) on public.${table} to authenticated;`,
    `grant select, insert, update, delete on public.${table} to service_role;`,
    `alter table public.${table} enable row level security;`,
    `create policy ${table}_select_member on public.${table} for select to authenticated`,
    `  using ${read};`,
    `create policy ${table}_insert_member on public.${table} for insert to authenticated`,
    `  with check ${edit};`,
    `create policy ${table}_delete_member on public.${table} for delete to authenticated`,
    `  using ${edit};`,
  ].join('\n')
}
