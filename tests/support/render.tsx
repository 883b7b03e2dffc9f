import {
  type BaseRecord,
  type CustomParams,
  type DataProvider,
  type GetListParams,
  type GetOneParams,
  type LiveProvider,
  Refine,
  type ResourceProps,
} from '@refinedev/core'
import { QueryClient } from '@tanstack/react-query'
import { configure, type RenderResult, render as renderInto } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import i18next, { type BackendModule, type Resource } from 'i18next'
import type { ReactNode } from 'react'
import { initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { vi } from 'vitest'
import type { Can } from '@/access/policy'
import { AccessContext } from '@/access/use-can'
import { LANGUAGES, type Language } from '@/i18n/language'
import { sentenceCase } from '@/i18n/sentence-case'
import { answerAccess, createAccessControlProvider } from '@/refine/access-control-provider'
import { i18nProvider, useNotificationProvider } from '@/refine/console-refine'
import { routerProvider } from '@/refine/router-provider'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { AntdProvider } from '@/ui/antd-provider'
import { ThemeProvider } from '@/ui/theme-provider'
import { ToastProvider } from '@/ui/toast'
import { patience } from './patience'
import { resourceWords } from './resource-words'

// Lazy parts are transformed when first imported, which takes seconds on a busy machine.
configure({ asyncUtilTimeout: patience(15_000) })

const files = import.meta.glob<{ default: object }>('../../locales/*/*.json', { eager: true })

const resources: Resource = {}
for (const [path, module] of Object.entries(files)) {
  const [, language = '', namespace = ''] = /locales\/(\w+)\/(.+)\.json$/.exec(path) ?? []
  resources[language] = { ...resources[language], [namespace]: { ...module.default } }
}
for (const language of LANGUAGES)
  resources[language] = { ...resources[language], resources: resourceWords(language) }

const NO_DATA = {
  getApiUrl: () => '',
  getList: async () => ({ data: [], total: 0, hasNext: false, hasPrevious: false }),
  getMany: async () => ({ data: [] }),
  getOne: async () => ({ data: {} }),
  custom: async () => ({ data: [] }),
}

/** Answers for `render({ data })`: a question that the test does not answer fails. */
export function fakeData() {
  const refuse = (method: string) => async (question: object) => {
    throw new Error(`No answer for ${method} ${JSON.stringify(question)}`)
  }
  return {
    getList: vi.fn<(question: GetListParams) => Promise<{ data: BaseRecord[]; total: number }>>(
      refuse('getList'),
    ),
    getOne: vi.fn<(question: GetOneParams) => Promise<{ data: BaseRecord }>>(refuse('getOne')),
    getMany: vi.fn(refuse('getMany')),
    create: vi.fn<(question: object) => Promise<{ data: BaseRecord }>>(refuse('create')),
    createMany: vi.fn<(question: object) => Promise<{ data: BaseRecord[] }>>(refuse('createMany')),
    update: vi.fn<(question: object) => Promise<{ data: BaseRecord }>>(refuse('update')),
    updateMany: vi.fn<(question: object) => Promise<{ data: BaseRecord[] }>>(refuse('updateMany')),
    deleteOne: vi.fn<(question: object) => Promise<{ data: BaseRecord }>>(refuse('deleteOne')),
    custom: vi.fn<(question: CustomParams) => Promise<{ data: unknown }>>(refuse('custom')),
    getApiUrl: () => '',
  }
}

interface RenderOptions {
  language?: Language
  /** The company in view, which is also the user's own; without one, the component asks for none. */
  companyId?: string
  /** The address the component reads. */
  path?: string
  /** Which actions the user is allowed; everything by default. */
  can?: Can
  /** The answers of the data provider; nothing is found by default. */
  data?: { [Method in Exclude<keyof DataProvider, 'getApiUrl'>]?: (params: never) => Promise<unknown> }
  liveProvider?: LiveProvider
  /** Refine's resources; none by default. */
  resources?: ResourceProps[]
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

function InCompany({ id, children }: { id: string; children: ReactNode }) {
  const session = { status: 'authenticated', user: { id: 'user-1', companyId: id } } as SessionValue
  return (
    <SessionContext.Provider value={session}>
      <CompanyScopeContext.Provider value={{ companyId: id, setCompanyId: () => undefined, companies: [] }}>
        {children}
      </CompanyScopeContext.Provider>
    </SessionContext.Provider>
  )
}

export interface Rendered extends RenderResult {
  user: UserEvent
}

/**
 * Renders a component below the providers of a signed-in page, without a browser. Start the test file with
 * `// @vitest-environment happy-dom`, and answer its requests with `data`.
 */
export async function render(
  node: ReactNode,
  {
    language = 'en',
    path = '/',
    can = () => ({ allowed: true }),
    companyId,
    wordsLater,
    data,
    liveProvider,
    resources: pages = [],
  }: RenderOptions = {},
): Promise<Rendered> {
  const words = wordsLater ? splitWords(wordsLater.names, wordsLater.come) : null
  if (words) i18next.use(words.backend)
  await i18next
    .use(initReactI18next)
    .use(sentenceCase)
    .init({
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
  answerAccess(queryClient, can)
  const result = renderInto(
    <ThemeProvider>
      <ToastProvider>
        <MemoryRouter initialEntries={[path]}>
          <Refine
            routerProvider={routerProvider}
            notificationProvider={useNotificationProvider}
            accessControlProvider={createAccessControlProvider(can)}
            dataProvider={{ ...NO_DATA, ...data } as DataProvider}
            {...(liveProvider ? { liveProvider } : {})}
            i18nProvider={i18nProvider}
            resources={pages}
            options={{ disableTelemetry: true, liveMode: 'off', reactQuery: { clientConfig: queryClient } }}
          >
            <AntdProvider>
              <AccessContext.Provider value={{ status: 'ready', can, retry: () => undefined }}>
                {companyId ? <InCompany id={companyId}>{node}</InCompany> : node}
              </AccessContext.Provider>
            </AntdProvider>
          </Refine>
        </MemoryRouter>
      </ToastProvider>
    </ThemeProvider>,
  )
  return { ...result, user: userEvent.setup() }
}
