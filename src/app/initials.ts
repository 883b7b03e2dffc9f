import type { Language } from '@/i18n/language'

/** First letters of the first and the last word, at most two. */
export function initials(name: string, language: Language): string {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const first = words[0] ?? ''
  const last = words.length > 1 ? (words.at(-1) ?? '') : ''
  const letters = [first, last].map((word) => Array.from(word)[0] ?? '').join('')
  return letters.toLocaleUpperCase(language) || '?'
}
