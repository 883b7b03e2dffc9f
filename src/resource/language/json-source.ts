import { type JSONPath, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'
import { MAX_SOURCE_LENGTH } from '@/resource/language/entry'

/** No definition and no text is nested like this; the parser and what checks the value call themselves for each level. */
const MAX_DEPTH = 50
/** Each has its address and line in memory. */
const MAX_VALUES = 50_000

/** Why a file cannot be read, with the line, from 1. */
export class SourceError extends Error {
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.name = 'SourceError'
    this.line = line
  }
}

export interface JsonSource {
  value: unknown
  /** Line of each value, from 1, by JSON pointer; of an object's member, that of its key. */
  lines: ReadonlyMap<string, number>
  /** Duplicate members of an object: JSON keeps the last one without an error. */
  repeated: readonly string[]
}

type ParseError = ReturnType<typeof printParseErrorCode>

const EXPECTED: Partial<Record<ParseError, string>> = {
  PropertyNameExpected: 'a key in double quotes',
  ColonExpected: '`:` after the key',
  CommaExpected: '`,` before the next entry',
  CloseBraceExpected: '`,` or `}`',
  CloseBracketExpected: '`,` or `]`',
  EndOfFileExpected: 'the end of the file',
}

/** Explains a habit from other formats by the text at the error; null for anything else. */
function knownMistake(text: string, offset: number, error: ParseError): string | null {
  const rest = text.slice(offset)
  const before = text.slice(0, offset)
  const line = rest.split(/\r?\n/, 1)[0] ?? ''
  if (text.trim() === '') return 'the file is empty: write `{ … }`, or delete the file'
  if (/^(<{7}|={7}|>{7})/.test(rest))
    return 'an unresolved merge conflict: keep one side and remove the markers'
  if (/^(\/\/|\/\*|#)/.test(rest)) return 'JSON has no comments: remove it'
  if (/^['‘’“”«»`]/.test(rest)) return `found \`${rest.charAt(0)}\`: write texts in double quotes, \`"\``
  if (error === 'InvalidEscapeCharacter' || error === 'InvalidUnicode') {
    const wrong = /\\(?:u.{0,4}|[^"\\/bfnrtu])/.exec(line)?.[0] ?? '\\'
    return `\`${wrong}\` is not an escape: write a backslash as \`\\\\\``
  }
  if (error === 'UnexpectedEndOfString')
    return 'the text has no closing quote on its line: write a line break as `\\n`'
  if (error === 'InvalidCharacter') return 'a tab or control character in the text: write a tab as `\\t`'
  if (/^[,}\]]/.test(rest) && /,\s*$/.test(before))
    return `one comma too many: remove the comma before \`${rest.charAt(0)}\``
  if ((/0$/.test(before) && /^\d/.test(rest)) || /^(\.\d|\+\d)/.test(rest))
    return 'a number is written as `40`, `-0.5` or `1e6`: remove leading zeros and signs'
  const word = /^[\p{L}_$][\p{L}\p{N}_$-]*/u.exec(rest)?.[0]
  if (word === undefined) return null
  if (/^\s*:/.test(rest.slice(word.length))) return `the key \`${word}\` has no quotes: write \`"${word}"\``
  const literal = { true: 'true', false: 'false', null: 'null', none: 'null', nil: 'null', undefined: 'null' }
  const meant = Object.entries(literal).find(([name]) => name === word.toLowerCase())?.[1]
  return `found \`${word}\`: write \`${meant ?? `"${word}"`}\``
}

function pointerOf(path: JSONPath): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function parse(text: string): JsonSource {
  if (text.length > MAX_SOURCE_LENGTH)
    throw new SourceError(`the file has more than ${MAX_SOURCE_LENGTH} characters, and is not read`, 1)
  const lines = new Map<string, number>()
  const repeated: string[] = []
  const keysOfOpenObjects: Set<string>[] = []

  let depth = 0
  const enter = (line: number) => {
    depth += 1
    if (depth > MAX_DEPTH) throw new SourceError(`nested deeper than ${MAX_DEPTH} levels`, line + 1)
  }
  const addValue = (line: number, path: JSONPath) => {
    const pointer = pointerOf(path)
    if (!lines.has(pointer)) lines.set(pointer, line + 1)
    if (lines.size > MAX_VALUES)
      throw new SourceError(`the file has more than ${MAX_VALUES} values, and is not read`, line + 1)
  }
  const fail = (code: ParseErrorCode, offset: number, _length: number, line: number): never => {
    const error = printParseErrorCode(code)
    const found = offset >= text.length ? 'the end of the file' : `\`${text.charAt(offset)}\``
    const expected = `expected ${EXPECTED[error] ?? 'a value'}, found ${found}`
    throw new SourceError(`not JSON: ${knownMistake(text, offset, error) ?? expected}`, line + 1)
  }
  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line, _character, path) => {
        enter(line)
        keysOfOpenObjects.push(new Set())
        addValue(line, path())
      },
      onObjectProperty: (key, _offset, _length, line, _character, path) => {
        const pointer = pointerOf([...path(), key])
        const keys = keysOfOpenObjects.at(-1)
        if (keys?.has(key)) repeated.push(pointer)
        keys?.add(key)
        lines.set(pointer, line + 1)
      },
      onObjectEnd: () => {
        depth -= 1
        keysOfOpenObjects.pop()
      },
      onArrayBegin: (_offset, _length, line, _character, path) => {
        enter(line)
        addValue(line, path())
      },
      onArrayEnd: () => {
        depth -= 1
      },
      onLiteralValue: (_value, _offset, _length, line, _character, path) => addValue(line, path()),
      onError: fail,
    },
    { disallowComments: true, allowTrailingComma: false },
  )
  return { value: JSON.parse(text) as unknown, lines, repeated }
}

/** A resource has three files: its definition, and its texts in two languages. */
const MAX_REMEMBERED = 600
const remembered = new Map<string, JsonSource>()

/**
 * Parses JSON and records the line of each value, which the built-in parser does not do. All files are read again
 * when one of them changes, so that it remembers texts: callers must not change what it returns.
 * @throws SourceError with the line of the first invalid character, and for a file that is too large or too deep.
 */
export function parseJsonSource(text: string): JsonSource {
  const known = remembered.get(text)
  if (known) return known
  const source = parse(text)
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(text, source)
  return source
}

/** The line of a value, or that of its nearest ancestor with a known line. */
export function lineOf(source: JsonSource, pointer: string): number {
  let place = pointer
  while (place !== '' && !source.lines.has(place)) place = place.slice(0, place.lastIndexOf('/'))
  return source.lines.get(place) ?? 1
}
