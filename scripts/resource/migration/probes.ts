/** Rows that the database would refuse a change for: looked for before anything is written. */
export interface Probe {
  table: string
  /** A condition over the columns of the table. */
  where: string
  /** Completes "3 rows of `printers` …". */
  problem: string
  remedy: string
}

export function breaksRules(table: string, column: string, expression: string): Probe {
  return {
    table,
    where: `(${expression}) is false`,
    problem: `break what the definition says of \`${column}\``,
    remedy: 'Correct them, or the definition',
  }
}
