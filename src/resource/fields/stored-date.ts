const STORED = /^\d{4}-\d\d-\d\d(?:[T ]|$)/

/** A day or an instant as the database writes it; forms also hold texts that were typed and are not dates. */
export function isStoredDate(value: string): boolean {
  if (!STORED.test(value) || Number.isNaN(Date.parse(value))) return false
  // Browsers take February 30th for March 2nd, which the database refuses.
  const day = value.slice(0, 10)
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}
