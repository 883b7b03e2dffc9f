import i18next, { type TFunction } from 'i18next'
import { useEffect, useState } from 'react'
import { pageWords } from '@/app/page-words'
import type { Page } from '@/app/registry'
import { LANGUAGES, type Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { labelsFromName, type ResourceLabels, type ResourceWords, wordsIn } from '@/resource/language/words'

const SAID = ['palette', 'common', 'shell', 'engine'] as const
const NAMESPACES = [...SAID, 'resources']

/** Names a command in the other languages, one per line; empty until their texts are loaded. */
export type OtherWords = (say: (words: CommandWords) => string) => string

interface CommandWords {
  t: TFunction<typeof SAID>
  page: (page: Page) => string
  of: (definition: Definition) => ResourceWords
  label: (resource: string) => ResourceLabels
}

function wordsOf(language: Language): CommandWords {
  const t = i18next.getFixedT(language, SAID)
  const of = (definition: Definition) => wordsIn(i18next, language, definition)
  const label = (resource: string) => {
    const definition = findDefinition(resource)
    return definition ? of(definition) : labelsFromName(resource)
  }
  return { t, of, label, page: pageWords(i18next.getFixedT(language, ['shell', 'common']), label).label }
}

const missingIn = (language: Language) =>
  NAMESPACES.filter((namespace) => !i18next.hasResourceBundle(language, namespace))

/**
 * The names of a command in the other languages, so that it can be found by them. Their texts are loaded when
 * the palette opens.
 */
export function useOtherWords(): OtherWords {
  const current = useLanguage()
  const others = LANGUAGES.filter((language) => language !== current)
  const [, setLoaded] = useState(0)
  useEffect(() => {
    let isGone = false
    for (const language of LANGUAGES) {
      const missing = missingIn(language)
      if (language === current || missing.length === 0) continue
      void i18next.reloadResources([language], missing).then(() => {
        if (!isGone) setLoaded((count) => count + 1)
      })
    }
    return () => {
      isGone = true
    }
  }, [current])
  const words = others.filter((language) => missingIn(language).length === 0).map(wordsOf)
  return (say) => words.map(say).join('\n')
}
