import { type Query, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { companyTopic, type LiveChange, watchCompany } from '@/data/live'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { tableKey } from '@/resource/queries/keys'
import {
  addChanges,
  concernsRecord,
  isToApply,
  NOTHING,
  type Pending,
  watchedTables,
} from '@/resource/queries/pending-changes'
import { hasFigures, REFRESH_MS } from '@/resource/queries/refresh'
import type { ResourceScope } from '@/resource/queries/use-scope'

/** A busy fleet announces changes many times a second; a screen reads again at most this often. */
const GATHER_MS = 1000

function useChanges(
  definition: Definition,
  scope: ResourceScope,
  onChanges: (changes: LiveChange[]) => void,
): void {
  const handler = useRef(onChanges)
  useEffect(() => {
    handler.current = onChanges
  })
  const { companyId } = scope
  useEffect(() => {
    if (definition.live === false) return
    const tables = watchedTables(definition)
    let gathered: LiveChange[] = []
    let timer: number | undefined
    const stop = watchCompany(companyTopic(companyId), (change) => {
      if (change.table !== '*' && !tables.has(change.table)) return
      gathered.push(change)
      timer ??= window.setTimeout(() => {
        const changes = gathered
        gathered = []
        timer = undefined
        handler.current(changes)
      }, GATHER_MS)
    })
    return () => {
      stop()
      window.clearTimeout(timer)
    }
  }, [definition, companyId])
}

/** What a query of a table reads: `list`, `count`, `record`, `activity` … */
function partOf({ queryKey }: Query): unknown {
  return queryKey[3]
}

const ofRecord = (query: Query) => partOf(query) === 'record' || partOf(query) === 'activity'
const ofList = (query: Query) => partOf(query) === 'list'

/** Follows one record: it is read again in its place when it, or what its fields are read from, has changed. */
export function useLiveRecord(definition: Definition, id: string, scope: ResourceScope): void {
  const client = useQueryClient()
  useChanges(definition, scope, (changes) => {
    const table = tableOf(definition)
    const queryKey = tableKey(scope.companyId, table)
    // Lists that nobody looks at are read again when somebody does.
    void client.invalidateQueries({ queryKey, refetchType: 'none', predicate: (query) => !ofRecord(query) })
    if (concernsRecord(changes, { table, id }))
      void client.invalidateQueries({ queryKey, predicate: ofRecord })
  })
}

/**
 * Follows a list without moving its rows: what others change waits until the reader asks for it. What this
 * page wrote itself, and what a lost connection missed, is read at once.
 */
export function useLiveList(
  definition: Definition,
  scope: ResourceScope,
): { pending: Pending; apply: () => void } {
  const client = useQueryClient()
  const [pending, setPending] = useState(NOTHING)
  const table = tableOf(definition)
  const { companyId } = scope
  const apply = useCallback(() => {
    setPending(NOTHING)
    void client.invalidateQueries({ queryKey: tableKey(companyId, table) })
  }, [client, companyId, table])

  useChanges(definition, scope, (changes) => {
    if (isToApply(changes)) return apply()
    setPending((before) => addChanges(before, changes))
    // Who leaves and comes back finds the list as it is then.
    void client.invalidateQueries({ queryKey: tableKey(companyId, table), refetchType: 'none' })
  })

  // Another page, another filter: what is read from now on holds what was waiting.
  useEffect(() => {
    const key = tableKey(companyId, table)
    return client.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'fetch') return
      const { query } = event
      if (ofList(query) && query.isActive() && key.every((part, index) => query.queryKey[index] === part))
        setPending(NOTHING)
    })
  }, [client, companyId, table])

  const isWaiting = pending !== NOTHING
  const reads = hasFigures(definition)
  useEffect(() => {
    if (!reads || isWaiting) return
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'hidden') return
      void client.invalidateQueries({ queryKey: tableKey(companyId, table), predicate: ofList })
    }, REFRESH_MS)
    return () => window.clearInterval(timer)
  }, [client, companyId, table, reads, isWaiting])

  return { pending, apply }
}
