import type { Cache } from '@/refine/use-cache'
import { useRpc } from '@/refine/use-rpc'
import type { ListSettings } from '@/resource/query/list-settings'

/** A person's own, whatever company is in view; the cache is emptied with the person. */
export const SETTINGS = { name: 'my_list_settings' }

const KEPT = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }

/** All lists share one request per session. A list that is there first paints as its definition says. */
export function prefetchListSettings(cache: Cache): void {
  void cache.prefetchRpc(SETTINGS, KEPT)
}

export function useListSettings(): ListSettings | undefined {
  return useRpc<ListSettings>(SETTINGS, KEPT).data
}

export function cachedSettings(cache: Cache): ListSettings | undefined {
  return cache.cachedRpc<ListSettings>(SETTINGS)
}
