import i18next from 'i18next'
import { useSyncExternalStore } from 'react'
import { asLanguage, type Language } from '@/i18n/language'

function subscribe(onChange: () => void): () => void {
  i18next.on('languageChanged', onChange)
  return () => i18next.off('languageChanged', onChange)
}

function current(): Language {
  return asLanguage(i18next.resolvedLanguage ?? i18next.language)
}

/**
 * The current language; the component renders again when it changes. Directly from i18next: hundreds of cells
 * need it, and `useTranslation` costs ten times as much.
 */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, current, current)
}
