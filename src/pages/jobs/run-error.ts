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
] as const

export type RunErrorCode = (typeof CODES)[number]

/** The codes the database and the agent give; anything else is shown as it came. */
export const isRunErrorCode = (error: string): error is RunErrorCode =>
  (CODES as readonly string[]).includes(error)
