import type { Row } from '@/data/rows'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import type { CellValue } from '@/resource/export/cell-value'
import { definitionOfTable, readChanges } from '@/resource/fields/diff/changes'
import { isDotted, relatedField, targetOf } from '@/resource/queries/related-field'
import type { FindDefinition } from '@/resource/queries/select'
import { recordTitle } from '@/resource/queries/title'
import { readValue, relatedRow } from '@/resource/queries/values'
import type { ListColumn } from '@/resource/screens/list/columns'

/** The words of a file, in the reader's language. */
export interface ExportWords {
  column: (path: string) => string
  field: (definition: Definition, name: string) => string
  value: (resource: string, field: string, value: string) => string
  yes: string
  no: string
  /** What durations are counted in. */
  seconds: string
}

interface ExportColumn {
  /** As the list names the field, with the unit that its figures are in. */
  title: string
  read: (row: Row) => CellValue
}

interface Place {
  field: Field
  name: string
  resource: string
  row: Row
}

/**
 * A column for each thing that the list shows, those in smaller type as well; and for amounts in several
 * currencies, the currency beside them.
 */
export function exportFields(definition: Definition, columns: readonly ListColumn[]): string[] {
  const shown = columns.flatMap((column) => [column.field, ...(column.with ?? [])])
  const all = shown.flatMap((path) => {
    const field = definition.fields[path]
    const other = field?.type === 'money' ? /^\$record\.(\w+)$/.exec(field.currency)?.[1] : undefined
    return other !== undefined && definition.fields[other] ? [path, other] : [path]
  })
  return [...new Set(all)]
}

function unitOf(field: Field, words: ExportWords): string | undefined {
  if (field.type === 'percent') return '%'
  if (field.type === 'duration') return words.seconds
  if (field.type === 'bytes') return field.unit ?? 'B'
  if (field.type === 'money') return field.currency.startsWith('$') ? undefined : field.currency
  return field.type === 'number' ? field.unit : undefined
}

const text = (value: string): CellValue => (value === '' ? null : { kind: 'text', text: value })

function numberCell(value: unknown): CellValue {
  const number = Number(value)
  // What a spreadsheet would round is better kept as it is written.
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
  return isExact ? { kind: 'number', number } : text(String(value))
}

function instantCell(value: string): CellValue {
  const at = new Date(value)
  return Number.isNaN(at.getTime()) ? text(value) : { kind: 'instant', at }
}

function titleOf(target: Definition | null, row: Row): string {
  return target ? recordTitle(target, row) : String(row.name ?? '')
}

function listText(values: readonly string[]): CellValue {
  return text(values.join(', '))
}

function changesText(value: unknown, table: string, words: ExportWords): CellValue {
  const definition = definitionOfTable(table)
  const changes = readChanges(value, definition)
  return listText(changes.map(({ field }) => (definition ? words.field(definition, field) : field)))
}

/** What a value is in a file: figures and dates as such, everything else as the words the list has for it. */
function cellOf(value: unknown, place: Place, words: ExportWords, find: FindDefinition): CellValue {
  const { field, name, resource, row } = place
  if (value === null || value === undefined || value === '') return null
  switch (field.type) {
    case 'number':
    case 'money':
    case 'percent':
    case 'duration':
    case 'bytes':
      return numberCell(value)
    case 'boolean':
      return text(value === true ? words.yes : words.no)
    case 'date':
      return /^\d{4}-\d\d-\d\d/.test(String(value))
        ? { kind: 'day', day: String(value).slice(0, 10) }
        : text(String(value))
    case 'datetime':
      return instantCell(String(value))
    case 'enum':
      return text(words.value(resource, name, String(value)))
    case 'tags': {
      const tags = Array.isArray(value) ? value.map(String) : []
      return listText(field.closed ? tags.map((tag) => words.value(resource, name, tag)) : tags)
    }
    case 'relation':
    case 'user': {
      const other = relatedRow(row, name)
      // Not theirs to see: its key would tell them nothing.
      return other ? text(titleOf(find(targetOf(field) ?? ''), other)) : null
    }
    case 'many-to-many': {
      const target = find(field.to)
      return Array.isArray(value) ? listText(value.map((other: Row) => titleOf(target, other))) : null
    }
    case 'rows':
      return Array.isArray(value) && value.length > 0 ? { kind: 'number', number: value.length } : null
    case 'diff':
      return changesText(value, String(row[field.of ?? 'table_name'] ?? ''), words)
    case 'computed':
      return cellOf(value, { ...place, field: { type: field.as ?? 'text' } }, words, find)
    default:
      return text(typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
}

export function exportColumns(
  definition: Definition,
  paths: readonly string[],
  words: ExportWords,
  find: FindDefinition,
): ExportColumn[] {
  const column = (path: string, field: Field, read: (row: Row) => CellValue): ExportColumn => {
    const unit = unitOf(field, words)
    return { title: unit ? `${words.column(path)} (${unit})` : words.column(path), read }
  }
  return paths.flatMap((path) => {
    if (!isDotted(path)) {
      const field = definition.fields[path]
      if (!field) return []
      const place = { field, name: path, resource: definition.name }
      return column(path, field, (row) => cellOf(readValue(row, path, field), { ...place, row }, words, find))
    }
    const related = relatedField(definition, path, find)
    if (!related) return []
    const { relation, name, field, target } = related
    return column(path, field, (row) => {
      const other = relatedRow(row, relation)
      return other && cellOf(other[name], { field, name, resource: target.name, row: other }, words, find)
    })
  })
}
