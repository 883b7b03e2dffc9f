import type { ILogData } from '@refinedev/core'
import type { SupabaseClient } from '@supabase/supabase-js'
import { toDataError } from '@/data/errors'

/** A row of the audit log, as `record_activity()` returns it. */
interface AuditRow {
  id: string
  at: string
  /** Null for changes made by the system. */
  actor_name: string | null
  actor_id: string | null
  table_name: string
  row_id: string
  action: 'create' | 'edit' | 'delete'
  changes: unknown
}

/** `meta` of `useLogList`: the record, its lists that are told of, and the last row of the page before. A page holds 50. */
export interface LogMeta {
  id: string
  /** As `record_activity()` takes them: `table.column`, or `table.column.links`. */
  related?: readonly string[]
  before?: string
  before_id?: string
}

export const LOG_PAGE = 50

/** Reads what happened to a record, the newest first. Only the database writes the audit log, by triggers. */
export function createAuditLogProvider(client: SupabaseClient) {
  return {
    get: async ({
      resource,
      meta,
    }: {
      resource: string
      meta?: Record<string, unknown>
    }): Promise<ILogData> => {
      const { id, ...cursor } = (meta ?? {}) as unknown as LogMeta
      const args = { resource, record_id: id, ...cursor }
      const { data, error, status } = await client.rpc('record_activity', args, { get: true })
      if (error) throw toDataError(error, status)
      return (data as unknown as AuditRow[]).map((row) => ({
        id: row.id,
        createdAt: row.at,
        author: row.actor_id || row.actor_name ? { id: row.actor_id, name: row.actor_name } : undefined,
        resource: row.table_name,
        action: row.action,
        data: row.changes,
        previousData: null,
        meta: { id: row.row_id },
      })) as ILogData
    },
  }
}
