/**
 * Comparisons that lite reads otherwise than PostgREST, written in a form that both read alike. lite takes the texts
 * `null`, `not_null` and `unknown` for emptiness, `1.50` for a number and outer quotes for its own; in a group it knows
 * no escapes inside quotes.
 */

const OPERATORS =
  'eq|neq|gte|gt|lte|lt|like|ilike|match|imatch|isdistinct|is|in|cs|cd|ov|sl|sr|nxl|nxr|adj|(?:p[lh]|w)?fts'
const NEGATED: Record<string, string> = { eq: 'neq', neq: 'eq' }
const RESERVED = new Set(['select', 'order', 'limit', 'offset', 'on_conflict', 'columns', 'apikey'])

/** A number that is written as numbers are: lite's own reading changes nothing. */
const isPlainNumber = (text: string) => String(Number(text)) === text

/** Whether lite would read the value as something else than this text. */
function isMisread(text: string): boolean {
  if (/^(?:null|not_null|unknown)$/i.test(text.trim()) || /^\s|\s$|^"/.test(text)) return true
  return text.trim() !== '' && Number.isFinite(Number(text)) && !isPlainNumber(text)
}

const listOf = (text: string) => `("${text.replace(/["\\]/g, (sign) => `\\${sign}`)}")`

/** Equality as a pattern, every sign as its code: nothing in it can end a value or mean something. */
const patternOf = (text: string) =>
  `^${text.replace(/[ -/:-@[-`{-~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}$`

/** An odd number of negations turns equality around. */
function isEqual(negations: string, operator: string): boolean {
  return (negations.length / 'not.'.length) % 2 === 0 ? operator === 'eq' : operator === 'neq'
}

const PARAMETER = new RegExp(`^((?:not\\.)*)(${OPERATORS})\\.`)

/** The value of a separate parameter, where all after the operator is the text. */
function parameterValue(value: string): string {
  const [start = '', negations = '', operator = ''] = PARAMETER.exec(value) ?? []
  const text = value.slice(start.length)
  if (!(operator in NEGATED) || !isMisread(text)) return value
  return `${isEqual(negations, operator) ? '' : 'not.'}in.${listOf(text)}`
}

function isBalanced(text: string): boolean {
  return ['()', '{}'].every(([open, close]) => {
    let depth = 0
    for (const sign of text) {
      if (sign === open) depth++
      if (sign === close && --depth < 0) return false
    }
    return depth === 0
  })
}

/** In a list of a group, lite knows no escapes, and counts the brackets inside of quotes. */
const endsList = (text: string): boolean => /["\\]/.test(text) || !isBalanced(text)

const ITEM = /(?:"((?:[^"\\]|\\[\s\S])*)"|([^",]*))(?:,|$)/y
/** The bound for one query, as each of them is a condition. */
const MAX_APART = 100

/** The texts of `("a",b)`; null when it is no list of single values. */
function listItems(list: string): string[] | null {
  if (!list.startsWith('(') || !list.endsWith(')')) return null
  const inner = list.slice(1, -1)
  const items: string[] = []
  ITEM.lastIndex = 0
  while (ITEM.lastIndex < inner.length) {
    const found = ITEM.exec(inner)
    if (!found) return null
    items.push(found[1]?.replace(/\\([\s\S])/g, '$1') ?? found[2] ?? '')
  }
  if (inner.endsWith(',')) items.push('')
  return items
}

/** Values of lists that are compared one by one. */
interface Counted {
  apart: number
}

/** A list inside a group. Values that lite cannot read in a list are compared beside it. */
function listComparison(field: string, negations: string, list: string, counted: Counted): string | null {
  const items = listItems(list)
  if (!items?.some(endsList)) return `${field}.${negations}in.${list}`
  const [apart, kept] = [items.filter(endsList), items.filter((item) => !endsList(item))]
  counted.apart += apart.length
  if (counted.apart > MAX_APART) return null
  const conditions = apart.map((item) => `${field}.match.${patternOf(item)}`)
  if (kept.length > 0) conditions.push(`${field}.in.(${kept.map((item) => `"${item}"`).join(',')})`)
  const isNegated = (negations.length / 'not.'.length) % 2 === 1
  return `${isNegated ? 'not.' : ''}or(${conditions.join(',')})`
}

/** A scalar inside a group: quoted, with escapes, or raw up to the next comma or bracket. */
function scalarComparison(
  negations: string,
  operator: string,
  text: string,
  isQuoted: boolean,
): string | null {
  const raw = `${negations}${operator}.`
  if (operator in NEGATED) {
    const not = isEqual(negations, operator) ? '' : 'not.'
    if (endsList(text)) return `${not}match.${patternOf(text)}`
    return isQuoted || isMisread(text) ? `${not}in.${listOf(text)}` : `${raw}${text}`
  }
  if (!isQuoted) return `${raw}${text}`
  if (!/[",()\\]|^\s|\s$/.test(text) && isBalanced(text) && !isMisread(text)) return `${raw}${text}`
  // lite leaves quotes around a pattern and after isdistinct in place, and escapes everywhere.
  return /["\\]/.test(text) || /like$|^isdistinct$/.test(operator) ? null : `${raw}"${text}"`
}

const GROUP = /(?:not\.)?(?:and|or)(?=\()/y
const COMPARISON = new RegExp(
  `((?:"(?:[^"\\\\]|\\\\.)*"|[^",()])*?)\\.((?:not\\.)*)(${OPERATORS})(\\((?:any|all|\\w+)\\))?\\.`,
  'y',
)
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"(?=[,)])/y
const BRACKETS = /[({](?:"(?:[^"\\]|\\[\s\S])*"|[^"(){}])*[)}](?=[,)])/y
const RAW = /[^,()]*(?=[,)])/y

class GroupReader {
  private at = 0
  constructor(
    private readonly text: string,
    private readonly counted: Counted,
  ) {}

  /** Null for what cannot be written so that lite reads it; undefined for what is no group of PostgREST's. */
  read(): string | null | undefined {
    const group = this.group()
    return group !== null && this.at < this.text.length ? undefined : group
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at += found[0].length
    return found
  }

  private group(): string | null | undefined {
    if (this.text[this.at] !== '(') return undefined
    const items: string[] = []
    do {
      this.at++
      const item = this.item()
      if (item === null || item === undefined) return item
      items.push(item)
    } while (this.text[this.at] === ',')
    if (this.text[this.at] !== ')') return undefined
    this.at++
    return `(${items.join(',')})`
  }

  private item(): string | null | undefined {
    const inner = this.take(GROUP)
    if (inner) {
      const group = this.group()
      return typeof group === 'string' ? `${inner[0]}${group}` : group
    }
    const [, field = '', negations = '', operator = '', modifier] = this.take(COMPARISON) ?? []
    if (operator === '') return undefined
    if (modifier !== undefined || !/["]/.test(this.text[this.at] ?? '')) {
      const brackets = modifier === undefined ? this.take(BRACKETS) : null
      const raw = brackets ?? this.take(modifier === undefined ? RAW : /[^,]*(?=[,)])/y)
      if (!raw) return undefined
      if (brackets && operator === 'in') return listComparison(field, negations, raw[0], this.counted)
      if (brackets || modifier !== undefined)
        return `${field}.${negations}${operator}${modifier ?? ''}.${raw[0]}`
      const plain = scalarComparison(negations, operator, raw[0], false)
      return plain === null ? null : `${field}.${plain}`
    }
    const quoted = this.take(QUOTED)
    if (!quoted) return undefined
    const text = (quoted[1] ?? '').replace(/\\([\s\S])/g, '$1')
    const written = scalarComparison(negations, operator, text, true)
    return written === null ? null : `${field}.${written}`
  }
}

/**
 * The query as both read it.
 * @returns null for a value that lite cannot be asked for
 */
export function readableQuery(search: string): string | null {
  const parameters = new URLSearchParams(search)
  const read = new URLSearchParams()
  const counted = { apart: 0 }
  let isChanged = false
  for (const [name, value] of parameters) {
    const last = name.slice(name.lastIndexOf('.') + 1)
    let next: string | null | undefined = value
    if (/^(?:not\.)?(?:and|or)$/.test(name) || last === 'and' || last === 'or')
      next = new GroupReader(value, counted).read()
    else if (!RESERVED.has(name) && last !== 'order') next = parameterValue(value)
    if (next === null) return null
    // Anything else than a group is refused later, by the code that reads it.
    read.append(name, next ?? value)
    if (next !== undefined && next !== value) isChanged = true
  }
  return isChanged ? `?${read}` : search
}
