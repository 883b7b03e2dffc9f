import type { Node, ParseResult } from 'libpg-query'
import { hasSqlDetails, loadModule, parseSync } from 'libpg-query'

/** SQL text with its path relative to the root of the tree. */
export interface SqlText {
  path: string
  sql: string
}

export interface Place {
  file: string
  line: number
}

/** A reason to write nothing: a place, a fact, and what to do. */
export interface Problem extends Place {
  text: string
}

/** Stops the reading of a file: the rest of it would be read wrongly. */
export class SchemaError extends Error {
  constructor(readonly problem: Problem) {
    super(showProblem(problem))
  }
}

export const showProblem = ({ file, line, text }: Problem): string => `${file}:${line}: ${text}`

export interface Statement extends Place {
  node: Node
  /** The statement without its semicolon, below the comments right above it. */
  text: string
  /** The source between two byte offsets of its file. */
  slice: (from: number, to?: number) => string
  /** The byte offsets of the comments right above it, of the statement itself, and behind it, where its semicolon is. */
  start: number
  first: number
  end: number
  /** The line of a byte offset of its file. */
  lineAt: (offset: number) => number
}

let loaded: Promise<void> | undefined

/** Compiles the parser; `parse` needs it. */
export function loadParser(): Promise<void> {
  loaded ??= loadModule()
  return loaded
}

/** Where a statement's own comments begin, behind the last blank line above it, and where the statement does. */
function startOf(raw: string): { start: number; first: number } {
  let [start, first] = [0, 0]
  for (const line of raw.split('\n')) {
    const isBlank = line.trim() === ''
    if (!isBlank && !line.trimStart().startsWith('--')) break
    first += line.length + 1
    if (isBlank) start = first
  }
  return { start, first }
}

/** @throws SchemaError with the line of the first mistake */
export function parse({ path, sql }: SqlText): Statement[] {
  // The parser refuses a text without a word.
  if (sql.trim() === '') return []
  let result: ParseResult
  try {
    result = parseSync(sql)
  } catch (error) {
    if (!(error instanceof Error) || !hasSqlDetails(error)) throw error
    const before = [...sql].slice(0, error.sqlDetails?.cursorPosition ?? 0).join('')
    throw new SchemaError({
      file: path,
      line: before.split('\n').length,
      text: `${error.message}. Mend the file first.`,
    })
  }
  const bytes = Buffer.from(sql)
  const breaks: number[] = []
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) breaks.push(at)
  const lineAt = (offset: number) => {
    let [low, high] = [0, breaks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((breaks[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
  const slice = (from: number, to?: number) => bytes.subarray(from, to).toString('utf8')
  return (result.stmts ?? []).flatMap(({ stmt, stmt_location: from = 0, stmt_len: length }) => {
    if (!stmt) return []
    const end = length ? from + length : bytes.length
    const raw = slice(from, end)
    const { start, first } = startOf(raw)
    const offset = (length: number) => from + Buffer.byteLength(raw.slice(0, length))
    const place = { start: offset(start), first: offset(first), end, file: path, line: lineAt(offset(first)) }
    return [{ node: stmt, text: raw.slice(start).trim(), slice, lineAt, ...place }]
  })
}

/** Prints a parsed piece without its place in the file. */
export function print(piece: unknown): string {
  return JSON.stringify(piece, (key, value) =>
    key === 'location' || key === 'stmt_location' || key === 'stmt_len' ? undefined : value,
  )
}

/** Every node below a piece of parsed SQL that carries this tag, such as `ColumnRef`. */
export function find<T>(piece: unknown, tag: string, found: T[] = []): T[] {
  if (Array.isArray(piece)) for (const each of piece) find(each, tag, found)
  else if (typeof piece === 'object' && piece !== null)
    for (const [key, value] of Object.entries(piece)) {
      if (key === tag) found.push(value as T)
      find(value, tag, found)
    }
  return found
}
