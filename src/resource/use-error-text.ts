import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '@/data/error-text'

/** The words for a failure, in the reader's language. */
export function useErrorText(): (error: unknown, fallback?: string) => string {
  const { t, i18n } = useTranslation('errors')
  const [hasRules, setHasRules] = useState(() => i18n.hasLoadedNamespace('rules'))
  // The presenter's keys come from the error's class, not from the source text.
  const translate = t as unknown as (keys: string[], values?: object) => string
  // biome-ignore lint/correctness/useExhaustiveDependencies: texts that have arrived are another answer
  return useCallback(
    (error, fallback) => {
      if (!i18n.hasLoadedNamespace('rules')) void i18n.loadNamespaces('rules').then(() => setHasRules(true))
      return errorText(error, translate, fallback)
    },
    [translate, i18n, hasRules],
  )
}
