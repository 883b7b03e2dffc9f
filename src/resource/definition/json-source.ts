/** A syntax error with the place it was met. */
export class JsonSyntaxError extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.offset = offset
  }
}

export interface JsonSource {
  value: unknown
  /** Offset of each value, by JSON pointer; of an object's member, that of its key. */
  offsets: ReadonlyMap<string, number>
  /** Duplicate members of an object: JSON keeps the last one without an error. */
  repeated: readonly string[]
}

const WHITESPACE = /[\s]*/y
// Control characters must be escaped inside a string; a line break there is the commonest slip.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the grammar excludes
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/**
 * Parses JSON and records the position of each value, which the built-in parser does not do. Throws
 * JsonSyntaxError with the offset of the first invalid character.
 */
export function parseJsonSource(text: string): JsonSource {
  const offsets = new Map<string, number>()
  const repeated: string[] = []
  let at = 0

  const fail = (expected: string): never => {
    const found = at >= text.length ? 'the end of the file' : `\`${text.charAt(at)}\``
    throw new JsonSyntaxError(`expected ${expected}, found ${found}`, at)
  }
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) return null
    at += match[0].length
    return match[0]
  }
  const skip = () => void take(WHITESPACE)

  const parseMembers = (pointer: string): Record<string, unknown> => {
    const object: Record<string, unknown> = {}
    at++
    skip()
    if (text[at] === '}') {
      at++
      return object
    }
    for (;;) {
      const start = at
      const raw = take(STRING) ?? fail('a key in double quotes')
      const key = JSON.parse(raw) as string
      const inner = `${pointer}/${escapePointer(key)}`
      if (Object.hasOwn(object, key)) repeated.push(inner)
      skip()
      if (text[at] !== ':') fail('`:` after the key')
      at++
      const value = parseValue(inner)
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
      offsets.set(inner, start)
      skip()
      if (text[at] === '}') break
      if (text[at] !== ',') fail('`,` or `}`')
      at++
      skip()
    }
    at++
    return object
  }

  const parseItems = (pointer: string): unknown[] => {
    const items: unknown[] = []
    at++
    skip()
    if (text[at] === ']') {
      at++
      return items
    }
    for (;;) {
      items.push(parseValue(`${pointer}/${items.length}`))
      skip()
      if (text[at] === ']') break
      if (text[at] !== ',') fail('`,` or `]`')
      at++
    }
    at++
    return items
  }

  const parseValue = (pointer: string): unknown => {
    skip()
    offsets.set(pointer, at)
    if (text[at] === '{') return parseMembers(pointer)
    if (text[at] === '[') return parseItems(pointer)
    const raw = take(STRING) ?? take(LITERAL) ?? fail('a value')
    return JSON.parse(raw) as unknown
  }

  const value = parseValue('')
  skip()
  if (at < text.length) fail('the end of the file')
  return { value, offsets, repeated }
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let index = text.indexOf('\n'); index !== -1 && index < offset; index = text.indexOf('\n', index + 1))
    line++
  return line
}

/** The line of a value, or that of its nearest ancestor with a known line. */
export function lineOf(text: string, source: JsonSource, pointer: string): number {
  let place = pointer
  while (place !== '' && !source.offsets.has(place)) place = place.slice(0, place.lastIndexOf('/'))
  return lineAt(text, source.offsets.get(place) ?? 0)
}
