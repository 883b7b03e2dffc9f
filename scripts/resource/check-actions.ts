import { kindOf, valueKindOf } from '@/resource/fields/kinds'
import { DOCUMENT_TYPES, TEXT_TYPES } from '@/resource/fields/script-interface'
import type { Action, Field } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { DEFAULT_ARGS } from '@/resource/request/filter/actions'
import type { CatalogFunction } from '../../supabase/embedded/catalog'
import type { DatabaseInspection } from './database-inspection'
import { suggestion } from './suggestion'

const NUMBERS = ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']
const WHOLE = ['int2', 'int4', 'int8']
const TIMES = ['date', 'timestamp', 'timestamptz']
/** A parameter of another type, such as an enum of the database, is not judged. */
const JUDGED = new Set([
  ...NUMBERS,
  ...TIMES,
  ...TEXT_TYPES,
  ...DOCUMENT_TYPES,
  'bool',
  'uuid',
  '_uuid',
  '_text',
])

function typesOfField(field: Field): readonly string[] {
  const { compare, isList } = valueKindOf(field)
  const { columns } = kindOf(field.type)
  if (isList) return ['_text', '_varchar', ...DOCUMENT_TYPES]
  if (compare === 'number') {
    const hasFraction = ((Reflect.get(field, 'decimals') as number | undefined) ?? 0) > 0
    return [...NUMBERS.filter((type) => !hasFraction || !WHOLE.includes(type)), ...TEXT_TYPES]
  }
  if (compare === 'date' || compare === 'instant') return [...TIMES, ...TEXT_TYPES]
  return columns.some((type) => DOCUMENT_TYPES.includes(type)) ? DOCUMENT_TYPES : [...columns, ...TEXT_TYPES]
}

function typesOfValue(value: unknown): readonly string[] | null {
  if (value === '$ids') return ['_uuid', '_text', ...DOCUMENT_TYPES]
  if (value === '$id' || value === '$comment') return ['uuid', ...TEXT_TYPES]
  if (typeof value === 'number') return [...NUMBERS, ...TEXT_TYPES]
  if (typeof value === 'boolean') return ['bool', ...TEXT_TYPES]
  // A text may be written for any type that the database reads from text.
  return null
}

/** A value that the dialog always sends: what was left empty is left to the function's own default. */
const isAlwaysSent = (field: Field): boolean =>
  !field.when && (field.required === true || (kindOf(field.type).empty ?? null) !== null)

const shownType = (type: string): string => type.replace(/^_(.*)/, '$1[]')

function signatureProblems(
  pointer: string,
  rpc: string,
  action: Action,
  { parameters }: CatalogFunction,
): PointedProblem[] {
  const args = Object.entries(action.args ?? DEFAULT_ARGS)
  const params = Object.entries(action.params ?? {})
  const names = parameters.map(({ name }) => name)
  const given: [place: string, name: string, types: readonly string[] | null, what: string][] = [
    ...args.map(([name, value]): (typeof given)[number] => [
      action.args ? `/args/${name}` : '/rpc',
      name,
      typesOfValue(value),
      `\`${String(value)}\``,
    ]),
    ...params.map(([name, field]): (typeof given)[number] => [
      `/params/${name}`,
      name,
      typesOfField(field),
      `a \`${field.type}\``,
    ]),
  ]
  const problems: PointedProblem[] = []
  for (const [place, name, types, what] of given) {
    const parameter = parameters.find((each) => each.name === name)
    if (!parameter)
      problems.push({
        pointer: `${pointer}${place}`,
        message: `the function \`${rpc}\` has no parameter \`${name}\``,
        hint:
          suggestion(name, names).hint ??
          `Its parameters are ${names.map((each) => `\`${each}\``).join(', ') || 'none'}.${
            action.args ? '' : ' Say in `args` which one takes `$id` or `$ids`.'
          }`,
      })
    else if (types && JUDGED.has(parameter.type) && !types.includes(parameter.type))
      problems.push({
        pointer: `${pointer}${place}`,
        message: `\`${name}\` of the function \`${rpc}\` is \`${shownType(parameter.type)}\` and cannot take ${what}`,
        hint: 'Change one of the two types.',
      })
  }
  for (const { name, hasDefault } of parameters) {
    const field = params.find(([each]) => each === name)?.[1]
    if (hasDefault || name === '' || args.some(([each]) => each === name)) continue
    if (!field)
      problems.push({
        pointer: `${pointer}/rpc`,
        message: `the function \`${rpc}\` requires \`${name}\`, which the action does not give`,
        hint: `Add \`${name}\` to \`args\` or \`params\`, or give the parameter a default.`,
      })
    else if (!isAlwaysSent(field))
      problems.push({
        pointer: `${pointer}/params/${name}`,
        message: `\`${name}\` may be left empty, but the function \`${rpc}\` requires it`,
        hint: 'Give it `"required": true` without `when`, or give the parameter of the function a default.',
      })
  }
  return problems
}

/** Compares an action's arguments with the function that it calls: names, types, and required parameters. */
export function inspectAction(inspection: DatabaseInspection, name: string, action: Action): void {
  const { rpc } = action
  if (!rpc) return
  const pointer = `/actions/${name}`
  inspection.rpc(`${pointer}/rpc`, rpc)
  if (action.effects) inspection.rpc(`${pointer}/effects`, action.effects)
  const [best] = inspection.context.catalog.signatures
    .filter((each) => each.name === rpc && each.canCall)
    .map((each) => signatureProblems(pointer, rpc, action, each))
    .sort((a, b) => a.length - b.length)
  inspection.problems.push(...(best ?? []))
}
