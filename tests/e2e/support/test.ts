import { test as base, expect, type Page } from '@playwright/test'

export { expect }

const PASSWORD = 'Demo-Console-2026'

/** Console errors that the network itself causes and that a test asks for by name. */
type Allowed = (pattern: RegExp) => void

interface Fixtures {
  /** Signs in through the form and waits for the shell. */
  signIn: (email: string, options?: { language?: 'en' | 'tr' }) => Promise<void>
  /** Lets this test's page log errors that match. Every other console error fails it. */
  allowErrors: Allowed
}

export async function signInOn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto('/login')
  await page.locator('input[type="email"]').fill(email)
  await page.locator('input[type="password"]').fill(password)
  await page.locator('button[type="submit"]').click()
  await expect(page.locator('main')).toBeVisible()
  await expect(page).not.toHaveURL(/\/login/)
}

export async function setLanguage(page: Page, language: 'en' | 'tr'): Promise<void> {
  await page.addInitScript((value) => {
    if (!localStorage.getItem('i18nextLng')) localStorage.setItem('i18nextLng', value)
  }, language)
}

export const test = base.extend<Fixtures & { errorsGuard: undefined }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
  allowErrors: async ({}, use, info) => {
    const patterns: RegExp[] = []
    Object.assign(info, { allowedErrors: patterns })
    await use((pattern) => patterns.push(pattern))
  },
  errorsGuard: [
    async ({ page, allowErrors }, use, info) => {
      void allowErrors
      const seen: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') seen.push(`${message.text()} ${message.location().url}`)
      })
      page.on('pageerror', (error) => seen.push(`uncaught: ${error.message}`))
      await use(undefined)
      const allowed = (info as typeof info & { allowedErrors?: RegExp[] }).allowedErrors ?? []
      expect(seen.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([])
    },
    { auto: true },
  ],
  signIn: async ({ page }, use) => {
    await use(async (email, { language } = {}) => {
      if (language) await setLanguage(page, language)
      await signInOn(page, email)
    })
  },
})
