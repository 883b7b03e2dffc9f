import type { Row } from '@/data/rows'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import type { CellValue } from '@/resource/fields/cell-value'
import type { Cell } from '@/resource/fields/file-table'
import type { FieldOf, FieldProblem, FieldType } from '@/resource/fields/kind'
import type { WrittenForms } from '@/resource/fields/written-forms'

/** The words of a file, in the reader's language. */
export interface ExportWords {
  column: (path: string) => string
  field: (definition: Definition, name: string) => string
  value: (resource: string, field: string, value: string) => string
  yes: string
  no: string
  /** The word for the unit of durations. */
  seconds: string
}

/** Where a written value comes from. */
export interface ValuePlace<Type extends FieldType = FieldType> {
  field: FieldOf<Type>
  name: string
  resource: string
  row: Row
  words: ExportWords
  find: (name: string) => Definition | null
  /** Writes the value as another field would. */
  writeAs: (field: Field) => CellValue
}

/** A value in the form's representation, or the problem of the cell. */
export type ReadValue = { value: unknown } | { problem: FieldProblem }

export interface ValueReader {
  forms: WrittenForms
  /** The stored value of a label in either language; undefined for an unknown label. */
  choice: (word: string) => string | undefined
}

/**
 * How a kind's values are written to and read from files, in `<kind>/file.ts`; loaded with export and import. A kind
 * without one is written and read as text.
 */
export interface FieldFile<Type extends FieldType = FieldType> {
  /** The unit of the figures, named in the column's title. */
  unit?(field: FieldOf<Type>, words: ExportWords): string | undefined
  /** Fields written beside it, such as the currency of an amount. */
  beside?(field: FieldOf<Type>): string[]
  /** Writes one filled-in value. */
  write?(value: unknown, place: ValuePlace<Type>): CellValue
  /** The form of writing that must be known before the file's cells can be read. */
  form?: keyof WrittenForms
  /** Reads one filled-in cell. Whether the field takes the value is for the form's checks to say. */
  read?(cell: Cell, field: FieldOf<Type>, reader: ValueReader): ReadValue
}

export interface FileModule {
  file: FieldFile
}
