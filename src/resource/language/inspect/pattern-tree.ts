/** Code points, both ends included. */
export type Range = readonly [from: number, to: number]

/** A regular expression as a tree. Assertions and back references read no text here. */
export type PatternNode =
  | { kind: 'set'; ranges: readonly Range[] }
  | { kind: 'sequence'; nodes: PatternNode[] }
  | { kind: 'choice'; nodes: PatternNode[] }
  | { kind: 'loop'; node: PatternNode; min: number; max: number; text: string }

const LAST = 0x10ffff
const code = (character: string): number => character.codePointAt(0) ?? 0
const DIGIT: Range[] = [[48, 57]]
const WORD: Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
const SPACE: Range[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x2028, 0x2029],
]
/** Approximates a Unicode property by the set of letters. */
const PROPERTY: Range[] = [
  [65, 90],
  [97, 122],
  [0xaa, LAST],
]
const CONTROLS: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0, b: 8 }
const ANY: Range[] = [
  [0, 9],
  [11, 12],
  [14, LAST],
]

function without(ranges: readonly Range[]): Range[] {
  const found: Range[] = []
  let next = 0
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (from > next) found.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= LAST) found.push([next, LAST])
  return found
}

/** Reads a pattern that `new RegExp(pattern, 'u')` accepts. */
class Reader {
  private at = 0
  /** The contents of lookarounds: they are tried at one place, each as a pattern of its own. */
  readonly inner: PatternNode[] = []
  constructor(private readonly text: string) {}

  private take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false
    this.at += expected.length
    return true
  }

  private next(): string {
    const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0)
    this.at += character.length
    return character
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.text.slice(this.at))
    this.at += found?.[0].length ?? 0
    return found
  }

  choice(): PatternNode {
    const nodes = [this.sequence()]
    while (this.take('|')) nodes.push(this.sequence())
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'choice', nodes }
  }

  private sequence(): PatternNode {
    const nodes: PatternNode[] = []
    while (this.at < this.text.length && !/[|)]/.test(this.text.charAt(this.at))) {
      const start = this.at
      const node = this.atom()
      const found = this.match(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/)
      nodes.push(found ? this.loop(node, found[0], start) : node)
    }
    return { kind: 'sequence', nodes }
  }

  private loop(node: PatternNode, quantifier: string, start: number): PatternNode {
    const [, from, comma, to] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? []
    const min = from === undefined ? Number(quantifier.startsWith('+')) : Number(from)
    const open = quantifier.startsWith('?') ? 1 : Number.POSITIVE_INFINITY
    const max = from === undefined ? open : to ? Number(to) : comma ? Number.POSITIVE_INFINITY : min
    return { kind: 'loop', node, min, max, text: this.text.slice(start, this.at) }
  }

  private atom(): PatternNode {
    if (this.take('(')) return this.group()
    if (this.take('[')) return { kind: 'set', ranges: this.brackets() }
    if (this.match(/^(?:[\^$]|\\[bB]|\\[1-9]\d*|\\k<\w+>)/)) return { kind: 'sequence', nodes: [] }
    if (this.take('.')) return { kind: 'set', ranges: ANY }
    return { kind: 'set', ranges: this.character() }
  }

  private group(): PatternNode {
    const isLookaround = this.match(/^\?<?[=!]/) !== null
    if (!isLookaround) this.match(/^\?(?:<\w+>|[a-z-]*:)/)
    const node = this.choice()
    this.take(')')
    if (!isLookaround) return node
    this.inner.push(node)
    return { kind: 'sequence', nodes: [] }
  }

  /** Reads a character or class, escaped or not. */
  private character(): Range[] {
    const first = this.next()
    if (first !== '\\') return [[code(first), code(first)]]
    const [, hex] = this.match(/^(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/i)?.filter(Boolean) ?? []
    if (hex !== undefined) return [[Number.parseInt(hex, 16), Number.parseInt(hex, 16)]]
    const property = this.match(/^([pP])\{[^}]*\}/)
    if (property) return property[1] === 'p' ? PROPERTY : without(PROPERTY)
    const letter = this.next()
    if (letter === 'c') return [[code(this.next()) % 32, 31]]
    const classes: Record<string, Range[]> = { d: DIGIT, w: WORD, s: SPACE }
    const known = classes[letter.toLowerCase()]
    if (known) return letter === letter.toLowerCase() ? known : without(known)
    const one = CONTROLS[letter] ?? code(letter)
    return [[one, one]]
  }

  private brackets(): Range[] {
    const isNegated = this.take('^')
    const ranges: Range[] = []
    while (this.at < this.text.length && !this.take(']')) {
      const from = this.character()
      const isRange = this.text.charAt(this.at) === '-' && this.text.charAt(this.at + 1) !== ']'
      if (isRange && this.take('-')) ranges.push([from[0]?.[0] ?? 0, this.character()[0]?.[1] ?? LAST])
      else ranges.push(...from)
    }
    return isNegated ? without(ranges) : ranges
  }
}

/** The pattern, and those inside its lookarounds. */
export function readPattern(pattern: string): PatternNode[] {
  const reader = new Reader(pattern)
  const whole = reader.choice()
  return [whole, ...reader.inner]
}

function shortest(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return 1
    case 'sequence':
      return node.nodes.reduce((length, each) => length + shortest(each), 0)
    case 'choice':
      return Math.min(...node.nodes.map(shortest))
    case 'loop':
      return node.min * shortest(node.node)
  }
}

/** How many characters a text must have at least to match. */
export function minLength(pattern: string): number {
  const [whole] = readPattern(pattern)
  return whole ? shortest(whole) : 0
}
