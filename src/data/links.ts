import type { SupabaseClient } from '@supabase/supabase-js'
import { toDataError } from '@/data/errors'

/** The table between two others, and one end of it. */
export interface LinkTable {
  through: string
  /** The link table's column that holds this record. */
  near: string
  /** The link table's column that holds the other records. */
  far: string
  companyId: string
  id: string
}

/** Writes what was added and taken away, at most one request each. */
export async function changeLinks(
  client: SupabaseClient,
  { through, near, far, companyId, id }: LinkTable,
  change: { add: readonly string[]; remove: readonly string[] },
): Promise<void> {
  if (change.add.length > 0) {
    const rows = change.add.map((other) => ({ company_id: companyId, [near]: id, [far]: other }))
    const { error, status } = await client.from(through).insert(rows)
    if (error) throw toDataError(error, status)
  }
  if (change.remove.length > 0) {
    const { error, status } = await client
      .from(through)
      .delete()
      .eq('company_id', companyId)
      .eq(near, id)
      .in(far, [...change.remove])
    if (error) throw toDataError(error, status)
  }
}
