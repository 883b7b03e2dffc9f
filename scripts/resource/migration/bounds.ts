import type { Field } from '@/resource/language/definition.generated'
import { splitCheck } from '@/resource/request/filter/mentioned-fields'
import { compareSql } from './filter-sql'
import type { ReferencePlan, TablePlan } from './plan'
import type { Probe } from './probes'
import { literal, named } from './sql'

/** A field that a `check` compares with a field of a related record: a trigger on either table holds it. */
export interface BoundPlan {
  column: string
  operator: string
  /** The key to the related record, and its column that is compared. */
  reference: ReferencePlan
  other: string
  /** Named as a check constraint, so that the form finds the field of a refusal by it. */
  name: string
}

export function boundsOf(
  table: string,
  own: readonly [string, Field][],
  references: readonly ReferencePlan[],
): BoundPlan[] {
  const bounds = own.flatMap(([column, field]) =>
    splitCheck(field.check).related.flatMap(({ operator, relation, name: other }): BoundPlan[] => {
      const reference = references.find((each) => each.column === relation)
      return reference ? [{ column, operator, reference, other, name: named(table, column, 'check03') }] : []
    }),
  )
  const key = ({ reference, column, operator }: BoundPlan) => `${reference.column} ${column} ${operator}`
  return bounds.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

export interface BoundFunction {
  name: string
  sql: string
  /** The columns of the resource's own table that it reads. */
  columns: string[]
}

type Planned = Pick<TablePlan, 'table' | 'resource' | 'isTenant' | 'bounds'>

const unique = (words: readonly string[]) => [...new Set(words)].sort()

/** Groups the bounds by relation, in the order of their names. */
function byRelation(bounds: readonly BoundPlan[]): [BoundPlan, ...BoundPlan[]][] {
  const groups = new Map<string, [BoundPlan, ...BoundPlan[]]>()
  for (const bound of bounds) {
    const group = groups.get(bound.reference.column)
    if (group) group.push(bound)
    else groups.set(bound.reference.column, [bound])
  }
  return [...groups.values()]
}

function isBroken({ column, operator, other }: BoundPlan, own: string, related: string): string {
  return `(${compareSql(`${own}.${column}`, operator, `${related}.${other}`)}) is false`
}

/** Whether `related` is the record that the row points at. */
function isRelated({ isTenant }: Planned, { reference }: BoundPlan, row: string, related: string): string {
  const company = isTenant && reference.isTenant ? ` and ${related}.company_id = ${row}.company_id` : ''
  return `${related}.id = ${row}.${reference.column}${company}`
}

function body(name: string, lines: readonly string[]): string {
  return `create function app.${name}() returns trigger
  language plpgsql security definer set search_path = '' as $bounds$
${lines.join('\n')}
  return null;
end $bounds$;`
}

function ownFunction(plan: Planned): BoundFunction {
  const { table, bounds } = plan
  const name = named('check_bounds_of', table)
  const columns = unique(bounds.flatMap(({ column, reference }) => [column, reference.column]))
  const row = (version: string) => columns.map((column) => `${version}.${column}`).join(', ')
  const checks = byRelation(bounds).flatMap((group) => [
    `  select ${unique(group.map(({ other }) => `x.${other}`)).join(', ')} into related from public.${group[0].reference.table} x
    where ${isRelated(plan, group[0], 'new', 'x')} for share;`,
    ...group.map(
      (bound) => `  if ${isBroken(bound, 'new', 'related')} then
    raise exception using errcode = '23514',
      message = 'new row for relation "${table}" violates check constraint "${bound.name}"';
  end if;`,
    ),
  ])
  return {
    name,
    columns,
    sql: `${body(name, [
      'declare\n  related record;\nbegin',
      `  if tg_op = 'UPDATE' and (${row('new')}) is not distinct from (${row('old')}) then
    return null;
  end if;`,
      '  -- Locked, so that nobody changes the related record before this transaction ends.',
      ...checks,
    ])}
comment on function app.${name}() is
  'Row trigger: compares ${unique(bounds.map(({ column }) => column)).join(', ')} with related records. Definer, because the caller may not read those.';
create trigger ${named(table, 'bounds')} after insert or update on public.${table}
  for each row execute function app.${name}();`,
  }
}

function relatedFunction(plan: Planned, group: readonly [BoundPlan, ...BoundPlan[]]): BoundFunction {
  const { table, resource } = plan
  const [{ reference }] = group
  // Two underscores: `seat.holder_plan_id` and `seat_holder.plan_id` are two functions.
  const name = named('hold_bounds_of', `${table}__${reference.column}`)
  const others = unique(group.map(({ other }) => other))
  const row = (version: string) => others.map((other) => `${version}.${other}`).join(', ')
  const checks = group.map(
    (bound) => `  select count(*) into broken from public.${table} r
    where ${isRelated(plan, bound, 'r', 'new')} and ${isBroken(bound, 'r', 'new')};
  if broken > 0 then
    raise exception using errcode = '23514', message = format(
      'column "${bound.other}" of relation "${reference.table}" violates check constraint "${bound.name}" in %s records of "${resource}"', broken);
  end if;`,
  )
  return {
    name,
    columns: unique(group.flatMap(({ column }) => [column, reference.column])),
    sql: `${body(name, ['declare\n  broken bigint;\nbegin', ...checks])}
comment on function app.${name}() is
  'Row trigger: ${others.join(', ')} may not change so that rows of ${table} break their checks. Definer, because the caller may not read those.';
create trigger ${named(reference.table, 'holds', `${table}__${reference.column}`)} after update on public.${reference.table}
  for each row when ((${row('old')}) is distinct from (${row('new')})) execute function app.${name}();`,
  }
}

/** The trigger on the table itself, and those on the tables that it is compared with. */
export function boundFunctions(plan: Planned): BoundFunction[] {
  if (plan.bounds.length === 0) return []
  return [ownFunction(plan), ...byRelation(plan.bounds).map((group) => relatedFunction(plan, group))]
}

export function renderBounds(plan: Planned): string {
  return boundFunctions(plan)
    .map(({ sql }) => sql)
    .join('\n')
}

/** The cascade drops the function's trigger too, whichever table that is on. */
export const dropBound = ({ name }: Pick<BoundFunction, 'name'>): string =>
  `drop function app.${name}() cascade;`

function whereBroken(plan: Planned, bound: BoundPlan): string {
  return `exists (select 1 from public.${bound.reference.table} x where ${isRelated(plan, bound, 'r', 'x')} and ${isBroken(bound, 'r', 'x')})`
}

export function boundProbes(plan: Planned): Probe[] {
  return plan.bounds.map((bound) => ({
    table: plan.table,
    where: whereBroken(plan, bound),
    problem: `break the check of \`${bound.column}\` against \`${bound.reference.column}.${bound.other}\``,
    remedy: 'Correct them, or the definition',
  }))
}

/** A trigger looks at no row that is there already. PostgreSQL's own words, as for a constraint that is added. */
export function validateBounds(plan: Planned): string[] {
  return plan.bounds.map(
    (bound) => `do $$ begin
  if exists (select 1 from public.${plan.table} r where ${whereBroken(plan, bound)}) then
    raise exception using errcode = '23514',
      message = ${literal(`check constraint "${bound.name}" of relation "${plan.table}" is violated by some row`)};
  end if;
end $$;`,
  )
}

const isOfRelated = (name: string): boolean => name.startsWith('hold_bounds_of_')

/** The functions of the database that compare rows of the table, by their text where a name could be cut. */
function boundNames(table: string, sources: Readonly<Record<string, string>>): string[] {
  return Object.entries(sources).flatMap(([name, source]) =>
    name === named('check_bounds_of', table) ||
    (isOfRelated(name) && source.includes(` from public.${table} r\n`))
      ? [name]
      : [],
  )
}

/** Triggers on other tables, which would go on refusing changes for the rows of a table that is removed. */
export function removeBounds(
  plan: Planned,
  sources: Readonly<Record<string, string>>,
): { open: string[]; close: string[] } {
  const gone = boundNames(plan.table, sources).filter(isOfRelated)
  const again = boundFunctions(plan).filter(({ name }) => gone.includes(name))
  return {
    open: again.length === 0 ? [] : [...again.map(({ sql }) => sql), ...validateBounds(plan)],
    close: gone.map((name) => dropBound({ name })),
  }
}

/** Functions that the database lacks or has in other words, and those that no field asks for any more. */
export function boundDifferences(
  plan: Planned,
  sources: Readonly<Record<string, string>>,
): { missing: BoundFunction[]; stale: string[] } {
  const planned = boundFunctions(plan)
  const bodyOf = (sql: string) => /as \$bounds\$(.*?)\$bounds\$;/s.exec(sql)?.[1]
  const missing = planned.filter(({ name, sql }) => sources[name] !== bodyOf(sql))
  const stale = boundNames(plan.table, sources).filter((name) => !planned.some((each) => each.name === name))
  return { missing, stale }
}

/** Plans the migration of bounds, which are dropped before columns change and written again after. */
export function boundChanges(
  plan: Planned,
  sources: Readonly<Record<string, string>>,
  retyped: readonly string[],
): { before: string[]; after: string[]; probes: Probe[] } {
  const { missing, stale } = boundDifferences(plan, sources)
  const touched = boundFunctions(plan).filter(
    (each) =>
      missing.some(({ name }) => name === each.name) || each.columns.some((name) => retyped.includes(name)),
  )
  const gone = [...touched.map(({ name }) => name).filter((name) => name in sources), ...stale]
  return {
    before: gone.map((name) => dropBound({ name })),
    after: [...touched.map(({ sql }) => sql), ...(touched.length > 0 ? validateBounds(plan) : [])],
    probes: touched.length > 0 ? boundProbes(plan) : [],
  }
}
