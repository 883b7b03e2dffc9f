import { ArgumentProblem } from '@/resource/fields/script-interface'
import { sqlKinds } from '@/resource/fields/scripts'
import type { Field } from '@/resource/language/definition.generated'
import { didYouMean } from '@/resource/language/did-you-mean'
import { fieldNameProblem } from '@/resource/language/inspect/reserved'

/** The types that a field argument can name, beside the resources. */
export function argumentTypes(): string[] {
  return sqlKinds().flatMap(([type, { argument }]) => (typeof argument === 'string' ? [] : [type]))
}

export class FieldArgumentError extends Error {}

export interface SpecContext {
  resources: readonly string[]
  /** The new resource's own name and that of one record: a table between needs both. */
  resource: string
  singular: string
}

const SPEC = /^([a-z_-]+)(?:\(([^@]*)\))?(\[\])?(!)?(?:@([a-z][a-z0-9_-]*)(?:\.([a-z_]+))?)?(?:=(.*))?$/s
function fail(argument: string, message: string, hint?: string): never {
  throw new FieldArgumentError(`\`${argument}\`: ${message}${hint ? `\n    ${hint}` : ''}`)
}

/** An error that a kind raises about its argument is reported in the words of the command line. */
function optionsOf(argument: string, make: () => object): object {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ArgumentProblem)) throw error
    return fail(argument, error.message, error.hint)
  }
}

/** Parses an argument like `serial:text!` or `device_id:devices`. @throws FieldArgumentError, saying which and why. */
export function parseFieldArgument(argument: string, context: SpecContext): [string, Field] {
  const colon = argument.indexOf(':')
  const name = colon < 0 ? argument : argument.slice(0, colon)
  const problem = fieldNameProblem(name, { isNew: true })
  if (problem) fail(argument, problem.message, problem.hint)
  const found = SPEC.exec(colon < 0 ? 'text' : argument.slice(colon + 1))
  if (!found)
    fail(argument, 'this is no field', 'Write name:type, as in serial:text! or status:enum(active,retired).')
  const [, type = '', options, many, required, object, verb, start] = found
  const wanted = {
    ...(required ? { required: true } : {}),
    ...(object ? { guard: { read: { object, verb: verb ?? 'list' } } } : {}),
  }
  const kind = sqlKinds().find(([known]) => known === type)?.[1].argument
  if (typeof kind === 'function' && !many)
    return [name, { type, ...optionsOf(argument, () => kind(options, start)), ...wanted } as Field]
  if (typeof kind === 'string') fail(argument, `a field of type \`${type}\` is not made by an argument`, kind)
  if (![...context.resources, context.resource].includes(type)) {
    const types = argumentTypes()
    const near = didYouMean(type, [...types, ...context.resources])
    fail(
      argument,
      `unknown type or resource \`${type}\``,
      near ? `Did you mean \`${near}\`?` : `Types: ${types.join(', ')}; or the name of a resource.`,
    )
  }
  const [pointing, sql] = sqlKinds().find(([, { ofResource }]) => ofResource?.isMany === Boolean(many)) ?? []
  const target = optionsOf(argument, () => sql?.ofResource?.options(type, { name, ...context }) ?? {})
  return [name, { type: pointing, ...target, ...(many ? {} : wanted) } as Field]
}
