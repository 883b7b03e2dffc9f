import type { SupabaseClient } from '@supabase/supabase-js'
import { toDataError } from '@/data/errors'
import type { RowCondition, RowOrder, RowSet } from '@/data/rows'

// The builder's own type follows the generated database types, which a resource added later is not part of.
export interface Query extends PromiseLike<Answer> {
  filter(column: string, operator: string, value: string): Query
  or(filters: string): Query
  eq(column: string, value: unknown): Query
  order(column: string, options: { ascending: boolean }): Query
  range(from: number, to: number): Query
  limit(count: number): Query
  select(columns: string): Query
  abortSignal(signal: AbortSignal): Query
}
interface Answer {
  data: unknown
  error: unknown
  count?: number | null
  status: number
}

/**
 * All conditions of the set. Of several parameters with one name the embedded backend obeys only one, so a
 * second condition on a column, and every `or` beside the first, go into one group.
 */
export function narrow(query: Query, set: RowSet): Query {
  let narrowed = query
  const columns = new Set<string>()
  const groups: string[] = []
  if (set.companyId !== null) {
    narrowed = narrowed.eq('company_id', set.companyId)
    columns.add('company_id')
  }
  for (const condition of set.where ?? []) {
    if ('or' in condition) groups.push(`or(${condition.or})`)
    else if (columns.has(condition.column)) groups.push(inGroup(condition))
    else {
      columns.add(condition.column)
      narrowed = narrowed.filter(condition.column, condition.operator, condition.value)
    }
  }
  return groups.length > 0 ? narrowed.or(`and(${groups.join(',')})`) : narrowed
}

function inGroup({ column, operator, value, logic }: Exclude<RowCondition, { or: string }>): string {
  return logic ?? `${column}.${operator}.${value}`
}

export function open(client: SupabaseClient, set: RowSet, select: string, count?: 'exact'): Query {
  const query = set.search
    ? client.rpc(set.search.function, { q: set.search.text }, { get: true, count }).select(select)
    : client.from(set.table).select(select, { count })
  return narrow(query as unknown as Query, set)
}

export async function answer(query: Query): Promise<Answer> {
  let result: Answer
  try {
    result = await query
  } catch (error) {
    throw toDataError(error)
  }
  if (result.error) throw toDataError(result.error, result.status)
  return result
}

export function abortable(query: Query, signal?: AbortSignal): Query {
  return signal ? query.abortSignal(signal) : query
}

export function inOrder(query: Query, order: readonly RowOrder[]): Query {
  return order.reduce(
    (ordered, { column, descending }) => ordered.order(column, { ascending: !descending }),
    query,
  )
}
