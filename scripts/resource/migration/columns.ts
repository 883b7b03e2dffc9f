import type { Field } from '@/resource/definition/definition.generated'
import { type Rules, rulesOf, rulesSql } from './rules'
import { literal } from './sql'

export interface ColumnPlan {
  name: string
  type: string
  notNull: boolean
  /** An expression; null for none. */
  defaultTo: string | null
  /** Conditions of one check constraint. */
  checks: string[]
}

interface KindPlan {
  type: string
  /** Rules the kind implies where the definition says nothing: those that its input holds people to. */
  implied?: Rules
  /** Conditions beyond rules. */
  checks?: (column: string) => string[]
  /** Never null, with this to start from. */
  empty?: string
}

const BIGGEST_INTEGER = 2_147_483_647

function numberOf(field: Field, key: string): number | undefined {
  const value: unknown = Reflect.get(field, key)
  return typeof value === 'number' ? value : undefined
}

function numeric(field: Field): string {
  const decimals = numberOf(field, 'decimals')
  if (decimals) return `numeric(${16 + decimals}, ${decimals})`
  const bounds = [numberOf(field, 'min') ?? 0, numberOf(field, 'max') ?? 0]
  return bounds.some((bound) => Math.abs(bound) > BIGGEST_INTEGER) ? 'bigint' : 'integer'
}

const text = (implied: Rules, ...conditions: string[]): KindPlan => ({
  type: 'text',
  implied,
  checks: (column) => conditions.map((condition) => `${column} ${condition}`),
})
const json = (shape?: string, empty?: string): KindPlan => ({
  type: 'jsonb',
  checks: (column) => [
    ...(shape ? [`jsonb_typeof(${column}) = '${shape}'`] : []),
    `length(${column}::text) <= 100000`,
  ],
  ...(empty ? { empty } : {}),
})

const KINDS: Record<string, (field: Field) => KindPlan> = {
  text: () => text({}),
  textarea: () => text({}),
  markdown: () => text({ maxLength: 100_000 }),
  code: () => text({ maxLength: 200_000 }),
  enum: () => text({}),
  email: () => text({ maxLength: 255 }, `~ '^[^[:space:]@]+@[^[:space:]@]+[.][^[:space:]@]+$'`),
  url: () => text({ maxLength: 2000 }, `~* '^https?://[^[:space:]/?#]+[^[:space:]]*$'`),
  ip: () => text({}, `~ '^[0-9A-Fa-f:.]{2,45}$'`),
  mac: () => text({}, `~* '^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$'`),
  color: () => text({}, `~ '^#[0-9a-f]{6}$'`),
  timezone: () => ({
    type: 'text',
    // An unknown zone fails here (22023), not when a moment is first shown in it.
    checks: (column) => [`(timestamptz 'epoch' at time zone ${column}) is not null`],
  }),
  number: (field) => ({ type: numeric(field) }),
  money: () => ({ type: 'numeric(14, 2)' }),
  bytes: () => ({ type: 'bigint', implied: { min: 0 } }),
  duration: () => ({ type: 'integer', implied: { min: 0 } }),
  percent: (field) => ({
    type: numberOf(field, 'decimals')
      ? `numeric(${3 + (numberOf(field, 'decimals') ?? 0)}, ${numberOf(field, 'decimals')})`
      : 'integer',
    implied: { min: 0, max: 100 },
  }),
  boolean: () => ({ type: 'boolean', empty: 'false' }),
  date: () => ({ type: 'date' }),
  datetime: () => ({ type: 'timestamptz' }),
  tags: () => ({ type: 'text[]', checks: (column) => [`cardinality(${column}) <= 100`], empty: `'{}'` }),
  json: () => json(),
  diff: () => json('object'),
  rows: () => json('array', `'[]'`),
  relation: () => ({ type: 'uuid' }),
  user: () => ({ type: 'uuid' }),
}

function arrayLiteral(items: readonly unknown[]): string {
  return literal(`{${items.map((item) => JSON.stringify(String(item))).join(',')}}`)
}

function defaultOf(field: Field): string | null {
  const value: unknown = Reflect.get(field, 'default')
  if (value === undefined || value === null) return null
  if (value === '$now') return field.type === 'date' ? 'current_date' : 'now()'
  if (value === '$user' || value === '$user.id') return 'app.current_user_id()'
  // Other variables are the form's to fill in.
  if (typeof value === 'string' && /^\$(user|now|record)\b/.test(value)) return null
  if (field.type === 'tags' && Array.isArray(value)) return arrayLiteral(value)
  if (field.type === 'json' || field.type === 'rows') return literal(JSON.stringify(value))
  return literal(value)
}

/** Whether a field stands in a column of the resource's own table that a generator can write. */
export function hasOwnColumn(field: Field): boolean {
  return field.type !== 'many-to-many' && field.type !== 'computed' && field.from === undefined
}

/** The column behind a field. @throws for a kind without a column. */
export function columnOf(name: string, field: Field): ColumnPlan {
  const kind = KINDS[field.type]?.(field)
  if (!kind) throw new Error(`A field of type ${field.type} has no column to write.`)
  // Who made a record is known to the database, whatever a request says.
  const isAuthor = field.type === 'user' && field.readonly && name === 'created_by'
  const defaultTo = isAuthor ? 'app.current_user_id()' : (defaultOf(field) ?? kind.empty ?? null)
  const rules = { ...kind.implied, ...rulesOf(field) }
  return {
    name,
    type: kind.type,
    notNull: kind.empty !== undefined || (field.required === true && !field.when && !field.readonly),
    defaultTo,
    checks: [...rulesSql(name, rules), ...(kind.checks?.(name) ?? [])],
  }
}
