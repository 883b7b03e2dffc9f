import { useTranslation } from 'react-i18next'
import { asLanguage, type Language } from '@/i18n/language'

/** The reader's language; the component renders again when it changes. */
export function useLanguage(): Language {
  const { i18n } = useTranslation('common')
  return asLanguage(i18n.resolvedLanguage ?? i18n.language)
}
