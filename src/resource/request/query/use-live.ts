import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { supabase } from '@/data/client'
import { isReadUntil, type LiveChange } from '@/data/live'
import { type Row, readRows } from '@/data/rows'
import { rowPage } from '@/refine/data-provider'
import { actionOf } from '@/refine/keys'
import { type Query, useCache } from '@/refine/use-cache'
import { useLiveChanges } from '@/refine/use-live-changes'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { listRequest } from '@/resource/request/query/list-request'
import type { ListState } from '@/resource/request/query/list-state'
import {
  addChanges,
  concernsRecord,
  hasFigures,
  isToApply,
  NOTHING,
  nameRows,
  ownTables,
  type Pending,
  REFRESH_MS,
  watchedTables,
} from '@/resource/request/query/refetch-rules'
import { countedTables } from '@/resource/request/query/related-counts'
import type { ResourceScope } from '@/resource/request/query/use-scope'

/** Describes a list: its filter, view and search, and the record whose page it is on. */
interface ListInView {
  definition: Definition
  scope: ResourceScope
  state: ListState
  extra?: Filter
}

/** Which of these rows the list holds now, on whichever of its pages: the list's own question, about them alone. */
async function matchingRows(list: ListInView, ids: readonly string[]): Promise<string[]> {
  const { definition, scope, state, extra } = list
  const these: Filter = { id: { _in: [...ids] } }
  const { count } = listRequest(
    definition,
    [],
    { ...state, page: 1, cursor: null },
    {
      companyId: scope.companyId,
      scope: scope.filter,
      find: findDefinition,
      extra: extra ? { _and: [extra, these] } : these,
      source: scope.source,
    },
  )
  const order = [{ column: 'id', descending: false }]
  const rows = await readRows(supabase, { ...rowPage(count), order, limit: ids.length })
  return rows.map(({ id }) => String(id))
}

/** Changes that are written together are announced together. */
const GATHER_MS = 300
/** A busy fleet announces changes many times a second; a screen reads again at most this often. */
const PAUSE_MS = 1000

function useChanges(
  definition: Definition,
  scope: ResourceScope,
  /** Never throws; while it is at work, further changes are gathered. */
  onChanges: (changes: LiveChange[]) => Promise<void> | void,
  further: readonly string[] = [],
): void {
  const cache = useCache()
  const handler = useRef(onChanges)
  useEffect(() => {
    handler.current = onChanges
  })
  const { companyId } = scope
  const table = tableOf(definition)
  const isLive = definition.live !== false
  const names = further.join()
  const tables = useMemo(
    () => [...new Set([...watchedTables(definition), ...names.split(',').filter(Boolean)])],
    [definition, names],
  )
  const gather = useRef<(change: LiveChange) => void>(() => undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was gathered belongs to one table of one company
  useEffect(() => {
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
    gather.current = (change) => {
      gathered.push(change)
      schedule()
    }
    return () => {
      isOver = true
      gather.current = () => undefined
      window.clearTimeout(timer)
    }
  }, [definition, companyId])
  useLiveChanges({ table, tables, companyId, enabled: isLive }, (change) => {
    if (change.readUntil !== undefined)
      void cache.invalidate(definition.name, { where: isReadUntil(change.readUntil) })
    else gather.current(change)
  })
}

const ofRecord = ({ queryKey }: Query) => ['one', 'activity'].includes(String(actionOf(queryKey)))
const isCount = ({ queryKey }: Query) => (queryKey.at(-1) as { count?: unknown }).count === 'only'
const ofShortList = (query: Query) => actionOf(query.queryKey) === 'list' && !isCount(query)
const ofList = (query: Query) => ofShortList(query) || actionOf(query.queryKey) === 'infinite'

/** Follows one record: it is read again in its place when it, or what its fields are read from, has changed. */
export function useLiveRecord(definition: Definition, id: string, scope: ResourceScope): void {
  const cache = useCache()
  const counted = countedTables(definition, findDefinition)
  const handleChanges = (all: LiveChange[]) => {
    const { name } = definition
    // Counts of related lists follow the page's own writes at once, those of others with the next reading.
    const changes = all.filter(({ table, own }) => own || !counted.includes(table))
    // Lists that nobody looks at are read again when somebody does.
    void cache.invalidate(name, { where: (query) => !ofRecord(query), isShownKept: true })
    if (concernsRecord(changes, { tables: ownTables(definition), id }))
      void cache.invalidate(name, { where: ofRecord })
  }
  useChanges(definition, scope, handleChanges, counted)
}

export interface LiveList extends ListInView {
  /** The rows on the page now. */
  rows: readonly Row[]
}

/** Which of the rows a list holds; all of them when it cannot be asked, since a change too many harms nobody. */
async function heldBy(list: ListInView, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return ids
  try {
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
  const cache = useCache()
  const [pending, setPending] = useState(NOTHING)
  /** Counts the reads: an answer about changes that a later read already contains is ignored. */
  const readings = useRef(0)
  const { name } = definition
  const forget = useCallback(() => {
    readings.current++
    setPending(NOTHING)
  }, [])
  const apply = useCallback(() => {
    forget()
    void cache.invalidate(name)
  }, [cache, name, forget])

  useChanges(definition, scope, async (changes) => {
    if (isToApply(changes)) return apply()
    // A user who leaves and comes back finds the list as it is then.
    void cache.invalidate(name, { isShownKept: true })
    const shownIds = new Set(list.rows.map(({ id }) => String(id)))
    const { shown, others, isMore } = nameRows(changes, shownIds, ownTables(definition))
    const reading = readings.current
    const held = await heldBy(list, others)
    if (reading === readings.current) setPending((before) => addChanges(before, [...shown, ...held], isMore))
  })

  // Another page, another filter: what is read from now on holds what was waiting.
  useEffect(
    () =>
      // A further piece says nothing new about the rows already there.
      cache.onRead(name, (query) => {
        if (ofList(query) && query.isActive()) forget()
      }),
    [cache, name, forget],
  )

  const isWaiting = pending !== NOTHING
  const reads = hasFigures(definition)
  useEffect(() => {
    if (!reads || isWaiting) return
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'hidden') return
      void cache.invalidate(name, { where: ofShortList })
    }, REFRESH_MS)
    return () => window.clearInterval(timer)
  }, [cache, name, reads, isWaiting])

  return { pending, apply }
}
