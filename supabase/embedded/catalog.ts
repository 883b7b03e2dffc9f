import type { Query } from './database/database'

export interface CatalogColumn {
  name: string
  /** As pg_type calls it: int4, text, _text, timestamptz. */
  type: string
  /** As SQL writes it: numeric(14,2). */
  sqlType: string
  isRequired: boolean
  /** Expression of its default; of a generated column, what generates it. */
  expression: string | null
  /** PostgreSQL fills it in: a generated or an identity column. */
  isGenerated: boolean
  /** The values of an enum type. */
  values?: string[] | null
  comment: string | null
  /** May a signed-in user write it? */
  canInsert: boolean
  canUpdate: boolean
}

export interface CatalogConstraint {
  name: string
  columns: string[]
  /** As pg_get_constraintdef() writes it. */
  definition: string
}

/** A foreign key. Those of a view are the ones behind its columns, each by its own column alone. */
export interface CatalogKey extends CatalogConstraint {
  target: string
  targetColumns: string[]
}

export interface CatalogIndex {
  name: string
  /** Columns in order; an expression is given as its text. */
  columns: string[]
  isPartial: boolean
  /** The condition of a partial index. */
  predicate?: string | null
  isUnique: boolean
}

export interface CatalogPolicy {
  name: string
  command: 'select' | 'insert' | 'update' | 'delete' | 'all'
  text: string
}

export interface CatalogTable {
  name: string
  /** The fields that hold files, with what they take; `''` is the attachments of a record. */
  files?: Record<string, { max_mb?: number; accept?: string[] }>
  isView: boolean
  /** Whether a view reads its tables as the caller, so that their row-level security applies. */
  isInvoker: boolean
  /** The table whose `id` a view shows as its own. */
  idOf: string | null
  /** May a signed-in user read it, as far as grants go? */
  canSelect: boolean
  /** May a signed-in user delete its rows, as far as grants go? */
  canDelete: boolean
  comment: string | null
  hasRowSecurity: boolean
  columns: CatalogColumn[]
  checks: CatalogConstraint[]
  exclusions: CatalogConstraint[]
  keys: CatalogKey[]
  indexes: CatalogIndex[]
  policies: CatalogPolicy[]
}

export interface CatalogParameter {
  name: string
  /** As pg_type calls it: uuid, _uuid, text. */
  type: string
  hasDefault: boolean
}

/** A function of schema public; two of the same name differ in their parameters. */
export interface CatalogFunction {
  name: string
  /** May a signed-in user call it? */
  canCall: boolean
  parameters: CatalogParameter[]
}

export interface Catalog {
  tables: CatalogTable[]
  signatures: CatalogFunction[]
  /** Functions of schema public that a signed-in user may call. */
  functions: string[]
  /** Bodies of the functions in schema app that triggers of one table call, by name. */
  triggerSources: Record<string, string>
  /** Bodies of the functions that a signed-in user calls and that run past row-level security, by name. */
  definers?: Record<string, string>
}

const COLUMNS = `
select c.relname as "table", c.relkind in ('v', 'm') as "isView",
  exists (select from pg_options_to_table(c.reloptions)
    where option_name = 'security_invoker' and option_value::boolean) as "isInvoker",
  has_any_column_privilege('authenticated', c.oid, 'SELECT') as "canSelect", has_table_privilege('authenticated', c.oid, 'DELETE') as "canDelete", obj_description(c.oid, 'pg_class') as "tableComment",
  c.relrowsecurity as "hasRowSecurity", a.attname as name, t.typname as type, format_type(a.atttypid, a.atttypmod) as "sqlType",
  a.attnotnull as "isRequired", pg_get_expr(d.adbin, d.adrelid) as expression, a.attgenerated <> '' or a.attidentity <> '' as "isGenerated",
  case t.typtype when 'e' then array(select enumlabel::text from pg_enum where enumtypid = t.oid order by enumsortorder) end as values,
  col_description(c.oid, a.attnum) as comment,
  has_column_privilege('authenticated', c.oid, a.attnum, 'INSERT') as "canInsert",
  has_column_privilege('authenticated', c.oid, a.attnum, 'UPDATE') as "canUpdate"
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
order by c.relname, a.attnum`

