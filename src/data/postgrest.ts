/**
 * How values are written into PostgREST's little language of `column.operator.value`, in the forms that
 * hosted PostgREST and the embedded backend read alike. The embedded one, as measured: in a logic group it
 * leaves the quotes around a pattern and the escapes inside a quoted value where they are, and outside of
 * one it takes quotes off that belong to the value and the texts `null` and `unknown` for emptiness. Lists with quotes
 * around these it reads right everywhere.
 */

export interface Operation {
  operator: string
  value: string
}

/** Numbers, words and ids need no quotes anywhere. The embedded backend takes `true` for a boolean, not `"true"`. */
const PLAIN = /^(?!(?:null|unknown)$)[A-Za-z0-9_-]+$/

/** A list element, quoted if it could end too early. */
function listItem(value: string): string {
  return PLAIN.test(value) ? value : `"${value.replace(/["\\]/g, (character) => `\\${character}`)}"`
}

export function valueList(values: readonly unknown[]): string {
  return `(${values.map((value) => listItem(String(value))).join(',')})`
}

/** Postgres' own writing of a list, each element quoted. In a logic group none may hold a quote, backslash or brace. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, (sign) => `\\${sign}`)}"`).join(',')}}`
}

/** Every sign as its code, so that nothing in the pattern can end a value or mean something. */
function regexOf(text: string): string {
  return text.replace(/[ -/:-@[-`{-~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * A case-insensitive "contains". In a pattern `*` always is a wildcard, and `,` or a bracket would end it:
 * a text with such a sign goes as a regular expression.
 */
export function containsOperation(text: string): Operation {
  return /[*,()"\\]/.test(text)
    ? { operator: 'imatch', value: regexOf(text) }
    : { operator: 'ilike', value: `%${text.replace(/[%_]/g, (sign) => `\\${sign}`)}%` }
}

const AS_LIST: Record<string, string> = { eq: 'in', neq: 'not.in' }

/** A comparison as a separate parameter. */
export function compareOperation(operator: string, value: string): Operation {
  const list = AS_LIST[operator]
  return list && /^["\s]|\s$|^(?:null|unknown)$/.test(value)
    ? { operator: list, value: valueList([value]) }
    : { operator, value }
}

/** A comparison inside a logic group, where `,` and brackets end a value and blanks around it are lost. */
export function groupOperation(operator: string, value: string): Operation {
  const list = AS_LIST[operator]
  if (list && !PLAIN.test(value)) return { operator: list, value: valueList([value]) }
  return { operator, value: /[,()]|^\s|\s$/.test(value) ? listItem(value) : value }
}
