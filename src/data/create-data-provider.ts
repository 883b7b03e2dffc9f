import type { BaseRecord, DataProvider, MetaQuery } from '@refinedev/core'
import type { SupabaseClient } from '@supabase/supabase-js'
import { fromCrudFilters } from '@/data/crud-filters'
import { GoneError, toDataError } from '@/data/errors'
import { valueList } from '@/data/postgrest'
import {
  countRows,
  deleteRows,
  insertRow,
  type Row,
  type RowSet,
  readPage,
  readRow,
  readRows,
  updateRow,
  updateRows,
} from '@/data/rows'

/**
 * What Refine's hooks may say in `meta`: `select` (columns and embeds), `companyId` (the tenant; left out
 * or null is all companies), `search` (a text for `search_<resource>`), `version` (the optimistic lock),
 * `count: 'exact'` (a second request for the total).
 */
interface ProviderMeta {
  select: string
  companyId: string | null
  search: string
  version: number | undefined
  count: boolean
  key: string
}

function readMeta(meta: MetaQuery | undefined): ProviderMeta {
  return {
    select: typeof meta?.select === 'string' ? meta.select : '*',
    companyId: typeof meta?.companyId === 'string' ? meta.companyId : null,
    search: typeof meta?.search === 'string' ? meta.search.trim() : '',
    version: typeof meta?.version === 'number' ? meta.version : undefined,
    count: meta?.count === 'exact',
    key: typeof meta?.idColumnName === 'string' ? meta.idColumnName : 'id',
  }
}

/** Refine lets the caller name the shape of its rows; the database is what really decides it. */
function asData<T extends BaseRecord>(row: Row): T {
  return row as T
}

function asList<T extends BaseRecord>(rows: Row[]): T[] {
  return rows as T[]
}

/** Refine's interface over our requests. The engine's screens use the same requests through `rows.ts`. */
export function createDataProvider(client: SupabaseClient, url: string): DataProvider {
  return {
    getApiUrl: () => url,

    async getList({ resource, pagination, sorters = [], filters = [], meta }) {
      const { select, companyId, search, count, key } = readMeta(meta)
      const set: RowSet = {
        table: resource,
        companyId,
        where: fromCrudFilters(filters),
        search: search ? { function: `search_${resource}`, text: search } : null,
      }
      const order = sorters.map(({ field, order: way }) => ({ column: field, descending: way === 'desc' }))
      const page = pagination?.currentPage ?? 1
      const pageSize = pagination?.pageSize ?? 50
      const list = await readPage(client, { ...set, select, order, page, pageSize })
      // Without a count, enough for a pager to know whether there is a next page.
      const seen = (page - 1) * pageSize + list.rows.length + (list.hasNext ? 1 : 0)
      const total = count ? await countRows(client, set, key) : seen
      return { data: asList(list.rows), total, hasNext: list.hasNext }
    },

    async getMany({ resource, ids, meta }) {
      const { select, companyId, key } = readMeta(meta)
      const where = [{ column: key, operator: 'in', value: valueList(ids) }]
      const rows = await readRows(client, {
        table: resource,
        companyId,
        where,
        select,
        order: [],
        limit: Math.max(1, ids.length),
      })
      return { data: asList(rows) }
    },

    async getOne({ resource, id, meta }) {
      const { select, companyId, key } = readMeta(meta)
      return {
        data: asData(await readRow(client, { table: resource, companyId, select, id: String(id), key })),
      }
    },

    async create({ resource, variables }) {
      return { data: asData(await insertRow(client, resource, variables as Row)) }
    },

    async update({ resource, id, variables, meta }) {
      const { companyId, version, key } = readMeta(meta)
      const target = { table: resource, companyId, id: String(id), key }
      return { data: asData(await updateRow(client, target, variables as Row, version)) }
    },

    async updateMany({ resource, ids, variables, meta }) {
      const { companyId, key } = readMeta(meta)
      const target = { table: resource, companyId, ids: ids.map(String), key }
      return { data: asList(await updateRows(client, target, variables as Row)) }
    },

    async deleteOne({ resource, id, meta }) {
      const { companyId, key } = readMeta(meta)
      const [row] = await deleteRows(client, { table: resource, companyId, ids: [String(id)], key })
      if (!row) throw new GoneError('No row was deleted')
      return { data: asData(row) }
    },

    async deleteMany({ resource, ids, meta }) {
      const { companyId, key } = readMeta(meta)
      const rows = await deleteRows(client, { table: resource, companyId, ids: ids.map(String), key })
      return { data: asList(rows) }
    },

    /** `url` is a function's name: `useCustom({ url: 'rpc/dashboard', method: 'post', config: { payload } })`. */
    async custom({ url: name, payload }) {
      const { data, error, status } = await client.rpc(name.replace(/^\/?rpc\//, ''), payload ?? {})
      if (error) throw toDataError(error, status)
      return { data: data as never }
    },
  }
}
