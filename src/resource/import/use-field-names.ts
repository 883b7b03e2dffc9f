import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { LANGUAGES, type Language } from '@/i18n/language'
import type { Definition } from '@/resource/definition/definition.generated'
import type { FieldNames } from '@/resource/import/match-columns'
import { type ResourceWords, wordsIn } from '@/resource/words'

export interface FieldWords {
  /** In the reader's language first, then in the others. */
  all: () => ResourceWords[]
  names: (fields: readonly string[]) => FieldNames[]
  /** Loads the words of the languages that nobody reads here. */
  load: () => Promise<void>
}

/** What fields and values are called in every language: a file may be written in any of them. */
export function useFieldNames(definition: Definition, language: Language): FieldWords {
  const { i18n } = useTranslation('resources')
  return useMemo(() => {
    const order = [language, ...LANGUAGES.filter((each) => each !== language)]
    const all = () => order.map((each) => wordsIn(i18n, each, definition))
    return {
      all,
      names: (fields) => {
        const words = all()
        return fields.map((field) => ({ field, names: words.map((each) => each.field(field)) }))
      },
      load: async () => {
        const missing = LANGUAGES.filter((each) => !i18n.hasResourceBundle(each, 'resources'))
        if (missing.length > 0) await i18n.reloadResources(missing, ['resources'])
      },
    }
  }, [i18n, definition, language])
}
