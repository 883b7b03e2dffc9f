import type {
  BaseRecord,
  CrudFilter,
  CrudSort,
  DataProvider,
  GetListResponse,
  MetaQuery,
  Pagination,
} from '@refinedev/core'
import { dataProvider as supabaseProvider } from '@refinedev/supabase'
import type { SupabaseClient } from '@supabase/supabase-js'
import { GoneError, toDataError } from '@/data/errors'
import type { RowCursor } from '@/data/keyset'
import { isLong, type PieceStart, readPiece } from '@/data/pieces'
import {
  countRows,
  deleteRows,
  type Row,
  type RowPage,
  readCountedPage,
  readPage,
  readRow,
  readRows,
  updateRow,
  updateRows,
} from '@/data/rows'
import { attachReads, splitSelect } from '@/data/separate-reads'
import { publishedClient } from '@/refine/published-client'

/** A function that returns rows of a table, and its arguments besides the search text `q`. */
export interface RowSource {
  name: string
  args: Record<string, unknown>
}

/** The keys that Refine's hooks may pass in `meta`, in addition to Refine's own keys. All are optional. */
export interface ConsoleMeta {
  /** Columns and embeds in PostgREST's syntax; `*` by default. */
  select?: string
  /** The company, as a literal filter that lets the database use its index; without it, all that the user may see. */
  companyId?: string | null
  /** The table, where it is not named like the resource. */
  table?: string
  /** A text for `search_<table>()`. */
  search?: string
  /** Lists only: the function that returns the rows, even without a search text. */
  readBy?: RowSource
  /** Lists without pages only (`pagination.mode` `off` or `client`): the maximum number of rows; 1000 by default. */
  limit?: number
  /** Reads the page after or before a row instead of by its number. */
  cursor?: RowCursor | null
  /** Lists only: rows per request of a long page. */
  piece?: number
  /**
   * `exact` (default): `total` comes with the rows. `none`: `total` is what the page proves, `hasNext` is exact. `only`:
   * no rows, just the count. An inner join for a filter goes into `select`.
   */
  count?: 'exact' | 'none' | 'only'
  /**
   * The columns of a unique index: `useCreate` overwrites a row with the same values, `useCreateMany` keeps
   * it.
   */
  onConflict?: string
  /** `useCreate` only: the function that creates the record, called with the values. */
  createBy?: string
  /** Writes only: conditions besides the key, for tables with a key of several columns. */
  conditions?: CrudFilter[]
  /**
   * `useUpdateMany` and `useDeleteMany` only: the function that writes each row and answers for it
   * (`bulk_edit`, `bulk_undo`, `bulk_act`, `bulk_delete`), with its arguments besides `resource` and `ids`.
   */
  batch?: { name: string; args: Record<string, unknown> }
  /** The version a record was read with: the update fails with ConflictError when it has changed since. */
  version?: number
  /** The key column; `id` by default. */
  idColumnName?: string
  /** Cancels the request; Refine's hooks pass their own in `queryContext`. */
  signal?: AbortSignal
}

/** `getList` says more than Refine asks for. */
export interface ConsoleList<T extends BaseRecord = BaseRecord> extends GetListResponse<T> {
  hasNext: boolean
  hasPrevious: boolean
}

/** The backend answers with no more rows than this. */
const MAX_ROWS = 1000
/** Ids travel in the address of the request, which proxies cut at a few thousand characters. */
const IDS_PER_REQUEST = 100

function readMeta(meta: MetaQuery | undefined, resource: string) {
  const own = (meta ?? {}) as ConsoleMeta
  return {
    table: own.table ?? resource,
    select: own.select ?? '*',
    companyId: own.companyId ?? null,
    search: own.search?.trim() ?? '',
    readBy: own.readBy,
    limit: own.limit ?? MAX_ROWS,
    where: own.conditions ?? [],
    cursor: own.cursor ?? null,
    piece: own.piece,
    count: own.count ?? 'exact',
    version: own.version,
    batch: own.batch,
    key: own.idColumnName ?? 'id',
    signal: own.signal ?? meta?.queryContext?.signal,
  }
}

/** Refine lets the caller name the shape of a row; the database decides it. */
const asData = <T extends BaseRecord>(row: Row) => row as T
const asList = <T extends BaseRecord>(rows: readonly Row[]) => rows as T[]

/** The published methods use the resource's name as the table's. */
const inTable = <P extends { resource: string; meta?: MetaQuery }>(params: P): P => ({
  ...params,
  resource: readMeta(params.meta, params.resource).table,
})

/** Keeps the class of a failure: the published provider rejects with a plain object. */
async function classed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw toDataError(error)
  }
}

interface PageParams {
  resource: string
  filters: CrudFilter[]
  sorters: CrudSort[]
  meta?: MetaQuery | undefined
  pagination?: Pagination | undefined
}

