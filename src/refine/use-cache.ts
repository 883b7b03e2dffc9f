import { type BaseRecord, type GetOneResponse, useDataProvider } from '@refinedev/core'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ConsoleList, ConsoleMeta } from '@/refine/data-provider'
import {
  infiniteKey,
  type ListQuestion,
  listKey,
  type ManyQuestion,
  manyKey,
  oneKey,
  type RpcQuestion,
  resourceKey,
  rpcKey,
} from '@/refine/keys'

/** An answer read so recently is not read again under the pointer, in milliseconds. */
const PREFETCH_STALE_MS = 10_000

export type { Query }

export type Cache = ReturnType<typeof useCache>

/**
 * The cache behind Refine's hooks, for what Refine has no hook for: prefetching, reading cached answers,
 * and refreshing by more than a resource's name.
 */
export function useCache() {
  const client = useQueryClient()
  const provider = useDataProvider()
  return useMemo(() => {
    const { getList, getOne, custom } = provider()
    const read = (question: ListQuestion, pagination: unknown, signal: AbortSignal) =>
      getList({
        ...question,
        pagination: pagination as ListQuestion['pagination'],
        meta: { ...question.meta, signal },
      }) as Promise<ConsoleList>
    return {
      prefetchList: (question: ListQuestion) =>
        client.prefetchQuery({
          queryKey: listKey(question),
          queryFn: ({ signal }) => read(question, question.pagination, signal),
          staleTime: PREFETCH_STALE_MS,
        }),
      prefetchInfinite: (question: ListQuestion) =>
        client.prefetchInfiniteQuery({
          queryKey: infiniteKey(question),
          queryFn: ({ pageParam, signal }) =>
            read(question, { ...question.pagination, currentPage: pageParam }, signal),
          initialPageParam: question.pagination.currentPage as unknown,
          staleTime: PREFETCH_STALE_MS,
        }),
      prefetchOne: (resource: string, id: string, meta: ConsoleMeta) =>
        client.prefetchQuery({
          queryKey: oneKey(resource, id, meta),
          queryFn: ({ signal }) => getOne({ resource, id, meta: { ...meta, signal } }),
          staleTime: PREFETCH_STALE_MS,
        }),
      /** Reads the record now, whatever the cache holds, and shows the answer wherever the record is open. */
      readOne: async (resource: string, id: string, meta: ConsoleMeta) =>
        (
          await client.fetchQuery({
            queryKey: oneKey(resource, id, meta),
            queryFn: ({ signal }) => getOne({ resource, id, meta: { ...meta, signal } }),
            staleTime: 0,
          })
        ).data,
      cachedOne: <T extends BaseRecord>(resource: string, id: string, meta: ConsoleMeta) =>
        client.getQueryData<GetOneResponse<T>>(oneKey(resource, id, meta))?.data,
      writeOne: (resource: string, id: string, meta: ConsoleMeta, row: BaseRecord) =>
        client.setQueryData(oneKey(resource, id, meta), { data: row }),
      writeMany: (question: ManyQuestion, rows: BaseRecord[]) =>
        client.setQueryData(manyKey(question), { data: rows }),
      /** Whether the record that was read is known to be outdated. */
      isOneOutdated: (resource: string, id: string, meta: ConsoleMeta) =>
        client.getQueryState(oneKey(resource, id, meta))?.isInvalidated === true,
      prefetchRpc: (question: RpcQuestion, options: { staleTime: number; gcTime?: number }) =>
        client.prefetchQuery({
          queryKey: rpcKey(question),
          queryFn: () =>
            custom?.({ url: `rpc/${question.name}`, method: 'post', payload: question.args ?? {} }),
          ...options,
        }),
      cachedRpc: <T>(question: RpcQuestion) => client.getQueryData<{ data: T }>(rpcKey(question))?.data,
      writeRpc: <T>(question: RpcQuestion, data: T) => client.setQueryData(rpcKey(question), { data }),
      /** An answer on its way, which may be older than what was just written, is dropped and read again. */
      rereadRpc: async (question: RpcQuestion) => {
        await client.cancelQueries({ queryKey: rpcKey(question) })
        await client.invalidateQueries({ queryKey: rpcKey(question) })
      },
      /** Invalidates a resource's queries. Active ones are refetched unless `isShownKept`. */
      invalidate: (
        resource: string,
        { where, isShownKept = false }: { where?: (query: Query) => boolean; isShownKept?: boolean } = {},
      ) =>
        client.invalidateQueries({
          queryKey: resourceKey(resource),
          ...(where ? { predicate: where } : {}),
          ...(isShownKept ? { refetchType: 'none' as const } : {}),
        }),
      invalidateAll: () => client.invalidateQueries(),
      /** Calls back whenever a query of the resource begins to read; gives the function that stops it. */
      onRead: (resource: string, listener: (query: Query) => void) =>
        client.getQueryCache().subscribe((event) => {
          if (event.type !== 'updated' || event.action.type !== 'fetch' || event.action.meta?.fetchMore)
            return
          const key = resourceKey(resource)
          if (key.every((part, index) => event.query.queryKey[index] === part)) listener(event.query)
        }),
    }
  }, [client, provider])
}
