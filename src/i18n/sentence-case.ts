import type { ThirdPartyModule } from 'i18next'
import { asLanguage, type Language } from '@/i18n/language'

/** A capitalized word; not an acronym (`VPN`), nor a name with capitals inside it (`PowerShell`). */
const WORD = /(?<![\p{L}\p{N}])\p{Lu}(?:\p{Ll}+(?![\p{L}\p{N}])|(?=-\p{Ll}))/gu

/** A label inside a sentence: its capitalized words in lower case. */
export function inSentence(label: string, language: Language): string {
  return label.replace(WORD, (word) => word.toLocaleLowerCase(language))
}

/** Texts say `{{name, inSentence}}` where a label is not at their start. */
export const sentenceCase: ThirdPartyModule = {
  type: '3rdParty',
  init: ({ services }) =>
    services.formatter?.add('inSentence', (value, language) =>
      inSentence(String(value), asLanguage(language ?? '')),
    ),
}
