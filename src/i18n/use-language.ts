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
 * The reader's language; the component renders again when it changes. Straight from i18next: hundreds of cells
 * ask for it, and the hook that brings words along is ten times the work.
 */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, current, current)
}
