import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { config } from '@/data/client'
import { BusyError, OfflineError, toDataError } from '@/data/errors'
import { setConnectionLost } from '@/ui/connection-lost'

/** How often a page without a connection checks the backend, in milliseconds. */
const RECONNECT_EVERY = 5000
/**
 * A backend that does not respond in this time counts as unreachable, so that the banner appears within a
 * second.
 */
const ANSWER_WITHIN = 800

let timer: number | undefined

/** Checks a lost connection until it is back, even while no request is made. */
export function reportConnection(lost: boolean): void {
  if (!setConnectionLost(lost)) return
  window.clearInterval(timer)
  if (lost) timer = window.setInterval(() => void checkConnection(), RECONNECT_EVERY)
}

/** Asks the backend itself: the browser's `offline` says nothing about a backend on this machine. */
async function checkConnection(): Promise<void> {
  try {
    const { status } = await fetch(`${config.url}/auth/v1/health`, {
      headers: { apikey: config.key },
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    })
    reportConnection(status >= 502 && status <= 504)
  } catch {
    reportConnection(true)
  }
}

/** Checks the connection on the browser's network events, and after a failed request. */
export function useConnectionCheck(isSuspected: boolean): void {
  useEffect(() => {
    if (isSuspected) void checkConnection()
  }, [isSuspected])
  useEffect(() => {
    const handleChange = () => void checkConnection()
    window.addEventListener('offline', handleChange)
    window.addEventListener('online', handleChange)
    return () => {
      window.removeEventListener('offline', handleChange)
      window.removeEventListener('online', handleChange)
    }
  }, [])
}

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
