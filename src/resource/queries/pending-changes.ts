import type { LiveChange } from '@/data/live'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'

/** What changed since a list was read, by the ids of the rows. */
export interface Pending {
  ids: ReadonlySet<string>
  /** A message told of more rows than it could name. */
  isMore: boolean
}

/** How many rows a message names at most. */
const MOST_NAMED = 50

export const NOTHING: Pending = { ids: new Set(), isMore: false }

/** A row that changes twice is one change. */
export function addChanges(pending: Pending, changes: readonly LiveChange[]): Pending {
  return {
    ids: new Set([...pending.ids, ...changes.flatMap(({ ids }) => ids)]),
    isMore: pending.isMore || changes.some(({ ids }) => ids.length === 0),
  }
}

export function pendingCount({ ids, isMore }: Pending): number {
  return isMore ? Math.max(MOST_NAMED, ids.size) : ids.size
}

/** What nobody's hands are on is read at once: what this page wrote itself, and all that a lost connection missed. */
export function isToApply(changes: readonly LiveChange[]): boolean {
  return changes.some(({ own, table }) => own || table === '*')
}

/** Whether a record's page shows something of it: its own row, or rows of the tables its fields are read from. */
export function concernsRecord(
  changes: readonly LiveChange[],
  record: { table: string; id: string },
): boolean {
  return changes.some(
    ({ table, ids }) => table !== record.table || ids.length === 0 || ids.includes(record.id),
  )
}

/** The tables whose changes show on this resource's screens: its own, and those its fields are read from. */
export function watchedTables(definition: Definition): Set<string> {
  const tables = new Set([tableOf(definition)])
  for (const field of Object.values(definition.fields)) {
    if (field.from) tables.add(field.from.table)
    if (field.type === 'many-to-many') tables.add(field.through)
  }
  return tables
}
