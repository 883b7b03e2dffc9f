import type { Row } from '@/data/rows'
import type { FieldProblem } from '@/resource/fields/kind-interface'
import { isEditable, kindOf } from '@/resource/fields/kinds'
import type { Children, Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import type { FilterScope } from '@/resource/request/filter/scope'
import { checkField, isShown } from '@/resource/screens/form/check-record'
import { formLayout, partFields } from '@/resource/screens/form/form-sections'
import {
  columnValues,
  filledValues,
  newValues,
  recordValues,
  sameValue,
} from '@/resource/screens/form/form-values'

/** How many children a form edits; `save_children` takes twice as many. */
export const MAX_CHILDREN = 100

export interface ChildRow {
  /** Unique in the list; the id of a stored row. */
  key: string
  /** The row in the database; null for a new row. */
  stored: Row | null
  /** Form values of all editable fields. */
  values: Row
  isRemoved?: boolean
}

/** The result of a row in `save_children`. */
export interface ChildAnswer {
  place: number
  id: string | null
  outcome: 'created' | 'changed' | 'same' | 'deleted' | 'absent' | 'kept' | 'stale' | 'gone' | 'refused'
  reason: unknown
}

/** The fields to edit, in order. The parent and the company follow from the parent's form. */
export function childFields(definition: Definition, { by, fields }: Children): string[] {
  const named = fields ?? formLayout(definition).parts.flatMap(partFields)
  return named.filter((name) => {
    const field = definition.fields[name]
    if (!isEditable(field) || name === by || name === 'company_id') return false
    const kind = kindOf(field.type)
    return kind.detached !== true && (fields !== undefined || kind.isLarge !== true)
  })
}

export function storedRow(definition: Definition, row: Row): ChildRow {
  return { key: String(row.id), stored: row, values: recordValues(definition, row) }
}

export function newRow(definition: Definition, key: string, scope: FilterScope): ChildRow {
  return { key, stored: null, values: newValues(definition, scope) }
}

function changedNames(definition: Definition, row: ChildRow, names: readonly string[]): string[] {
  const before = row.stored ? recordValues(definition, row.stored) : {}
  return names.filter((name) => !sameValue(definition.fields[name], before[name], row.values[name]))
}

/** Whether the row would be written. */
export function isChanged(definition: Definition, row: ChildRow, names: readonly string[]): boolean {
  if (row.isRemoved || !row.stored) return true
  return changedNames(definition, row, names).length > 0
}

/** The first problem of each field of the row. */
export function rowProblems(
  definition: Definition,
  row: ChildRow,
  names: readonly string[],
  scope: FilterScope,
): Map<string, FieldProblem> {
  const found = new Map<string, FieldProblem>()
  if (row.isRemoved) return found
  const values = { ...row.stored, ...row.values }
  for (const name of names) {
    const problem = checkField(definition, name, values, scope)
    if (problem) found.set(name, problem)
  }
  return found
}

interface Parent {
  id: string
  companyId: string | null
}

/** The arguments of `save_children` for rows that changed. */
export function saveArguments(
  definition: Definition,
  { by }: Children,
  parent: Parent,
  rows: readonly ChildRow[],
  names: readonly string[],
  scope: FilterScope,
) {
  const written = (row: ChildRow) => {
    const shown = names.filter((name) => isShown(definition, name, { ...row.stored, ...row.values }, scope))
    if (row.stored) return columnValues(definition, changedNames(definition, row, shown), row.values)
    const columns = filledValues(columnValues(definition, shown, row.values), newValues(definition, scope))
    return definition.tenant === false ? columns : { ...columns, company_id: parent.companyId }
  }
  return {
    resource: tableOf(definition),
    by,
    parent: parent.id,
    rows: rows.map((row) => ({
      ...(row.stored ? { id: row.key } : {}),
      ...(row.stored && definition.lock !== false ? { version: row.stored.version } : {}),
      ...(row.isRemoved ? { remove: true } : { changes: written(row) }),
    })),
  }
}
