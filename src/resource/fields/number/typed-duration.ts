const HOURS = /^(?:h|hr|hrs|hour|hours|sa|saat)$/
const MINUTES = /^(?:m|min|mins|minute|minutes|dk|dakika)$/

/**
 * The seconds that a person means by `45`, `45 min`, `1:30`, `1h 30m`, `1,5 sa`; a number alone is minutes. Null where the
 * text is no span of time.
 */
export function parseDuration(text: string): number | null {
  const typed = text.trim().toLowerCase()
  const clock = /^(\d{1,3}):([0-5]\d)$/.exec(typed)
  if (clock) return Number(clock[1]) * 3600 + Number(clock[2]) * 60
  if (/^\d+$/.test(typed)) return Number(typed) * 60
  if (!/^(?:\d+(?:[.,]\d+)?\s*[a-z]+\s*)+$/.test(typed)) return null
  let seconds = 0
  for (const [, amount = '', unit = ''] of typed.matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z]+)/g)) {
    const size = HOURS.test(unit) ? 3600 : MINUTES.test(unit) ? 60 : null
    if (size === null) return null
    seconds += Number(amount.replace(',', '.')) * size
  }
  return Math.round(seconds)
}
