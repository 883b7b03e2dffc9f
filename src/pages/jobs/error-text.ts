import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '@/data/error-text'

/** The presenter bound to the language: the words of a known error class, else the server's message, else the fallback. */
export function useErrorText(): (error: unknown, fallback?: string) => string {
  const { t } = useTranslation('errors')
  return useCallback((error, fallback) => errorText(error, (key) => String(t(key as never)), fallback), [t])
}
