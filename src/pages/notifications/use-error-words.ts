import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'

/** The words of the `errors` namespace by key, as the presenter asks for them. */
export function useErrorWords(): (key: string) => string {
  const { t } = useTranslation('errors')
  // The presenter chooses the key from the error's class; the compiler cannot follow it there.
  return useCallback((key) => t(key as 'unknown'), [t])
}
