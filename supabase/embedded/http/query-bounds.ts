import { isTooDeep } from '../database/json-body.mjs'
import { readSelection } from './embeds'
import { readLogicGroup } from './logic-group'

/** Beyond what the console's own screens can ask for (`src/resource/request/filter/where.ts` and its siblings), with a margin. */
const MAX = {
  queryLength: 48 * 1024,
  parameters: 150,
  /** Steps into a JSON value: `a->b->c`. PGlite lost its stack over a chain of two thousand. */
  pathSteps: 8,
  conditions: 200,
  groups: 100,
  listItems: 2000,
  orderColumns: 12,
  /** A record's page reads every column of its table. */
  selected: 1000,
  /** The same column under several aliases: one of a megabyte multiplies the answer. */
  sameColumn: 4,
  embeds: 32,
  embedDepth: 3,
  /** Characters of a text that is searched for; `MAX_TEXT` of the console's filters is the same. */
  patternText: 200,
  wildcards: 10,
  /** For all conditions together; "contains" counts as two, and a list's address has up to 100. */
  allWildcards: 210,
}

const NESTED = 'The request is nested too deep'
const LONG_PATTERN = `A search pattern takes at most ${MAX.patternText} characters and ${MAX.wildcards} wildcards`
const RESERVED = new Set(['select', 'order', 'limit', 'offset', 'on_conflict', 'columns', 'apikey'])
const OPERATORS =
  'eq|neq|gt|gte|lt|lte|like|ilike|match|imatch|is|isdistinct|in|cs|cd|ov|sl|sr|nxl|nxr|adj|(?:p[lh]|w)?fts|not'
/** Matches a parameter that lite takes for a filter rather than an argument of a function called by GET. */
const IS_FILTER = new RegExp(`^(${OPERATORS})(\\((any|all)\\)|\\([^)]+\\))?\\.`)

const stepsIn = (text: string): number => text.split('->').length - 1

/**
 * Patterns can take the database minutes, so only those are taken that mean themselves: letters, digits and signs
 * written as their code, which is how the console asks for a text with a comma or bracket in it.
 */
const LITERAL = /^([0-9A-Za-z\s\u0080-\uffff]|\\u[0-9a-f]{4})*$/

function isPattern(condition: string): boolean {
  const match = /^(?:not\.)?i?match(\([^)]*\))?(?:\.|$)/.exec(condition)
  return match !== null && (match[1] !== undefined || !LITERAL.test(condition.slice(match[0].length)))
}

const LIKE = '(?:not\\.)*i?like(?:\\([^)]*\\))?\\.'
const LIKE_PARAMETER = new RegExp(`^\\s*${LIKE}`, 'i')
/** Anywhere: a quoted column may itself hold a dot. */
const LIKE_IN_GROUP = new RegExp(`\\.\\s*${LIKE}`, 'i')

/** The time that LIKE takes grows with the length of the text times that of the pattern, for each wildcard. */
function isLongLike(comparison: string, like: RegExp, counted: Counted): boolean {
  const match = like.exec(comparison)
  if (!match) return false
  const pattern = comparison.slice(match.index + match[0].length).replace(/\\[\s\S]/g, 'x')
  const wildcards = pattern.match(/[*%_]/g)?.length ?? 0
  counted.wildcards += wildcards
  return wildcards > MAX.wildcards || pattern.length - wildcards > MAX.patternText
}

/** The literal that `isPattern` lets through, with each sign written as a code counted once. */
function isLongMatch(comparison: string, counted: Counted): boolean {
  const text = /^(?:not\.)?i?match\.(.*)$/s.exec(comparison)?.[1]
  if (text === undefined) return false
  counted.wildcards += 2
  return text.replace(/\\u[0-9a-f]{4}/g, 'x').length > MAX.patternText
}

interface Counted {
  conditions: number
  groups: number
  listItems: number
  wildcards: number
}

function groupRefusal(value: string, counted: Counted): string | null {
  if (isTooDeep(new TextEncoder().encode(value))) return NESTED
  const group = readLogicGroup(value)
  if (!group) return 'A group of conditions must be in parentheses'
  counted.conditions += group.conditions.length
  counted.groups += group.groups
  counted.listItems += group.listItems
  for (const condition of group.conditions) {
    const comparison = condition.slice(condition.indexOf('.') + 1)
    if (isPattern(comparison)) return 'Regular expressions are not supported'
    if (isLongMatch(comparison, counted) || isLongLike(condition, LIKE_IN_GROUP, counted)) return LONG_PATTERN
    if (stepsIn(condition) > MAX.pathSteps) return NESTED
  }
  return null
}

function selectRefusal(value: string): string | null {
  if (isTooDeep(new TextEncoder().encode(value))) return NESTED
  const { depth, embedCount, elements, repeats } = readSelection(value)
  if (depth > MAX.embedDepth) return NESTED
  if (repeats > MAX.sameColumn) return 'The request selects a column too often'
  if (embedCount > MAX.embeds || elements > MAX.selected) return 'The request selects too much'
  return value.split(/[,()]/).some((part) => stepsIn(part) > MAX.pathSteps) ? NESTED : null
}

function listRefusal(value: string, max: number): string | null {
  const parts = value.split(',')
  if (parts.length > max) return 'The request names too many columns'
  return parts.some((part) => stepsIn(part) > MAX.pathSteps) ? NESTED : null
}

function parameterRefusal(name: string, value: string, isFunction: boolean, counted: Counted): string | null {
  if (stepsIn(name) > MAX.pathSteps) return NESTED
  const last = name.slice(name.lastIndexOf('.') + 1)
  if (name === 'select') return selectRefusal(value)
  if (last === 'order') return listRefusal(value, MAX.orderColumns)
  if (name === 'columns' || name === 'on_conflict') return listRefusal(value, MAX.selected)
  if (last === 'and' || last === 'or') return groupRefusal(value, counted)
  if (RESERVED.has(name)) return null
  if (isFunction && !IS_FILTER.test(value))
    return /^\s*[[{]/.test(value) && isTooDeep(new TextEncoder().encode(value)) ? NESTED : null
  counted.conditions++
  counted.listItems += value.split(',').length - 1
  if (isPattern(value)) return 'Regular expressions are not supported'
  return isLongMatch(value, counted) || isLongLike(value, LIKE_PARAMETER, counted) ? LONG_PATTERN : null
}

/** Why this query is more than the database should be asked; null when it is not. Nothing of it has been parsed yet. */
export function queryRefusal(search: string, isFunction: boolean): string | null {
  if (search.length > MAX.queryLength) return 'The query is too long'
  const parameters = [...new URLSearchParams(search)]
  // It would end the text of the statement in the message to the database.
  if (parameters.some((pair) => pair.some((part) => part.includes('\0')))) return 'The query holds a NUL'
  if (parameters.length > MAX.parameters) return 'The query has too many parameters'
  const counted: Counted = { conditions: 0, groups: 0, listItems: 0, wildcards: 0 }
  for (const [name, value] of parameters) {
    const refusal = parameterRefusal(name, value, isFunction, counted)
    if (refusal) return refusal
  }
  if (counted.wildcards > MAX.allWildcards) return 'The query has too many wildcards'
  if (counted.conditions > MAX.conditions || counted.groups > MAX.groups)
    return 'The query has too many conditions'
  return counted.listItems > MAX.listItems ? 'The query names too many values' : null
}