const names = (relation: string, numbers: string) =>
  `array(select a.attname::text from unnest(${numbers}) with ordinality u (n, i)
    join pg_attribute a on a.attrelid = ${relation} and a.attnum = u.n order by u.i)`

const CONSTRAINTS = `
select c.relname as "table", k.contype as kind, k.conname as name, pg_get_constraintdef(k.oid) as definition,
  ${names('k.conrelid', 'k.conkey')} as columns, coalesce(f.relname, '') as target,
  ${names('k.confrelid', 'k.confkey')} as "targetColumns"
from pg_constraint k join pg_class c on c.oid = k.conrelid left join pg_class f on f.oid = k.confrelid
where k.contype in ('c', 'f', 'x') and c.relnamespace = 'public'::regnamespace
order by c.relname, k.conname`

/**
 * The table and column behind each column of a view. A rule's tree names the table and column that each of its columns was
 * taken from as it is; one that is computed, or named differently in parts of a union, has several or none.
 */
const ORIGINS = `
with recursive origin as (
  select r.ev_class as view, m[2] as name, min(m[3])::oid as table, min(m[4])::int2 as number
  from pg_rewrite r join pg_class c on c.oid = r.ev_class and c.relkind in ('v', 'm') and c.relnamespace = 'public'::regnamespace
  cross join lateral regexp_matches(r.ev_action::text,
    ':resno (\\d+) :resname (\\S+) :ressortgroupref \\d+ :resorigtbl (\\d+) :resorigcol (\\d+)', 'g') m
  join pg_attribute a on a.attrelid = r.ev_class and a.attnum = m[1]::int2 and a.attname = m[2]
  where r.ev_type = '1'
  group by 1, 2 having count(distinct m[3] || '.' || m[4]) = 1 and min(m[3]) <> '0'
), place as (
  select view, name, "table", number from origin
  union
  select p.view, p.name, o."table", o.number from place p
  join pg_attribute a on a.attrelid = p."table" and a.attnum = p.number
  join origin o on o.view = p."table" and o.name = a.attname
)`

const VIEW_IDS = `${ORIGINS}
select c.relname as "table", o.relname as "idOf" from place p join pg_class c on c.oid = p.view
join pg_class o on o.oid = p."table" and o.relkind in ('r', 'p')
join pg_attribute a on a.attrelid = p."table" and a.attnum = p.number and a.attname = 'id'
where p.name = 'id'`

const VIEW_KEYS = `${ORIGINS}
select c.relname as "table", 'f' as kind, k.conname as name, pg_get_constraintdef(k.oid) as definition,
  array[p.name] as columns, f.relname as target, array['id'] as "targetColumns"
from place p join pg_class c on c.oid = p.view
join pg_constraint k on k.contype = 'f' and k.conrelid = p."table" and p.number = any (k.conkey)
join pg_class f on f.oid = k.confrelid
join pg_attribute a on a.attrelid = p."table" and a.attnum = p.number
where cardinality(k.conkey) = 1 or a.attname <> 'company_id'
order by c.relname, p.name, k.conname`

const INDEXES = `
select c.relname as "table", x.relname as name, i.indpred is not null as "isPartial", pg_get_expr(i.indpred, i.indrelid) as predicate, i.indisunique as "isUnique",
  array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts::int) n)::text[] as columns
from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
where c.relnamespace = 'public'::regnamespace and i.indisvalid
order by c.relname, x.relname`

const POLICIES = `
select c.relname as "table", y.polname as name,
  case y.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end as command,
  concat_ws(' ', pg_get_expr(y.polqual, y.polrelid), pg_get_expr(y.polwithcheck, y.polrelid)) as text
from pg_policy y join pg_class c on c.oid = y.polrelid
where c.relnamespace = 'public'::regnamespace
order by c.relname, y.polname`

// Functions of extensions are left out: they are not ours.
const FUNCTIONS = `
select p.proname as name, has_function_privilege('authenticated', p.oid, 'EXECUTE') as "canCall",
  coalesce((select json_agg(json_build_object('name', a.name, 'type', t.typname, 'hasDefault', a.n > p.pronargs - p.pronargdefaults)
      order by a.n)
    from (select coalesce(p.proargnames[o.i], '') as name, o.type, row_number() over (order by o.i) as n
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality o (type, i)
      where coalesce(p.proargmodes[o.i], 'i') in ('i', 'b', 'v')) a
    join pg_type t on t.oid = a.type), '[]')::text as parameters
from pg_proc p
where p.pronamespace = 'public'::regnamespace
  and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
order by 1, p.oid`

