/** Milliseconds the pointer rests before a tip opens, and within which a neighbor's tip opens at once. */
export const TIP_DELAY = 700
export const TIP_SKIP_DELAY = 300

/** `closedAt`: when any tip last closed; both in milliseconds since the epoch. */
export function tipDelay(now: number, closedAt: number): number {
  return now - closedAt < TIP_SKIP_DELAY ? 0 : TIP_DELAY
}
