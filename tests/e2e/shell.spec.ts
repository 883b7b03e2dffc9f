import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, expectToast, listRows, test, visit } from './support/one-page'
import { titleOf } from './support/routes'

const sidebar = (page: Page) => page.getByRole('navigation').first()
const topBar = (page: Page) => page.getByRole('banner')
const bell = (page: Page) => topBar(page).getByRole('link', { name: /^Notifications/ })
const userMenu = (page: Page) => topBar(page).getByRole('button', { name: /^Account of|hesabı$/ })
const entry = (page: Page, href: string) => sidebar(page).locator(`a[href="${href}"]`)

async function width(page: Page): Promise<number> {
  return (await page.locator('aside').boundingBox())?.width ?? -1
}

test.describe('the shell', () => {
  test('the user menu shows who one is and leads to the settings', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.super, { language: 'en', at: '/system-license' })
    await userMenu(page).click()
    const menu = page.getByRole('menu')
    await expect(menu).toContainText(ACCOUNTS.super)
    await expect(menu).toContainText('SuperAdmin')
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await expect(page).toHaveURL(/\/settings$/)
  })

  test('the top bar is 64 px high and says where one is, as the sidebar and the tab of the browser do', async ({
    page,
    signIn,
  }) => {
    await signIn(ACCOUNTS.super, { language: 'tr', at: '/settings' })
    expect(Math.round((await topBar(page).boundingBox())?.height ?? 0)).toBe(64)
    for (const path of ['/groups', '/tickets/00000000-0000-4000-8000-000000000001', '/create-monitor']) {
      await visit(page, path)
      const title = titleOf(path, 'tr') ?? ''
      await expect(topBar(page).getByRole('heading', { level: 1 }), path).toHaveText(title)
      // The specification's titles are the top bar's; a tab of the browser says what is created.
      await expect(page).toHaveTitle(path === '/create-monitor' ? /^Yeni izleyici/ : new RegExp(title))
    }
    await expect(entry(page, '/monitors')).toHaveAttribute('aria-current', 'true')
    await entry(page, '/tickets').click()
    await expect(entry(page, '/tickets')).toHaveAttribute('aria-current', 'page')
    await expect(sidebar(page).locator('a[aria-current]')).toHaveCount(1)
  })

  test('the sidebar, the theme, the language and the company survive a reload', async ({ page, signIn }) => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await signIn(ACCOUNTS.super, { language: 'en', at: '/devices?pageSize=10' })
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await background()
    const rows = listRows(page)
    await expect(rows.filter({ hasText: 'Acme' }).first()).toBeVisible()

    await test.step('the sidebar is 16 rem wide, and Ctrl+B folds it to 3', async () => {
      await expect.poll(() => width(page)).toBe(256)
      await page.keyboard.press('Control+b')
      await expect.poll(() => width(page)).toBe(48)
      await page.keyboard.press('Control+b')
      await expect.poll(() => width(page)).toBe(256)
      await page.keyboard.press('Control+b')
      await expect.poll(() => width(page)).toBe(48)
      const cookie = (await page.context().cookies()).find(({ name }) => name === 'sidebar_state')
      const days = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(6.9)
      expect(days).toBeLessThanOrEqual(7)
    })
    await test.step('the theme follows the system until one is chosen', async () => {
      await page.emulateMedia({ colorScheme: 'light' })
      await expect.poll(background).not.toBe(dark)
      await topBar(page).getByRole('button', { name: 'Switch to the dark theme' }).click()
      await expect.poll(background).toBe(dark)
      expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark')
    })
    await test.step('lists follow the company', async () => {
      await topBar(page).getByRole('combobox', { name: 'Company' }).click()
      await page.locator('.ant-select-item-option').filter({ hasText: 'Hooli' }).click()
      await expect(page.getByRole('table').getByText('Acme')).toHaveCount(0)
      await expect(rows.first()).toBeVisible()
    })
    await test.step('the language changes without losing the page', async () => {
      await topBar(page).getByRole('button', { name: 'Language' }).click()
      await page.getByRole('menuitem', { name: 'Türkçe' }).click()
      await expect(topBar(page).getByRole('heading', { level: 1 })).toHaveText('Cihazlar')
      await expect(page).toHaveURL(/\/devices/)
    })
    await page.reload()
    await expect(topBar(page).getByRole('heading', { level: 1 })).toHaveText('Cihazlar')
    await expect(topBar(page).getByText('Hooli').first()).toBeVisible()
    await expect.poll(background).toBe(dark)
    await expect.poll(() => width(page)).toBe(48)
  })

  test('the bell counts the account’s own unread notifications and opens them', async ({
    page,
    signIn,
    api,
  }) => {
    const globex = await api(ACCOUNTS.globex)
    await signIn(ACCOUNTS.globex, { language: 'en', at: '/settings' })
    // Another notification may come at any moment, to the bell as to the database.
    await expect(async () => {
      const mine = await globex.read('notifications?read_at=is.null&select=id')
      await expect(bell(page)).toContainText(String(mine.length), { timeout: 1000 })
    }).toPass()
    await bell(page).click()
    await expect(page).toHaveURL(/\/notifications$/)
  })

  test('a change of language leaves what is being typed', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-group' })
    const name = page.getByRole('main').getByRole('textbox', { name: /(Name|Ad)$/ })
    await name.fill('Half a name')
    // The same element, not one like it: a console that is mounted anew would be another.
    const before = await name.elementHandle()
    await topBar(page).getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: 'Türkçe' }).click()
    await expect(page.getByRole('main').getByRole('heading', { name: 'Yeni grup' })).toBeVisible()
    await expect(topBar(page).getByRole('button', { name: 'Dil' })).toBeVisible()
    // antd's own words come after ours.
    await page.waitForLoadState('networkidle')
    expect(await before?.evaluate((element) => element.isConnected)).toBe(true)
    await expect(name).toHaveValue('Half a name')
  })

  test('the sidebar is a drawer of 18 rem on a narrow screen, closed by Escape and by choosing', async ({
    page,
    signIn,
  }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/settings' })
    await expect(entry(page, '/devices')).toBeHidden()
    const open = topBar(page).getByRole('button', { name: 'Open the menu' })
    await open.click()
    const drawer = page.getByRole('dialog')
    await expect(drawer).toBeVisible()
    await expect.poll(async () => Math.round((await drawer.boundingBox())?.width ?? 0)).toBe(288)
    await page.keyboard.press('Escape')
    await expect(drawer).toBeHidden()
    await open.click()
    await drawer.locator('a[href="/devices"]').click()
    await expect(page).toHaveURL(/\/devices/)
    await expect(drawer).toBeHidden()
  })

  test('signing out says so, clears the session and keeps nothing to go back to', async ({
    page,
    signIn,
    allowErrors,
  }) => {
    // Requests that are still on their way when the session ends are refused from then on.
    allowErrors(/401 .*\/rest\/v1\//)
    await signIn(ACCOUNTS.admin, { language: 'tr', at: '/settings' })
    await userMenu(page).click()
    await page.getByRole('menuitem', { name: /çıkış/i }).click()
    await expectToast(page, 'Çıkış Yapıldı', 'Başarıyla çıkış yaptınız.')
    await expect(page).toHaveURL(/\/login$/)
    const kept = await page.evaluate(() =>
      Object.keys(localStorage).filter((key) => /auth-token|^sb-/.test(key)),
    )
    expect(kept).toEqual([])
    await page.goto('/devices')
    await expect(page).toHaveURL(/\/login/)
  })
})

test('the server has every icon that a browser asks for, and the manifest names the product', async ({
  request,
}) => {
  const html = await (await request.get('/login')).text()
  const linked = [...html.matchAll(/<link rel="(?:icon|apple-touch-icon)" href="([^"]+)"/g)].map(
    ([, href]) => href,
  )
  const manifest = await request.get('/manifest.webmanifest')
  expect(manifest.headers()['content-type']).toContain('application/manifest+json')
  const { name, icons } = (await manifest.json()) as { name: string; icons: { src: string }[] }
  expect(name).toBe('Konsol')
  const asked = ['/favicon.ico', ...linked, ...icons.map(({ src }) => src)]
  expect(asked).toContain('/apple-touch-icon.png')
  for (const path of asked) {
    const icon = await request.get(String(path))
    expect({ path, status: icon.status(), type: icon.headers()['content-type'] }).toEqual({
      path,
      status: 200,
      type: expect.stringMatching(/^image\//),
    })
  }
})
