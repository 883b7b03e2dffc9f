import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES, type Language } from '@/i18n/language'
import type { DefinitionProblem } from '@/resource/language/entry'
import { type JsonSource, lineOf, parseJsonSource, SourceError } from '@/resource/language/json-source'
import { StartError } from '../../supabase/embedded/start-error'
import { readText } from './read-text'
import type { Stroke } from './stroke'

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', tr: 'Turkish' }

/** The file of the texts that any resource may use: roles, groups, common fields. No resource can have this name. */
export const SHARED = '_shared'

/** The texts of each language by resource, and by `_shared`. */
export type ResourceWordFiles = Record<Language, Record<string, unknown>>

export const wordFolder = (language: Language): string => `locales/${language}/resources`

export const wordFile = (language: Language, resource: string): string =>
  `${wordFolder(language)}/${resource}.json`

/** `fields.serial` of `locales/en/resources/printers.json`, for the path `printers.fields.serial`. */
export function wordPlace(
  language: Language,
  [resource = '', ...path]: readonly string[],
): { file: string; key: string } {
  return { file: wordFile(language, resource), key: path.join('.') }
}

/** The value of the texts at a path; `constructor` is a name like any other. */
export function wordAt(words: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    words,
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parts of the texts of a resource that a resource could be called after. */
const PARTS = [
  'fields',
  'columns',
  'help',
  'values',
  'sections',
  'tabs',
  'steps',
  'views',
  'dashboard',
  'actions',
  'confirm',
  'done',
]

/** The texts of a resource in a language; without a source, `problem` says why the file could not be read. */
export interface WordSource {
  language: Language
  resource: string
  file: string
  source: JsonSource | null
  problem: DefinitionProblem | null
}

function readSource(root: string, language: Language, resource: string): WordSource {
  const file = wordFile(language, resource)
  const refuse = (line: number, message: string, hint?: string): WordSource => ({
    language,
    resource,
    file,
    source: null,
    problem: { file, line, message, ...(hint ? { hint } : {}) },
  })
  if (!existsSync(join(root, file)))
    return refuse(
      1,
      'there is no such file, and all resources take texts from it',
      'Take it back from version control.',
    )
  try {
    const source = parseJsonSource(readText(join(root, file)))
    if (!isObject(source.value))
      return refuse(1, 'the file is no object of texts', 'Write `{ "one": …, "many": … }`.')
    if (isObject(source.value[resource]) && !PARTS.includes(resource))
      return refuse(
        lineOf(source, `/${resource}`),
        `the texts are inside \`${resource}\`, where no screen finds them`,
        `Move them to the top level and remove \`"${resource}"\`: the whole file belongs to it.`,
      )
    return { language, resource, file, source, problem: null }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return refuse(error.line, error.message)
  }
}

/** Reads every file of texts of resources. `_shared.json` has to exist; a resource may have no file. */
export function readWordSources(root: string): WordSource[] {
  return LANGUAGES.flatMap((language) => {
    const folder = join(root, wordFolder(language))
    const names = (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
    return [...new Set([SHARED, ...names.sort()])].map((name) => readSource(root, language, name))
  })
}

/** The texts of all files that could be read. */
export function readableWords(sources: readonly WordSource[]): ResourceWordFiles {
  const words: ResourceWordFiles = { en: {}, tr: {} }
  for (const { language, resource, source } of sources)
    if (source) words[language][resource] = structuredClone(source.value)
  return words
}

/** @throws StartError with file and line when a file cannot be read: a command then writes nothing. */
export function readWords(root: string): ResourceWordFiles {
  const sources = readWordSources(root)
  const problem = sources.find((each) => each.problem)?.problem
  if (problem)
    throw new StartError(
      `${problem.file}:${problem.line}  ${problem.message}${problem.hint ? `\n    ${problem.hint}` : ''}`,
    )
  return readableWords(sources)
}

/** Writes the files whose texts changed, and removes those of resources that have none any more. */
export function writeWords(stroke: Stroke, before: ResourceWordFiles, after: ResourceWordFiles): void {
  for (const language of LANGUAGES) {
    const names = new Set([...Object.keys(before[language]), ...Object.keys(after[language])])
    for (const name of names) {
      const [old, next] = [before[language][name], after[language][name]]
      if (next === undefined) {
        if (old !== undefined) stroke.remove(wordFile(language, name))
      } else if (JSON.stringify(old) !== JSON.stringify(next))
        stroke.write(wordFile(language, name), `${JSON.stringify(next, null, 2)}\n`)
    }
  }
}
