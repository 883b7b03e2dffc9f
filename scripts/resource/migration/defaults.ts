import { plain } from './expressions'

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

/** PostgreSQL prints the type of a literal, and JSON with its own spaces and order of keys. */
export function sameDefault(ours: string, found: string): boolean {
  const bare = found.replace(/^('(?:[^']|'')*')::[\w." ]+$/, '$1')
  if ([found, bare].some((text) => plain(ours) === plain(text))) return true
  const json = (text: string): string | null => {
    const literal = /^'((?:[^']|'')*)'(?:::\w+)?$/.exec(text)?.[1]
    try {
      return literal === undefined ? null : JSON.stringify(sorted(JSON.parse(literal.replaceAll("''", "'"))))
    } catch {
      return null
    }
  }
  return json(ours) !== null && json(ours) === json(found)
}
