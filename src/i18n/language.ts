export const LANGUAGES = ['en', 'tr'] as const
export type Language = (typeof LANGUAGES)[number]

export const FALLBACK_LANGUAGE: Language = 'en'
/** Where the preference is kept, and read first. */
export const LANGUAGE_STORAGE_KEY = 'i18nextLng'

/** A BCP 47 tag and nothing else: `tr`, `en-GB`, `zh-Hant-TW`. */
const LANGUAGE_TAG = /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8}){0,4}$/i

/**
 * A detected value ends up in the page's `lang`, in file names and in storage, and anyone who can write
 * local storage or craft a link chooses it: what is not a plain language tag is discarded.
 */
export function isLanguageTag(value: unknown): value is string {
  return typeof value === 'string' && LANGUAGE_TAG.test(value)
}

function supported(value: unknown): Language | undefined {
  if (!isLanguageTag(value)) return undefined
  const base = value.split(/[-_]/)[0]?.toLowerCase()
  return LANGUAGES.find((language) => language === base)
}

/** Local storage first, then the browser's languages in their order, then English. */
export function detectLanguage(stored: string | null, browser: readonly string[]): Language {
  for (const candidate of [stored, ...browser]) {
    const language = supported(candidate)
    if (language) return language
  }
  return FALLBACK_LANGUAGE
}

/** The current language of i18next, as one of ours. */
export function asLanguage(value: string | undefined): Language {
  return supported(value) ?? FALLBACK_LANGUAGE
}
