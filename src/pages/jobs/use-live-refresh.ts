import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { companyTopic, isReadUntil, watchCompany } from '@/data/live'
import { coalesce } from './coalesce'

/** Reads everything under `readKey` again when one of the tables changes in the company (null: in any). */
export function useLiveRefresh(companyId: string | null, tables: readonly string[], readKey: QueryKey): void {
  const client = useQueryClient()
  // Keys and table lists are written inline by their users: compared by what they say, not by identity.
  const watched = tables.join(',')
  const key = JSON.stringify(readKey)
  useEffect(() => {
    const queryKey = JSON.parse(key) as QueryKey
    const refresh = coalesce(() => void client.invalidateQueries({ queryKey }))
    const names = new Set(watched.split(','))
    const stop = watchCompany(companyTopic(companyId), ({ table, readUntil }) => {
      if (readUntil !== undefined)
        void client.invalidateQueries({ queryKey, predicate: isReadUntil(readUntil) })
      else if (table === '*' || names.has(table)) refresh.request()
    })
    return () => {
      refresh.stop()
      stop()
    }
  }, [client, companyId, watched, key])
}