/** The request of `getList`, for reading a list's rows page by page without the cache. */
export function rowPage({ resource, filters, sorters, meta, pagination }: PageParams): RowPage {
  const { table, select, companyId, search, readBy, cursor, piece } = readMeta(meta, resource)
  const byText = search ? { function: `search_${table}`, text: search } : null
  return {
    table,
    companyId,
    where: filters,
    search: readBy ? { function: readBy.name, text: search, args: readBy.args } : byText,
    select,
    order: sorters.map(({ field, order }) => ({ column: field, descending: order === 'desc' })),
    page: pagination?.currentPage ?? 1,
    pageSize: pagination?.pageSize ?? 50,
    cursor,
    piece,
  }
}

/** The page parameter of a long list: where its next piece starts, and which page the pieces are of. */
interface PiecePage extends PieceStart {
  page: number
}

/**
 * A page of more than 100 rows is read in pieces: `useInfiniteList` gives back `cursor.next` as its page parameter, and
 * Refine passes it on as the page's number.
 */
async function readLong<T extends BaseRecord>(
  client: SupabaseClient,
  asked: RowPage,
  signal?: AbortSignal,
): Promise<ConsoleList<T>> {
  const start = typeof asked.page === 'number' ? null : (asked.page as PiecePage)
  const page = { ...asked, page: start?.page ?? asked.page }
  const piece = await readPiece(client, page, start, signal)
  const loaded = (start?.loaded ?? 0) + piece.rows.length
  const next: PiecePage | undefined =
    piece.hasNext && loaded < page.pageSize ? { last: piece.rows, loaded, page: page.page } : undefined
  return {
    data: asList(piece.rows),
    total: loaded + (piece.hasNext ? 1 : 0),
    hasNext: piece.hasNext,
    hasPrevious: piece.hasPrevious,
    cursor: { next: next as never },
  }
}

/** `useCreate` with `meta.onConflict`, the columns of a unique index: writes over the row that has them. */
async function upsert<T extends BaseRecord>(
  client: SupabaseClient,
  { resource, variables, meta }: { resource: string; variables: unknown; meta?: MetaQuery },
): Promise<{ data: T }> {
  const { data, error, status } = await client
    .from(resource)
    .upsert(variables as Row, { onConflict: String(meta?.onConflict) })
    .select(typeof meta?.select === 'string' ? meta.select : '*')
  if (error) throw toDataError(error, status)
  const [row] = data as unknown as Row[]
  if (!row) throw new GoneError('The server did not return the row')
  return { data: asData(row) }
}

/** `useCreateMany` with `meta.onConflict`: adds the rows that are not there yet, and gives those. */
async function insertMissing<T extends BaseRecord>(
  client: SupabaseClient,
  { resource, variables, meta }: { resource: string; variables: unknown[]; meta?: MetaQuery },
): Promise<{ data: T[] }> {
  const { data, error, status } = await client
    .from(resource)
    .upsert(variables as Row[], { onConflict: String(meta?.onConflict), ignoreDuplicates: true })
    .select(typeof meta?.select === 'string' ? meta.select : '*')
  if (error) throw toDataError(error, status)
  return { data: asList(data as unknown as Row[]) }
}

async function createByFunction<T extends BaseRecord>(
  client: SupabaseClient,
  name: string,
  values: unknown,
): Promise<{ data: T }> {
  const { data, error, status } = await client.rpc(name, values as Row)
  if (error) throw toDataError(error, status)
  return { data: asData(data as Row) }
}

/** All rows of a list without pages, by one request. */
async function readWhole<T extends BaseRecord>(
  client: SupabaseClient,
  page: RowPage,
  isCounted: boolean,
  signal?: AbortSignal,
): Promise<ConsoleList<T>> {
  const { rows, total } = isCounted
    ? await readCountedPage(client, page, signal)
    : await readRows(client, { ...page, limit: page.pageSize }, signal).then((rows) => ({
        rows,
        total: rows.length,
      }))
  return { data: asList(rows), total, hasNext: total > rows.length, hasPrevious: false }
}

async function writeBatch<T extends BaseRecord>(
  client: SupabaseClient,
  resource: string,
  ids: readonly unknown[],
  { name, args }: NonNullable<ConsoleMeta['batch']>,
): Promise<T[]> {
  const { data, error, status } = await client.rpc(name, { resource, ids, ...args })
  if (error) throw toDataError(error, status)
  return asList(data as unknown as Row[])
}

/**
 * The data provider of `@refinedev/supabase`, with the methods replaced that do not fit here:
 * - `getList` always counts, throws on `and`, drops groups inside `or` and cannot be canceled;
 * - `getOne`, `update` and `deleteOne` take no row for a success;
 * - `updateMany` and `deleteMany` send one request for each row;
 * - `custom` and `getApiUrl` throw.
 */
