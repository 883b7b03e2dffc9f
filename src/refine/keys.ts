import { type CrudFilter, type CrudSort, keys } from '@refinedev/core'
import type { ConsoleMeta } from '@/refine/data-provider'

/** The query of a list, passed to `useList` and to the cache alike. */
export interface ListQuestion {
  resource: string
  meta: ConsoleMeta
  filters: CrudFilter[]
  sorters: CrudSort[]
  pagination: { currentPage: number; pageSize: number }
}

const data = (resource: string) => keys().data().resource(resource)

/** Everything that was read of a resource. */
export const resourceKey = (resource: string) => data(resource).get()

/** The keys under which Refine's hooks keep their answers; held against the hooks by a test. */
export function listKey({ resource, meta, filters, sorters, pagination }: ListQuestion) {
  const params = { ...meta, filters, pagination: { ...pagination, mode: 'server' }, sorters }
  return data(resource).action('list').params(params).get()
}

export function infiniteKey({ resource, meta, filters, sorters, pagination }: ListQuestion) {
  const params = {
    ...meta,
    filters,
    hasPagination: true,
    pagination: { ...pagination, mode: 'server' },
    sorters,
  }
  return data(resource).action('infinite').params(params).get()
}

export const oneKey = (resource: string, id: string, meta: ConsoleMeta) =>
  data(resource)
    .action('one')
    .id(id)
    .params({ ...meta })
    .get()

export interface ManyQuestion {
  resource: string
  ids: string[]
  meta: ConsoleMeta
}

export const manyKey = ({ resource, ids, meta }: ManyQuestion) =>
  data(resource)
    .action('many')
    .ids(...ids)
    .params({ ...meta })
    .get()

/** The key of the identity that `useGetIdentity` keeps. */
export const identityKey = () => keys().auth().action('identity').get()

export interface RpcQuestion {
  /** The function's name in the schema `public`. */
  name: string
  args?: Record<string, unknown>
  /** The resource that the function reads: a write to it, or a live message about it, repeats the call. */
  resource?: string
  /** Replaces the arguments in the query key, where they change on every render: a resolved `$now`. */
  asked?: Record<string, unknown>
  /** The tenant its answer belongs to, where the arguments do not name it. */
  companyId?: string | null
}

/** A function's answer, below the resource it reads. Its arguments and its tenant are part of the key. */
export function rpcKey({ name, args = {}, asked = args, resource, companyId }: RpcQuestion) {
  const base = resource === undefined ? keys().data().get() : resourceKey(resource)
  return [...base, 'rpc', name, { ...asked, ...(companyId === undefined ? {} : { companyId }) }]
}

/** The kind of answer that a key holds: `list`, `infinite`, `one`, `many`; undefined for a key without a resource. */
export function actionOf(queryKey: readonly unknown[]): unknown {
  return queryKey[0] === 'data' ? queryKey[3] : undefined
}
