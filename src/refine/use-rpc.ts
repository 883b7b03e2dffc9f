import { type BaseRecord, type HttpError, useCustom, useCustomMutation } from '@refinedev/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { DataError } from '@/data/errors'
import { type RpcQuestion, rpcKey } from '@/refine/keys'

interface RpcOptions<Result> {
  enabled?: boolean
  staleTime?: number
  gcTime?: number
  retry?: boolean
  refetchInterval?: number | false | ((query: { state: { data: unknown; error: unknown } }) => number | false)
  refetchOnWindowFocus?: boolean
  /** Keeps the last answer while the next is read. */
  placeholderData?: (previous: Result | undefined) => Result | undefined
}

interface Envelope<Result> {
  data: Result
}

/** Reads by a database function, through `useCustom`. Errors are the caller's to show. */
export function useRpc<Result>(
  question: RpcQuestion,
  { placeholderData, ...options }: RpcOptions<Result> = {},
): UseQueryResult<Result, DataError> {
  const { name, args } = question
  const { query } = useCustom<BaseRecord, HttpError, unknown, unknown, BaseRecord>({
    url: `rpc/${name}`,
    method: 'post',
    config: { payload: args ?? {} },
    errorNotification: false,
    queryOptions: {
      ...options,
      ...(placeholderData
        ? {
            placeholderData: (previous: unknown) => {
              const data = placeholderData((previous as Envelope<Result> | undefined)?.data)
              return data === undefined ? undefined : ({ data } as never)
            },
          }
        : {}),
      queryKey: rpcKey(question),
      select: unwrap as never,
    } as never,
  })
  return query as unknown as UseQueryResult<Result, DataError>
}

const unwrap = ({ data }: Envelope<unknown>) => data

/** Calls a database function that writes. @throws DataError */
export type CallRpc = <Result = unknown>(name: string, args?: Record<string, unknown>) => Promise<Result>

/** Functions that write, through `useCustomMutation`. The caller shows errors and refreshes what they changed. */
export function useRpcCall(): CallRpc {
  const { mutateAsync } = useCustomMutation<BaseRecord, HttpError, Record<string, unknown>>()
  return useCallback(
    async <Result>(name: string, args: Record<string, unknown> = {}) => {
      const { data } = await mutateAsync({
        url: `rpc/${name}`,
        method: 'post',
        values: args,
        errorNotification: false,
      })
      return data as Result
    },
    [mutateAsync],
  )
}
