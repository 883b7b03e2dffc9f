import type { Language } from '@/i18n/language'
import type { FieldFile } from '@/resource/fields/file-values'
import type { CompareAs } from '@/resource/language/compare-as'
import type { Field } from '@/resource/language/definition.generated'

export type FieldType = Field['type']
export type FieldOf<Type extends FieldType> = Extract<Field, { type: Type }>

/** How a list offers to filter by the kind; each way has its own writing in the URL. */
export type FilterStyle = 'choice' | 'words' | 'yesNo' | 'record' | 'contains' | 'range' | 'days'

/** The choices that a field offers. */
export interface FieldChoices {
  known: readonly string[]
  /** Whether it takes nothing else. Closed choices have words of their own. */
  isClosed: boolean
}

/** A problem with a value: a key under `engine:check` and the values for its text. */
export interface FieldProblem {
  key: string
  values?: Record<string, string | number>
}

/**
 * The facts of a field kind, in `<kind>/kind.ts`; every list loads them. Beside it: `view.tsx` (how a value is shown),
 * `input.tsx` (how it is edited; loaded with the first form that needs it) and `script.ts` (the options that a
 * definition may give it, its column and its argument of `resource new`; loaded by scripts only). A folder that holds
 * several kinds exports `kinds`, `cells` and `scripts` by type in place of `kind`, `Cell` and `script`.
 */
export interface FieldKind<Type extends FieldType = FieldType> {
  type: Type
  compare: CompareAs
  /** Postgres types that a column of this kind may have; what the linter compares with. */
  columns: readonly string[]
  filter?: FilterStyle
  /** Numbers stand right, so that their digits do. */
  align?: 'right'
  /** The narrowest a list's column may become, in pixels. Values of a kind without one are never cut. */
  minWidth?: number
  /** Takes a whole row of a form or record. */
  wide?: boolean
  /** Never offered for editing, whatever the definition says. */
  derived?: boolean
  /** Read and written by requests of its own, not as a column. */
  detached?: boolean
  /** The column's own order is the one people expect: `resource new` lets lists sort by it. */
  isSortable?: true
  /** Names a record by itself: the first such field is the title of a resource that states none. */
  isTitle?: true
  /** A filled-in value in the title of a record, as the reader's language writes it. */
  titleText?(value: unknown, field: FieldOf<Type>, language: Language): string
  /** Tells records apart: an import may match existing records by it. */
  isKey?: true
  /** The field's column holds text that a person writes. */
  isText?: true
  /** Spaces around its text are part of it; where it is required, spaces alone are refused. */
  keepsSpaces?: true
  /** A whole document or table: no list column unless the definition shows it, no cell editor, no quick form. */
  isLarge?: true
  /** A record leaves the field out while it is empty: there was nothing to ask. */
  hidesEmpty?: true
  /** The field's section of a record takes the whole width of the page. */
  widensSection?: true
  /** A choice is the whole edit: in a cell it opens at once and is kept as soon as it is made. */
  commitsOnChange?: true
  /** Enter writes a further line; in a cell, Shift and Enter do. */
  isMultiline?: true
  /** The field's values are lists: its control stays open after each choice. */
  isList?: true
  /** The field's numbers go beyond 32 bits or have fractions, whatever its options say. */
  isBigNumber?: true
  /** The value is the key of a file of this record alone: it is uploaded, and never imported, duplicated or restored. */
  isUpload?: true
  /** The families of files that it takes, whatever its options say. */
  families?: readonly string[]
  /** Columns of the record that it points at, which its cell needs beside the title. */
  reads?: readonly string[]
  /** The resource whose records its values are the keys of. */
  target?(field: FieldOf<Type>): string
  /** Options that may follow another field, as `$record.<field>`. */
  follows?: readonly string[]
  /** Further fields of the record that its value cannot be shown without. */
  companions?(field: FieldOf<Type>): string[]
  /** Options that name a field of the definition, each with the name: they are looked up when it is checked. */
  references?(field: FieldOf<Type>): [option: string, name: string][]
  /** The choices of the field; null where anything may be written. */
  choices?(field: FieldOf<Type>): FieldChoices | null
  /** The choices have one word each for all fields, under `_shared.values`. */
  hasSharedWords?: true
  /** Maps a value that can be written in several forms to a single form. */
  normalize?(text: string): string
  /** The field of a chosen record that its value is checked against. */
  checkedBy?(field: FieldOf<Type>): { relation: string; name: string }
  /** Checks one filled-in value; `against` is what `checkedBy` names, undefined while it is not read. */
  validate?(value: unknown, field: FieldOf<Type>, against?: unknown): FieldProblem | null
  /** The form's first value, when the definition says nothing. */
  empty?: unknown
  /** The folder whose `input.tsx` edits it, where that is not a folder of its own. */
  input?: string
  /** How its values are written to and read from files; without it, as text. */
  file?: FieldFile<Type>
}

/** The kinds of one folder that differ in a few facts only. */
export type KindFamily<Types extends FieldType> = { [Type in Types]: FieldKind<Type> }

export interface CellProps<Type extends FieldType = FieldType> {
  value: unknown
  field: FieldOf<Type>
  name: string
  resource: string
  row: Record<string, unknown>
  /** In a list a value gets one line; on a record it may take its room. */
  dense: boolean
}

/** The props that every control gets, whatever its kind of field. */
export interface ControlProps {
  /** Given by the form, which also ties label, help and error to it. */
  id?: string
  value?: unknown
  onChange?: (value: unknown) => void
  onBlur?: () => void
  /** The value so far, with each key typed; a control with it calls `onChange` when the value is settled. */
  onType?: (value: unknown) => void
  name: string
  resource: string
  /** The form's current values, for options that depend on other fields. */
  record: Record<string, unknown>
  disabled?: boolean
  /** Shows its choices as soon as it is there: the press that brought it was the press on it. */
  isOpenAtFirst?: boolean
  'aria-required'?: boolean
  'aria-invalid'?: boolean
  'aria-describedby'?: string
}

export interface InputProps<Type extends FieldType = FieldType> extends ControlProps {
  field: FieldOf<Type>
}
