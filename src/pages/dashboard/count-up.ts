/** The duration of a count-up animation, in milliseconds. */
export const COUNT_UP_MS = 2000

/** The figure to show `elapsed` ms after the start: quick at first, settling at exactly `to`. */
export function countAt(from: number, to: number, elapsed: number, duration = COUNT_UP_MS): number {
  if (elapsed >= duration) return to
  if (elapsed <= 0) return from
  const left = 1 - elapsed / duration
  return Math.round(from + (to - from) * (1 - left ** 3))
}
