import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type RenderResult, render as renderInto } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import i18next, { type BackendModule, type Resource } from 'i18next'
import type { ReactNode } from 'react'
import { initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { AccessContext, type AccessValue } from '@/access/access-context'
import type { Language } from '@/i18n/language'
import { AntdProvider } from '@/ui/antd-provider'
import { NotifyProvider } from '@/ui/notify'
import { ThemeProvider } from '@/ui/theme-provider'

const files = import.meta.glob<{ default: object }>('../../locales/*/*.json', { eager: true })

const resources: Resource = {}
for (const [path, module] of Object.entries(files)) {
  const [, language = '', namespace = ''] = /locales\/(\w+)\/(.+)\.json$/.exec(path) ?? []
  resources[language] = { ...resources[language], [namespace]: { ...module.default } }
}

interface RenderOptions {
  language?: Language
  /** The address the component reads. */
  path?: string
  /** Which actions the user is allowed; everything by default. */
  can?: AccessValue['can']
  /** Namespaces of words that are not there yet, and the moment when they come. */
  wordsLater?: { names: readonly string[]; come: Promise<unknown> }
}

/** The words without those of `names`, which a backend gives once they come. */
function splitWords(names: readonly string[], come: Promise<unknown>) {
  const there = Object.entries(resources).map(([language, words]) => [
    language,
    Object.fromEntries(Object.entries(words).filter(([name]) => !names.includes(name))),
  ])
  const backend: BackendModule = {
    type: 'backend',
    init: () => undefined,
    read: (language, name, done) => {
      const arrival = names.includes(name) ? come : Promise.resolve()
      void arrival.then(() => done(null, resources[language]?.[name] ?? {}))
    },
  }
  return { resources: Object.fromEntries(there) as Resource, backend }
}

export interface Rendered extends RenderResult {
  user: UserEvent
}

/**
 * Renders a component below the providers of a signed-in page, without a browser. Start the test file with
 * `// @vitest-environment happy-dom`, and mock `@/data/client` where the component sends requests.
 */
export async function render(
  node: ReactNode,
  { language = 'en', path = '/', can = () => ({ allowed: true }), wordsLater }: RenderOptions = {},
): Promise<Rendered> {
  const words = wordsLater ? splitWords(wordsLater.names, wordsLater.come) : null
  if (words) i18next.use(words.backend)
  await i18next.use(initReactI18next).init({
    showSupportNotice: false,
    lng: language,
    fallbackLng: 'en',
    defaultNS: 'common',
    resources: words?.resources ?? resources,
    partialBundledLanguages: words !== null,
    interpolation: { escapeValue: false },
  })
  // Loaded on demand by the provider; here, before the test can end without it.
  if (language === 'tr') await import('@/ui/turkish-locale')
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const result = renderInto(
    <ThemeProvider>
      <NotifyProvider>
        <MemoryRouter initialEntries={[path]}>
          <QueryClientProvider client={queryClient}>
            <AntdProvider>
              <AccessContext.Provider value={{ status: 'ready', can, retry: () => undefined }}>
                {node}
              </AccessContext.Provider>
            </AntdProvider>
          </QueryClientProvider>
        </MemoryRouter>
      </NotifyProvider>
    </ThemeProvider>,
  )
  return { ...result, user: userEvent.setup() }
}
