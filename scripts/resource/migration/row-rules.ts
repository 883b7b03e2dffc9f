import { ownField } from '@/resource/fields/related-field'
import type { Condition, Definition, Field, Filter } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import type { JoinPlan } from './plan'
import { linkOf } from './rule-fields'
import { literal, named, quotedBody } from './sql'

/** A row rule of the definition, compiled to a condition on the columns of its table. */
export interface RowRulePlan {
  name: string
  /** The condition with `{row}` where the row is named. */
  condition: string
}

/** A table of links to people: a policy compares with the ids of the caller's links, read once a statement. */
export interface RuleLinkPlan {
  name: string
  table: string
  near: string
  far: string
}

export interface RowRulesPlan {
  rules: RowRulePlan[]
  links: RuleLinkPlan[]
}

const USER = '(select app.current_user_id())'
const SYMBOLS: Record<string, string> = {
  _eq: '=',
  _neq: '<>',
  _lt: '<',
  _lte: '<=',
  _gt: '>',
  _gte: '>=',
}

const operand = (value: unknown): string => (value === '$user' ? USER : literal(value))

function columnSql(column: string, operator: string, value: unknown): string {
  const place = `{row}${column}`
  if (operator === '_null') return `${place} is ${value === false ? 'not ' : ''}null`
  if (value === null) return `${place} is ${operator === '_neq' ? 'not ' : ''}null`
  if (Array.isArray(value))
    return `${place} ${operator === '_nin' ? 'not ' : ''}in (${value.map(operand).join(', ')})`
  return `${place} ${SYMBOLS[operator] ?? '='} ${operand(value)}`
}

/** The name of the function that answers the linked ids: one a field, whatever rule asks. */
const linkName = (table: string, field: string): string => named(table, 'by', field)

function fieldSql(definition: Definition, name: string, field: Field | undefined, condition: Condition) {
  if (field && linkOf(field))
    return `{row}id = any ((select app.${linkName(tableOf(definition), name)}())::uuid[])`
  return Object.entries(condition)
    .map(([operator, value]) => columnSql(name, operator, value))
    .join(' and ')
}

function filterSql(definition: Definition, filter: Filter): string {
  const parts = Object.entries(filter).map(([key, value]) => {
    if (key !== '_and' && key !== '_or')
      return fieldSql(definition, key, ownField(definition, key), value as Condition)
    const inner = (value as Filter[]).map((each) => filterSql(definition, each))
    return `(${inner.join(key === '_and' ? ' and ' : ' or ')})`
  })
  return parts.join(' and ')
}

function linkedFields(filter: Filter): string[] {
  return Object.entries(filter).flatMap(([key, value]) =>
    key === '_and' || key === '_or' ? (value as Filter[]).flatMap(linkedFields) : [key],
  )
}

/** The row rules of a definition that the inspection has passed. Pure. */
export function rowRulesOf(definition: Definition): RowRulesPlan {
  const rules = Object.entries(definition.rules ?? {})
  const fields = new Set(rules.flatMap(([, filter]) => linkedFields(filter)))
  const links = [...fields].flatMap((name) => {
    const link = linkOf(ownField(definition, name))
    return link ? [{ name: linkName(tableOf(definition), name), ...link }] : []
  })
  return {
    rules: rules.map(([name, filter]) => ({ name, condition: filterSql(definition, filter) })),
    links,
  }
}

const COMMANDS = [
  ['select', 'list', ['using']],
  ['insert', 'create', ['with check']],
  ['update', 'edit', ['using', 'with check']],
  ['delete', 'delete', ['using']],
] as const

interface Place {
  table: string
  resource: string
  rowRules: RowRulesPlan
  joins: readonly JoinPlan[]
}

const coversName = (table: string): string => `${table}_covers`
const idsName = (table: string): string => `${table}_by_rules`
/** A search looks up 500 rows by their ids; the next one tells that there are more. */
const MAX_IDS = 501
const policyName = (table: string, command: string): string => named(table, command, 'rules')

const ask = (call: string, isOnce: boolean) => (isOnce ? `(select ${call})` : call)

function ruleConditions({ resource, rowRules }: Place, verb: string, row: string, isOnce: boolean): string[] {
  return rowRules.rules.map(
    (rule) =>
      `(${ask(`app.has_rule('${resource}', ${verb}, '${rule.name}')`, isOnce)} and (${rule.condition.replaceAll('{row}', row)}))`,
  )
}

function condition(place: Place, verb: string, row: string, isOnce: boolean): string {
  return [
    ask(`app.sees_rows('${place.resource}', ${verb})`, isOnce),
    ...ruleConditions(place, verb, row, isOnce),
  ].join('\n    or ')
}

function coversBody(place: Place): string {
  return `\n  select coalesce(${condition(place, 'action', 't.', false)}, false)\n`
}

/**
 * The rows as ids, which a plan is made for. A policy that says "all rows, or these" has one plan for everybody, and
 * reads the table in the order of the list until it has found somebody's few rows.
 */
function idsBody(place: Place): string {
  return `\n  select case when not app.sees_rows('${place.resource}', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.${place.table} t
    where ${ruleConditions(place, "'list'", 't.', true).join('\n      or ')}
    limit ${MAX_IDS}) f), '{}') end\n`
}

