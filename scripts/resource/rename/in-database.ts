import type { Query } from '../../../supabase/embedded/database/database'
import { literal, named } from '../migration/sql'
import { type DatabaseFunction, renameInFunction } from './in-functions'
import type { Renames } from './renames'

interface Named {
  table: string
  name: string
}
interface Trigger extends Named {
  definition: string
  /** The trigger as the schemas write it. */
  written?: string
}
interface Policy extends Named {
  using: string | null
  check: string | null
}
/** The named objects of all tables of schema public. */
export interface NamedObjects {
  columns: (Named & { column: string })[]
  constraints: Named[]
  indexes: Named[]
  sequences: Named[]
  triggers: Trigger[]
  policies: Policy[]
  functions: DatabaseFunction[]
  comments: (Named & { column: string | null; text: string })[]
}

const JOIN = `join pg_class c on c.relnamespace = 'public'::regnamespace and c.oid =`
/** With an empty path, PostgreSQL prints every name with its schema, and a migration means the same everywhere. */
const QUALIFIED = `(select set_config('search_path', '', true) offset 0) path`

export async function readNamedObjects(query: Query): Promise<NamedObjects> {
  const rows = <T>(sql: string) => query<T & Record<string, unknown>>(sql)
  return {
    columns: await rows(
      `select c.relname as "table", a.attname as name, a.attname as "column" from pg_attribute a ${JOIN} a.attrelid
       where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'v', 'm') order by 1, a.attnum`,
    ),
    constraints: await rows(
      `select c.relname as "table", k.conname as name from pg_constraint k ${JOIN} k.conrelid where k.contype <> 'n' order by 1, 2`,
    ),
    indexes: await rows(
      `select c.relname as "table", x.relname as name from pg_index i ${JOIN} i.indrelid join pg_class x on x.oid = i.indexrelid
       where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')) order by 1, 2`,
    ),
    sequences: await rows(
      `select c.relname as "table", s.relname as name from pg_class s
       join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i') and d.classid = 'pg_class'::regclass
       ${JOIN} d.refobjid where s.relkind = 'S' order by 1, 2`,
    ),
    // The embedded server adds zz_konsol_access itself.
    triggers: await rows(
      `select c.relname as "table", t.tgname as name, pg_get_triggerdef(t.oid) as definition
       from ${QUALIFIED}, pg_trigger t ${JOIN} t.tgrelid where not t.tgisinternal and t.tgname <> 'zz_konsol_access' order by 1, 2`,
    ),
    policies: await rows(
      `select c.relname as "table", p.polname as name, pg_get_expr(p.polqual, p.polrelid) as "using",
         pg_get_expr(p.polwithcheck, p.polrelid) as "check"
       from ${QUALIFIED}, pg_policy p ${JOIN} p.polrelid order by 1, 2`,
    ),
    // Functions that read hidden fields are left out: app.rename_hidden() drops them, and app.keep_hidden() makes them again.
    functions: await rows(
      `select n.nspname as schema, p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments,
         coalesce(p.proargnames, '{}') as "argumentNames", p.prosrc as source, pg_get_functiondef(p.oid) as definition,
         obj_description(p.oid, 'pg_proc') as comment
       from ${QUALIFIED}, pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('public', 'app') and p.prokind = 'f' and p.prosqlbody is null
         and not (n.nspname = 'public' and starts_with(p.proname, 'hidden_')
           and exists (select 1 from pg_type r where r.oid = p.proargtypes[0] and r.typtype = 'c'))
         and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       order by 1, 2`,
    ),
    comments: await rows(
      `select c.relname as "table", '' as name, a.attname as "column", d.description as text
       from pg_description d ${JOIN} d.objoid left join pg_attribute a on a.attrelid = d.objoid and a.attnum = d.objsubid and d.objsubid > 0
       where d.classoid = 'pg_class'::regclass and c.relkind in ('r', 'p', 'v', 'm') order by 1, d.objsubid`,
    ),
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The old names of a table and its columns inside the name of something that belongs to it. */
function renamed(objects: NamedObjects, renames: Renames, { table, name }: Named): string {
  const next = renames.tables.get(table) ?? table
  const columns = renames.columns.get(table)
  if (!name.startsWith(table) || (next === table && !columns)) return name
  const rest = name.slice(table.length)
  if (rest !== '' && !rest.startsWith('_')) return name
  if (!columns) return named(next + rest)
  // The longest name first: `display_name` is not `name`.
  const known = objects.columns
    .filter((each) => each.table === table)
    .map(({ column }) => column)
    .sort((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<=_)(?:${known.map(escaped).join('|')})(?=_|$)`, 'g')
  return named(next + rest.replace(pattern, (column) => columns.get(column) ?? column))
}

/** Literals that name the resource, a table or a column: arguments of triggers, and what policies ask for. */
function literals(text: string, replace: (word: string) => string | undefined): string {
  return text.replace(/'((?:[^']|'')*)'/g, (_all, inner: string) => {
    const parts = inner.split(/(,\s*)/).map((part) => replace(part) ?? part)
    return `'${parts.join('')}'`
  })
}

function triggerSql(objects: NamedObjects, renames: Renames, trigger: Trigger): string[] {
  const { table, name } = trigger
  const definition = trigger.written ?? trigger.definition
  const next = renames.tables.get(table) ?? table
  const to = renamed(objects, renames, trigger)
  const columns = renames.columns.get(table)
  const call = definition.search(/\sexecute function\s(?!.*\sexecute function\s)/is)
  const before = definition.slice(call)
  const changed = literals(before, (word) =>
    word === renames.resource?.from ? renames.resource.to : columns?.get(word),
  )
  // The audit log leaves `name_key` out by itself, and others only where the trigger names them.
  const key = before.includes(' app.audit(') ? columns?.get('name_key') : undefined
  const after = key === undefined ? changed : changed.replace(/\)$/, `, ${literal(key)})`)
  if (after === before) return to === name ? [] : [`alter trigger ${name} on public.${next} rename to ${to};`]
  const head = definition
    .slice(0, call)
    .replace(new RegExp(`^create trigger ${name}\\s`, 'i'), `create trigger ${to} `)
    .replace(new RegExp(`\\son public\\.${table}(?=\\s)`, 'i'), ` on public.${next}`)
  const cut = head.search(new RegExp(`\\son public\\.${next}\\s`, 'i'))
  // The events come before the table: `UPDATE OF <columns>`.
  const fires = head
    .slice(0, cut)
    .replace(/(?<=\bof\s[^;]*)\w+/gi, (column) => columns?.get(column) ?? column)
  return [`drop trigger ${name} on public.${next};`, `${fires}${head.slice(cut)}${after};`]
}

/** The text of a policy on a table, after tables and columns have their new names. */
function withNewNames(text: string, { tables, columns }: Renames, own: string): string {
  let next = text
  for (const [table, names] of columns)
    for (const [from, to] of names) {
      next = next.replace(new RegExp(`(?<=(?<![\\w.])${table}\\.)${from}(?!\\w)`, 'g'), to)
      if (table === own) next = next.replace(new RegExp(`(?<![\\w.'])${from}(?![\\w.'])`, 'g'), to)
    }
  for (const [from, to] of tables)
    next = next
      .replace(new RegExp(`(?<=\\bpublic\\.)${from}(?!\\w)`, 'g'), to)
      .replace(new RegExp(`(?<![\\w.'])${from}(?=\\.\\w)`, 'g'), to)
  return next
}

function policySql(objects: NamedObjects, renames: Renames, policy: Policy): string[] {
  const table = renames.tables.get(policy.table) ?? policy.table
  const to = renamed(objects, renames, policy)
  const change = (text: string | null) =>
    text === null ? text : literals(text, (word) => renames.objects.get(word))
  const [using, check] = [change(policy.using), change(policy.check)]
  const isChanged = using !== policy.using || check !== policy.check
  const clause = (word: string, text: string | null) =>
    text === null ? '' : `\n  ${word} (${withNewNames(text, renames, policy.table)})`
  return [
    ...(to === policy.name ? [] : [`alter policy ${policy.name} on public.${table} rename to ${to};`]),
    ...(isChanged
      ? [`alter policy ${to} on public.${table}${clause('using', using)}${clause('with check', check)};`]
      : []),
  ]
}

function commentSql(renames: Renames, { table, column, text }: NamedObjects['comments'][number]): string[] {
  const isOurs = renames.tables.has(table) || renames.columns.has(table)
  const words = new Map([
    ...[...renames.tables].map(([from, to]) => [from.replaceAll('_', ' '), to.replaceAll('_', ' ')] as const),
    ...renames.tables,
    ...(column === null ? [] : (renames.columns.get(table) ?? [])),
  ])
  if (!isOurs || words.size === 0) return []
  const pattern = new RegExp(`\\b(?:${[...words.keys()].map(escaped).join('|')})\\b`, 'gi')
  const next = text.replace(pattern, (word) => {
    const to = words.get(word.toLowerCase()) ?? word
    return word.charAt(0) === word.charAt(0).toLowerCase() ? to : to.charAt(0).toUpperCase() + to.slice(1)
  })
  if (next === text) return []
  const name = `public.${renames.tables.get(table) ?? table}`
  const target =
    column === null ? `table ${name}` : `column ${name}.${renames.columns.get(table)?.get(column) ?? column}`
  return [`comment on ${target} is ${literal(next)};`]
}

interface DatabaseRename {
  statements: string[]
  /** Functions that are written again, as `app.guard_printers`. */
  functions: string[]
  /** Functions that name a column in a way that cannot be told from another. */
  unclear: string[]
}

/** Renames tables and columns, and after them everything that PostgreSQL leaves with its old name. Pure. */
export function renameInDatabase(
  objects: NamedObjects,
  renames: Renames,
  generated: ReadonlyMap<string, string>,
): DatabaseRename {
  const { tables, columns } = renames
  const isOurs = ({ table }: Named) => tables.has(table) || columns.has(table)
  const change = (list: readonly Named[], write: (each: Named, table: string, to: string) => string) =>
    list.filter(isOurs).flatMap((each) => {
      const to = renamed(objects, renames, each)
      return to === each.name ? [] : [write(each, tables.get(each.table) ?? each.table, to)]
    })
  const constraints = new Map(
    objects.constraints
      .filter(isOurs)
      .map((each) => [each.name, renamed(objects, renames, each)] as const)
      .filter(([from, to]) => from !== to),
  )
  const context = { objects, renames, constraints, generated }
  const functions = objects.functions.flatMap((each) => {
    const result = renameInFunction(context, each)
    return result ? [{ ...result, name: `${each.schema}.${each.name}` }] : []
  })
  return {
    statements: [
      ...[...columns].flatMap(([table, names]) =>
        [...names].map(([from, to]) => `alter table public.${table} rename column ${from} to ${to};`),
      ),
      ...[...tables].map(([from, to]) => `alter table public.${from} rename to ${to};`),
      ...change(
        objects.constraints,
        ({ name }, table, to) => `alter table public.${table} rename constraint ${name} to ${to};`,
      ),
      ...change(objects.indexes, ({ name }, _table, to) => `alter index public.${name} rename to ${to};`),
      ...change(
        objects.sequences,
        ({ name }, _table, to) => `alter sequence public.${name} rename to ${to};`,
      ),
      ...functions.flatMap(({ statements }) => statements),
      ...objects.triggers.filter(isOurs).flatMap((each) => triggerSql(objects, renames, each)),
      ...objects.policies.flatMap((each) => policySql(objects, renames, each)),
      ...objects.comments.flatMap((each) => commentSql(renames, each)),
    ],
    functions: functions.filter(({ isUnclear }) => !isUnclear).map(({ name }) => name),
    unclear: functions.filter(({ isUnclear }) => isUnclear).map(({ name }) => name),
  }
}
