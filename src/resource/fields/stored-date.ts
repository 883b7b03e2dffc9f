const STORED = /^\d{4}-\d\d-\d\d(?:[T ]|$)/

/** A day or an instant as the database writes it; forms also hold texts that were typed and are not dates. */
export function isStoredDate(value: string): boolean {
  return STORED.test(value) && !Number.isNaN(Date.parse(value))
}
