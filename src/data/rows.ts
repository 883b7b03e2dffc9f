import type { SupabaseClient } from '@supabase/supabase-js'
import { CheckError, ConflictError, DataError, GoneError, toDataError } from '@/data/errors'
import { valueList } from '@/data/postgrest'

export type Row = Record<string, unknown>

/**
 * One condition of a request; `or` holds the inside of PostgREST's `or=(…)`. `logic` is the condition as it is
 * written inside a group, where that differs.
 */
export type RowCondition =
  | { column: string; operator: string; value: string; logic?: string }
  | { or: string }

export interface RowOrder {
  column: string
  descending: boolean
}

/** Which rows: everything that a list and its count agree on. */
export interface RowSet {
  table: string
  /** The tenant: goes into every request as a literal, which is what lets the database use its index. Null: all companies. */
  companyId: string | null
  where?: readonly RowCondition[]
  /** Read through `search_<name>(q)` instead of the table, with this text. */
  search?: { function: string; text: string } | null
}

export interface RowPage extends RowSet {
  select: string
  order: readonly RowOrder[]
  /** From 1. */
  page: number
  pageSize: number
}

export interface RowList {
  rows: Row[]
  /** Whether a further page exists: known without a count, from one row more than the page. */
  hasNext: boolean
}

// The builder's own type follows the generated database types, which a resource added later is not part of.
interface Query extends PromiseLike<Answer> {
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
function narrow(query: Query, set: RowSet): Query {
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

function open(client: SupabaseClient, set: RowSet, select: string, count?: 'exact'): Query {
  const query = set.search
    ? client.rpc(set.search.function, { q: set.search.text }, { get: true, count }).select(select)
    : client.from(set.table).select(select, { count })
  return narrow(query as unknown as Query, set)
}

async function answer(query: Query): Promise<Answer> {
  let result: Answer
  try {
    result = await query
  } catch (error) {
    throw toDataError(error)
  }
  if (result.error) throw toDataError(result.error, result.status)
  return result
}

function abortable(query: Query, signal?: AbortSignal): Query {
  return signal ? query.abortSignal(signal) : query
}

/** One page: reads a row more than it gives, so that "next" is known while the count is still on its way. */
export async function readPage(
  client: SupabaseClient,
  page: RowPage,
  signal?: AbortSignal,
): Promise<RowList> {
  let query = open(client, page, page.select)
  for (const { column, descending } of page.order) query = query.order(column, { ascending: !descending })
  const from = (page.page - 1) * page.pageSize
  const result = await answer(abortable(query.range(from, from + page.pageSize), signal))
  const rows = result.data as Row[]
  return { rows: rows.slice(0, page.pageSize), hasNext: rows.length > page.pageSize }
}

/**
 * How many rows there are, exactly. A request of its own that reads one narrow row: estimates are noise under
 * row-level security, and HEAD on a function is refused by the embedded backend.
 */
export async function countRows(
  client: SupabaseClient,
  set: RowSet,
  select = 'id',
  signal?: AbortSignal,
): Promise<number> {
  const result = await answer(abortable(open(client, set, select, 'exact').limit(1), signal))
  return result.count ?? 0
}

/** All rows of a set up to a limit; for pickers and exports, never for a list. */
export async function readRows(
  client: SupabaseClient,
  set: RowSet & { select: string; order: readonly RowOrder[]; limit: number },
  signal?: AbortSignal,
): Promise<Row[]> {
  let query = open(client, set, set.select)
  for (const { column, descending } of set.order) query = query.order(column, { ascending: !descending })
  return (await answer(abortable(query.limit(set.limit), signal))).data as Row[]
}

/** Throws GoneError when there is no such row for this user. */
export async function readRow(
  client: SupabaseClient,
  set: RowSet & { select: string; id: string; key?: string },
  signal?: AbortSignal,
): Promise<Row> {
  const query = open(client, set, set.select)
    .eq(set.key ?? 'id', set.id)
    .limit(1)
  try {
    const [row] = (await answer(abortable(query, signal))).data as Row[]
    if (row) return row
  } catch (error) {
    // An address with something that is no id at all leads nowhere either.
    if (!(error instanceof CheckError && error.code === '22P02')) throw error
  }
  throw new GoneError('No such row', 'PGRST116')
}

export async function insertRow(client: SupabaseClient, table: string, values: Row): Promise<Row> {
  const query = client.from(table).insert(values).select('*') as unknown as Query
  const [row] = (await answer(query)).data as Row[]
  if (!row) throw new DataError('The server did not return the new row')
  return row
}

export interface RowTarget {
  table: string
  companyId: string | null
  id: string
  key?: string
}

/**
 * Changes one row. With `version`, only if nobody else changed it since: no row changed then means that the
 * lock is lost (ConflictError, the row is still there) or that the row is gone (GoneError). A write that
 * changes nothing is never a success.
 */
export async function updateRow(
  client: SupabaseClient,
  target: RowTarget,
  values: Row,
  version?: number,
): Promise<Row> {
  const key = target.key ?? 'id'
  let query = narrow(client.from(target.table).update(values) as unknown as Query, target).eq(key, target.id)
  if (version !== undefined) query = query.eq('version', version)
  const [row] = (await answer(query.select('*'))).data as Row[]
  if (row) return row
  await readRow(client, { ...target, select: key })
  if (version === undefined) throw new GoneError('No row was changed')
  throw new ConflictError('The row was changed meanwhile', 'PT409')
}

/** Changes many rows by one request and gives those that changed; the caller compares the numbers. */
export async function updateRows(
  client: SupabaseClient,
  target: Omit<RowTarget, 'id'> & { ids: readonly string[] },
  values: Row,
): Promise<Row[]> {
  const query = narrow(client.from(target.table).update(values) as unknown as Query, target)
  const changed = query.filter(target.key ?? 'id', 'in', valueList(target.ids)).select('*')
  return refuseNothing((await answer(changed)).data as Row[])
}

/** Deletes by one request, however many, and gives the ids that went. */
export async function deleteRows(
  client: SupabaseClient,
  target: Omit<RowTarget, 'id'> & { ids: readonly string[] },
): Promise<Row[]> {
  const key = target.key ?? 'id'
  const query = narrow(client.from(target.table).delete() as unknown as Query, target)
  const gone = query.filter(key, 'in', valueList(target.ids)).select(key)
  return refuseNothing((await answer(gone)).data as Row[])
}

function refuseNothing(rows: Row[]): Row[] {
  if (rows.length === 0) throw new GoneError('No row was changed')
  return rows
}
