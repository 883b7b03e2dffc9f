import { type JSONPath, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'

/** A syntax error with its line, from 1. */
export class JsonSyntaxError extends Error {
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.name = 'JsonSyntaxError'
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
  CommaExpected: '`,` or the end of the list',
  CloseBraceExpected: '`,` or `}`',
  CloseBracketExpected: '`,` or `]`',
  EndOfFileExpected: 'the end of the file',
}

function pointerOf(path: JSONPath): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Parses JSON and records the line of each value, which the built-in parser does not do. Throws JsonSyntaxError
 * with the line of the first invalid character.
 */
export function parseJsonSource(text: string): JsonSource {
  const lines = new Map<string, number>()
  const repeated: string[] = []
  const keysOfOpenObjects: Set<string>[] = []

  const addValue = (line: number, path: JSONPath) => {
    const pointer = pointerOf(path)
    if (!lines.has(pointer)) lines.set(pointer, line + 1)
  }
  const fail = (code: ParseErrorCode, offset: number, _length: number, line: number): never => {
    const found = offset >= text.length ? 'the end of the file' : `\`${text.charAt(offset)}\``
    throw new JsonSyntaxError(
      `expected ${EXPECTED[printParseErrorCode(code)] ?? 'a value'}, found ${found}`,
      line + 1,
    )
  }
  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line, _character, path) => {
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
      onObjectEnd: () => void keysOfOpenObjects.pop(),
      onArrayBegin: (_offset, _length, line, _character, path) => addValue(line, path()),
      onLiteralValue: (_value, _offset, _length, line, _character, path) => addValue(line, path()),
      onError: fail,
    },
    { disallowComments: true, allowTrailingComma: false },
  )
  return { value: JSON.parse(text) as unknown, lines, repeated }
}

/** The line of a value, or that of its nearest ancestor with a known line. */
export function lineOf(source: JsonSource, pointer: string): number {
  let place = pointer
  while (place !== '' && !source.lines.has(place)) place = place.slice(0, place.lastIndexOf('/'))
  return source.lines.get(place) ?? 1
}
