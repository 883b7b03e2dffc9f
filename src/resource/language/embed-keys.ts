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

/** The table that holds the values of a hidden field, beside that of its resource. */
export function hiddenTable(table: string, field: string): string {
  return `${table}_hidden_${field}`
}

/** The function that reads a hidden field of a row: it is selected, filtered and ordered by as a column of the table. */
export function hiddenColumn(field: string): string {
  return `hidden_${field}`
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

/** The ids that a link field holds in a fetched row; undefined where it was not requested. */
export function linkedIds(row: Row, name: string, far: string): unknown[] | undefined {
  const links = row[embedKey(name)]
  if (!Array.isArray(links)) return undefined
  return links.flatMap((link: unknown) => {
    const linked = firstRow(link)
    return linked?.[far] ?? firstRow(linked?.row)?.id ?? []
  })
}

/** The key of the number of records of a related list. */
export function countKey({ resource, by }: { resource: string; by: string }): string {
  return `${resource}_${by}_count`
}

/** The number in an embed of `count`. */
export function embeddedCount(value: unknown): number {
  return Number(firstRow(value)?.count ?? 0)
}
