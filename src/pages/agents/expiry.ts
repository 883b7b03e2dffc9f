export const EXPIRIES = ['1h', '1d', '7d', '30d', 'never'] as const
export type Expiry = (typeof EXPIRIES)[number]

const HOUR = 3_600_000
const LENGTHS: Record<Expiry, number | null> = {
  '1h': HOUR,
  '1d': 24 * HOUR,
  '7d': 7 * 24 * HOUR,
  '30d': 30 * 24 * HOUR,
  never: null,
}

/** When a token created at `now` expires, ISO 8601; null for one without expiry. */
export function expiryAt(expiry: Expiry, now: number): string | null {
  const length = LENGTHS[expiry]
  return length === null ? null : new Date(now + length).toISOString()
}
