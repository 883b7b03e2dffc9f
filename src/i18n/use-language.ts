import i18next, { type TFunction } from 'i18next'
import { use, useSyncExternalStore } from 'react'
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

type Name = 'engine' | 'resources'

const loading = new Map<Name, Promise<void>>()

/** Suspends until the texts are loaded; in a list they were loaded with the screen. */
export function useLoadedWords(name: Name): void {
  if (i18next.hasLoadedNamespace(name)) return
  const promise = loading.get(name) ?? i18next.loadNamespaces(name)
  loading.set(name, promise)
  use(promise)
}

let engine: TFunction<'engine'> | undefined

/**
 * The texts of cells. Like `useTranslation('engine')` at a tenth of its cost: a row that scrolls into view
 * needs a dozen texts within a sixtieth of a second.
 */
export function useEngineWords(): TFunction<'engine'> {
  useLanguage()
  useLoadedWords('engine')
  engine ??= i18next.getFixedT(null, 'engine')
  return engine
}
