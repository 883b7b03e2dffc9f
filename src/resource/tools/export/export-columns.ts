import type { Row } from '@/data/rows'
import { definitionOfTable } from '@/resource/fields/diff/changes'
import { type CellValue, type ExportWords, type ValuePlace, writeText } from '@/resource/fields/file-values'
import { kindOf } from '@/resource/fields/kinds'
import { isDotted, relatedField, targetOf } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { currentPhrase, isPhrase } from '@/resource/language/phrases'
import type { ListColumn } from '@/resource/request/query/columns'
import { recordTitle } from '@/resource/request/query/title'
import { readValue, relatedRow } from '@/resource/request/query/values'

interface ExportColumn {
  /** As the list names the field, with the unit that its figures are in. */
  title: string
  read: (row: Row) => CellValue
}

/**
 * A column for each thing that the list shows, those in smaller type as well; and for amounts in several
 * currencies, the currency beside them.
 */
export function exportFields(definition: Definition, columns: readonly ListColumn[]): string[] {
  const shown = columns.flatMap((column) => [column.field, ...(column.with ?? [])])
  const all = shown.flatMap((path) => {
    const field = definition.fields[path]
    const beside = (field && kindOf(field.type).file?.beside?.(field)) ?? []
    return [path, ...beside.filter((name) => definition.fields[name])]
  })
  return [...new Set(all)]
}

/** Writes figures and dates as such, and everything else in the words of the list. */
function cellOf(value: unknown, place: Omit<ValuePlace, 'writeAs'>): CellValue {
  if (value === null || value === undefined || value === '') return null
  const { file } = kindOf(place.field.type)
  if (!file?.write) {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return writeText(isPhrase(place.field) ? currentPhrase(text) : text)
  }
  return file.write(value, { ...place, writeAs: (field) => cellOf(value, { ...place, field }) })
}

interface Place {
  field: Field
  name: string
  resource: string
  words: ExportWords
  find: FindDefinition
}

function valueCell(value: unknown, row: Row, { find, ...place }: Place): CellValue {
  const titleOf = (resource: string, other: Row) => {
    const target = find(resource)
    return target ? recordTitle(target, other) : String(other.name ?? '')
  }
  const relatedTitle = () => {
    const other = relatedRow(row, place.name)
    return other && titleOf(targetOf(place.field) ?? '', other)
  }
  return cellOf(value, { ...place, row, titleOf, relatedTitle, definitionOfTable })
}

export function exportColumns(
  definition: Definition,
  paths: readonly string[],
  words: ExportWords,
  find: FindDefinition,
): ExportColumn[] {
  const column = (path: string, field: Field, read: (row: Row) => CellValue): ExportColumn => {
    const unit = kindOf(field.type).file?.unit?.(field, words)
    return { title: unit ? `${words.column(path)} (${unit})` : words.column(path), read }
  }
  return paths.flatMap((path) => {
    if (!isDotted(path)) {
      const field = definition.fields[path]
      if (!field) return []
      const place = { field, name: path, resource: definition.name, words, find }
      return column(path, field, (row) => valueCell(readValue(row, path, field), row, place))
    }
    const related = relatedField(definition, path, find)
    if (!related) return []
    const { relation, name, field, target } = related
    const place = { field, name, resource: target.name, words, find }
    return column(path, field, (row) => {
      const other = relatedRow(row, relation)
      return other && valueCell(other[name], other, place)
    })
  })
}
