import {
  test as base,
  expect as baseExpect,
  type ConsoleMessage,
  type Locator,
  type Page,
} from '@playwright/test'
import { patience } from '../../support/patience'
import { type Api, apiOf, sessionOf } from './api'
import type { KeptPage } from './one-page'

/** As in `playwright.config.ts`. */
const EXPECT_TIMEOUT = patience(20_000)

/**
 * Playwright's `toBeVisible` describes the whole page each time that an element is not there yet: a seventh of what a
 * page costs. `waitFor` waits for the same and describes nothing. What failed is told by Playwright's own.
 */
export const expect = baseExpect.extend({
  async toBeVisible(locator: Locator, { timeout = EXPECT_TIMEOUT }: { timeout?: number } = {}) {
    const asked = this.isNot
      ? baseExpect(locator).not.toBeVisible({ timeout })
      : locator
          .waitFor({ state: 'visible', timeout })
          .catch(() => baseExpect(locator).toBeVisible({ timeout: 1 }))
    const failure = await asked.then(
      () => null,
      (error: Error) => error.message.replaceAll('1ms', `${timeout}ms`),
    )
    return { name: 'toBeVisible', pass: (failure === null) !== this.isNot, message: () => failure ?? '' }
  },
})

export const PASSWORD = 'Demo-Console-2026'
export type Language = 'en' | 'tr'

export const ACCOUNTS = {
  super: 'super@demo.test',
  admin: 'admin@acme.test',
  teknik: 'teknik@acme.test',
  standard: 'standard@acme.test',
  globex: 'admin@globex.test',
  initech: 'admin@initech.test',
} as const

/** How their people are called. */
export const NAMES = { admin: 'Işıl Yılmaz', teknik: 'Çağrı Öztürk' } as const

interface Fixtures {
  /** Opens the console (its dashboard, or `at`) as somebody signed in, and waits for the shell. */
  signIn: (email: string, options?: { language?: Language; at?: string }) => Promise<void>
  /** Asks the backend itself, signed in as somebody: how a test makes the rows it needs. */
  api: (email: string) => Promise<Api>
  /** Lets this test's page log errors that match. Every other console error fails it. */
  allowErrors: (pattern: RegExp) => void
}

export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.locator('input[type="email"]').fill(email)
  await page.locator('input[type="password"]').fill(password)
  await page.locator('button[type="submit"]').click()
}

/**
 * A session as the form would leave it: the form has its own tests, and a page less to load is a second less
 * for each of the others. What the test does to the session later (sign out, say) stays done.
 */
export async function putSession(page: Page, url: string, email: string): Promise<void> {
  const { session } = await sessionOf(url, email, PASSWORD)
  const stored = { ...session, expires_at: Math.floor(Date.now() / 1000) + session.expires_in }
  await page.addInitScript(
    ([key, value, mark]) => {
      if (localStorage.getItem(mark)) return
      localStorage.setItem(mark, 'signed in')
      localStorage.setItem(key, value)
    },
    [
      `sb-${new URL(url).hostname.split('.')[0]}-auth-token`,
      JSON.stringify(stored),
      `e2e-${Math.random()}`,
    ] as const,
  )
}

/** The language of the first visit; what the test chooses later stays chosen. */
export async function setLanguage(page: Page, language: Language): Promise<void> {
  await page.addInitScript((value) => {
    if (!localStorage.getItem('i18nextLng')) localStorage.setItem('i18nextLng', value)
  }, language)
}

/** Goes somewhere as a link in the console does: without loading the page again, which is most of the time. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate', { state: {} }))
  }, path)
}

/** The rows of the list in view. */
export const listRows = (page: Page): Locator => page.getByRole('main').locator('tbody tr')

/** Opens the menu above the list in view that has the entry `name`, and gives the entry. */
export async function listTool(page: Page, name: string): Promise<Locator> {
  const isFile = /^(Import|Export|İçe aktar|Dışa aktar)$/.test(name)
  await page
    .getByRole('main')
    .getByRole('button', {
      name: isFile ? /^(More actions for the list|Listeyle ilgili diğer işlemler)$/ : /^(View|Görünüm)$/,
    })
    .press('Enter')
  return page.getByRole('menuitem', { name })
}

/** The region that holds the one toast. */
export const toast = (page: Page): Locator => page.getByRole('region', { name: /^(Message|Bildirim)$/ })

export async function expectToast(page: Page, title: string, text?: string): Promise<void> {
  await expect(toast(page).getByText(title, { exact: true })).toBeVisible()
  if (text) await expect(toast(page).getByText(text, { exact: true })).toBeVisible()
}

/** A name no other test and no earlier run has used. */
export const unique = (word: string): string =>
  `${word} ${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`

/** A worker signs in once for each account that tests ask the backend as. */
const clients = new Map<string, Promise<Api>>()

export const test = base.extend<
  Fixtures & { errorsGuard: undefined; allowedErrors: RegExp[] },
  { kept: KeptPage }
>({
  // Here and not there: files with other fixtures of a worker do not share one.
  kept: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const kept: KeptPage = {}
      await use(kept)
      await kept.page?.context().close()
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
  baseURL: async ({}, use, info) => {
    const urls = (process.env.E2E_URLS ?? '').split(',')
    await use(urls[info.parallelIndex % urls.length])
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
  allowedErrors: async ({}, use) => {
    await use([])
  },
  allowErrors: async ({ allowedErrors }, use) => {
    await use((pattern) => allowedErrors.push(pattern))
  },
  errorsGuard: [
    async ({ page, allowedErrors }, use) => {
      const seen: string[] = []
      const hearMessage = (message: ConsoleMessage) => {
        if (message.type() === 'error') seen.push(`${message.text()} ${message.location().url}`)
      }
      const hearError = (error: Error) => seen.push(`uncaught: ${error.message}`)
      page.on('console', hearMessage)
      page.on('pageerror', hearError)
      await use(undefined)
      page.off('console', hearMessage)
      page.off('pageerror', hearError)
      expect(seen.filter((text) => !allowedErrors.some((pattern) => pattern.test(text)))).toEqual([])
    },
    { auto: true },
  ],
  signIn: async ({ page, baseURL }, use) => {
    await use(async (email, { language, at = '/' } = {}) => {
      if (language) await setLanguage(page, language)
      await putSession(page, baseURL ?? '', email)
      await page.goto(at)
      await expect(page.getByRole('main')).toBeVisible()
    })
  },
  api: async ({ baseURL }, use) => {
    await use((email) => {
      const key = `${baseURL} ${email}`
      const client = clients.get(key) ?? apiOf(baseURL ?? '', email, PASSWORD)
      clients.set(key, client)
      return client
    })
  },
})
