import { createHash } from 'node:crypto'
import { routesOf } from '@/app/definition-routes'
import type { Definition } from '@/resource/language/definition.generated'
import { type DefinitionProblem, parseEntry, type ResourceEntry } from '@/resource/language/entry'
import { compileDefinitions, type DefinitionFile } from '@/resource/language/inspect/compile'
import { inspectSource } from '@/resource/language/inspect/problems'
import type { StoredColumns } from '@/resource/language/inspect/stored'
import { parseJsonSource, SourceError } from '@/resource/language/json-source'

/** The versions of the files that the page fetches: see `src/ui/console-files.ts`. */
export interface PublishedVersions {
  definitions: string
  /** Versions by language. */
  words: Readonly<Record<string, string>>
}

export interface PublishedFile {
  body: string
  version: string
}

export interface Published {
  versions: PublishedVersions
  /** The addresses that the definitions make, for the pages before sign-in. */
  paths: readonly string[]
  /** Bodies by address. */
  files: ReadonlyMap<string, PublishedFile>
  problems: readonly DefinitionProblem[]
  entries: readonly ResourceEntry[]
}

/** The last version of each file without an error: definitions, and the parsed texts of resources. */
export interface LastGood {
  definitions: ReadonlyMap<string, Definition>
  words: ReadonlyMap<string, object>
}

/** The texts of one resource in one language; those of `_shared.json` belong to all resources. */
const WORD_FILE = /^locales\/([^/]+)\/resources\/([^/]+)\.json$/

export const isWordFile = ({ file }: { file: string }): boolean => WORD_FILE.test(file)

interface Words {
  file: string
  language: string
  resource: string
  value: object | null
  problems: DefinitionProblem[]
}

function readWords({ file, text }: DefinitionFile): Words {
  const [, language = '', resource = ''] = WORD_FILE.exec(file) ?? []
  const place = { file, language, resource }
  const refuse = (line: number, message: string) => ({
    ...place,
    value: null,
    problems: [{ file, line, message }],
  })
  try {
    const { value } = parseJsonSource(text.replace(/^\uFEFF/, ''))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...place, value, problems: [] } : refuse(1, 'the file is no object of texts')
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return refuse(error.line, error.message)
  }
}

/** All texts of a language in one object, by resource: a page fetches them with one request. */
function wordsByLanguage(
  texts: readonly Words[],
  lastGood: LastGood | undefined,
): { language: string; value: object }[] {
  const languages = [...new Set(texts.map(({ language }) => language))]
  return languages.map((language) => ({
    language,
    value: Object.fromEntries(
      texts
        .filter((each) => each.language === language)
        .flatMap(({ file, resource, value }) => {
          const shown = value ?? lastGood?.words.get(file)
          return shown ? [[resource, shown]] : []
        }),
    ),
  }))
}

/** Compiles the files to what the console fetches. */
export function publish(
  files: readonly DefinitionFile[],
  lastGood?: LastGood,
  stored?: StoredColumns,
): Published {
  const definitions = files.filter((file) => !isWordFile(file))
  const entries = compileDefinitions(definitions, lastGood?.definitions, stored)
  const texts = files.filter(isWordFile).map(readWords)
  const published = (value: object) => {
    const body = JSON.stringify(value)
    return { body, version: createHash('sha256').update(body).digest('base64url').slice(0, 12) }
  }
  const own = published(entries)
  const words = wordsByLanguage(texts, lastGood).map(({ language, value }) => ({
    language,
    ...published(value),
  }))
  return {
    versions: {
      definitions: own.version,
      words: Object.fromEntries(words.map(({ language, version }) => [language, version])),
    },
    paths: entries.flatMap((entry) => routesOf(entry).map(({ path }) => path)),
    files: new Map([
      ['/definitions.json', own],
      ...words.map(({ language, ...file }) => [`/definitions.${language}.json`, file] as const),
    ]),
    problems: [...entries, ...texts].flatMap(({ problems }) => problems),
    entries,
  }
}

/** Keeps the files without an error, to fall back to. */
export function goodOf(files: readonly DefinitionFile[]): LastGood {
  const definitions = new Map<string, Definition>()
  const words = new Map<string, object>()
  for (const each of files) {
    const { file, text } = each
    if (isWordFile(each)) {
      const { value } = readWords(each)
      if (value) words.set(file, value)
      continue
    }
    const { definition } = parseEntry(file, text)
    if (definition && inspectSource(file, text.replace(/^\uFEFF/, '')).length === 0)
      definitions.set(file, definition)
  }
  return { definitions, words }
}
