import type { CrudFilter } from '@refinedev/core'
import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { type Row, readRows } from '@/data/rows'
import type { CallRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/definition/registry'
import type { FilterScope } from '@/resource/filter/scope'
import { writtenFields } from '@/resource/form/form-values'
import {
  type EditQueue,
  type QueuedRow,
  recordOf,
  type SavedRow,
  type SaveOutcome,
  versionOf,
} from '@/resource/inline/edit-queue'
import { buildSelect } from '@/resource/query/select'

/** Each row is a statement of its own there: a call stays well below the time that one may take. */
const BATCH = 200

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
export async function saveRows(
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

/** The rows as they stand now, with what was changed in them here. */
export async function readAgain(
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
