import type { CrudFilter } from '@refinedev/core'
import type { SupabaseClient } from '@supabase/supabase-js'
import { CheckError, ConflictError, DataError, GoneError } from '@/data/errors'
import { type RowCursor, type RowOrder, reversed, rowsBeyond } from '@/data/keyset'
import { valueList } from '@/data/postgrest'
import { abortable, answer, inOrder, narrow, open, type RowQuery, type RowSet } from '@/data/request'
import { attachReads, splitSelect } from '@/data/separate-reads'

export type Row = Record<string, unknown>

export interface RowPage extends RowSet {
  select: string
  order: readonly RowOrder[]
  /** From 1; what is read by where there is no cursor. */
  page: number
  pageSize: number
  cursor?: RowCursor | null
  /** Rows before it, where that is not a number of whole pages. */
  offset?: number
  /** Rows per request of a long page, where fewer than usual are wanted at first. */
  piece?: number | undefined
}

export interface RowList {
  rows: Row[]
  /** Whether there is a further page, known without a count because one more row than the page is read. */
  hasNext: boolean
  hasPrevious: boolean
}

/** Reads one row more than the page holds, so that "next" is known while the count is still on its way. */
export async function readPage(
  client: SupabaseClient,
  page: RowPage,
  signal?: AbortSignal,
): Promise<RowList> {
  const { select, reads } = splitSelect(page.select)
  const list = await readOwnPage(client, { ...page, select }, signal)
  return reads.length === 0 ? list : { ...list, rows: await attachReads(client, list.rows, reads, signal) }
}

async function readOwnPage(client: SupabaseClient, page: RowPage, signal?: AbortSignal): Promise<RowList> {
  const { cursor, pageSize } = page
  const found = cursor ? await readBeyond(client, page, cursor, signal) : null
  if (cursor?.way === 'after' && found)
    return { rows: found.slice(0, pageSize), hasNext: found.length > pageSize, hasPrevious: true }
  // Fewer than a page before it: the list begins here, and its first page is whole.
  if (found && found.length >= pageSize)
    return { rows: found.slice(0, pageSize).reverse(), hasNext: true, hasPrevious: found.length > pageSize }
  const from = found ? 0 : (page.offset ?? (page.page - 1) * pageSize)
  const query = inOrder(open(client, page, page.select), page.order).range(from, from + pageSize)
  const rows = (await answer(abortable(query, signal))).data as Row[]
  return { rows: rows.slice(0, pageSize), hasNext: rows.length > pageSize, hasPrevious: from > 0 }
}

/**
 * Reads a page and the number of all rows in one request. A page past the end is empty.
 */
export async function readCountedPage(
  client: SupabaseClient,
  page: RowPage,
  signal?: AbortSignal,
): Promise<{ rows: Row[]; total: number }> {
  const from = (page.page - 1) * page.pageSize
  const { select, reads } = splitSelect(page.select)
  const query = inOrder(open(client, page, select, 'exact'), page.order)
  try {
    const { data, count } = await answer(abortable(query.range(from, from + page.pageSize - 1), signal))
    const rows = await attachReads(client, data as Row[], reads, signal)
    return { rows, total: count ?? from + rows.length }
  } catch (error) {
    if (!(error instanceof DataError && error.code === 'PGRST103')) throw error
    return { rows: [], total: await countRows(client, page, select, signal) }
  }
}

/** Reads a page after the cursor and one more row, nearest first; null if no request can express it. */
async function readBeyond(
  client: SupabaseClient,
  page: RowPage,
  cursor: RowCursor,
  signal?: AbortSignal,
): Promise<Row[] | null> {
  const order = cursor.way === 'after' ? page.order : reversed(page.order)
  const stretches = rowsBeyond(order, cursor)
  if (!stretches) return null
  const rows: Row[] = []
  for (const stretch of stretches) {
    const missing = page.pageSize + 1 - rows.length
    if (missing <= 0) break
    const set = { ...page, where: [...(page.where ?? []), ...stretch], order, limit: missing }
    rows.push(...(await readRows(client, set, signal)))
  }
  return rows
}

/**
 * The exact number of rows. A separate request that reads one narrow row: estimates are noise under row-level
 * security, and the embedded backend refuses HEAD on a function.
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
  const { select, reads } = splitSelect(set.select)
  const query = inOrder(open(client, set, select), set.order)
  const rows = (await answer(abortable(query.limit(set.limit), signal))).data as Row[]
  return reads.length === 0 ? rows : attachReads(client, rows, reads, signal)
}

/** Throws GoneError when there is no such row for this user. */
export async function readRow(
  client: SupabaseClient,
  set: RowSet & { select: string; id: string; key?: string },
  signal?: AbortSignal,
): Promise<Row> {
  const { select, reads } = splitSelect(set.select)
  const query = open(client, set, select)
    .eq(set.key ?? 'id', set.id)
    .limit(1)
  try {
    const found = (await answer(abortable(query, signal))).data as Row[]
    const [row] = await attachReads(client, found, reads, signal)
    if (row) return row
  } catch (error) {
    // An address with something that is no id at all leads nowhere either.
    if (!(error instanceof CheckError && error.code === '22P02')) throw error
  }
  throw new GoneError('No such row', 'PGRST116')
}

export async function insertRow(client: SupabaseClient, table: string, values: Row): Promise<Row> {
  const query = client.from(table).insert(values).select('*') as unknown as RowQuery
  const [row] = (await answer(query)).data as Row[]
  if (!row) throw new DataError('The server did not return the new row')
  return row
}

interface RowTarget {
  table: string
  companyId: string | null
  id: string
  key?: string
  /** Further conditions that the row must meet. */
  where?: readonly CrudFilter[]
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
  let query = narrow(client.from(target.table).update(values) as unknown as RowQuery, target).eq(
    key,
    target.id,
  )
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
  select = '*',
): Promise<Row[]> {
  const query = narrow(client.from(target.table).update(values) as unknown as RowQuery, target)
  const changed = query.filter(target.key ?? 'id', 'in', valueList(target.ids)).select(select)
  return refuseNothing((await answer(changed)).data as Row[])
}

/** Deletes by one request and returns the ids of the deleted rows. */
export async function deleteRows(
  client: SupabaseClient,
  target: Omit<RowTarget, 'id'> & { ids: readonly string[] },
): Promise<Row[]> {
  const key = target.key ?? 'id'
  const query = narrow(client.from(target.table).delete() as unknown as RowQuery, target)
  const gone = query.filter(key, 'in', valueList(target.ids)).select(key)
  return refuseNothing((await answer(gone)).data as Row[])
}

function refuseNothing(rows: Row[]): Row[] {
  if (rows.length === 0) throw new GoneError('No row was changed')
  return rows
}

/** The table between two others, and one end of it. */
interface LinkTable {
  through: string
  /** The link table's column that holds this record. */
  near: string
  /** The link table's column that holds the other records. */
  far: string
  companyId: string
  id: string
}

/** Writes the added and the removed links, at most one request each. */
export async function changeLinks(
  client: SupabaseClient,
  { through, near, far, companyId, id }: LinkTable,
  change: { add: readonly string[]; remove: readonly string[] },
): Promise<void> {
  if (change.add.length > 0) {
    const rows = change.add.map((other) => ({ company_id: companyId, [near]: id, [far]: other }))
    await answer(client.from(through).insert(rows) as unknown as RowQuery)
  }
  if (change.remove.length > 0) {
    const own = narrow(client.from(through).delete() as unknown as RowQuery, { table: through, companyId })
    await answer(own.eq(near, id).filter(far, 'in', valueList(change.remove)))
  }
}
