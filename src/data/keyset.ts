import type { CrudFilter } from '@refinedev/core'

export interface RowOrder {
  column: string
  descending: boolean
}

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

function compare(field: string, operator: 'eq' | 'lt' | 'lte' | 'gt' | 'gte', value: KeyValue): CrudFilter {
  return { field, operator, value }
}
const isNull = (field: string): CrudFilter => ({ field, operator: 'null', value: true })
const isNotNull = (field: string): CrudFilter => ({ field, operator: 'nnull', value: true })
const anyOf = (value: CrudFilter[]): CrudFilter => ({ operator: 'or', value })

function sameAs(column: string, value: KeyValue): CrudFilter {
  return value === null ? isNull(column) : compare(column, 'eq', value)
}

/**
 * A row is beyond a value in one column when any of these filters holds. Empty values come last when ascending and first
 * when descending, as the database has it.
 */
function beyond({ column, descending }: RowOrder, value: KeyValue, isKey: boolean): CrudFilter[] {
  if (value === null) return descending ? [isNotNull(column)] : []
  if (descending) return [compare(column, 'lt', value)]
  const greater = compare(column, 'gt', value)
  return isKey ? [greater] : [greater, isNull(column)]
}

/** A row is beyond another when it is so in the first column, or equal there and beyond in the second, and so on. */
function beyondRow(order: readonly RowOrder[], values: readonly KeyValue[]): CrudFilter {
  return anyOf(
    order.flatMap((each, index) => {
      const next = beyond(each, values[index] ?? null, index === order.length - 1)
      const [first, second] = next
      if (index === 0 || !first) return next
      const same = order.slice(0, index).map(({ column }, place) => sameAs(column, values[place] ?? null))
      return [{ operator: 'and' as const, value: [...same, second ? anyOf(next) : first] }]
    }),
  )
}

function segments(order: readonly RowOrder[], values: readonly KeyValue[], isRun: boolean): CrudFilter[][] {
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
  return [[bound, beyondRow(order, values)], ...empty]
}

/** The embedded backend has no form for an order relation with such a text. */
const UNORDERABLE = /["\\]|^null$|^\s|\s$/

/**
 * The rows beyond the cursor in this order, as sets to be read one after the other until a page is full: each is
 * one stretch of the index. Null when a value has no writing that every backend reads.
 */
export function rowsBeyond(order: readonly RowOrder[], cursor: RowCursor): CrudFilter[][] | null {
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
  rows: readonly Record<string, unknown>[],
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