export function createDataProvider(client: SupabaseClient, url: string): DataProvider {
  const published = supabaseProvider(publishedClient(client))
  return {
    ...published,
    getApiUrl: () => url,
    create: (params) => {
      const { createBy, onConflict } = (params.meta ?? {}) as ConsoleMeta
      if (createBy) return createByFunction(client, createBy, params.variables)
      return onConflict ? upsert(client, params) : classed(published.create(params))
    },
    createMany: (params) =>
      params.meta?.onConflict
        ? insertMissing(client, params)
        : classed(published.createMany(inTable(params))),
    getMany: async (params) => {
      const parts = Array.from({ length: Math.ceil(params.ids.length / IDS_PER_REQUEST) }, (_, index) =>
        params.ids.slice(index * IDS_PER_REQUEST, (index + 1) * IDS_PER_REQUEST),
      )
      const { select, reads } = splitSelect(readMeta(params.meta, params.resource).select)
      const meta = { ...params.meta, select }
      const answers = parts.map((ids) => classed(published.getMany({ ...inTable(params), meta, ids })))
      const rows = (await Promise.all(answers)).flatMap(({ data }) => data)
      return { data: (await attachReads(client, rows, reads)) as never[] }
    },

    async getList<T extends BaseRecord>({
      resource,
      pagination,
      sorters = [],
      filters = [],
      meta,
    }: Parameters<DataProvider['getList']>[0]): Promise<ConsoleList<T>> {
      const { select, count, key, limit, signal } = readMeta(meta, resource)
      const page = rowPage({ resource, filters, sorters, meta, pagination })
      if (count === 'only') {
        const total = await countRows(client, page, select === '*' ? key : select, signal)
        return { data: [], total, hasNext: false, hasPrevious: false }
      }
      if (pagination?.mode === 'off' || pagination?.mode === 'client')
        return readWhole(client, { ...page, page: 1, pageSize: limit }, count === 'exact', signal)
      if (isLong(page.pageSize)) return readLong(client, page, signal)
      const before = (page.page - 1) * page.pageSize
      if (count === 'exact' && !page.cursor) {
        const { rows, total } = await readCountedPage(client, page, signal)
        const hasNext = before + rows.length < total
        return { data: asList(rows), total, hasNext, hasPrevious: before > 0 }
      }
      const list = await readPage(client, page, signal)
      const seen = before + list.rows.length + (list.hasNext ? 1 : 0)
      const total = count === 'exact' ? await countRows(client, page, key, signal) : seen
      return { data: asList(list.rows), total, hasNext: list.hasNext, hasPrevious: list.hasPrevious }
    },

    async getOne({ resource, id, meta }) {
      const { table, companyId, select, key, signal } = readMeta(meta, resource)
      return {
        data: asData(await readRow(client, { table, companyId, select, id: String(id), key }, signal)),
      }
    },

    async update({ resource, id, variables, meta }) {
      const { table, companyId, version, key, where } = readMeta(meta, resource)
      const target = { table, companyId, id: String(id), key, where }
      return { data: asData(await updateRow(client, target, variables as Row, version)) }
    },

    async updateMany({ resource, ids, variables, meta }) {
      const { table, companyId, select, key, where, batch } = readMeta(meta, resource)
      if (batch) return { data: await writeBatch(client, table, ids, batch) }
      const target = { table, companyId, ids: ids.map(String), key, where }
      return { data: asList(await updateRows(client, target, variables as Row, select)) }
    },

    async deleteOne({ resource, id, meta }) {
      const { table, companyId, key, where } = readMeta(meta, resource)
      const [row] = await deleteRows(client, { table, companyId, ids: [String(id)], key, where })
      if (!row) throw new GoneError('No row was deleted')
      return { data: asData(row) }
    },

    async deleteMany({ resource, ids, meta }) {
      const { table, companyId, key, where, batch } = readMeta(meta, resource)
      if (batch) return { data: await writeBatch(client, table, ids, batch) }
      const target = { table, companyId, ids: ids.map(String), key, where }
      return { data: asList(await deleteRows(client, target)) }
    },

    /** Calls a database function: `useCustom({ url: 'rpc/dashboard', method: 'post', config: { payload } })`. */
    async custom({ url: name, method, payload, query, meta }) {
      const { signal } = readMeta(meta, '')
      const args = (method === 'get' ? query : payload) ?? {}
      const request = client.rpc(name.replace(/^\/?rpc\//, ''), args as Row, { get: method === 'get' })
      const { data, error, status } = await (signal ? request.abortSignal(signal) : request)
      if (error) throw toDataError(error, status)
      return { data: data as never }
    },
  }
}
