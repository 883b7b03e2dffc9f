/**
 * Query keys start with the tenant: a key without it would show one company's rows to another.
 * `null` is every company, which only a Super Admin has in view.
 */
export function tableKey(companyId: string | null, table: string) {
  return [companyId ?? 'all', 'resource', table] as const
}

/** Ends the key of a list that is read piece by piece: its data has another shape, and is read again only on demand. */
export const PIECES = 'pieces'
