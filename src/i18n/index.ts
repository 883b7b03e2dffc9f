import i18next, { type BackendModule, type ResourceKey } from 'i18next'
import { initReactI18next } from 'react-i18next'
import {
  asLanguage,
  detectLanguage,
  FALLBACK_LANGUAGE,
  isLanguageTag,
  LANGUAGE_STORAGE_KEY,
  LANGUAGES,
  type Language,
} from '@/i18n/language'
import { sentenceCase } from '@/i18n/sentence-case'
import { PRODUCT_NAME } from '@/ui/brand'
import { fetchResourceWords } from '@/ui/console-files'
import { FileUnavailable, loadChunk } from '@/ui/load-chunk'

/**
 * Each namespace and language is a small chunk: a page loads only its own texts. The texts in
 * `locales/<language>/resources/` belong to the definitions, which can change while the console runs: the server
 * sends them as one file.
 */
const files = import.meta.glob<{ default: ResourceKey }>([
  '../../locales/*/*.json',
  '!../../locales/*/rules.json',
])
// A press may find the server away. A file can be asked for again; a module that failed once needs a reload of the page.
const ruleFiles = import.meta.glob<string>('../../locales/*/rules.json', {
  query: '?url',
  import: 'default',
  eager: true,
})

async function fetchRules(file: string): Promise<ResourceKey> {
  try {
    const response = await fetch(file)
    if (response.ok) return await response.json()
  } catch {
    // The connection was lost, or the answer is not JSON.
  }
  throw new FileUnavailable(file)
}

function loaderOf(language: string, namespace: string): (() => Promise<ResourceKey>) | null {
  if (namespace === 'resources') return async () => (await fetchResourceWords(language)) as ResourceKey
  const path = `../../locales/${language}/${namespace}.json`
  const rules = ruleFiles[path]
  if (rules) return () => fetchRules(rules)
  const load = files[path]
  return load ? async () => (await load()).default : null
}

const backend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, namespace, callback) => {
    const load = loaderOf(language, namespace)
    if (!load) {
      callback(new Error(`No words for ${namespace} in ${language}`), null)
      return
    }
    loadChunk(load).then(
      (words) => callback(null, words),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  },
}

/** Storage can be forbidden (private windows, policies); the language then lasts as long as the page. */
function readStored(): string | null {
  try {
    const stored = window.localStorage.getItem(LANGUAGE_STORAGE_KEY)
    if (stored === null || isLanguageTag(stored)) return stored
    // Removed, so that nothing else reads the invalid value.
    window.localStorage.removeItem(LANGUAGE_STORAGE_KEY)
    return null
  } catch {
    return null
  }
}

function store(language: Language): void {
  try {
    window.localStorage.setItem(LANGUAGE_STORAGE_KEY, language)
  } catch {
    // As above: nothing to keep it in.
  }
}

/** Resolves when the texts that every page needs are loaded. */
export async function startI18n(): Promise<void> {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = asLanguage(language)
  })
  await i18next
    .use(backend)
    .use(initReactI18next)
    .use(sentenceCase)
    .init({
      lng: detectLanguage(readStored(), window.navigator.languages ?? [window.navigator.language]),
      supportedLngs: [...LANGUAGES],
      fallbackLng: FALLBACK_LANGUAGE,
      ns: ['common'],
      defaultNS: 'common',
      showSupportNotice: false,
      // React escapes what it renders.
      interpolation: { escapeValue: false, defaultVariables: { product: PRODUCT_NAME } },
    })
  // The texts of the database's rules are many, and most rules answer what a person did.
  const loadRules = () => void i18next.loadNamespaces('rules')
  for (const type of ['pointerdown', 'keydown'])
    window.addEventListener(type, loadRules, { once: true, capture: true })
}

export async function setLanguage(language: Language): Promise<void> {
  store(language)
  await i18next.changeLanguage(language)
}
