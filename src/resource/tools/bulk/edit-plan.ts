import type { Row } from '@/data/rows'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { isBlank } from '@/resource/screens/form/check-record'
import { columnValues } from '@/resource/screens/form/form-values'
import { asListWay, isListField, type ListChange, type ListWay } from '@/resource/tools/bulk/bulk-fields'

/** Names of controls of the question; no field has such a name. */
export const CHOSEN = '$fields'
/** The key for how each chosen list is edited: a `ListWay` or `clear`. */
export const WAYS = '$ways'
/** The key for whether each chosen field is cleared. */
export const CLEARED = '$cleared'

/** The change of one field. Clearing is always explicit, never the result of a blank control. */
export interface EditStep {
  name: string
  field: Field
  kind: 'set' | 'clear' | ListWay
  value: unknown
}

/** Whether a field may be empty in the database. A switch has no third state. */
export function isClearable(field: Field): boolean {
  return field.required !== true && field.filled !== true && field.type !== 'boolean'
}

function part(answers: Row, key: string): Row {
  return (answers[key] ?? {}) as Row
}

/** The selected fields in order of selection, with their values so far. */
export function editSteps(definition: Definition, answers: Row): EditStep[] {
  const chosen = Array.isArray(answers[CHOSEN]) ? answers[CHOSEN].map(String) : []
  const [ways, cleared] = [part(answers, WAYS), part(answers, CLEARED)]
  return chosen.flatMap((name): EditStep[] => {
    const field = definition.fields[name]
    if (!field) return []
    const value = answers[name]
    const isCleared =
      isClearable(field) && (isListField(field) ? ways[name] === 'clear' : cleared[name] === true)
    if (isCleared) return [{ name, field, kind: 'clear', value: kindOf(field.type).empty ?? null }]
    return [{ name, field, kind: isListField(field) ? asListWay(ways[name]) : 'set', value }]
  })
}

export function isComplete(steps: readonly EditStep[]): boolean {
  return steps.length > 0 && steps.every(({ kind, value }) => kind === 'clear' || !isBlank(value))
}

/**
 * The fields to fill in, all required. Conditions on other fields do not apply, since there is no single
 * record.
 */
export function askedDefinition(definition: Definition, steps: readonly EditStep[]): Definition {
  const fields = steps.flatMap(({ name, field, kind }) => {
    const { when: _when, ...shown } = field
    return kind === 'clear' ? [] : [[name, { ...shown, required: true } as Field] as const]
  })
  return { ...definition, fields: Object.fromEntries(fields) }
}

/** The steps as `bulk_edit` takes them. */
export function editChanges(
  definition: Definition,
  steps: readonly EditStep[],
): { changes: Row; lists: ListChange[] } {
  const plain = steps.filter(({ field }) => !isListField(field))
  const values = Object.fromEntries(plain.map(({ name, value }) => [name, value]))
  return {
    changes: columnValues(definition, Object.keys(values), values),
    lists: steps.flatMap(({ name, field, kind, value }): ListChange[] => {
      if (!isListField(field)) return []
      const how = kind === 'clear' || kind === 'set' ? 'replace' : kind
      const change = { how, items: Array.isArray(value) ? value.map(String) : [] }
      if (field.type === 'many-to-many')
        return [{ ...change, through: field.through, near: field.near, far: field.far }]
      return [{ ...change, field: name, ...(field.closed ? { ranked: field.suggestions ?? [] } : {}) }]
    }),
  }
}
