/** Renders the public schema of a migrated database as the `Database` type that supabase-js takes. */

type Query = <R>(sql: string) => Promise<R[]>

interface Column {
  relation: string
  kind: 'table' | 'view'
  column: string
  type: string
  isNullable: boolean
  hasDefault: boolean
  isGenerated: boolean
}

interface ForeignKey {
  relation: string
  name: string
  columns: string[]
  target: string
  targetColumns: string[]
  isOneToOne: boolean
}

interface Routine {
  name: string
  argumentNames: string[]
  argumentTypes: string[]
  defaults: number
  returns: string
  returnedRelation: string | null
  isSet: boolean
}

const COLUMNS = `
select c.relname as relation, case when c.relkind in ('v', 'm') then 'view' else 'table' end as kind,
  a.attname as column, format_type(a.atttypid, null) as type, not a.attnotnull as "isNullable",
  a.atthasdef or a.attidentity <> '' as "hasDefault", a.attgenerated <> '' or a.attidentity = 'a' as "isGenerated"
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
order by c.relname, a.attname collate "C"`

const FOREIGN_KEYS = `
select c.relname as relation, k.conname as name, t.relname as target,
  array(select a.attname from unnest(k.conkey) with ordinality u (n, i)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.n order by u.i)::text[] as columns,
  array(select a.attname from unnest(k.confkey) with ordinality u (n, i)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.n order by u.i)::text[] as "targetColumns",
  exists (select 1 from pg_constraint x where x.conrelid = k.conrelid and x.contype in ('p', 'u')
          and x.conkey <@ k.conkey) as "isOneToOne"
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and t.relnamespace = 'public'::regnamespace
order by c.relname, k.conname`

// Trigger functions cannot be called, and what an extension brought is not ours.
const ROUTINES = `
select p.proname as name, coalesce(p.proargnames[1:p.pronargs], '{}')::text[] as "argumentNames",
  array(select format_type(u.t, null) from unnest(p.proargtypes) with ordinality u (t, i) order by u.i)::text[] as "argumentTypes",
  p.pronargdefaults::int as defaults, format_type(p.prorettype, null) as returns, r.relname as "returnedRelation",
  p.proretset as "isSet"
from pg_proc p join pg_type t on t.oid = p.prorettype left join pg_class r on r.oid = t.typrelid and r.relkind in ('r', 'v')
where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and t.typname <> 'trigger'
  and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
order by p.proname`

const TYPES: Record<string, string> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  real: 'number',
  'double precision': 'number',
  numeric: 'number',
  json: 'Json',
  jsonb: 'Json',
  void: 'undefined',
}

/** Everything PostgREST sends as text (uuid, timestamps, inet…) is a string. */
function typeOf(sqlType: string): string {
  if (sqlType.endsWith('[]')) return `${typeOf(sqlType.slice(0, -2))}[]`
  return TYPES[sqlType] ?? 'string'
}

const EMPTY = '{ [_ in never]: never }'

const indent = (text: string, by = 2): string =>
  text
    .split('\n')
    .map((line) => (line ? ' '.repeat(by) + line : line))
    .join('\n')

const block = (lines: string[]): string => (lines.length === 0 ? EMPTY : `{\n${indent(lines.join('\n'))}\n}`)

const property = (column: Column, isOptional: boolean): string => {
  const type = column.isGenerated ? 'never' : typeOf(column.type) + (column.isNullable ? ' | null' : '')
  return `${column.column}${isOptional ? '?' : ''}: ${type}`
}

const row = (columns: Column[]): string =>
  block(columns.map((column) => property({ ...column, isGenerated: false }, false)))

const list = (names: string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`

function relationships(keys: ForeignKey[]): string {
  if (keys.length === 0) return '[]'
  const items = keys.map((key) =>
    block([
      `foreignKeyName: '${key.name}'`,
      `columns: ${list(key.columns)}`,
      `isOneToOne: ${key.isOneToOne}`,
      `referencedRelation: '${key.target}'`,
      `referencedColumns: ${list(key.targetColumns)}`,
    ]),
  )
  return `[\n${indent(items.map((item) => `${item},`).join('\n'))}\n]`
}

function relation(columns: Column[], keys: ForeignKey[], isTable: boolean): string {
  const write = (isInsert: boolean) =>
    block(
      columns.map((column) =>
        property(column, !isInsert || column.isNullable || column.hasDefault || column.isGenerated),
      ),
    )
  return block([
    `Row: ${row(columns)}`,
    ...(isTable ? [`Insert: ${write(true)}`, `Update: ${write(false)}`] : []),
    `Relationships: ${relationships(keys)}`,
  ])
}

function routine(found: Routine, columns: Map<string, Column[]>): string {
  const firstDefault = found.argumentTypes.length - found.defaults
  const args = found.argumentTypes.map(
    (type, i) => `${found.argumentNames[i] ?? `arg${i}`}${i >= firstDefault ? '?' : ''}: ${typeOf(type)}`,
  )
  const target = found.returnedRelation
  const returned = target ? row(columns.get(target) ?? []) : typeOf(found.returns)
  return block([
    `Args: ${args.length === 0 ? 'never' : block(args)}`,
    `Returns: ${returned}${found.isSet ? '[]' : ''}`,
    ...(target
      ? [
          `SetofOptions: { from: '*'; to: '${target}'; isOneToOne: ${!found.isSet}; isSetofReturn: ${found.isSet} }`,
        ]
      : []),
  ])
}

function grouped<T>(items: T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

/** @returns the whole text of `src/data/database.types.ts`. */
export async function renderTypes(query: Query): Promise<string> {
  const columns = grouped(await query<Column>(COLUMNS), (column) => column.relation)
  const keys = grouped(await query<ForeignKey>(FOREIGN_KEYS), (key) => key.relation)
  const routines = await query<Routine>(ROUTINES)
  const relationsOf = (kind: Column['kind']) =>
    [...columns]
      .filter(([, found]) => found[0]?.kind === kind)
      .map(([name, found]) => `${name}: ${relation(found, keys.get(name) ?? [], kind === 'table')}`)
  const schema = block([
    `Tables: ${block(relationsOf('table'))}`,
    `Views: ${block(relationsOf('view'))}`,
    `Functions: ${block(routines.map((found) => `${found.name}: ${routine(found, columns)}`))}`,
    `Enums: ${EMPTY}`,
    `CompositeTypes: ${EMPTY}`,
  ])
  return [
    '// Generated from the migrated database by `npm run types`. Do not edit.',
    '',
    'export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]',
    '',
    `export type Database = ${block([`public: ${schema}`])}`,
    '',
  ].join('\n')
}
