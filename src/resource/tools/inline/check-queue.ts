import type { FieldProblem } from '@/resource/fields/kind-interface'
import { editableFields } from '@/resource/fields/kinds'
import { isDotted } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { filterFields, mentionedFields, relatedNames } from '@/resource/request/filter/mentioned-fields'
import type { FilterScope } from '@/resource/request/filter/scope'
import { checkField, isShown } from '@/resource/screens/form/check-record'
import { formLayout, partOf } from '@/resource/screens/form/form-sections'
import { isCellField } from '@/resource/tools/inline/cell-grid'
import { type QueuedRow, recordOf } from '@/resource/tools/inline/edit-queue'

/** The other fields that decide whether this one is shown, or right. */
function mentionedBy(field: Field): string[] {
  return [...mentionedFields(field), ...relatedNames(field.check), ...filterFields(field.when)]
}

/** The fields whose being shown or right hangs on this one. */
function dependentsOf(definition: Definition, name: string): string[] {
  return editableFields(definition).filter((other) => {
    const field = definition.fields[other]
    return other !== name && field !== undefined && mentionedBy(field).includes(name)
  })
}

/** A column's cells can be edited if the form offers the field and this person may write it. */
export function cellColumns(
  definition: Definition,
  columns: readonly string[],
  allows: (name: string, field: Field) => boolean,
): ReadonlySet<string> {
  const layout = formLayout(definition)
  return new Set(
    columns.filter((name) => {
      const field = definition.fields[name]
      return (
        field !== undefined &&
        isCellField(definition, name) &&
        partOf(layout, name) !== undefined &&
        allows(name, field)
      )
    }),
  )
}

/** Fields that must be read beside the columns, so that a cell is checked as the form would. */
export function neededFields(definition: Definition, names: Iterable<string>): string[] {
  const own = new Set(names)
  const beside = [...own].flatMap((name) => {
    const dependents = dependentsOf(definition, name)
    return [name, ...dependents].flatMap((each) => {
      const field = definition.fields[each]
      return field ? [each, ...mentionedBy(field)] : []
    })
  })
  return [...new Set(beside)].filter(
    (name) => (isDotted(name) || definition.fields[name] !== undefined) && !own.has(name),
  )
}

/** Whether the form of this very record would show the field; not while that cannot be told. */
export function isCellOpen(
  definition: Definition,
  name: string,
  row: QueuedRow,
  scope: FilterScope,
): boolean {
  const record = recordOf(row)
  const when = filterFields(definition.fields[name]?.when)
  return when.every((other) => record[other] !== undefined) && isShown(definition, name, record, scope)
}

export interface CellProblem {
  /** The field that is wrong by the change; mostly the changed one itself. */
  field: string
  problem: FieldProblem
}

/** Problems of the definition's own checks with the changes of one row, by the changed field. */
export function problemsOf(
  definition: Definition,
  row: QueuedRow,
  scope: FilterScope,
): ReadonlyMap<string, CellProblem> {
  const record = recordOf(row)
  const found = new Map<string, CellProblem>()
  const names = Object.keys(row.changes)
  for (const name of names) {
    const problem = checkField(definition, name, record, scope)
    if (problem) found.set(name, { field: name, problem })
  }
  for (const name of names) {
    for (const other of dependentsOf(definition, name)) {
      if (found.has(name) || other in row.changes || record[other] === undefined) continue
      const problem = checkField(definition, other, record, scope)
      // A problem that existed before is not this change's doing.
      if (problem && !checkField(definition, other, row.base, scope))
        found.set(name, { field: other, problem })
    }
  }
  return found
}
