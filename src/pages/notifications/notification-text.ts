import { formatLongDate } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { currentPhrase } from '@/resource/definition/phrases'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/**
 * The values of a notification's text: its own parameters, with instants written as dates in the user's
 * language.
 */
export function notificationParams(
  params: Record<string, unknown>,
  language: Language,
): Record<string, string | number> {
  const filled: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'number') filled[name] = value
    else if (typeof value === 'string')
      filled[name] = INSTANT.test(value) ? formatLongDate(value, language) : currentPhrase(value)
  }
  // Tasks without canceled runs are told without them.
  if (typeof filled.canceled === 'number' && filled.canceled > 0) filled.context = 'canceled'
  // i18next chooses singular and plural by `count`.
  const count = filled.count ?? filled.days
  return typeof count === 'number' ? { ...filled, count } : filled
}

/** Links come from the database: only a path inside the console is followed. */
export function insidePath(link: string | null): string | null {
  return link !== null && /^\/(?![/\\])/.test(link) ? link : null
}
