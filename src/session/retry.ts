/** Milliseconds before the next try: quickly at first, then at most twice a minute. */
export function retryDelay(attempt: number): number {
  return Math.min(30_000, 1000 * 2 ** Math.min(attempt, 5))
}
