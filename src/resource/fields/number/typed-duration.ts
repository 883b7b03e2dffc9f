import { UNIT_SECONDS } from '@/resource/fields/number/kind'

const DAYS = /^(?:d|day|days|g|gün)$/
const HOURS = /^(?:h|hr|hrs|hour|hours|sa|saat)$/
const MINUTES = /^(?:m|min|mins|minute|minutes|dk|dakika)$/
const SECONDS = /^(?:s|sec|secs|second|seconds|sn|saniye)$/

function sizeOf(unit: string): number | null {
  if (DAYS.test(unit)) return 86_400
  if (HOURS.test(unit)) return 3600
  if (MINUTES.test(unit)) return 60
  return SECONDS.test(unit) ? 1 : null
}

/**
 * The seconds that a person means by `45`, `45 min`, `1:30`, `1h 30m`, `1,5 sa`; a number alone is in `unit`. Null where
 * the text is no span of time.
 */
export function parseDuration(text: string, unit: keyof typeof UNIT_SECONDS = 'min'): number | null {
  const typed = text.trim().toLowerCase()
  const clock = /^(\d{1,3}):([0-5]\d)$/.exec(typed)
  if (clock) return Number(clock[1]) * 3600 + Number(clock[2]) * 60
  if (/^\d+$/.test(typed)) return Number(typed) * UNIT_SECONDS[unit]
  if (!/^(?:\d+(?:[.,]\d+)?\s*\p{L}+\s*)+$/u.test(typed)) return null
  let seconds = 0
  for (const [, amount = '', word = ''] of typed.matchAll(/(\d+(?:[.,]\d+)?)\s*(\p{L}+)/gu)) {
    const size = sizeOf(word)
    if (size === null) return null
    seconds += Number(amount.replace(',', '.')) * size
  }
  return Math.round(seconds)
}
