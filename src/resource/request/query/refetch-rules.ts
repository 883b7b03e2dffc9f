import { BusyError, OfflineError } from '@/data/errors'
import type { LiveChange } from '@/data/live'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'

/** Presence and other figures that no live message announces are never older than this. */
export const REFRESH_MS = 30_000
/** How often a screen that lost the backend looks whether it is back. */
const RECONNECT_MS = 5000

interface Asked {
  state: { status: string; error: unknown }
}

/** Soon after a failure that passes, otherwise not by itself: what changes is told by live messages. */
export function reconnectInterval({ state }: Asked): number | false {
  const { status, error } = state
  return status === 'error' && (error instanceof OfflineError || error instanceof BusyError)
    ? RECONNECT_MS
    : false
}

/** When a record is read again by itself, in its place: soon after a failure that passes, otherwise now and then. */
export function refreshInterval(definition: Definition) {
  return (query: Asked): number | false =>
    reconnectInterval(query) || (definition.live === false ? false : REFRESH_MS)
}

/** Whether rows hold what machines write without a word: presence, inventories. What people write is announced. */
export function hasFigures(definition: Definition): boolean {
  if (definition.live === false) return false
  return definition.form === false || Object.values(definition.fields).some((field) => field.from)
}

/** Changes since a list was read, by the ids of the rows. */
export interface Pending {
  ids: ReadonlySet<string>
  /** A message told of more rows than it could name. */
  isMore: boolean
}

/** How many rows a message names at most. */
const MAX_NAMED = 50
/** Rows per request: their ids are in its address. */
const MAX_ASKED = 100

export const NOTHING: Pending = { ids: new Set(), isMore: false }

/** The rows that changes name, by whether a list shows them now; `others` may have become part of it. */
interface NamedRows {
  shown: string[]
  others: string[]
  isMore: boolean
}

/** A row that is not shown and is gone was on another page: it concerns this list no more. */
export function nameRows(
  changes: readonly LiveChange[],
  shownIds: ReadonlySet<string>,
  tables: ReadonlySet<string>,
): NamedRows {
  const shown = new Set<string>()
  const others = new Set<string>()
  for (const { table, op, ids } of changes)
    for (const id of ids) {
      if (shownIds.has(id)) shown.add(id)
      else if (op !== 'delete' || !tables.has(table)) others.add(id)
    }
  // A question holds only so many names.
  const isMore = others.size > MAX_ASKED || changes.some(({ ids }) => ids.length === 0)
  return { shown: [...shown], others: isMore ? [] : [...others], isMore }
}

/** A row that changes twice is one change. */
export function addChanges(pending: Pending, ids: readonly string[], isMore: boolean): Pending {
  if (ids.length === 0 && !isMore) return pending
  return { ids: new Set([...pending.ids, ...ids]), isMore: pending.isMore || isMore }
}

export function pendingCount({ ids, isMore }: Pending): number {
  return isMore ? Math.max(MAX_NAMED, ids.size) : ids.size
}

/**
 * The page's own writes, and all that a lost connection missed, are applied at once; nobody is working on them.
 */
export function isToApply(changes: readonly LiveChange[]): boolean {
  return changes.some(({ own, table }) => own || table === '*')
}

/** Whether a record's page shows something of it: its own row, or rows of the tables its fields are read from. */
export function concernsRecord(
  changes: readonly LiveChange[],
  record: { tables: ReadonlySet<string>; id: string },
): boolean {
  return changes.some(
    ({ table, ids }) => !record.tables.has(table) || ids.length === 0 || ids.includes(record.id),
  )
}

/** The tables whose messages name this resource's own rows: its own, or those that its view stands on. */
export function ownTables(definition: Definition): Set<string> {
  const behind = Array.isArray(definition.live) ? definition.live : []
  return new Set([tableOf(definition), ...behind])
}

/** The tables whose changes show on this resource's screens: its own, and those its fields are read from. */
export function watchedTables(definition: Definition): Set<string> {
  const tables = ownTables(definition)
  for (const field of Object.values(definition.fields)) {
    if (field.from) tables.add(field.from.table)
    if (field.type === 'many-to-many') tables.add(field.through)
  }
  return tables
}
