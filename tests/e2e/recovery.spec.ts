import type { Page } from '@playwright/test'
import { newAccount } from './support/account'
import { dataDirOf, mailedLinks } from './support/mailbox'
import { ACCOUNTS, expect, expectToast, fillSignIn, putSession, setLanguage, test } from './support/test'

const submit = (page: Page) => page.locator('button[type="submit"]')
const address = (page: Page) => page.locator('input[type="email"]')

async function requestLink(page: Page, email: string): Promise<void> {
  await address(page).fill(email)
  await submit(page).click()
  await expectToast(page, 'Email Gönderildi', 'Şifre sıfırlama linki email adresinize gönderildi.')
}

async function newPassword(page: Page, first: string, second = first): Promise<void> {
  await page.locator('input').nth(0).fill(first)
  await page.locator('input').nth(1).fill(second)
  await submit(page).click()
}

test('a forgotten password: the mailed link sets a new one, ends every session and works once', async ({
  page,
  browser,
  baseURL,
  api,
  allowErrors,
}) => {
  allowErrors(/status of [45]\d\d|AuthRetryableFetchError|Failed to load/)
  const url = baseURL ?? ''
  const mailed = (to: string) => mailedLinks(dataDirOf(url), to)
  const email = await newAccount(await api(ACCOUNTS.admin), url)
  const earlier = (await mailed(email)).length
  const elsewhere = await browser.newPage({ baseURL })
  await setLanguage(elsewhere, 'tr')
  await putSession(elsewhere, url, email)
  await elsewhere.goto('/devices')
  await expect(elsewhere.getByRole('main')).toBeVisible()
  await expect(elsewhere).toHaveURL(/\/devices/)
  await setLanguage(page, 'tr')

  await test.step('without a link the page for a new password sends to the form that mails one', async () => {
    await page.goto('/reset-password')
    await expectToast(page, 'Geçersiz Link')
    await expect(page).toHaveURL(/\/forgot-password$/)
  })

  await test.step('an empty address is asked for', async () => {
    await submit(page).click()
    await expectToast(page, 'Email Gerekli', 'Lütfen email adresinizi girin.')
  })

  await test.step('a request that fails says why', async () => {
    const answers = [
      { body: '{}', says: 'Şifre sıfırlama isteği gönderilemedi.' },
      { body: '{"code":500,"msg":"Posta kutusu dolu"}', says: 'Posta kutusu dolu' },
    ]
    await address(page).fill(email)
    for (const { body, says } of answers) {
      await page.route('**/auth/v1/recover*', (route) =>
        route.fulfill({ status: 500, contentType: 'application/json', body }),
      )
      await submit(page).click()
      await expectToast(page, 'Hata', says)
      await expect(address(page)).toBeVisible()
      await page.unrouteAll()
    }
  })

  await test.step('an unknown address reaches the sent view too, and nothing is mailed', async () => {
    const nobody = 'nobody@nowhere.test'
    await requestLink(page, nobody)
    await expect(page.getByText(/spam/i)).toBeVisible()
    await expect(page.getByText(/1 saat/)).toBeVisible()
    await page.getByRole('main').getByRole('button').click()
    await requestLink(page, email)
    await expect.poll(async () => (await mailed(email)).length).toBe(earlier + 1)
    expect(await mailed(nobody)).toEqual([])
  })

  const link = (await mailed(email)).at(-1) ?? ''
  const changed = 'Yeni-Parola-2026'
  await test.step('the link asks for a good password, which can be shown and hidden', async () => {
    await page.goto(link)
    await expect(page).toHaveURL(/\/reset-password/)
    await expect(page.locator('input[type="password"]')).toHaveCount(2)
    const shows = page.getByRole('button', { name: /göster/i })
    await shows.first().click()
    await expect(page.locator('input[type="password"]')).toHaveCount(1)
    await page.getByRole('button', { name: /gizle/i }).first().click()
    await expect(page.locator('input[type="password"]')).toHaveCount(2)
    await newPassword(page, 'kisa')
    await expectToast(page, 'Zayıf Şifre', 'Şifre en az 8 karakter olmalıdır.')
    await newPassword(page, changed, 'Baska-Parola-2026')
    await expectToast(page, 'Şifreler Eşleşmiyor', 'Lütfen aynı şifreyi iki kez girin.')
  })

  await test.step('then leads to the sign-in page, once the sessions have ended', async () => {
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
  })

  await test.step('no session is left elsewhere, and the link is refused', async () => {
    await elsewhere.goto('/devices')
    await expect(elsewhere).toHaveURL(/\/login/)
    await elsewhere.goto(link)
    await expectToast(elsewhere, 'Geçersiz Link')
    await expect(elsewhere).toHaveURL(/\/forgot-password$/)
    await elsewhere.close()
  })

  await fillSignIn(page, email, changed)
  await expect(page).toHaveURL(/\/$/)
})
