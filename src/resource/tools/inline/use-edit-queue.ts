import type { CrudFilter } from '@refinedev/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { companyTopic, subscribeToTopic } from '@/data/live'
import { type Row, readRows } from '@/data/rows'
import { type CallRpc, useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import type { FilterScope } from '@/resource/request/filter/scope'
import { buildSelect } from '@/resource/request/query/select'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import { writtenFields } from '@/resource/screens/form/form-values'
import {
  conflictsOf,
  type EditQueue,
  EMPTY_QUEUE,
  type QueuedRow,
  rebase,
  recordOf,
  type SavedRow,
  type SaveOutcome,
  versionOf,
  withOutcomes,
} from '@/resource/tools/inline/edit-queue'

/** Each row is a statement of its own in `save_rows`: a call stays well below the time that one may take. */
const BATCH = 200
/** Changes that are written together are announced together. */
const GATHER_MS = 400
/** The list is to show what was written before the marks go; it is not waited for for ever. */
const PATIENCE_MS = 2000

export interface SaveReport {
  /** How many rows hold now what was wanted. */
  saved: number
}

export interface Edits {
  queue: EditQueue
  isSaving: boolean
  change: (step: (queue: EditQueue) => EditQueue) => void
  /** Writes these rows; rejects with a DataError, and what was not written stays either way. */
  save: (ids: readonly string[]) => Promise<SaveReport>
}

/** The changes of a list that are not written yet, followed while others change the same rows. */
export function useEditQueue(
  definition: Definition,
  scope: ResourceScope,
  rows: readonly Row[],
  beside: readonly string[],
): Edits {
  const [queue, setQueue] = useState(EMPTY_QUEUE)
  const [isSaving, setSaving] = useState(false)
  const held = useRef(queue)
  const call = useRpcCall()
  const invalidate = useRefresh(definition)
  const change = useCallback<Edits['change']>((step) => {
    held.current = step(held.current)
    setQueue(held.current)
  }, [])
  const look = useCallback(
    async (ids: readonly string[]) => {
      const known = ids.filter((id) => held.current.has(id))
      if (known.length === 0) return
      const now = await readAgain(definition, held.current, known, beside)
      change((before) => rebase(before, definition, now))
    },
    [definition, beside, change],
  )

  // The list shows newer rows after a filter, a page, or when its reader asks for what others changed.
  useEffect(() => change((before) => rebase(before, definition, rows)), [rows, definition, change])
  useNewerRows(definition, scope, held, look)

  const save = async (ids: readonly string[]): Promise<SaveReport> => {
    const written: SavedRow[] = []
    const writeAll = async (wanted: readonly string[]): Promise<string[]> => {
      const stale: string[] = []
      const some = wanted.flatMap((id) => held.current.get(id) ?? [])
      await saveRows(call, definition, some, scope.filter, (saved) => {
        written.push(...saved.filter(({ outcome }) => outcome !== 'stale'))
        stale.push(...saved.flatMap(({ id, outcome }) => (outcome === 'stale' ? [id] : [])))
      })
      return stale
    }
    setSaving(true)
    try {
      const stale = await writeAll(ids)
      await look(stale)
      // Where the other side touched none of the changed fields there is nothing to decide.
      const free = stale.filter((id) => {
        const row = held.current.get(id)
        return row !== undefined && conflictsOf(definition, row).length === 0
      })
      await look(await writeAll(free))
    } finally {
      const patience = new Promise((resolve) => window.setTimeout(resolve, PATIENCE_MS))
      if (written.length > 0) await Promise.race([invalidate(), patience])
      change((before) => withOutcomes(before, written))
      setSaving(false)
    }
    return { saved: written.filter(({ outcome }) => outcome === 'changed' || outcome === 'same').length }
  }

  return { queue, isSaving, change, save }
}

/** Reads queued rows again when somebody is told to have changed them, whether or not the list shows it yet. */
function useNewerRows(
  definition: Definition,
  scope: ResourceScope,
  held: { readonly current: EditQueue },
  look: (ids: readonly string[]) => Promise<void>,
): void {
  const { companyId } = scope
  useEffect(() => {
    if (definition.live === false) return
    const table = tableOf(definition)
    let timer: number | undefined
    const stop = subscribeToTopic(companyTopic(companyId), (change) => {
      if (change.table !== table && change.table !== '*') return
      const isOurs = change.ids.length === 0 || change.ids.some((id) => held.current.has(id))
      if (!isOurs || held.current.size === 0) return
      window.clearTimeout(timer)
      // Saving asks again in any case; a reading that fails costs nothing.
      timer = window.setTimeout(() => void look([...held.current.keys()]).catch(() => undefined), GATHER_MS)
    })
    return () => {
      stop()
      window.clearTimeout(timer)
    }
  }, [definition, companyId, held, look])
}

interface Answer {
  id: string
  outcome: SaveOutcome
  reason: unknown
}

function payload(definition: Definition, row: QueuedRow, scope: FilterScope) {
  const names = writtenFields(definition, Object.keys(row.changes), recordOf(row), scope, new Set())
  return {
    id: row.id,
    version: definition.lock === false ? null : (versionOf(row.base) ?? null),
    changes: Object.fromEntries(names.map((name) => [name, row.changes[name]])),
  }
}

/**
 * Writes the rows and tells of each; throws a DataError when a call fails as a whole. A call whose answer was
 * lost may be made again: what it wrote answers "same" then.
 */
async function saveRows(
  call: CallRpc,
  definition: Definition,
  rows: readonly QueuedRow[],
  scope: FilterScope,
  onBatch: (saved: readonly SavedRow[]) => void,
): Promise<void> {
  const all = rows
    .map((row) => payload(definition, row, scope))
    .filter(({ changes }) => Object.keys(changes).length > 0)
  for (let at = 0; at < all.length; at += BATCH) {
    const answers = await call<Answer[]>('save_rows', {
      resource: tableOf(definition),
      rows: all.slice(at, at + BATCH),
    })
    onBatch(
      answers.map(({ id, outcome, reason }) => ({
        id,
        outcome,
        ...(outcome === 'refused' ? { error: toDataError(reason) } : {}),
      })),
    )
  }
}

/** The rows as they are now, with the changes made here. */
async function readAgain(
  definition: Definition,
  queue: EditQueue,
  ids: readonly string[],
  beside: readonly string[],
): Promise<Row[]> {
  const changed = ids.flatMap((id) => Object.keys(queue.get(id)?.changes ?? {}))
  const select = buildSelect(definition, [...new Set([...changed, ...beside])], findDefinition)
  const found: Row[] = []
  for (let at = 0; at < ids.length; at += BATCH) {
    const some = ids.slice(at, at + BATCH)
    const where: CrudFilter[] = [{ field: 'id', operator: 'in', value: some }]
    const set = { table: tableOf(definition), companyId: null, where }
    found.push(...(await readRows(supabase, { ...set, select, order: [], limit: some.length })))
  }
  return found
}
