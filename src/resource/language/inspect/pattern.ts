import { explosivePart } from '@/resource/language/inspect/pattern-time'
import type { ValueProblem } from '@/resource/language/inspect/values'

/** PostgreSQL, which checks the column against the pattern, cannot read these, or reads them as something else. */
const UNREADABLE: [construct: RegExp, why: string, hint: string][] = [
  [/^\\[pP]\{[^}]*\}/, 'PostgreSQL knows no Unicode properties', 'List the letters: `[A-Za-zÇĞİÖŞÜçğıöşü]`.'],
  [/^\\k<\w+>|^\(\?<\w+>/, 'PostgreSQL knows no named groups', 'Write `(…)`, and `\\1` to refer to it.'],
  [/^\\u\{[^}]*\}/, 'PostgreSQL cannot read it', 'Write the character itself, or `\\uXXXX`.'],
  [
    /^\\x[0-9a-f]{2}(?=[0-9a-f])/i,
    'PostgreSQL takes every hexadecimal digit after it for a part of it',
    'Write the character itself, or `\\uXXXX`.',
  ],
  [/^\\[bB]/, 'PostgreSQL takes it for another character', 'Write what may come before and after the word.'],
  [/^\(\?[a-z-]*:/, 'PostgreSQL cannot switch flags within a pattern', 'Write both cases: `[Aa]`.'],
]
const GROUP = /^\(\?:/
/** PostgreSQL repeats no more than this. */
const MAX_REPEATS = 255

function sentence(part: string, why: string, hint: string): ValueProblem {
  return { message: `\`${part}\` of the pattern: ${why}`, hint }
}

/** Finds parts that the database refuses or reads otherwise: its check constraint has the pattern as written here. */
function postgresProblem(pattern: string): ValueProblem | null {
  let rest = pattern
  let isInBrackets = false
  while (rest !== '') {
    for (const [construct, why, hint] of UNREADABLE) {
      const found = construct.exec(rest)?.[0]
      if (found && !GROUP.test(rest) && (!isInBrackets || found.startsWith('\\')))
        return sentence(found, why, hint)
    }
    const repeats = isInBrackets ? null : /^\{(\d+)(?:,(\d*))?\}/.exec(rest)
    if (repeats && Math.max(Number(repeats[1]), Number(repeats[2] ?? 0)) > MAX_REPEATS)
      return sentence(
        repeats[0],
        `PostgreSQL repeats at most ${MAX_REPEATS} times`,
        'Limit the length with `max_length` and write `+` or `*` here.',
      )
    const opened = isInBrackets ? /^\[[.:=]/.exec(rest)?.[0] : /^\[\^?\]/.exec(rest)?.[0]
    if (opened)
      return sentence(
        opened,
        'PostgreSQL reads it as the start of something else',
        'Write `\\[` for the bracket.',
      )
    if (rest.startsWith('\\')) rest = rest.slice(2)
    else {
      isInBrackets = isInBrackets ? !rest.startsWith(']') : rest.startsWith('[')
      rest = rest.slice(1)
    }
  }
  return null
}

/** `^a|b$`: each anchor is a part of one alternative only. */
function anchorProblem(pattern: string): ValueProblem | null {
  const alternatives: string[] = ['']
  let depth = 0
  for (const [token] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gsu)) {
    if (token === '(') depth++
    if (token === ')') depth--
    if (token === '|' && depth === 0) alternatives.push('')
    else alternatives.push(`${alternatives.pop() ?? ''}${token}`)
  }
  const first = alternatives[0] ?? ''
  const last = alternatives.at(-1) ?? ''
  const isHalf = first.startsWith('^') && last.endsWith('$') && !(first.endsWith('$') && last.startsWith('^'))
  if (alternatives.length < 2 || !isHalf) return null
  return {
    message:
      '`^` belongs to the first alternative only, and `$` to the last: the others match a part of a text',
    hint: `Write \`^(${pattern.slice(1, -1)})$\`.`,
  }
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** The problems of a pattern in the browser, which checks it on every keystroke, or in PostgreSQL. */
export function patternProblem(pattern: string): ValueProblem | null {
  if (pattern === '') return { message: 'the pattern is empty, so everything matches', hint: 'Remove it.' }
  if (!isValid(pattern))
    return {
      message: `\`${pattern}\` is not a regular expression`,
      hint: 'Brackets come in pairs, and `\\` may only precede a character that has a meaning, such as `\\.`.',
    }
  const part = explosivePart(pattern)
  if (part !== null)
    return {
      message: `\`${part}\` can read one text in ever more ways: a text that does not match freezes the browser`,
      hint: 'Repeat only parts that begin differently: `a+` for `(a+)+`, `(\\d+-)*\\d+` for `(\\d+-?)*`.',
    }
  return postgresProblem(pattern) ?? anchorProblem(pattern)
}
