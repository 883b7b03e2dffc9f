import { useEffect, useState } from 'react'
import { loadChunk } from '@/ui/load-chunk'

type Requests = typeof import('@/pages/auth/auth-requests')

let loaded: Requests | undefined

async function load(): Promise<Requests> {
  loaded = await import('@/pages/auth/auth-requests')
  return loaded
}

/** Loaded with the first key in a form, so that it is there when the form is sent. */
export function preloadRequests(): void {
  load().catch(() => undefined)
}

/**
 * The components that send a form; undefined until they are needed and loaded. Not by `React.lazy`: React
 * reveals suspended content at least 300 ms after its fallback, even if the file was loaded before.
 */
export function useRequests(isWanted: boolean): Requests | undefined {
  const [, setLoaded] = useState(loaded)
  useEffect(() => {
    // The chunk may have loaded after this component rendered, so this asks for it in any case.
    if (isWanted) void loadChunk(load).then(setLoaded)
  }, [isWanted])
  return isWanted ? loaded : undefined
}
