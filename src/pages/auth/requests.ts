import { useEffect, useState } from 'react'
import { loadChunk } from '@/ui/load-chunk'

type Requests = typeof import('@/pages/auth/auth-requests')

let loaded: Requests | undefined

async function load(): Promise<Requests> {
  loaded = await import('@/pages/auth/auth-requests')
  return loaded
}

/** With the first key in a form, so that they are there when it is sent. */
export function preloadRequests(): void {
  load().catch(() => undefined)
}

/**
 * The components that send a form; undefined until they are wanted and loaded. Not by `React.lazy`: React reveals what
 * was suspended 300 ms after its fallback at the earliest, even if the file was there before.
 */
export function useRequests(isWanted: boolean): Requests | undefined {
  const [, setLoaded] = useState(loaded)
  useEffect(() => {
    // Also when they are loaded by now: that may have happened after this was drawn, which then shows nothing yet.
    if (isWanted) void loadChunk(load).then(setLoaded)
  }, [isWanted])
  return isWanted ? loaded : undefined
}
