import type { DataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { columnValues, sameValue } from '@/resource/screens/form/form-values'

export type Failure = { kind: 'gone' } | { kind: 'refused'; error: DataError }

/** The changes of one row that are not written yet. */
export interface QueuedRow {
  id: string
  /** The row as it was read: what the changes are counted from, and whose version is the lock. */
  base: Row
  changes: Row
  /** A newer version of somebody else's that holds another value where one was changed here, until that is decided. */
  theirs: Row | null
  /** Somebody else wrote it since it was put here. */
  isOvertaken: boolean
  /** Why the last attempt to save left it here. */
  failure: Failure | null
}

export type EditQueue = ReadonlyMap<string, QueuedRow>

export const EMPTY_QUEUE: EditQueue = new Map()

export type SaveOutcome = 'changed' | 'same' | 'stale' | 'gone' | 'refused'
export interface SavedRow {
  id: string
  outcome: SaveOutcome
  error?: DataError
}

/** A row as it was read, before anything in it is changed. */
export function unchanged(row: Row): QueuedRow {
  return { id: String(row.id), base: row, changes: {}, theirs: null, isOvertaken: false, failure: null }
}

export function versionOf(row: Row): number | undefined {
  return typeof row.version === 'number' ? row.version : undefined
}

/** The row as it would stand after saving. */
export function recordOf({ base, theirs, changes }: QueuedRow): Row {
  return { ...base, ...theirs, ...changes }
}

/** The fields on which somebody else's newer version says something else than both the old one and mine. */
export function conflictsOf(definition: Definition, { base, theirs, changes }: QueuedRow): string[] {
  if (!theirs) return []
  return Object.keys(changes).filter((name) => {
    const same = (a: unknown, b: unknown) => sameValue(definition.fields[name], a, b)
    return !same(theirs[name], base[name]) && !same(theirs[name], changes[name])
  })
}

/** Leaves out what changes nothing, and takes the newer version for granted where nothing stands against it. */
function settled(definition: Definition, row: QueuedRow): QueuedRow | null {
  const now = row.theirs ? { ...row.base, ...row.theirs } : row.base
  const changes = Object.fromEntries(
    Object.entries(row.changes).filter(
      ([name, value]) => !sameValue(definition.fields[name], now[name], value),
    ),
  )
  if (Object.keys(changes).length === 0) return null
  const left = { ...row, changes }
  return conflictsOf(definition, left).length > 0 ? left : { ...left, base: now, theirs: null }
}

function put(queue: EditQueue, id: string, row: QueuedRow | null): EditQueue {
  const next = new Map(queue)
  if (row) next.set(id, row)
  else next.delete(id)
  return next
}

/** Keeps a value that was typed; one that is the old one again is no change. */
export function enqueue(
  queue: EditQueue,
  definition: Definition,
  row: Row,
  name: string,
  value: unknown,
): EditQueue {
  const now = queue.get(String(row.id)) ?? unchanged(row)
  const changes = { ...now.changes, ...columnValues(definition, [name], { [name]: value }) }
  return put(queue, now.id, settled(definition, { ...now, changes, failure: null }))
}

export function removeChange(queue: EditQueue, definition: Definition, id: string, name: string): EditQueue {
  const row = queue.get(id)
  if (!row) return queue
  const { [name]: _gone, ...changes } = row.changes
  return put(queue, id, settled(definition, { ...row, changes, failure: null }))
}

/** Mine stands over theirs: from now on it is counted from theirs. */
export function keepMine(queue: EditQueue, definition: Definition, id: string, name: string): EditQueue {
  const row = queue.get(id)
  if (!row?.theirs) return queue
  const base = { ...row.base, [name]: row.theirs[name] }
  return put(queue, id, settled(definition, { ...row, base }))
}

/**
 * Looks at rows as they stand now. A newer version with other values where none was changed here takes the old
 * one's place; where it says something else than mine, that is left to be decided. The very same queue when none
 * of the rows is newer.
 */
export function rebase(queue: EditQueue, definition: Definition, rows: readonly Row[]): EditQueue {
  let next = queue
  for (const row of rows) {
    const held = queue.get(String(row.id))
    if (!held || !Object.keys(held.changes).every((name) => name in row)) continue
    const newest = versionOf({ ...held.base, ...held.theirs }) ?? 0
    if ((versionOf(row) ?? 0) <= newest) continue
    next = put(next, held.id, settled(definition, { ...held, theirs: row, isOvertaken: true }))
  }
  return next
}

/** After saving: what was written leaves, and what was not stays with the reason. */
export function withOutcomes(queue: EditQueue, saved: readonly SavedRow[]): EditQueue {
  const next = new Map(queue)
  for (const { id, outcome, error } of saved) {
    const row = next.get(id)
    if (!row) continue
    if (outcome === 'changed' || outcome === 'same') next.delete(id)
    else if (outcome === 'gone') next.set(id, { ...row, failure: { kind: 'gone' } })
    else if (outcome === 'refused' && error) next.set(id, { ...row, failure: { kind: 'refused', error } })
  }
  return next
}

export function changeCount(queue: EditQueue): number {
  return [...queue.values()].reduce((sum, { changes }) => sum + Object.keys(changes).length, 0)
}
