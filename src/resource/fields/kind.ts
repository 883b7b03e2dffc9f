import type { ComponentType } from 'react'
import type { Field } from '@/resource/definition/definition.generated'
import type { CompareAs } from '@/resource/filter/predicate'

export type FieldType = Field['type']
export type FieldOf<Type extends FieldType> = Extract<Field, { type: Type }>

/** How a list offers to filter by the kind; each way has its own writing in the URL. */
export type FilterStyle = 'choice' | 'tags' | 'boolean' | 'record' | 'contains' | 'range' | 'days'

/** What is wrong with a value: a key under `engine:check` and what it is filled with. */
export interface FieldProblem {
  key: string
  values?: Record<string, string | number>
}

/**
 * What the engine knows of a field kind without rendering it. Stands in `<kind>/manifest.ts`, beside
 * `cell.tsx` (how a value reads), `input.tsx` (how it is edited; loaded with the first form that needs
 * it) and `options.json` (the keys a definition may give it).
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
  /** Checks one filled-in value. */
  validate?(value: unknown, field: FieldOf<Type>): FieldProblem | null
  /** What the form starts from, when the definition says nothing. */
  empty?: unknown
}

export interface CellProps<Type extends FieldType = FieldType> {
  value: unknown
  field: FieldOf<Type>
  name: string
  resource: string
  row: Record<string, unknown>
  /** In a list a value gets one line; on a record it may take its room. */
  dense: boolean
}

/** What any control gets, whatever its kind of field. */
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
  /** The record as it stands in the form, for what depends on other fields. */
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

/** A folder exports its parts under fixed names, so that the loader needs no list of them. */
export interface ManifestModule {
  kind: FieldKind
}
export interface CellModule {
  Cell: ComponentType<CellProps<never>>
}
export interface InputModule {
  Input: ComponentType<InputProps<never>>
}
