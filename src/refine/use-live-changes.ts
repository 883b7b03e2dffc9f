import { useSubscription } from '@refinedev/core'
import { useEffect, useRef, useState } from 'react'
import type { LiveChange } from '@/data/live'

interface LiveSource {
  table: string
  /** Further tables whose changes show in the same rows. */
  tables?: readonly string[]
  /** The company in view; null follows all companies. */
  companyId: string | null
  /** Another topic than the company's: a person's own. */
  topic?: string
  enabled?: boolean
}

/** Calls back with each live message about these tables, and with those that concern all tables. */
export function useLiveChanges(
  { table, tables = [], companyId, topic, enabled = true }: LiveSource,
  onChange: (change: LiveChange) => void,
): void {
  const handler = useRef(onChange)
  useEffect(() => {
    handler.current = onChange
  })
  // `useSubscription` subscribes again only when `enabled` changes.
  const source = `${topic ?? companyId} ${table} ${tables.join(' ')}`
  const [joined, setJoined] = useState(source)
  useEffect(() => setJoined(source), [source])
  useSubscription({
    channel: `resources/${table}`,
    enabled: enabled && joined === source,
    onLiveEvent: ({ payload }) => handler.current(payload.change as LiveChange),
    meta: { companyId, tables, topic },
  })
}
