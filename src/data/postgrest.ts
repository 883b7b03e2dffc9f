/** How values are written into PostgREST's little language of `column.operator.value`. */

/** Inside a logic group or a list, a value ends at `,`, `.`, `:` or a bracket unless it is quoted. */
export function quoteValue(value: string): string {
  return `"${value.replace(/["\\]/g, (character) => `\\${character}`)}"`
}

export function valueList(values: readonly unknown[]): string {
  return `(${values.map((value) => quoteValue(String(value))).join(',')})`
}

function escapeLike(value: string): string {
  return value.replace(/[\\%_]/g, (character) => `\\${character}`)
}

function escapeRegex(value: string): string {
  return value.replace(/[\\^$.*+?()[\]{}|]/g, (character) => `\\${character}`)
}

/**
 * A case-insensitive "contains". PostgREST reads every `*` of a pattern as a wildcard and has no escape for
 * it, so a text with one goes as a regular expression.
 */
export function containsOperation(text: string): { operator: string; value: string } {
  return text.includes('*')
    ? { operator: 'imatch', value: escapeRegex(text) }
    : { operator: 'ilike', value: `%${escapeLike(text)}%` }
}
