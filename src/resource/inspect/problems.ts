import type { ErrorObject } from 'ajv'
import { FIELD_TYPES, validateDefinition } from '#definition-validator'
import type { Definition } from '@/resource/definition/definition.generated'
import { didYouMean } from '@/resource/definition/did-you-mean'
import { type JsonSource, JsonSyntaxError, lineOf, parseJsonSource } from '@/resource/definition/json-source'
import { inspectReferences } from '@/resource/inspect/references'

/**
 * One error in a definition: where, what, and what to write instead. In English, for the maintainer of the
 * file.
 */
export interface DefinitionProblem {
  file: string
  line: number
  message: string
  hint?: string
}

/** A problem found in parsed data, before its line is looked up. */
export interface PointedProblem {
  pointer: string
  message: string
  hint?: string
}

function params(error: ErrorObject): Record<string, unknown> {
  return error.params as Record<string, unknown>
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => `\`${String(value)}\``).join(', ') : String(values)
}

function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const meant = didYouMean(word, candidates)
  return meant ? `Did you mean \`${meant}\`?` : undefined
}

/** The schema of the object the error is about, as far as ajv hands it out, says which keys it knows. */
function knownKeys(error: ErrorObject): string[] {
  const schema = error.parentSchema as { properties?: Record<string, unknown> } | undefined
  return Object.keys(schema?.properties ?? {})
}

function nameOf(pointer: string): string {
  const last = pointer.split('/').at(-1)
  return last ? `\`${last.replaceAll('~1', '/').replaceAll('~0', '~')}\`` : 'the definition'
}

function describe(error: ErrorObject): PointedProblem | null {
  const pointer = error.instancePath
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params(error).additionalProperty)
      const known = knownKeys(error)
      return {
        pointer: `${pointer}/${key}`,
        message: `unknown key \`${key}\` in ${nameOf(pointer)}`,
        hint: suggest(key, known) ?? `It takes ${list(known)}.`,
      }
    }
    case 'required':
      return {
        pointer,
        message: `${nameOf(pointer)} lacks the key \`${String(params(error).missingProperty)}\``,
      }
    case 'discriminator': {
      const { tag, tagValue } = params(error)
      const types = FIELD_TYPES
      if (tagValue === undefined)
        return {
          pointer,
          message: `${nameOf(pointer)} lacks \`${String(tag)}\``,
          hint: `It is one of ${list(types)}.`,
        }
      return {
        pointer: `${pointer}/${String(tag)}`,
        message: `unknown ${String(tag)} \`${String(tagValue)}\` of ${nameOf(pointer)}`,
        hint: suggest(String(tagValue), types) ?? `It is one of ${list(types)}.`,
      }
    }
    case 'enum': {
      const allowed = params(error).allowedValues as unknown[]
      const found = typeof error.data === 'string' ? error.data : JSON.stringify(error.data)
      return {
        pointer,
        message: `${nameOf(pointer)} cannot be \`${found}\``,
        hint: suggest(found, allowed.map(String)) ?? `It is one of ${list(allowed)}.`,
      }
    }
    case 'pattern':
      return {
        pointer,
        message: `${nameOf(pointer)} has a form that is not allowed: \`${String(error.data)}\``,
        hint: `It must match ${String(params(error).pattern)}.`,
      }
    case 'propertyNames':
      return {
        pointer: `${pointer}/${String(params(error).propertyName)}`,
        message: `\`${String(params(error).propertyName)}\` cannot be a name here`,
        hint: 'Names are snake_case: lowercase letters, digits and `_`, starting with a letter.',
      }
    // These errors only repeat that a branch failed.
    case 'oneOf':
    case 'anyOf':
    case 'const':
    case 'if':
      return null
    default:
      return { pointer, message: `${nameOf(pointer)} ${error.message ?? 'is not right'}` }
  }
}

/** The discriminator already reports a field without a type. */
function isEcho(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  return (
    error.keyword === 'required' &&
    params(error).missingProperty === 'type' &&
    all.some((other) => other.keyword === 'discriminator' && other.instancePath === error.instancePath)
  )
}

function schemaProblems(value: unknown): PointedProblem[] {
  if (validateDefinition(value)) return []
  const errors = validateDefinition.errors ?? []
  const problems = errors.filter((error) => !isEcho(error, errors)).flatMap((error) => describe(error) ?? [])
  // The deepest errors are the causes; `list` "must be false" next to a misspelled key inside it is an echo.
  return problems.length > 0
    ? problems
    : [{ pointer: '', message: 'the definition does not match the schema' }]
}

function repeatedProblems(source: JsonSource): PointedProblem[] {
  return source.repeated.map((pointer) => ({
    pointer,
    message: `${nameOf(pointer)} stands twice in the same object; only the last one would count`,
  }))
}

export interface InspectContext {
  /** Resources that relations may point at; left out, targets are not looked up. */
  find?: (name: string) => Definition | null
  names?: readonly string[]
}

/** All problems of one file, in the order of its lines. */
export function inspectSource(file: string, text: string, context: InspectContext = {}): DefinitionProblem[] {
  let source: JsonSource
  try {
    source = parseJsonSource(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return [{ file, line: error.line, message: `not JSON: ${error.message}` }]
  }
  const pointed = [...repeatedProblems(source), ...schemaProblems(source.value)]
  // References are looked up in a definition that has the right shape; otherwise they would be noise.
  if (pointed.length === 0) pointed.push(...inspectReferences(source.value as Definition, context))
  return pointed
    .map(({ pointer, message, hint }) => ({ file, line: lineOf(source, pointer), message, hint }))
    .sort((a, b) => a.line - b.line)
}
