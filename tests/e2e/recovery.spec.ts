import type { Page } from '@playwright/test'
import { mailedLinks } from './support/mailbox'
import { expect, test } from './support/own-server'
import { ACCOUNTS, expectToast, fillSignIn, setLanguage, signInOn } from './support/test'

const submit = (page: Page) => page.locator('button[type="submit"]')

async function requestLink(page: Page, email: string): Promise<void> {
  await page.goto('/forgot-password')
  await page.locator('input[type="email"]').fill(email)
  await submit(page).click()
  await expectToast(page, 'Email Gönderildi', 'Şifre sıfırlama linki email adresinize gönderildi.')
}

async function newPassword(page: Page, first: string, second = first): Promise<void> {
  await page.locator('input').nth(0).fill(first)
  await page.locator('input').nth(1).fill(second)
  await submit(page).click()
}

test.beforeEach(async ({ page }) => setLanguage(page, 'tr'))

test('an empty address is asked for', async ({ page }) => {
  await page.goto('/forgot-password')
  await submit(page).click()
  await expectToast(page, 'Email Gerekli', 'Lütfen email adresinizi girin.')
})

test('the mailed link sets a new password, ends every session and works once', async ({
  page,
  own,
  browser,
}) => {
  const changed = 'Yeni-Parola-2026'
  const elsewhere = await browser.newPage({ baseURL: own.url })
  await setLanguage(elsewhere, 'tr')
  await signInOn(elsewhere, ACCOUNTS.teknik)

  await requestLink(page, ACCOUNTS.teknik)
  await expect(page.getByText(/spam/i)).toBeVisible()
  await expect(page.getByText(/1 saat/)).toBeVisible()
  await expect.poll(async () => (await mailedLinks(own.dataDir, ACCOUNTS.teknik)).length).toBe(1)
  const [link = ''] = await mailedLinks(own.dataDir, ACCOUNTS.teknik)

  await page.goto(link)
  await expect(page).toHaveURL(/\/reset-password/)
  await newPassword(page, 'kisa')
  await expectToast(page, 'Zayıf Şifre', 'Şifre en az 8 karakter olmalıdır.')
  await newPassword(page, changed, 'Baska-Parola-2026')
  await expectToast(page, 'Şifreler Eşleşmiyor', 'Lütfen aynı şifreyi iki kez girin.')
  // However long the sessions take to end: /login finds none, so it stays and does not bounce to the dashboard.
  let end = () => {}
  const held = new Promise<void>((resolve) => {
    end = resolve
  })
  await page.route('**/auth/v1/logout*', async (route) => {
    await held
    await route.continue()
  })
  await page.clock.install()
  await newPassword(page, changed)
  await expect(page.getByText('Şifre Güncellendi!').first()).toBeVisible()
  await page.clock.fastForward(10_000)
  await expect(page).toHaveURL(/\/reset-password$/)
  end()
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.locator('input[type="password"]')).toBeVisible()

  await elsewhere.goto('/devices')
  await expect(elsewhere).toHaveURL(/\/login/)
  await elsewhere.close()

  await fillSignIn(page, ACCOUNTS.teknik, changed)
  await expect(page).toHaveURL(/\/$/)
})

test('a link that was used already is refused and a new one offered', async ({ page, own, allowErrors }) => {
  allowErrors(/status of 4\d\d/)
  await requestLink(page, ACCOUNTS.globex)
  await expect.poll(async () => (await mailedLinks(own.dataDir, ACCOUNTS.globex)).length).toBe(1)
  const [link = ''] = await mailedLinks(own.dataDir, ACCOUNTS.globex)
  await page.goto(link)
  await newPassword(page, 'Yeni-Parola-2026')
  await expect(page).toHaveURL(/\/login$/)

  await page.goto(link)
  await expectToast(page, 'Geçersiz Link')
  await expect(page).toHaveURL(/\/forgot-password$/)
})

test('without a link the page for a new password sends to the form that mails one', async ({ page }) => {
  await page.goto('/reset-password')
  await expectToast(page, 'Geçersiz Link')
  await expect(page).toHaveURL(/\/forgot-password$/)
})

test('an unknown address reaches the sent view too, and nothing is mailed', async ({ page, own }) => {
  const nobody = 'nobody@nowhere.test'
  await requestLink(page, nobody)
  expect(await mailedLinks(own.dataDir, nobody)).toEqual([])
})

test('each password field can be shown and hidden', async ({ page, own }) => {
  await requestLink(page, ACCOUNTS.standard)
  await expect.poll(async () => (await mailedLinks(own.dataDir, ACCOUNTS.standard)).length).toBe(1)
  const [link = ''] = await mailedLinks(own.dataDir, ACCOUNTS.standard)
  await page.goto(link)
  await expect(page.locator('input[type="password"]')).toHaveCount(2)
  const shows = page.getByRole('button', { name: /göster/i })
  await shows.first().click()
  await expect(page.locator('input[type="password"]')).toHaveCount(1)
})

test('a request that fails says why', async ({ page, allowErrors }) => {
  allowErrors(/status of 500|AuthRetryableFetchError|Failed to load/)
  await page.route('**/auth/v1/recover*', (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body: '{}' }),
  )
  await page.goto('/forgot-password')
  await page.locator('input[type="email"]').fill(ACCOUNTS.admin)
  await submit(page).click()
  await expectToast(page, 'Hata')
  await expect(page.locator('input[type="email"]')).toBeVisible()
})
