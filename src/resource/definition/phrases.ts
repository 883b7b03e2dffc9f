import i18next from 'i18next'
import { formatNumber } from '@/i18n/format'
import { asLanguage, FALLBACK_LANGUAGE, type Language } from '@/i18n/language'
import { useLoadedWords } from '@/i18n/use-fixed-words'
import { useLanguage } from '@/i18n/use-language'
import type { Field } from '@/resource/definition/definition.generated'
import { useDefinitionsVersion } from '@/resource/definition/registry'

/**
 * Sentences that devices and the database write in English, such as the message of an alert or the name of a job, in
 * the reader's language. `_shared.phrases` of the words has them in both languages: `{{name}}` matches any text,
 * `{{count, number}}` for a number. Whatever is not one of them is shown as it is stored.
 */
interface Phrase {
  pattern: RegExp
  slots: readonly Slot[]
  translation: string
}

interface Slot {
  name: string
  isNumber: boolean
}

/** Longer texts are not compared: no such sentence has so many characters. */
const MAX_LENGTH = 600
const SLOT = /\{\{(\w+)(, number)?\}\}/g
const SPECIAL = /[.*+?^${}()|[\]\\]/g

let known: { from: unknown; to: unknown; phrases: Phrase[] } | undefined

function phrasesIn(language: Language): readonly Phrase[] {
  const from: unknown = i18next.getResource(FALLBACK_LANGUAGE, 'resources', '_shared.phrases')
  const to: unknown = i18next.getResource(language, 'resources', '_shared.phrases')
  if (known && known.from === from && known.to === to) return known.phrases
  const phrases = Object.entries((from ?? {}) as Record<string, string>).flatMap(([key, sentence]) => {
    const translation = (to as Record<string, string> | undefined)?.[key]
    return translation === undefined ? [] : [compile(sentence, translation)]
  })
  // "Update the agent" before "Update {{name}}".
  phrases.sort((a, b) => a.slots.length - b.slots.length)
  known = { from, to, phrases }
  return phrases
}

function compile(sentence: string, translation: string): Phrase {
  const slots = [...sentence.matchAll(SLOT)].map(([, name = '', format]) => ({ name, isNumber: !!format }))
  const literals = sentence.split(/\{\{[^}]*\}\}/).map((text) => text.replace(SPECIAL, '\\$&'))
  const pattern = literals.reduce((all, text, index) => {
    const slot = slots[index - 1]
    return `${all}${slot?.isNumber ? '(-?\\d+(?:\\.\\d+)?)' : '(.+)'}${text}`
  })
  return { pattern: new RegExp(`^${pattern}$`), slots, translation }
}

function translate(text: string, language: Language): string {
  if (language === FALLBACK_LANGUAGE || text.length > MAX_LENGTH) return text
  for (const { pattern, slots, translation } of phrasesIn(language)) {
    const match = pattern.exec(text)
    if (!match) continue
    const values = new Map(
      slots.map(({ name, isNumber }, index) => {
        const value = match[index + 1] ?? ''
        return [name, isNumber ? formatNumber(Number(value), language) : value]
      }),
    )
    return translation.replace(SLOT, (slot, name: string) => values.get(name) ?? slot)
  }
  return text
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
