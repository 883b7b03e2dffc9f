import type { Row } from '@/data/rows'
import type { FieldOf, FieldProblem, FieldType } from '@/resource/fields/kind-interface'
import type { Definition, Field } from '@/resource/language/definition.generated'

/** The value of one cell of an exported file, whatever its format; null is an empty cell. */
export type CellValue =
  | { kind: 'text'; text: string }
  | { kind: 'number'; number: number }
  /** `2026-11-21` */
  | { kind: 'day'; day: string }
  | { kind: 'instant'; at: Date }
  | null

/** The words of a file, in the reader's language. */
export interface ExportWords {
  column: (path: string) => string
  field: (definition: Definition, name: string) => string
  value: (resource: string, field: string, value: string) => string
  yes: string
  no: string
  /** The short word for the unit of durations. */
  unit: (unit: 's' | 'min') => string
}

/** Where a written value comes from. */
export interface ValuePlace<Type extends FieldType = FieldType> {
  field: FieldOf<Type>
  name: string
  resource: string
  row: Row
  words: ExportWords
  /** The title of a record of another resource. */
  titleOf: (resource: string, row: Row) => string
  /** The title of the record that the value is the key of; null where the reader may not see that record. */
  relatedTitle: () => string | null
  /** The definition of the rows of a table. */
  definitionOfTable: (table: string) => Definition | null
  /** Writes the value as another field would. */
  writeAs: (field: Field) => CellValue
}

/** A value in the form's representation, or the problem of the cell. */
export type ReadValue = { value: unknown } | { problem: FieldProblem }

/** A filled-in cell of an imported file. The import brings the readers, so that no list loads them. */
export interface FileCell {
  raw: string | number | boolean | Date
  /** The cell as somebody would have typed it. */
  text: string
  /** A number as people of either language write it, with a currency or a percent sign around it. */
  number: () => ReadValue
  day: () => ReadValue
  /** A moment, in its own zone or in the reader's. */
  instant: () => ReadValue
  /** The stored value of a label in either language; undefined for an unknown label. */
  choice: (label: string) => string | undefined
}

/** How a kind's values are written to and read from files. */
export interface FieldFile<Type extends FieldType = FieldType> {
  /** The unit of the figures, named in the column's title. */
  unit?(field: FieldOf<Type>, words: ExportWords): string | undefined
  /** The larger unit of figures over many records, such as hours for seconds, by its key among the units of the texts. */
  figure?(field: FieldOf<Type>): { unit: 'hours'; size: number }
  /** Fields written beside it, such as the currency of an amount. */
  beside?(field: FieldOf<Type>): string[]
  /** Writes one filled-in value. */
  write?(value: unknown, place: ValuePlace<Type>): CellValue
  /** The form of writing that must be known before the file's cells can be read. */
  form?: 'number' | 'date'
  /** Reads one filled-in cell. Whether the field takes the value is for the form's checks to say. */
  read?(cell: FileCell, field: FieldOf<Type>): ReadValue
}

/**
 * A spreadsheet takes these for the start of a formula; some take the wide forms for the plain ones.
 * Blanks before the sign do not keep a spreadsheet from it.
 */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** Whether a text, opened in a spreadsheet, could run instead of being read. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text)
}

/** Our exports, and others', put an apostrophe before what a spreadsheet would run. It is not part of the text. */
export function withoutGuard(text: string): string {
  return text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text
}

export function writeText(text: string | null): CellValue {
  return text === null || text === '' ? null : { kind: 'text', text }
}

export function writeList(values: readonly string[]): CellValue {
  return writeText(values.join(', '))
}

function writeNumber(value: unknown): CellValue {
  const number = Number(value)
  // A number that a spreadsheet would round is kept as it is written.
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
  return isExact ? { kind: 'number', number } : writeText(String(value))
}

/** The file part of every kind of number. */
export const NUMBER_FILE = {
  form: 'number',
  write: writeNumber,
  read: (cell) => cell.number(),
} satisfies FieldFile
