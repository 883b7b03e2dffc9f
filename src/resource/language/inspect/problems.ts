import type { ErrorObject } from 'ajv'
import { FIELD_TYPES, validateDefinition } from '#definition-validator'
import type { Definition } from '@/resource/language/definition.generated'
import { didYouMean } from '@/resource/language/did-you-mean'
import type { DefinitionProblem } from '@/resource/language/entry'
import { inspectCycles } from '@/resource/language/inspect/cycles'
import { inspectNeighbors } from '@/resource/language/inspect/neighbors'
import { inspectReferences } from '@/resource/language/inspect/references'
import { inspectReserved } from '@/resource/language/inspect/reserved'
import { inspectStored, type StoredColumns } from '@/resource/language/inspect/stored'
import { type JsonSource, lineOf, parseJsonSource, SourceError } from '@/resource/language/json-source'

/** Nobody reads more at once, and each is sent to every open page. */
const MAX_PROBLEMS = 20
/** Several checks compare every value with every other; a table has at most 1600 columns. */
const MAX_VALUES = 3000

/** Beyond the longest list of values that a hint gives. */
const MAX_TEXT = 2000

const shorten = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** A problem found in parsed data, before its line is looked up. */
export interface PointedProblem {
  pointer: string
  message: string
  hint?: string
  isWarning?: boolean
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

/** The schema gives an example beside each pattern: a regular expression alone tells few people what to write. */
function exampleHint(schema: unknown): string | undefined {
  const { examples } = schema as { examples?: unknown[] }
  return examples && `Write it like ${examples.map((example) => `\`${String(example)}\``).join(' or ')}.`
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
      // `propertyNames` reports a wrong key.
      if (error.propertyName !== undefined) return null
      return {
        pointer,
        message: `${nameOf(pointer)} has a form that is not allowed: \`${String(error.data)}\``,
        hint: exampleHint(error.parentSchema) ?? `It must match ${String(params(error).pattern)}.`,
      }
    case 'propertyNames':
      return {
        pointer: `${pointer}/${String(params(error).propertyName)}`,
        message: `\`${String(params(error).propertyName)}\` cannot be a name here`,
        hint:
          exampleHint(error.schema) ??
          'Names are snake_case: lowercase letters, digits and `_`, starting with a letter.',
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

/** The discriminator already reports a field without a type, and `propertyNames` what has a wrong name. */
function isEcho(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  const isBelowWrongName = all.some(
    (other) =>
      other.keyword === 'propertyNames' &&
      `${error.instancePath}/`.startsWith(`${other.instancePath}/${String(params(other).propertyName)}/`),
  )
  return (
    isBelowWrongName ||
    (error.keyword === 'required' &&
      params(error).missingProperty === 'type' &&
      all.some((other) => other.keyword === 'discriminator' && other.instancePath === error.instancePath))
  )
}

/**
 * Problems are cached by value, which `parseJsonSource` remembers: a file is checked beside others, for itself, and
 * again.
 */
const judged = new WeakMap<object, readonly PointedProblem[]>()

function schemaProblems(value: unknown): readonly PointedProblem[] {
  if (typeof value !== 'object' || value === null) return findSchemaProblems(value)
  const found = judged.get(value) ?? findSchemaProblems(value)
  judged.set(value, found)
  return found
}

function findSchemaProblems(value: unknown): PointedProblem[] {
  if (validateDefinition(value)) return []
  const errors = validateDefinition.errors ?? []
  const problems = errors.filter((error) => !isEcho(error, errors)).flatMap((error) => describe(error) ?? [])
  // The deepest errors are the causes; `list` "must be false" next to a misspelled key inside it is an echo.
  return problems.length > 0
    ? problems
    : [{ pointer: '', message: 'the definition does not match the schema' }]
}

export function repeatedProblems(source: JsonSource): PointedProblem[] {
  return source.repeated.map((pointer) => ({
    pointer,
    message: `${nameOf(pointer)} stands twice in the same object; only the last one would count`,
    hint: 'Remove one.',
  }))
}

export interface InspectContext {
  /** Resources that relations may point at; left out, targets are not looked up. */
  find?: (name: string) => Definition | null
  names?: readonly string[]
  /** Resources whose file is invalid: references to them cannot be checked. */
  broken?: ReadonlySet<string>
  /** All files, to find two that claim the same; left out, a definition is looked at alone. */
  files?: readonly InspectedFile[]
  /** The columns of the database; left out, a definition is not compared with it. */
  stored?: StoredColumns | undefined
}

/** A file of `resources/`; the definition is null where the file has no name and fields. */
export interface InspectedFile {
  file: string
  source: string
  definition: Definition | null
}

/**
 * The context that the linter compares a definition with: all well-formed files, and the names of the others. If a
 * file's name differs from its resource, both names count as those of a file that cannot be read.
 */
export function contextOf(files: readonly InspectedFile[]): Required<Omit<InspectContext, 'stored'>> {
  const sound = new Map<string, Definition>()
  const broken = new Set<string>()
  for (const { file, source, definition } of files) {
    const own = file.replace(/^.*\/|\.json$/g, '')
    if (definition?.name === own && hasShape(source)) sound.set(own, definition)
    else for (const name of [own, definition?.name ?? own]) broken.add(name)
  }
  for (const name of sound.keys()) broken.delete(name)
  return { find: (name) => sound.get(name) ?? null, names: [...sound.keys()], broken, files }
}

/** Whether a file is JSON of a definition's shape, so that others can be compared with it. */
function hasShape(text: string): boolean {
  try {
    const { value, repeated } = parseJsonSource(text)
    return repeated.length === 0 && schemaProblems(value).length === 0
  } catch {
    return false
  }
}

/** All problems of one file, in the order of its lines. */
export function inspectSource(file: string, text: string, context: InspectContext = {}): DefinitionProblem[] {
  let source: JsonSource
  try {
    source = parseJsonSource(text)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return [{ file, line: error.line, message: error.message }]
  }
  if (source.lines.size > MAX_VALUES)
    return [{ file, line: 1, message: `the definition has more than ${MAX_VALUES} values, and is not read` }]
  const pointed = [...repeatedProblems(source), ...schemaProblems(source.value)]
  // References are looked up in a definition that has the right shape; otherwise they would be noise.
  if (pointed.length === 0) {
    const definition = source.value as Definition
    pointed.push(
      ...inspectReferences(definition, context),
      ...inspectReserved(definition),
      ...inspectCycles(definition, context.find ?? (() => null)),
      ...inspectNeighbors(definition, file, context.files ?? []),
      ...(context.stored ? inspectStored(definition, context.stored) : []),
    )
  }
  const problems = pointed
    .map(({ pointer, message, hint }) => ({
      file,
      line: lineOf(source, pointer),
      message: shorten(message),
      hint: hint && shorten(hint),
    }))
    .sort((a, b) => a.line - b.line)
  const more = problems.slice(MAX_PROBLEMS)
  return more.length === 0
    ? problems
    : [
        ...problems.slice(0, MAX_PROBLEMS),
        { file, line: more[0]?.line ?? 1, message: `and ${more.length} more problems` },
      ]
}
