import type { Row } from '@/data/rows'
import type { Change } from '@/resource/fields/diff/kind'
import { isEditable, kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { canEdit, formOf } from '@/resource/language/naming'

export interface Restored {
  /** When the change was made that is to be undone. */
  at: string
  values: Row
  /** Fields that changed too and stay as they are. */
  left: readonly string[]
}

/** The audit log keeps a thousand characters of a value, and three asterisks of a secret. */
const MAX_KEPT = 1000

function isWhole(value: unknown): boolean {
  return typeof value !== 'string' || !(value === '***' || (value.length > MAX_KEPT && value.endsWith('…')))
}

function isRestorable(definition: Definition, name: string, refused: ReadonlySet<string>): boolean {
  const field = definition.fields[name]
  return (
    isEditable(field) &&
    field.once !== true &&
    kindOf(field.type).detached !== true &&
    !kindOf(field.type).isUpload &&
    !refused.has(name)
  )
}

/** Whether there is a form that an earlier state can be filled into. */
export function canRestore(definition: Definition): boolean {
  return canEdit(definition) && !formOf(definition)?.component
}

/** The values before a change, as far as this user may write them and the log kept them whole. */
export function valuesBefore(
  definition: Definition,
  changes: readonly Change[],
  refused: ReadonlySet<string>,
): Pick<Restored, 'values' | 'left'> {
  const fits = ({ field, before }: Change) => isRestorable(definition, field, refused) && isWhole(before)
  return {
    values: Object.fromEntries(changes.filter(fits).map(({ field, before }) => [field, before])),
    left: changes.flatMap((change) => (fits(change) ? [] : [change.field])),
  }
}

function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** From a history entry. Such entries outlive releases, so the value is validated again. */
export function readRestored(
  state: unknown,
  definition: Definition,
  refused: ReadonlySet<string>,
): Restored | null {
  const asked = isRecord(state) ? state.restore : undefined
  if (!isRecord(asked) || !isRecord(asked.values) || typeof asked.at !== 'string') return null
  const values = Object.entries(asked.values).filter(([name]) => isRestorable(definition, name, refused))
  const left = Array.isArray(asked.left) ? asked.left.map(String) : []
  return { at: asked.at, values: Object.fromEntries(values), left }
}

/** Values that a page gave the form of a new record, by the state of the history entry; null without any. */
export function readPreset(state: unknown, definition: Definition, refused: ReadonlySet<string>): Row | null {
  const asked = isRecord(state) ? state.preset : undefined
  if (!isRecord(asked)) return null
  const isTaken = (name: string) =>
    name === 'company_id' || (isEditable(definition.fields[name]) && !refused.has(name))
  return Object.fromEntries(Object.entries(asked).filter(([name]) => isTaken(name)))
}
