import type { Field } from '@/resource/definition/definition.generated'
import { didYouMean } from '@/resource/definition/did-you-mean'
import { fieldNameProblem } from './names'

/** What a field argument can name, beside the resources. */
export const ARGUMENT_KINDS = [
  'text',
  'textarea',
  'markdown',
  'number',
  'money',
  'percent',
  'bytes',
  'duration',
  'boolean',
  'enum',
  'tags',
  'date',
  'datetime',
  'timezone',
  'email',
  'url',
  'ip',
  'mac',
  'color',
  'json',
  'code',
  'user',
] as const

const NOT_HERE: Record<string, string> = {
  computed:
    'The database computes it: write its generated column in a migration, then the field in the definition.',
  diff: 'It reads a log that the database writes.',
  rows: 'Write its inner fields in the definition, then run `npm run resource migrate`.',
  relation: 'Name the resource it points at instead, such as `device_id:devices`.',
  'many-to-many': 'Name the resource it points at with brackets instead, such as `groups:groups[]`.',
}

export class FieldArgumentError extends Error {}

export interface SpecContext {
  resources: readonly string[]
  /** The new resource's own name and that of one record: a table between needs both. */
  resource: string
  singular: string
}

const SPEC = /^([a-z_-]+)(?:\((.*)\))?(\[\])?(!)?(?:=(.*))?$/s
const COLOURS = ['green', 'orange', 'gray', 'blue', 'red', 'purple', 'cyan', 'gold', 'magenta'] as const

function fail(argument: string, message: string, hint?: string): never {
  throw new FieldArgumentError(`\`${argument}\`: ${message}${hint ? `\n    ${hint}` : ''}`)
}

function numbersOf(argument: string, options: string | undefined): { min?: number; max?: number } {
  if (!options) return {}
  const [, min, max] = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/.exec(options.trim()) ?? []
  if (min === undefined && max === undefined)
    fail(argument, `\`(${options})\` is no range`, 'Write (0..100), (0..) or (..100).')
  return {
    ...(min === undefined ? {} : { min: Number(min) }),
    ...(max === undefined ? {} : { max: Number(max) }),
  }
}

function lengthOf(argument: string, options: string | undefined, usual: number): number {
  if (!options) return usual
  const length = Number(options)
  if (!Number.isInteger(length) || length < 1)
    fail(argument, `\`(${options})\` is no length`, 'Write text(80) for at most 80 characters.')
  return length
}

function enumField(argument: string, options: string | undefined, preset: string | undefined): Field {
  const names = (options ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean)
  if (names.length === 0) fail(argument, 'an enum needs its values', 'Write status:enum(active,retired).')
  const repeated = names.find((value, index) => names.indexOf(value) !== index)
  if (repeated) fail(argument, `the value \`${repeated}\` stands twice`)
  const values = Object.fromEntries(
    names.map((value, index) => [value, COLOURS[index % COLOURS.length] ?? 'default']),
  )
  const start = preset ?? names[0] ?? ''
  if (!names.includes(start)) {
    const near = didYouMean(start, names)
    fail(argument, `the default \`${start}\` is not among the values`, near && `Did you mean \`${near}\`?`)
  }
  return { type: 'enum', values, default: start, filter: true } as Field
}

function preset(argument: string, type: string, text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  if (['number', 'money', 'percent', 'bytes', 'duration'].includes(type)) {
    if (!Number.isFinite(Number(text)) || text === '') fail(argument, `the default \`${text}\` is no number`)
    return { default: Number(text) }
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false')
      fail(argument, `the default \`${text}\` is neither true nor false`)
    return { default: text === 'true' }
  }
  if (type === 'tags') return { default: text.split(',') }
  if (type === 'json') return { default: JSON.parse(text) as unknown }
  return { default: text }
}

function ofKind(
  argument: string,
  type: string,
  options: string | undefined,
  start: string | undefined,
): Field {
  const rest = preset(argument, type, start)
  switch (type) {
    case 'enum':
      return enumField(argument, options, start)
    case 'text':
      return { type, max_length: lengthOf(argument, options, 200), search: true, ...rest } as Field
    case 'textarea':
      return { type, max_length: lengthOf(argument, options, 4000), ...rest } as Field
    case 'markdown':
      return { type, max_length: lengthOf(argument, options, 20_000), ...rest } as Field
    case 'email':
      return { type, search: true, ...rest } as Field
    case 'ip':
    case 'mac':
      return { type, search: true, ...rest } as Field
    case 'number':
    case 'bytes':
    case 'duration':
      return { type, ...numbersOf(argument, options), ...rest } as Field
    case 'percent':
      return { type, ...numbersOf(argument, options), ...rest } as Field
    case 'money':
      if (options && !/^[A-Z]{3}$/.test(options))
        fail(argument, `\`(${options})\` is no currency`, 'Write cost:money(TRY).')
      return { type, currency: options ?? 'TRY', min: 0, ...rest } as Field
    case 'code':
      return { type, ...(options ? { language: options } : {}), ...rest } as Field
    case 'boolean':
    case 'date':
    case 'datetime':
    case 'user':
      return { type, filter: true, ...rest } as Field
    default:
      return { type, ...rest } as Field
  }
}

/** One argument such as `serial:text!` or `device_id:devices`. @throws FieldArgumentError, saying which and why. */
export function parseFieldArgument(argument: string, context: SpecContext): [string, Field] {
  const colon = argument.indexOf(':')
  const name = colon < 0 ? argument : argument.slice(0, colon)
  const problem = fieldNameProblem(name, { isNew: true })
  if (problem) fail(argument, problem.message, problem.hint)
  const found = SPEC.exec(colon < 0 ? 'text' : argument.slice(colon + 1))
  if (!found)
    fail(argument, 'this is no field', 'Write name:type, as in serial:text! or status:enum(active,retired).')
  const [, type = '', options, many, required, start] = found
  const wanted = required ? { required: true } : {}
  if ((ARGUMENT_KINDS as readonly string[]).includes(type) && !many)
    return [name, { ...ofKind(argument, type, options, start), ...wanted } as Field]
  if (type in NOT_HERE)
    fail(argument, `a field of type \`${type}\` is not made by an argument`, NOT_HERE[type])
  const target = [...context.resources, context.resource].includes(type)
  if (!target) {
    const near = didYouMean(type, [...ARGUMENT_KINDS, ...context.resources])
    fail(
      argument,
      `unknown type or resource \`${type}\``,
      near ? `Did you mean \`${near}\`?` : `Types: ${ARGUMENT_KINDS.join(', ')}; or the name of a resource.`,
    )
  }
  if (!many) return [name, { type: 'relation', to: type, filter: true, ...wanted } as Field]
  if (type === context.resource)
    fail(
      argument,
      'a resource cannot be joined with itself by an argument',
      'Write its table in a migration of your own.',
    )
  const far = `${type.replace(/ies$/, 'y').replace(/s$/, '')}_id`
  return [
    name,
    {
      type: 'many-to-many',
      to: type,
      through: `${context.singular}_${name}`,
      near: `${context.singular}_id`,
      far,
      filter: true,
    } as Field,
  ]
}
