/** The key of a relation's embedded row in a fetched row. */
export function embedKey(field: string): string {
  return `${field}_row`
}

/** The key of the columns that come from a table beside this one. */
export function sourceKey(table: string): string {
  return `${table}_from`
}

/** The key of the link rows that narrow a list; apart from the embed, so that all related records still show. */
export function matchKey(field: string): string {
  return `${field}_match`
}

type Row = Record<string, unknown>

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An embedded table with one row is an object, or a list of one where the foreign key does not prove it. */
export function firstRow(value: unknown): Row | null {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isRow(first) ? first : null
}
