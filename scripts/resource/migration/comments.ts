import { type CommentKinds, commentsOf } from '@/resource/language/comments'
import type { Definition } from '@/resource/language/definition.generated'
import { routeOf, tableOf } from '@/resource/language/naming'
import { filterSql } from './filter-sql'
import { hiddenSearchSql } from './hidden'
import type { TablePlan } from './plan'
import { literal } from './sql'

export interface CommentsPlan {
  table: string
  /** The column of the record. */
  column: string
  record: { table: string; resource: string }
  kinds: CommentKinds
  /** As `app.commented` holds it. */
  settings: Record<string, unknown>
}

/** The table of comments that a definition asks for; null without `comments`. Pure. */
export function planComments(definition: Definition): CommentsPlan | null {
  const comments = commentsOf(definition)
  if (!comments) return null
  const { table, column, kinds, people, searched } = comments
  return {
    table,
    column,
    kinds,
    record: { table: tableOf(definition), resource: definition.name },
    settings: {
      resource: definition.name,
      table: tableOf(definition),
      record: column,
      path: `/${routeOf(definition)}`,
      ...(people.length > 0 ? { people } : {}),
      ...(searched ? { search: true } : {}),
      kinds: Object.fromEntries(
        Object.entries(kinds).map(([name, { object, when }]) => [
          name,
          { ...(object ? { object } : {}), ...(when ? { when: filterSql(when) ?? 'false' } : {}) },
        ]),
      ),
    },
  }
}

const MEMBER = '((select app.sees_all()) or company_id = (select app.own_company()))'

/** The parts as `supabase/schemas` keeps them: the table, what keeps it, and who reaches it. */
export function commentParts(plan: CommentsPlan): { table: string; keeping: string; access: string } {
  const { table, column, record, kinds, settings } = plan
  const names = Object.keys(kinds)
  const [first = 'reply'] = names
  const may = (verb: string) =>
    Object.entries(kinds).flatMap(([name, { object }]) =>
      object ? [` and (kind <> ${literal(name)} or (select app.can('${object}', '${verb}')))`] : [],
    )
  const seen = `exists (select 1 from public.${record.table} r where r.company_id = ${table}.company_id and r.id = ${table}.${column})`
  const reads = `(select app.can('${record.resource}', 'list')) and ${MEMBER}${may('list').join('')}\n    and ${seen}`
  const writes = `(select app.can('${record.resource}', 'comment')) and ${MEMBER} and author_id = (select app.current_user_id())${may('create').join('')}\n    and ${seen}`
  const lines = [
    'id uuid default gen_random_uuid() primary key',
    'company_id uuid not null references public.companies (id)',
    `${column} uuid not null`,
    `kind text not null default ${literal(first)} check (kind in (${names.map(literal).join(', ')}))`,
    `body text not null check (length(body) <= 20000 and body ~ '\\S')`,
    'author_id uuid references public.profiles (id) on delete set null',
    'author_name text check (length(author_name) <= 100)',
    `mentions uuid[] not null default '{}'`,
    'once_key uuid',
    'search text generated always as (app.fold(body)) stored',
    'edited_at timestamptz',
    'version integer not null default 1',
    'created_at timestamptz not null default now()',
    'unique (company_id, id)',
    `constraint ${table}_once unique (author_id, once_key)`,
    `foreign key (company_id, ${column}) references public.${record.table} (company_id, id) on delete cascade`,
  ]
  return {
    table: [
      `create table public.${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`,
      `comment on table public.${table} is 'Comments on ${record.table.replaceAll('_', ' ')}, seen by whoever sees the record; those of a kind with lines of its own need these, too.';`,
      `comment on column public.${table}.once_key is 'Made by the client, so that one text that is sent twice is one comment.';`,
      `comment on column public.${table}.mentions is 'The people whom the text mentions and who may read it.';`,
      `create index ${table}_record_idx on public.${table} (company_id, ${column}, created_at, id);`,
      `create index ${table}_created_idx on public.${table} (company_id, created_at, id);`,
    ].join('\n'),
    keeping: [
      `select app.keep_comments('public.${table}', ${literal(JSON.stringify(settings))});`,
      `select app.keep_files('public.${table}', object => ${literal(record.resource)}, verbs => array['comment']);`,
    ].join('\n'),
    access: [
      `revoke all on public.${table} from public, anon, authenticated;`,
      `grant select, delete, insert (company_id, ${column}, kind, body, once_key), update (body) on public.${table} to authenticated;`,
      `grant select, insert, update, delete on public.${table} to service_role;`,
      `alter table public.${table} enable row level security;`,
      `create policy ${table}_select_member on public.${table} for select to authenticated\n  using (${reads});`,
      `create policy ${table}_insert_member on public.${table} for insert to authenticated\n  with check (${writes});`,
      `create policy ${table}_update_member on public.${table} for update to authenticated\n  using (${writes})\n  with check (${writes});`,
      `create policy ${table}_delete_member on public.${table} for delete to authenticated`,
      `  using (${reads}\n    and (author_id = (select app.current_user_id()) or (select app.can('${record.resource}', 'delete'))));`,
    ].join('\n'),
  }
}

/** The statements for a definition that has other kinds, people or conditions than the database. */
export function renderCommentChanges(plan: CommentsPlan): string {
  const { table, kinds } = plan
  const { keeping, access } = commentParts(plan)
  const policies = access.split('\n').filter((line) => line.startsWith('create policy '))
  const from = access.indexOf('create policy ')
  return [
    `alter table public.${table} drop constraint ${table}_kind_check;`,
    `alter table public.${table} add constraint ${table}_kind_check check (kind in (${Object.keys(kinds).map(literal).join(', ')}));`,
    keeping,
    ...policies.map((line) => `drop policy ${line.split(' ')[2]} on public.${table};`),
    access.slice(from),
  ].join('\n')
}

/** The migration that makes a table of comments. */
export function renderComments(plan: CommentsPlan): string {
  const { table, keeping, access } = commentParts(plan)
  return `${[table, keeping, access].join('\n\n')}\n`
}

/** Drops a table of comments with its files; a search of the records that read them is made again without them. */
export function dropComments(
  comments: string,
  { resource, table, isSearched, hidden }: Pick<TablePlan, 'resource' | 'table' | 'isSearched' | 'hidden'>,
  wasSearched: boolean,
): string {
  return [
    `delete from public.files where resource = ${literal(comments)};`,
    `delete from app.file_fields where resource = ${literal(comments)};`,
    `delete from app.commented where resource = ${literal(resource)};`,
    `drop function public.search_${comments}(text);`,
    `drop table public.${comments};`,
    ...(wasSearched && isSearched
      ? [
          `drop function public.search_${table}(text);`,
          `drop index public.${table}_search_idx;`,
          `select app.keep_search('public.${table}');`,
          ...(hidden.length > 0 ? [hiddenSearchSql({ table, hidden })] : []),
        ]
      : []),
  ].join('\n')
}
