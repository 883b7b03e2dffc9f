const CODES = [
  'interrupted',
  'hash_mismatch',
  'no_interpreter',
  'start_failed',
  'refused',
  'timed_out',
  'cancelled',
  'expired',
  'lost',
  'denied',
  'values_denied',
  'no_right',
  'unapproved',
  'already_installed',
  'replaced',
  'declined',
] as const

export type RunErrorCode = (typeof CODES)[number]

/** The error codes of the database and the agent; anything else is shown unchanged. */
export const isRunErrorCode = (error: string): error is RunErrorCode =>
  (CODES as readonly string[]).includes(error)
