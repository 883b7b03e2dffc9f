import type { SupabaseClient } from '@supabase/supabase-js'
import { toDataError } from '@/data/errors'
import type { RowCondition, RowOrder, RowSet } from '@/data/rows'

// The builder's own type follows the generated database types, which a resource added later is not part of.
export interface Query extends PromiseLike<Answer> {
  filter(column: string, operator: string, value: string): Query
  or(filters: string, options?: { referencedTable: string }): Query
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

type ColumnCondition = Exclude<RowCondition, { or: string }>

interface Conditions {
  own: ColumnCondition[]
  groups: string[]
  /** Conditions by embedded table; no group of the request's own may hold them. */
  embedded: ReadonlyMap<string, string[]>
}

function inGroup({ column, operator, value, logic }: ColumnCondition): string {
  return logic ?? `${column}.${operator}.${value}`
}

/**
 * The embedded backend obeys only one of several parameters with the same name, so a second condition on a column,
 * and every `or`, go into one group, or into that of the embedded table.
 */
function split(set: RowSet): Conditions {
  const columns = new Set(set.companyId === null ? [] : ['company_id'])
  const own: ColumnCondition[] = []
  const groups: string[] = []
  const embedded = new Map<string, string[]>()
  for (const condition of set.where ?? []) {
    if ('or' in condition) groups.push(`or(${condition.or})`)
    else if (columns.has(condition.column)) {
      const embed = condition.column.split('.').slice(0, -1).join('.')
      if (embed === '') groups.push(inGroup(condition))
      else embedded.set(embed, [...(embedded.get(embed) ?? []), inGroup(condition).slice(embed.length + 1)])
    } else {
      columns.add(condition.column)
      own.push(condition)
    }
  }
  return { own, groups, embedded }
}

/** All conditions of the set, the tenant first. */
export function narrow(query: Query, set: RowSet): Query {
  const { own, groups, embedded } = split(set)
  const tenants = set.companyId === null ? query : query.eq('company_id', set.companyId)
  const narrowed = own.reduce(
    (narrower, { column, operator, value }) => narrower.filter(column, operator, value),
    tenants,
  )
  const grouped = groups.length > 0 ? narrowed.or(`and(${groups.join(',')})`) : narrowed
  return [...embedded].reduce(
    (narrower, [referencedTable, inner]) => narrower.or(`and(${inner.join(',')})`, { referencedTable }),
    grouped,
  )
}

export function open(client: SupabaseClient, set: RowSet, select: string, count?: 'exact'): Query {
  if (!set.search) return narrow(client.from(set.table).select(select, { count }) as unknown as Query, set)
  // Read by GET, the embedded backend takes a group for an argument of the function.
  const { groups, embedded } = split(set)
  const get = groups.length === 0 && embedded.size === 0
  const { function: name, text, args } = set.search
  const query = client.rpc(name, { ...args, q: text }, { get, count }).select(select)
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
