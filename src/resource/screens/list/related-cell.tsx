import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { Blank } from '@/resource/fields/blank'
import { FieldCell } from '@/resource/fields/cells'
import { relatedField } from '@/resource/queries/related-field'
import { relatedRow } from '@/resource/queries/values'
import { findDefinition } from '@/resource/registry'

interface RelatedCellProps {
  definition: Definition
  /** `relation.field` */
  path: string
  row: Row
}

/** A value of the record that a relation points at, shown as that record's own list would. */
export function RelatedCell({ definition, path, row }: RelatedCellProps) {
  const related = relatedField(definition, path, findDefinition)
  if (!related) return null
  const other = relatedRow(row, related.relation)
  // Nothing is pointed at, or nothing that this user may see.
  if (!other) return <Blank />
  const { name, field, target } = related
  return <FieldCell value={other[name]} field={field} name={name} resource={target.name} row={other} dense />
}
