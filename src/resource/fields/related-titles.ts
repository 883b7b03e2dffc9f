import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { type CellValue, writeText } from '@/resource/fields/cell-value'
import type { ValuePlace } from '@/resource/fields/field-file'
import { targetOf } from '@/resource/fields/related-field'
import { recordTitle } from '@/resource/query/title'
import { relatedRow } from '@/resource/query/values'

export function titleIn(target: Definition | null, row: Row): string {
  return target ? recordTitle(target, row) : String(row.name ?? '')
}

/** The title of the record that a key points at; nothing where the reader may not see that record. */
export function writeRelated(
  _key: unknown,
  { field, name, row, find }: Pick<ValuePlace, 'field' | 'name' | 'row' | 'find'>,
): CellValue {
  const other = relatedRow(row, name)
  return other ? writeText(titleIn(find(targetOf(field) ?? ''), other)) : null
}
