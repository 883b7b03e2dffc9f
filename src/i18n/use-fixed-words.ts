import i18next, { type TFunction } from 'i18next'
import { use } from 'react'
import { useLanguage } from '@/i18n/use-language'

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
