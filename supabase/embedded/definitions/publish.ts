import { createHash } from 'node:crypto'
import { routesOf } from '@/app/definition-routes'
import type { Definition } from '@/resource/definition/definition.generated'
import { type DefinitionProblem, parseEntry, type ResourceEntry } from '@/resource/definition/entry'
import { parseJsonSource, SourceError } from '@/resource/definition/json-source'
import { compileDefinitions, type DefinitionFile } from '@/resource/inspect/compile'
import { inspectSource } from '@/resource/inspect/problems'
import type { StoredColumns } from '@/resource/inspect/stored'

/** What the page is told about the files that it fetches: see `src/ui/console-files.ts`. */
export interface PublishedVersions {
  definitions: string
  /** By language. */
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

const WORDS = /^locales\/([^/]+)\/resources\.json$/

interface Words {
  file: string
  language: string
  value: object | null
  problems: DefinitionProblem[]
}

function readWords({ file, text }: DefinitionFile): Words {
  const language = WORDS.exec(file)?.[1] ?? ''
  const refuse = (line: number, message: string) => ({
    file,
    language,
    value: null,
    problems: [{ file, line, message }],
  })
  try {
    const { value } = parseJsonSource(text.replace(/^\uFEFF/, ''))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { file, language, value, problems: [] } : refuse(1, 'the file is no object of texts')
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return refuse(error.line, error.message)
  }
}

/** Compiles the files to what the console fetches. */
export function publish(
  files: readonly DefinitionFile[],
  lastGood?: LastGood,
  stored?: StoredColumns,
): Published {
  const isWords = ({ file }: DefinitionFile) => WORDS.test(file)
  const definitions = files.filter((file) => !isWords(file))
  const entries = compileDefinitions(definitions, lastGood?.definitions, stored)
  const texts = files.filter(isWords).map(readWords)
  const published = (value: object) => {
    const body = JSON.stringify(value)
    return { body, version: createHash('sha256').update(body).digest('base64url').slice(0, 12) }
  }
  const own = published(entries)
  const words = texts.map(({ file, language, value }) => ({
    language,
    ...published(value ?? lastGood?.words.get(file) ?? {}),
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

/** Those of the files that have no error, as what to fall back to. */
export function goodOf(files: readonly DefinitionFile[]): LastGood {
  const definitions = new Map<string, Definition>()
  const words = new Map<string, object>()
  for (const each of files) {
    const { file, text } = each
    if (WORDS.test(file)) {
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
