import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { companyTopic, watchCompany } from '@/data/live'
import { coalesce } from './coalesce'

/** Reads everything under `queryKey` again when one of the tables changes in the company (null: in any). */
export function useLiveRefresh(
  companyId: string | null,
  tables: readonly string[],
  queryKey: QueryKey,
): void {
  const client = useQueryClient()
  // Keys and table lists are written inline by their users: compared by what they say, not by identity.
  const watched = tables.join(',')
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    const refresh = coalesce(() => {
      void client.invalidateQueries({ queryKey: JSON.parse(key) as QueryKey })
    })
    const names = new Set(watched.split(','))
    const stop = watchCompany(companyTopic(companyId), ({ table }) => {
      if (table === '*' || names.has(table)) refresh.request()
    })
    return () => {
      refresh.stop()
      stop()
    }
  }, [client, companyId, watched, key])
}
