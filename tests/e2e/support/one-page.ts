import type { Page } from '@playwright/test'
import { sessionOf } from './api'
import { test as base, expect, type Language, PASSWORD } from './test'

/** The page that a worker hands from one test to the next. */
export interface KeptPage {
  page?: Page
  email?: string
  language?: Language
  /** The browser's store of the console when it was handed on. */
  stored?: string
}

/** The browser's store of the console. A token is renewed at any time: of a session only its account counts. */
const storedState = (page: Page): Promise<string> =>
  page.evaluate(() =>
    JSON.stringify([
      Object.entries(localStorage)
        .map(([key, value]) =>
          key.endsWith('-auth-token') ? [key, JSON.parse(value).user.email] : [key, value],
        )
        .sort(),
      Object.entries(sessionStorage),
      document.cookie,
    ]),
  )

/** Nothing is open over the page, and nothing on it would be lost. */
const isAtRest = (page: Page): Promise<boolean> =>
  page.evaluate(
    () =>
      !document.querySelector('[role="dialog"], [role="menu"]:not(.ant-menu)') &&
      window.dispatchEvent(new Event('beforeunload', { cancelable: true })),
  )

async function load(page: Page, url: string, email: string, language: Language, at: string): Promise<void> {
  const { session } = await sessionOf(url, email, PASSWORD)
  const stored = { ...session, expires_at: Math.floor(Date.now() / 1000) + session.expires_in }
  // A page of the same origin without the console, which would write its own session again.
  await page.goto('/healthz')
  await page.context().clearCookies()
  await page.evaluate(
    ([key, value, chosen]) => {
      localStorage.clear()
      sessionStorage.clear()
      localStorage.setItem(key, value)
      localStorage.setItem('i18nextLng', chosen)
    },
    [`sb-${new URL(url).hostname.split('.')[0]}-auth-token`, JSON.stringify(stored), language] as const,
  )
  await page.goto(at)
  // The shell of the HTML is gone: from here on, links are followed.
  await expect(page.locator('#early')).toHaveCount(0)
}

const languageMenu = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: /^(Language|Dil)$/ })

async function switchLanguage(page: Page, language: Language): Promise<void> {
  await languageMenu(page).click()
  await page.getByRole('menuitem', { name: language === 'tr' ? 'Türkçe' : 'English' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', language)
}

/** Like `visit`; with the router's own place in the history, so that Back from here can be held up. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const state = { usr: null, key: `e2e${Math.random()}`, idx: (history.state?.idx ?? 0) + 1 }
    history.pushState(state, '', to)
    dispatchEvent(new PopStateEvent('popstate', { state }))
  }, path)
}

/**
 * For tests of a signed-in console that need no page of their own. The next test of the same account goes on in the
 * page of the last one, as a link does: loading the console costs four times as much. It is loaded again for another
 * account, and when a test left something behind: a choice in the browser's storage, an open dialog, changes that are
 * not saved. A test that holds requests or messages back before the console loads takes `test` of `./test`.
 */
export const test = base.extend({
  page: async ({ browser, kept, viewport }, use) => {
    kept.page ??= await (await browser.newContext()).newPage()
    await use(kept.page)
    await kept.page.unrouteAll({ behavior: 'ignoreErrors' })
    await kept.page.emulateMedia({ colorScheme: null, media: null })
    if (viewport) await kept.page.setViewportSize(viewport)
  },
  signIn: async ({ page, baseURL, kept }, use) => {
    await use(async (email, { language = 'en', at = '/' } = {}) => {
      const isKept =
        kept.email === email &&
        kept.stored === (await storedState(page)) &&
        (await isAtRest(page)) &&
        (kept.language === language || (await languageMenu(page).isVisible()))
      if (isKept) {
        if (kept.language !== language) await switchLanguage(page, language)
        // A public page comes in between: what was on screen does not pass for what comes.
        await goTo(page, '/waf-test')
        await expect(page.getByRole('navigation')).toHaveCount(0)
        await goTo(page, at)
      } else await load(page, baseURL ?? '', email, language, at)
      await expect(page.getByRole('main')).toBeVisible()
      Object.assign(kept, { email, language, stored: await storedState(page) })
    })
  },
})

export * from './test'
