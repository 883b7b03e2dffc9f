import type { Query } from './database/database'

export type SecurityEvent =
  | 'sign_in'
  | 'sign_in_failed'
  | 'sign_out'
  | 'session_revoked'
  | 'password_link_requested'
  | 'password_changed'
  | 'request_denied'
  | 'rate_limited'

export interface SecurityEntry {
  event: SecurityEvent
  /** The address of the account concerned, whether or not the account exists. */
  email: string | null
  subject?: string
  address?: string
  userAgent?: string
  details?: Record<string, unknown>
  occurrences?: number
}

export async function logSecurity(query: Query, entry: SecurityEntry): Promise<void> {
  await query('select app.log_security($1, $2, $3, $4, $5, $6::text::jsonb, $7)', [
    entry.event,
    entry.email,
    entry.subject ?? null,
    entry.address ?? null,
    entry.userAgent ?? null,
    JSON.stringify(entry.details ?? {}),
    entry.occurrences ?? 1,
  ])
}
