import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { BusyError, OfflineError, toDataError } from '@/data/errors'
import { RECONNECT_EVERY, reportConnection } from '@/refine/connection'

/** Errors that may be temporary. A refusal is permanent and is not retried. */
function isPassing(error: unknown): boolean {
  const known = toDataError(error)
  return known instanceof OfflineError || known instanceof BusyError
}

export function createQueryClient(): QueryClient {
  const handleError = (error: unknown) => reportConnection(toDataError(error) instanceof OfflineError)
  return new QueryClient({
    queryCache: new QueryCache({ onError: handleError, onSuccess: () => reportConnection(false) }),
    mutationCache: new MutationCache({ onError: handleError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // A lost connection was tried again by the request itself already.
        retry: (count, error) => toDataError(error) instanceof BusyError && count < 2,
        retryDelay: (count) => 500 * 2 ** count,
        // Not TanStack's guess from the browser: a backend on this machine is reachable without a network.
        networkMode: 'always',
        refetchInterval: (query) =>
          query.state.status === 'error' && isPassing(query.state.error) ? RECONNECT_EVERY : false,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}
