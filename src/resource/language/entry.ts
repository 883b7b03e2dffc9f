import type { Definition } from '@/resource/language/definition.generated'

/** In characters. A definition or a file of texts beyond this is not read: checking it would hold up every request. */
export const MAX_SOURCE_LENGTH = 1_000_000

export type FindDefinition = (name: string) => Definition | null

/**
 * An error in a definition: its place, its cause, and the correction. The text is English, for the maintainer of the
 * file.
 */
export interface DefinitionProblem {
  file: string
  line: number
  message: string
  hint?: string
  /** Works, but not as well as it could: `resource check` tells it and succeeds. */
  isWarning?: boolean
}

/** A file of `resources/`. */
export interface ResourceEntry {
  name: string
  file: string
  /** The last version without an error. Null if no version was valid: the page then only shows the errors. */
  definition: Definition | null
  /** The errors of the file as it is now. */
  problems: readonly DefinitionProblem[]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks only what every screen depends on; `inspectSource` checks everything, with lines. */
function looksLikeDefinition(value: unknown): value is Definition {
  if (!isRecord(value) || typeof value.name !== 'string' || !isRecord(value.fields)) return false
  return Object.values(value.fields).every((field) => isRecord(field) && typeof field.type === 'string')
}

export function parseEntry(file: string, text: string): ResourceEntry {
  // Windows Notepad begins a file with a byte order mark, which JSON does not allow.
  const source = text.replace(/^\uFEFF/, '')
  const fallbackName = file.replace(/^.*\/|\.json$/g, '')
  try {
    const parsed: unknown = source.length > MAX_SOURCE_LENGTH ? null : JSON.parse(source)
    if (looksLikeDefinition(parsed)) return { name: parsed.name, file, definition: parsed, problems: [] }
  } catch {
    // `inspectSource` says why, with positions.
  }
  return { name: fallbackName, file, definition: null, problems: [] }
}
