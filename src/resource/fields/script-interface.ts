import type { FieldOf, FieldType } from '@/resource/fields/kind-interface'

/** The rules for a value that a definition and a check constraint can both express. */
export interface Rules {
  /** The length of the text without the spaces around it. */
  minLength?: number
  maxLength?: number
  values?: readonly string[]
  min?: number
  max?: number
  pattern?: string
}

export interface ColumnShape {
  type: string
  /** Rules the kind implies where the definition says nothing: those that its input holds people to. */
  implied?: Rules
  /** Conditions beyond rules, which the input holds people to. */
  checks?: (column: string) => string[]
  /** The maximum value. A table written by hand may have other limits. */
  limits?: (column: string) => string[]
  /** The column is never null, with this expression to start from. */
  empty?: string
}

/** A column that `resource from-table` found. */
export interface FoundColumn {
  rules: Rules
  decimals: number
}

/** Which columns `resource from-table` describes as the kind. Of several kinds that fit, the narrowest is taken. */
export interface Described {
  types: readonly string[]
  /** The table its foreign key points at. */
  target?: string
  /** Only a column that is held to a list of values. */
  hasValues?: true
  name?: RegExp
  /** Only texts that may be longer than this. */
  minLength?: number
  options?(found: FoundColumn): Record<string, unknown>
}

interface NewField {
  name: string
  /** The new resource's own name and that of one record: a table between needs both. */
  resource: string
  singular: string
}

type Options<Type extends FieldType> = Omit<FieldOf<Type>, 'type'>

/** The keys that a definition may give a field of the kind, beside those of every field, as a JSON schema. */
export interface FieldOptions {
  description: string
  required?: string[]
  properties: Record<string, JsonSchema>
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The part of a field kind that scripts use, in `<kind>/script.ts`. Nothing that a browser loads imports it. */
export interface FieldScript<Type extends FieldType = FieldType> {
  options: FieldOptions
  /** The column that `resource migrate` writes; none for a kind whose values it cannot place. */
  column?(field: FieldOf<Type>): ColumnShape
  /** A default as the text of an SQL literal, where it is no text, number or boolean. */
  defaultText?(value: unknown): string
  /** The condition that a value is there, where that takes more than not being null. */
  filled?(column: string): string
  /** The SQL for the default `$now`; `now()` where a kind gives none. */
  now?: string
  /** How the search reads the column; one without it cannot be searched. */
  search?: 'words' | 'digits'
  /** Filters reach an index below row-level security: the type's comparison is leakproof. */
  isIndexed?: true
  describes?: Described
  /**
   * The options that an argument of `resource new` asks for, as in `name:type(options)=start`; or why no argument
   * makes such a field. @throws ArgumentProblem
   */
  argument: string | ((options: string | undefined, start: string | undefined) => Partial<Options<Type>>)
  /** The options where an argument names a resource instead: `name:resource`, or `name:resource[]` for many. */
  ofResource?: { isMany: boolean; options(to: string, field: NewField): Options<Type> }
}

/** An argument of `resource new` that makes no field. */
export class ArgumentProblem extends Error {
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message)
  }
}

/** The scripts of the kinds of one folder. */
export type ScriptFamily<Types extends FieldType> = { [Type in Types]: FieldScript<Type> }

/** The colors that a definition may name. */
export const COLORS = [
  'default',
  'gray',
  'green',
  'red',
  'orange',
  'gold',
  'blue',
  'cyan',
  'purple',
  'magenta',
] as const

export const MAX_LENGTH: JsonSchema = {
  type: 'integer',
  minimum: 1,
  description: 'Maximum number of characters.',
}

/** `subject` is the option that the colors come from. */
export const colorWhen = (subject: string): JsonSchema => ({
  $ref: '#/$defs/filter',
  description: `Colors the value by \`${subject}\` only while the record matches this: a loan that was returned is not late any more, \`{ "returned_on": { "_null": true } }\`. It may not ask for \`$user\`.`,
})

/** `shown` says how a value is written while its clock is paused. */
export const pausedWhen = (shown: string): JsonSchema => ({
  $ref: '#/$defs/filter',
  description: `While the record matches this, its clock is paused: ${shown}. It may not ask for \`$user\`.`,
})

export const DOCUMENT_TYPES: readonly string[] = ['json', 'jsonb']
export const TEXT_TYPES: readonly string[] = ['text', 'varchar', 'bpchar', 'citext']

/** The limit of a text, unless it is the one that the kind has anyway. */
export function lengthOption({ maxLength }: Rules, usual?: number): { max_length?: number } {
  return maxLength && maxLength !== usual ? { max_length: maxLength } : {}
}

export const jsonLimits = (column: string): string[] => [`length(${column}::text) <= 100000`]

/** `(0..100)`, `(0..)`, `(..100)` */
export function rangeOf(options: string | undefined): { min?: number; max?: number } {
  if (!options) return {}
  const [, min, max] = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/.exec(options.trim()) ?? []
  if (min === undefined && max === undefined)
    throw new ArgumentProblem(`\`(${options})\` is no range`, 'Write (0..100), (0..) or (..100).')
  return {
    ...(min === undefined ? {} : { min: Number(min) }),
    ...(max === undefined ? {} : { max: Number(max) }),
  }
}

export function lengthOf(options: string | undefined, usual: number): number {
  if (!options) return usual
  const length = Number(options)
  if (!Number.isInteger(length) || length < 1)
    throw new ArgumentProblem(`\`(${options})\` is no length`, 'Write text(80) for at most 80 characters.')
  return length
}

export function numberDefault(start: string | undefined): { default?: number } {
  if (start === undefined) return {}
  if (start === '' || !Number.isFinite(Number(start)))
    throw new ArgumentProblem(`the default \`${start}\` is no number`)
  return { default: Number(start) }
}

export function textDefault(start: string | undefined): { default?: string } {
  return start === undefined ? {} : { default: start }
}
