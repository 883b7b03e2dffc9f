import i18next from 'i18next'
import { formatNumber } from '@/i18n/format'
import { asLanguage, FALLBACK_LANGUAGE, type Language } from '@/i18n/language'
import { compilePhrases, type Phrase, translatePhrase } from '@/i18n/phrase-pattern'
import { useLanguage, useLoadedWords } from '@/i18n/use-language'
import type { Field } from '@/resource/language/definition.generated'
import { useDefinitionsVersion } from '@/resource/language/registry'

/**
 * Sentences that devices and the database write in English, such as the message of an alert or the name of a job, in
 * the reader's language. `_shared.phrases` of the words has them in both languages: `{{name}}` matches any text,
 * `{{count, number}}` for a number. Whatever is not one of them is shown as it is stored.
 */
let known: { from: unknown; to: unknown; phrases: readonly Phrase[] } | undefined

function phrasesIn(language: Language): readonly Phrase[] {
  const from: unknown = i18next.getResource(FALLBACK_LANGUAGE, 'resources', '_shared.phrases')
  const to: unknown = i18next.getResource(language, 'resources', '_shared.phrases')
  if (known && known.from === from && known.to === to) return known.phrases
  const phrases = compilePhrases(from, to)
  known = { from, to, phrases }
  return phrases
}

function translate(text: string, language: Language): string {
  if (language === FALLBACK_LANGUAGE) return text
  return translatePhrase(text, phrasesIn(language), (value) => formatNumber(value, language))
}

export const isPhrase = (field: Field | undefined): boolean =>
  (field?.type === 'text' || field?.type === 'textarea') && field.phrases === true

/** For texts made outside of components, as a record's title. */
export const currentPhrase = (text: string): string =>
  translate(text, asLanguage(i18next.resolvedLanguage ?? i18next.language))

export function usePhrase(): (text: string) => string {
  const language = useLanguage()
  useDefinitionsVersion()
  useLoadedWords('resources')
  return (text) => translate(text, language)
}
