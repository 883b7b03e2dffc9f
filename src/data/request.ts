import type { CrudFilter } from '@refinedev/core'
import type { SupabaseClient } from '@supabase/supabase-js'
import { toDataError } from '@/data/errors'
import type { RowOrder } from '@/data/keyset'
import { type WrittenFilters, writeFilters } from '@/data/postgrest'

// The builder's own type follows the generated database types, which a resource added later is not part of.
export interface RowQuery extends PromiseLike<Answer> {
  filter(column: string, operator: string, value: string): RowQuery
  or(filters: string, options?: { referencedTable: string }): RowQuery
  eq(column: string, value: unknown): RowQuery
  order(column: string, options: { ascending: boolean }): RowQuery
  range(from: number, to: number): RowQuery
  limit(count: number): RowQuery
  select(columns: string): RowQuery
  abortSignal(signal: AbortSignal): RowQuery
}
interface Answer {
  data: unknown
  error: unknown
  count?: number | null
  status: number
}

/** Which rows: everything that a list and its count agree on. */
export interface RowSet {
  table: string
  /** The company, a literal in every request, which lets the database use its index. Null: all companies. */
  companyId: string | null
  where?: readonly CrudFilter[]
  /** Read through `search_<name>(q)` instead of the table, with this text and further arguments. */
  search?: { function: string; text: string; args?: Record<string, unknown> } | null
}

function writtenOf({ where = [], companyId }: RowSet): WrittenFilters {
  return writeFilters(where, companyId === null ? [] : ['company_id'])
}

/** All conditions of the set, the tenant first. */
export function narrow(query: RowQuery, set: RowSet): RowQuery {
  const { parameters, groups, embedded } = writtenOf(set)
  const tenants = set.companyId === null ? query : query.eq('company_id', set.companyId)
  const narrowed = parameters.reduce(
    (narrower, { column, operator, value }) => narrower.filter(column, operator, value),
    tenants,
  )
  const grouped = groups.length > 0 ? narrowed.or(`and(${groups.join(',')})`) : narrowed
  return [...embedded].reduce(
    (narrower, [referencedTable, inner]) => narrower.or(`and(${inner.join(',')})`, { referencedTable }),
    grouped,
  )
}

export function open(client: SupabaseClient, set: RowSet, select: string, count?: 'exact'): RowQuery {
  if (!set.search) return narrow(client.from(set.table).select(select, { count }) as unknown as RowQuery, set)
  // Read by GET, the embedded backend takes a group for an argument of the function.
  const { groups, embedded } = writtenOf(set)
  const get = groups.length === 0 && embedded.size === 0
  const { function: name, text, args } = set.search
  const query = client.rpc(name, { ...args, q: text }, { get, count }).select(select)
  return narrow(query as unknown as RowQuery, set)
}

/** Behind the name of a field, the key of an embed that holds its value: the table keeps hidden values beside the row. */
export const HIDDEN = '__hidden'

/** Moves hidden values into their own columns of the row; null where there is no value, or the user may not read it. */
export function withHidden<T>(data: T): T {
  const first: unknown = Array.isArray(data) ? data[0] : undefined
  if (typeof first !== 'object' || first === null) return data
  const keys = Object.keys(first).filter((key) => key.endsWith(HIDDEN))
  if (keys.length === 0 || !Array.isArray(data)) return data
  return data.map((row: Record<string, unknown>) => {
    const values = keys.map((key) => {
      const name = key.slice(0, -HIDDEN.length)
      const [found] = [row[key]].flat() as (Record<string, unknown> | null | undefined)[]
      return [name, found?.[name] ?? null]
    })
    return { ...row, ...Object.fromEntries(values) }
  }) as T
}

export async function answer(query: RowQuery): Promise<Answer> {
  let result: Answer
  try {
    result = await query
  } catch (error) {
    throw toDataError(error)
  }
  if (result.error) throw toDataError(result.error, result.status)
  return { ...result, data: withHidden(result.data) }
}

export function abortable(query: RowQuery, signal?: AbortSignal): RowQuery {
  return signal ? query.abortSignal(signal) : query
}

export function inOrder(query: RowQuery, order: readonly RowOrder[]): RowQuery {
  return order.reduce(
    (ordered, { column, descending }) => ordered.order(column, { ascending: !descending }),
    query,
  )
}