const TRIGGER_SOURCES = `
select p.proname as name, p.prosrc as source from pg_proc p
where p.pronamespace = 'app'::regnamespace and (p.prorettype = 'trigger'::regtype
    and (select count(distinct t.tgrelid) from pg_trigger t where t.tgfoid = p.oid) = 1
  -- The functions of row rules.
  or p.proname like '%\\_covers' and p.prorettype = 'boolean'::regtype
  or p.proname like '%\\_by\\_%' and p.pronargs = 0 and p.prorettype = 'uuid[]'::regtype)
order by 1`

const DEFINERS = `
select p.proname as name, p.prosrc as source from pg_proc p
where p.pronamespace = 'public'::regnamespace and p.prosecdef and has_function_privilege('authenticated', p.oid, 'execute')
order by 1`

const LISTS: Record<string, 'keys' | 'exclusions'> = { f: 'keys', x: 'exclusions' }

type Of<T> = T & { table: string }
type ColumnRow = Of<CatalogColumn> &
  Pick<CatalogTable, 'isView' | 'isInvoker' | 'canSelect' | 'canDelete' | 'hasRowSecurity'> & {
    tableComment: string | null
  }

/** The public schema as the database itself describes it: what definitions are compared with. */
export async function readCatalog(query: Query): Promise<Catalog> {
  const columns = await query<ColumnRow>(COLUMNS)
  const constraints = await query<Of<CatalogKey> & { kind: string }>(CONSTRAINTS)
  const viewKeys = await query<Of<CatalogKey> & { kind: string }>(VIEW_KEYS)
  const indexes = await query<Of<CatalogIndex>>(INDEXES)
  const policies = await query<Of<CatalogPolicy>>(POLICIES)
  const viewIds = await query<{ table: string; idOf: string }>(VIEW_IDS)
  const idOf = new Map(viewIds.map(({ table, idOf: owner }) => [table, owner]))
  const tables = new Map<string, CatalogTable>()
  for (const {
    table,
    isView,
    isInvoker,
    canSelect,
    canDelete,
    tableComment,
    hasRowSecurity,
    ...column
  } of columns) {
    const found = tables.get(table) ?? {
      name: table,
      isView,
      isInvoker,
      idOf: idOf.get(table) ?? null,
      canSelect,
      canDelete,
      comment: tableComment,
      hasRowSecurity,
      columns: [],
      checks: [],
      exclusions: [],
      keys: [],
      indexes: [],
      policies: [],
    }
    found.columns.push(column)
    tables.set(table, found)
  }
  for (const { table, kind, ...constraint } of [...constraints, ...viewKeys])
    tables.get(table)?.[LISTS[kind] ?? 'checks'].push(constraint)
  for (const { table, ...index } of indexes) tables.get(table)?.indexes.push(index)
  for (const { table, ...policy } of policies) tables.get(table)?.policies.push(policy)
  const files = await query<{ table: string; field: string; max_mb: number | null; accept: string[] | null }>(
    'select f.resource as "table", f.field, f.max_mb, f.accept from app.file_fields f order by 1, 2',
  )
  for (const { table: name, field, max_mb, accept } of files) {
    const table = tables.get(name)
    if (!table) continue
    table.files ??= {}
    table.files[field] = { ...(max_mb ? { max_mb } : {}), ...(accept ? { accept } : {}) }
  }
  const functions = await query<{ name: string; canCall: boolean; parameters: string }>(FUNCTIONS)
  const signatures = functions.map(({ parameters, ...signature }) => ({
    ...signature,
    parameters: JSON.parse(parameters) as CatalogParameter[],
  }))
  const sources = await query<{ name: string; source: string }>(TRIGGER_SOURCES)
  const definers = await query<{ name: string; source: string }>(DEFINERS)
  return {
    tables: [...tables.values()],
    signatures,
    functions: [...new Set(functions.filter(({ canCall }) => canCall).map(({ name }) => name))],
    triggerSources: Object.fromEntries(sources.map(({ name, source }) => [name, source])),
    definers: Object.fromEntries(definers.map(({ name, source }) => [name, source])),
  }
}
