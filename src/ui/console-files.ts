import { useSyncExternalStore } from 'react'
import { FileUnavailable } from '@/ui/load-chunk'

/** Versions of what the console is made from at run time: when one changes, open pages read it again. */
export interface ConsoleVersions {
  definitions: string
  /** The texts of resources, by language. */
  words: Readonly<Record<string, string>>
}

interface ConsolePage extends ConsoleVersions {
  /** The addresses that the definitions make. */
  paths: readonly string[]
}

const isText = (value: unknown): value is string => typeof value === 'string'
const recordOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>

function parseVersions(value: unknown): ConsoleVersions | null {
  const { definitions, words } = recordOf(value)
  if (!isText(definitions)) return null
  const known = Object.entries(recordOf(words)).filter((entry): entry is [string, string] => isText(entry[1]))
  return { definitions, words: Object.fromEntries(known) }
}

/** Reads the data that the server, or the build, wrote into the page. */
function readPage(): ConsolePage {
  const nothing = { definitions: '', words: {}, paths: [] }
  if (typeof document === 'undefined') return nothing
  const content = document.querySelector('meta[name="konsol-console"]')?.getAttribute('content')
  if (!content) return nothing
  try {
    const page: unknown = JSON.parse(content)
    const { paths } = recordOf(page)
    return { ...(parseVersions(page) ?? nothing), paths: Array.isArray(paths) ? paths.filter(isText) : [] }
  } catch {
    return nothing
  }
}

const page = readPage()
let versions: ConsoleVersions = page
let paths: ReadonlySet<string> = new Set(page.paths)
const listeners = new Set<() => void>()

/** Takes what the server says about itself: at each join of a live topic, and when something has changed. */
export function noteVersions(payload: unknown): void {
  const told = parseVersions(payload)
  if (!told) return
  const isKnown = JSON.stringify(told) === JSON.stringify(versions)
  if (isKnown && !areDefinitionsOutdated() && outdatedLanguages().length === 0) return
  versions = told
  for (const listener of [...listeners]) listener()
}

const currentVersions = () => versions

/** The newest versions that the server has told of. */
export function useConsoleVersions(): ConsoleVersions {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    currentVersions,
    currentVersions,
  )
}

/** The addresses that definitions make, known before the definitions themselves are loaded. */
export function definitionPaths(): ReadonlySet<string> {
  return paths
}

/** Addresses of removed definitions stay: an open page says what became of it. */
export function addDefinitionPaths(added: readonly string[]): void {
  paths = new Set([...paths, ...added])
}

/** As our server writes it; a proxy that packs the answer makes it weak. */
const VERSION = /^(?:W\/)?"([\w-]{12})"$/

/** The version of each file that this page has loaded. */
const loaded = new Map<string, string>()

async function fetchJson(name: string, version: string): Promise<unknown> {
  try {
    const response = await fetch(`/${name}?v=${version}`)
    if (response.ok) {
      const value: unknown = await response.json()
      // Our server names what it sent: a change may have come between the page and this request.
      loaded.set(name, VERSION.exec(response.headers.get('etag') ?? '')?.[1] ?? version)
      return value
    }
  } catch {
    // Told below: the connection was lost, or an answer is not JSON.
  }
  throw new FileUnavailable(name)
}

const DEFINITIONS = 'definitions.json'
const wordsFile = (language: string) => `definitions.${language}.json`

/** The entries of the definitions, as the server or the build has compiled them. */
export async function fetchDefinitions(): Promise<unknown> {
  return fetchJson(DEFINITIONS, versions.definitions)
}

export async function fetchResourceWords(language: string): Promise<object> {
  return recordOf(await fetchJson(wordsFile(language), versions.words[language] ?? ''))
}

const isOutdated = (name: string, version: string) => loaded.has(name) && loaded.get(name) !== version

export function areDefinitionsOutdated(): boolean {
  return isOutdated(DEFINITIONS, versions.definitions)
}

/** The languages whose texts this page has loaded in an earlier version. */
export function outdatedLanguages(): string[] {
  return Object.entries(versions.words).flatMap(([language, version]) =>
    isOutdated(wordsFile(language), version) ? [language] : [],
  )
}
