import { compareOperation, groupOperation } from '@/data/postgrest'
import type { Row, RowCondition, RowOrder } from '@/data/rows'

/**
 * Paging by key: the next page holds the rows after the last one of this page, found by the index at any
 * depth. An offset reads and discards every row before it. Rows that appear or disappear in between shift
 * nothing.
 */
export type KeyValue = string | number | boolean | null

export interface RowCursor {
  way: 'after' | 'before'
  /** The boundary row's values of the order's columns; the last one is the key. */
  values: readonly KeyValue[]
  /** Whether the page it was made from had one value in the first column throughout: then the next one likely has, too. */
  isRun: boolean
}

/** A condition in the two notations that a request may need. */
function compare(column: string, operator: string, value: KeyValue): RowCondition {
  const text = String(value)
  return { column, ...compareOperation(operator, text), logic: inGroup(column, operator, value) }
}

function inGroup(column: string, operator: string, value: KeyValue): string {
  const operation = groupOperation(operator, String(value))
  return `${column}.${operation.operator}.${operation.value}`
}

const isNull = (column: string): RowCondition => ({ column, operator: 'is', value: 'null' })
const isNotNull = (column: string): RowCondition => ({ column, operator: 'not.is', value: 'null' })

function sameAs(column: string, value: KeyValue): string {
  return value === null ? `${column}.is.null` : inGroup(column, 'eq', value)
}

/** Beyond a value in one column; empty values come last when ascending and first when descending, as the database has it. */
function beyond({ column, descending }: RowOrder, value: KeyValue, isKey: boolean): string | null {
  if (value === null) return descending ? `${column}.not.is.null` : null
  if (descending) return inGroup(column, 'lt', value)
  const greater = inGroup(column, 'gt', value)
  return isKey ? greater : `${greater},${column}.is.null`
}

/** Beyond the row in the whole order: in the first column, or equal there and beyond in the second, and so on. */
function beyondRow(order: readonly RowOrder[], values: readonly KeyValue[]): string {
  return order
    .flatMap((each, index) => {
      const next = beyond(each, values[index] ?? null, index === order.length - 1)
      if (next === null) return []
      if (index === 0) return [next]
      const same = order.slice(0, index).map(({ column }, place) => sameAs(column, values[place] ?? null))
      return [`and(${[...same, next.includes(',') ? `or(${next})` : next].join(',')})`]
    })
    .join(',')
}

function segments(order: readonly RowOrder[], values: readonly KeyValue[], isRun: boolean): RowCondition[][] {
  const [first, ...rest] = order
  const [value = null, ...others] = values
  if (!first) return [[]]
  const { column, descending } = first
  if (rest.length === 0) return [[compare(column, descending ? 'lt' : 'gt', value)]]
  if (value === null) {
    const within = segments(rest, others, false).map((each) => [isNull(column), ...each])
    return descending ? [...within, [isNotNull(column)]] : within
  }
  const empty = descending ? [] : [[isNull(column)]]
  if (isRun) {
    const within = segments(rest, others, false).map((each) => [compare(column, 'eq', value), ...each])
    return [...within, [compare(column, descending ? 'lt' : 'gt', value)], ...empty]
  }
  // The bound is redundant, but lets the database use its index.
  const bound = compare(column, descending ? 'lte' : 'gte', value)
  return [[bound, { or: beyondRow(order, values) }], ...empty]
}

/** The embedded backend has no form for an order relation with such a text. */
const UNORDERABLE = /["\\]|^null$|^\s|\s$/

/**
 * The rows beyond the cursor in this order, as sets to be read one after the other until a page is full: each is
 * one stretch of the index. Null when a value has no writing that every backend reads.
 */
export function rowsBeyond(order: readonly RowOrder[], cursor: RowCursor): RowCondition[][] | null {
  if (order.length !== cursor.values.length) return null
  if (cursor.values.some((value) => typeof value === 'string' && UNORDERABLE.test(value))) return null
  return segments(order, cursor.values, cursor.isRun)
}

export function reversed(order: readonly RowOrder[]): RowOrder[] {
  return order.map(({ column, descending }) => ({ column, descending: !descending }))
}

export function isKeyValue(value: unknown): value is KeyValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** The cursor for what follows, or precedes, a page of rows. Null when the rows do not hold the order's columns. */
export function cursorFrom(
  rows: readonly Row[],
  order: readonly RowOrder[],
  way: RowCursor['way'],
): RowCursor | null {
  const boundary = way === 'after' ? rows.at(-1) : rows[0]
  const other = way === 'after' ? rows[0] : rows.at(-1)
  const first = order[0]?.column
  if (!boundary || !other || first === undefined) return null
  const values = order.map(({ column }) => boundary[column])
  if (!values.every(isKeyValue)) return null
  return { way, values, isRun: rows.length > 1 && boundary[first] === other[first] }
}
