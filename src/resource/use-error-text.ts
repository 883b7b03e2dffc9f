import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '@/data/error-text'

/** The words for a failure, in the reader's language. */
export function useErrorText(): (error: unknown, fallback?: string) => string {
  const { t } = useTranslation('errors')
  // The presenter's keys come from the error's class, not from the source text.
  const translate = t as unknown as (key: string, values?: object) => string
  return useCallback((error, fallback) => errorText(error, translate, fallback), [translate])
}
