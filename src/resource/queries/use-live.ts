import { type Query, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { companyTopic, isReadUntil, type LiveChange, watchCompany } from '@/data/live'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { PIECES, tableKey } from '@/resource/queries/keys'
import type { ListQuestion } from '@/resource/queries/matching-rows'
import {
  addChanges,
  concernsRecord,
  isToApply,
  NOTHING,
  nameRows,
  ownTables,
  type Pending,
  watchedTables,
} from '@/resource/queries/pending-changes'
import { hasFigures, REFRESH_MS } from '@/resource/queries/refresh'
import type { ResourceScope } from '@/resource/queries/use-scope'

/** What is written together is told together. */
const GATHER_MS = 300
/** A busy fleet announces changes many times a second; a screen reads again at most this often. */
const PAUSE_MS = 1000

function useChanges(
  definition: Definition,
  scope: ResourceScope,
  /** Never throws; while it is at work, further changes are gathered. */
  onChanges: (changes: LiveChange[]) => Promise<void> | void,
): void {
  const client = useQueryClient()
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
    let isBusy = false
    let isOver = false
    let last = Number.NEGATIVE_INFINITY
    const tell = async () => {
      const changes = gathered
      gathered = []
      timer = undefined
      last = performance.now()
      isBusy = true
      await handler.current(changes)
      isBusy = false
      if (gathered.length > 0 && !isOver) schedule()
    }
    const schedule = () => {
      if (isBusy) return
      timer ??= window.setTimeout(tell, Math.max(GATHER_MS, last + PAUSE_MS - performance.now()))
    }
    const stop = watchCompany(companyTopic(companyId), (change) => {
      if (change.readUntil !== undefined) {
        const queryKey = tableKey(companyId, tableOf(definition))
        void client.invalidateQueries({ queryKey, predicate: isReadUntil(change.readUntil) })
        return
      }
      if (change.table !== '*' && !tables.has(change.table)) return
      gathered.push(change)
      schedule()
    })
    return () => {
      stop()
      isOver = true
      window.clearTimeout(timer)
    }
  }, [client, definition, companyId])
}

/** What a query of a table reads: `list`, `count`, `record`, `activity` … */
function partOf({ queryKey }: Query): unknown {
  return queryKey[3]
}

const ofRecord = (query: Query) => partOf(query) === 'record' || partOf(query) === 'activity'
const ofList = (query: Query) => partOf(query) === 'list'
/** Thousands of rows are not read again every half minute for their figures. */
const ofShortList = (query: Query) => ofList(query) && query.queryKey[5] !== PIECES

/** Follows one record: it is read again in its place when it, or what its fields are read from, has changed. */
export function useLiveRecord(definition: Definition, id: string, scope: ResourceScope): void {
  const client = useQueryClient()
  useChanges(definition, scope, (changes) => {
    const table = tableOf(definition)
    const queryKey = tableKey(scope.companyId, table)
    // Lists that nobody looks at are read again when somebody does.
    void client.invalidateQueries({ queryKey, refetchType: 'none', predicate: (query) => !ofRecord(query) })
    if (concernsRecord(changes, { tables: ownTables(definition), id }))
      void client.invalidateQueries({ queryKey, predicate: ofRecord })
  })
}

export interface LiveList extends ListQuestion {
  /** What stands on the page now. */
  rows: readonly Row[]
}

/** Which of the rows a list holds; all of them when it cannot be asked, since a change too many harms nobody. */
async function heldBy(list: ListQuestion, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return ids
  try {
    // Comes with the first change of others, not with the list.
    const { matchingRows } = await import('@/resource/queries/matching-rows')
    return await matchingRows(list, ids)
  } catch {
    return ids
  }
}

/**
 * Follows a list without moving its rows: what others change of it waits until the reader asks for it, and what
 * they change elsewhere is not told. What this page wrote itself, and what a lost connection missed, is read at once.
 */
export function useLiveList(list: LiveList): { pending: Pending; apply: () => void } {
  const { definition, scope } = list
  const client = useQueryClient()
  const [pending, setPending] = useState(NOTHING)
  /** Counts the readings: an answer about changes that a later reading holds already is none. */
  const readings = useRef(0)
  const table = tableOf(definition)
  const { companyId } = scope
  const forget = useCallback(() => {
    readings.current++
    setPending(NOTHING)
  }, [])
  const apply = useCallback(() => {
    forget()
    void client.invalidateQueries({ queryKey: tableKey(companyId, table) })
  }, [client, companyId, table, forget])

  useChanges(definition, scope, async (changes) => {
    if (isToApply(changes)) return apply()
    // Who leaves and comes back finds the list as it is then.
    void client.invalidateQueries({ queryKey: tableKey(companyId, table), refetchType: 'none' })
    const shownIds = new Set(list.rows.map(({ id }) => String(id)))
    const { shown, others, isMore } = nameRows(changes, shownIds, ownTables(definition))
    const reading = readings.current
    const held = await heldBy(list, others)
    if (reading === readings.current) setPending((before) => addChanges(before, [...shown, ...held], isMore))
  })

  // Another page, another filter: what is read from now on holds what was waiting.
  useEffect(() => {
    const key = tableKey(companyId, table)
    return client.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'fetch') return
      // A further piece of the rows that stand there says nothing new of them.
      if (event.action.meta?.fetchMore) return
      const { query } = event
      if (ofList(query) && query.isActive() && key.every((part, index) => query.queryKey[index] === part))
        forget()
    })
  }, [client, companyId, table, forget])

  const isWaiting = pending !== NOTHING
  const reads = hasFigures(definition)
  useEffect(() => {
    if (!reads || isWaiting) return
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'hidden') return
      void client.invalidateQueries({ queryKey: tableKey(companyId, table), predicate: ofShortList })
    }, REFRESH_MS)
    return () => window.clearInterval(timer)
  }, [client, companyId, table, reads, isWaiting])

  return { pending, apply }
}
