import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { CheckError, OverlapError } from '@/data/errors'
import { useLanguage } from '@/i18n/use-language'
import type { Definition } from '@/resource/language/definition.generated'
import { noOverlapOf } from '@/resource/language/no-overlap'
import { type ResourceWords, useResourceLabels } from '@/resource/language/words'
import { crossCheck } from '@/resource/screens/form/check-record'
import { breaksOwnRule } from '@/resource/screens/form/server-errors'
import { useProblemText } from '@/resource/screens/form/use-problem-text'
import { useErrorText } from '@/resource/use-error-text'

/** Why the database refused a write, in the words that the form has for the same rule. */
export function useRefusalText(
  definition: Definition,
  words: ResourceWords,
): (error: unknown, field: string | undefined, fallback?: string) => string {
  const { t } = useTranslation('engine')
  const errorText = useErrorText()
  const problemText = useProblemText(definition, words)
  const labels = useResourceLabels()
  const language = useLanguage()
  return useCallback(
    (error, field, fallback) => {
      const refused = error instanceof CheckError ? error : undefined
      if (refused?.blocking) {
        const { resource, count } = refused.blocking
        return t('form.blocking', { count, name: labels(resource).many })
      }
      if (!field || !breaksOwnRule(error)) return errorText(error, fallback)
      const overlap = error instanceof OverlapError ? noOverlapOf(definition) : null
      if (overlap)
        return (
          words.message(field) ??
          t('form.overlap', {
            fields: new Intl.ListFormat(language).format(overlap.by.map((name) => words.field(name))),
            from: words.field(overlap.from),
            until: words.field(overlap.until),
          })
        )
      const cross = refused ? crossCheck(definition, field, refused.constraint) : null
      return words.message(field) ?? (cross ? problemText(cross, field) : errorText(error, fallback))
    },
    [definition, words, t, language, labels, errorText, problemText],
  )
}
