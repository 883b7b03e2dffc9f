import { type QueryClient, useQuery } from '@tanstack/react-query'
import { callRpc } from '@/data/rpc'
import type { ListSettings } from '@/resource/preferences/list-settings'

/** A person's own, whatever company is in view; the cache is emptied with the person. */
export const SETTINGS_KEY = ['all', 'list-settings'] as const

const settingsQuery = {
  queryKey: SETTINGS_KEY,
  queryFn: () => callRpc<ListSettings>('my_list_settings'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
}

/** One request a session, for all lists. A list that is there first paints as its definition says. */
export function prefetchListSettings(client: QueryClient): void {
  void client.prefetchQuery(settingsQuery)
}

export function useListSettings(): ListSettings | undefined {
  return useQuery<ListSettings>(settingsQuery).data
}

export function cachedSettings(client: QueryClient): ListSettings | undefined {
  return client.getQueryData<ListSettings>(SETTINGS_KEY)
}
