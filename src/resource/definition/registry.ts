import type { Definition } from '@/resource/definition/definition.generated'

export type FindDefinition = (name: string) => Definition | null

/** One file of `resources/`. An invalid file still has an entry, whose page shows the errors. */
export interface ResourceEntry {
  name: string
  file: string
  source: string
  definition: Definition | null
}

// As text, not as modules: a syntax error in one file must neither break the build nor the other screens.
const sources = import.meta.glob<string>(['/resources/*.json', '!/resources/resource.schema.json'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks only what every screen depends on; the full check, with lines, runs where it is shown. */
function looksLikeDefinition(value: unknown): value is Definition {
  if (!isRecord(value) || typeof value.name !== 'string' || !isRecord(value.fields)) return false
  return Object.values(value.fields).every((field) => isRecord(field) && typeof field.type === 'string')
}

export function parseEntry(file: string, text: string): ResourceEntry {
  // Windows Notepad begins a file with a byte order mark, which JSON does not allow.
  const source = text.replace(/^\uFEFF/, '')
  const fallbackName = file.replace(/^.*\/|\.json$/g, '')
  try {
    const parsed: unknown = JSON.parse(source)
    if (looksLikeDefinition(parsed)) return { name: parsed.name, file, source, definition: parsed }
  } catch {
    // The page of this resource parses it again, with positions, and shows the error.
  }
  return { name: fallbackName, file, source, definition: null }
}

const entries: ResourceEntry[] = Object.entries(sources)
  .map(([path, source]) => parseEntry(path.replace(/^\//, ''), source))
  .sort((a, b) => (a.name < b.name ? -1 : 1))

const byName = new Map(entries.map((entry) => [entry.name, entry]))

export function resourceEntries(): readonly ResourceEntry[] {
  return entries
}

export function findEntry(name: string): ResourceEntry | undefined {
  return byName.get(name)
}

export function findDefinition(name: string): Definition | null {
  return byName.get(name)?.definition ?? null
}