function idsSql(place: Place): string {
  const name = idsName(place.table)
  return `create function app.${name}() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as ${quotedBody(idsBody(place))};
comment on function app.${name}() is
  'The ids of the rows of ${place.resource} that the caller lists by a row rule, at most ${MAX_IDS}; null for whoever lists all rows.';
grant execute on function app.${name}() to authenticated;`
}

function linkSql({ name, table, near, far }: RuleLinkPlan): string {
  return `create function app.${name}() returns uuid[]
  language sql stable
  -- definer: the policies of the link table ask for the record, whose own policies call this function
  security definer set search_path = '' as $$
  select coalesce(array_agg(l.${near}), '{}') from public.${table} l where l.${far} = app.current_user_id()
$$;
comment on function app.${name}() is 'The records to which ${table} links the caller, for row rules: (select app.${name}()).';
grant execute on function app.${name}() to authenticated;`
}

/** Links of a record that the rules hide are hidden with it, and changed by those alone who may edit it. */
function joinPolicies(place: Place, { table: join, near }: JoinPlan): [name: string, sql: string][] {
  const record = (more: string) =>
    `exists (select 1 from public.${place.table} r where r.id = ${join}.${near.column}${more})`
  const edits = record(` and (${condition(place, "'edit'", 'r.', true)})`)
  const policy = (command: string, clause: string): [string, string] => [
    policyName(join, command),
    `create policy ${policyName(join, command)} on public.${join} as restrictive for ${command} to authenticated\n  ${clause};`,
  ]
  return [
    policy('select', `using (${record('')})`),
    policy('insert', `with check (${edits})`),
    policy('delete', `using (${edits})`),
  ]
}

/**
 * The functions and the restrictive policies that hold the row rules of a table. They are apart from those of
 * company and permission, so that a table written by hand keeps its own. Empty without rules.
 */
export function renderRowRules(place: Place): string {
  const { table, resource, rowRules } = place
  if (rowRules.rules.length === 0) return ''
  const covers = coversName(table)
  return [
    ...rowRules.links.map(linkSql),
    `create function app.${covers}(t public.${table}, action text) returns boolean
  language sql stable set search_path = '' as ${quotedBody(coversBody(place))};
comment on function app.${covers}(public.${table}, text) is
  'Whether the caller may do \`action\` on this row of ${resource}: on every row, or by a row rule of their lines. For triggers and app.require_rows().';
grant execute on function app.${covers}(public.${table}, text) to authenticated;`,
    idsSql(place),
    ...COMMANDS.map(
      ([command, verb, clauses]) =>
        `create policy ${policyName(table, command)} on public.${table} as restrictive for ${command} to authenticated\n  ${clauses
          .map((clause) => `${clause} (${condition(place, `'${verb}'`, '', true)})`)
          .join('\n  ')};`,
    ),
    ...place.joins.flatMap((join) => joinPolicies(place, join).map(([, sql]) => sql)),
  ].join('\n')
}

export interface RowRuleFacts extends Place {
  tables: readonly CatalogTable[]
  /** Bodies of the functions of schema app that belong to one table, by name. */
  sources: Readonly<Record<string, string>>
}

/** The policies of row rules that the database has, on the table and on those of its links. */
function heldPolicies({ table, joins, tables }: RowRuleFacts): { on: string; name: string }[] {
  const names = [table, ...joins.map((join) => join.table)]
  return tables
    .filter(({ name }) => names.includes(name))
    .flatMap(({ name: on, policies }) =>
      policies
        .filter(({ name, command }) => name === policyName(on, command))
        .map(({ name }) => ({ on, name })),
    )
}

/** Whether the database holds exactly these rules. */
export function holdsRowRules(facts: RowRuleFacts): boolean {
  const { table, rowRules, sources, joins } = facts
  const source = sources[coversName(table)]
  if (rowRules.rules.length === 0) return source === undefined && sources[idsName(table)] === undefined
  const held = heldPolicies(facts).length
  return (
    source === coversBody(facts) &&
    sources[idsName(table)] === idsBody(facts) &&
    held === COMMANDS.length + 3 * joins.length
  )
}

/** The statements that take the rules of the database away, and those that write the definition's. */
export function rowRuleChanges(facts: RowRuleFacts): { before: string[]; after: string[] } {
  if (holdsRowRules(facts)) return { before: [], after: [] }
  const after = renderRowRules(facts)
  return { before: rowRuleDrops(facts).sql, after: after ? [after] : [] }
}

/** The statements that take the rules of the database away, and what goes. */
export function rowRuleDrops(facts: RowRuleFacts): {
  sql: string[]
  policies: { on: string; name: string }[]
  functions: string[]
} {
  const { table, sources } = facts
  const covers = coversName(table)
  const policies = heldPolicies(facts)
  const links = rowRuleFunctions(table, sources)
  const isCovered = covers in sources
  return {
    sql: [
      ...policies.map(({ on, name }) => `drop policy ${name} on public.${on};`),
      ...(isCovered ? [`drop function app.${covers}(public.${table}, text);`] : []),
      ...links.map((name) => `drop function app.${name}();`),
    ],
    policies,
    functions: [...(isCovered ? [covers] : []), ...links],
  }
}

/** The functions of a table's row rules that stay when the table goes. */
export function rowRuleFunctions(table: string, sources: Readonly<Record<string, string>>): string[] {
  return Object.keys(sources).filter((name) => name.startsWith(`${table}_by_`))
}
