import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { PUBLIC_ROUTES, RECORD_TITLES, TITLES, titleOf } from './support/routes'
import { ACCOUNTS, expect, type Language, setLanguage, signInOn, test, visit } from './support/test'

type Mode = 'light' | 'dark'

/** `shell:titles.devices`, `devices.fields.name`: what shows when a word is missing. */
const RAW_KEY =
  /(^|\s)([a-z][a-zA-Z]*:)?[a-z][a-zA-Z]*(\.[a-zA-Z_]+){1,5}(\s|$)|\b(shell|common|auth|engine|resources|access|errors):\w/

/** Goes there and waits until the page shows what it has: its own title, nothing loading any more. */
async function open(page: Page, path: string, language: Language): Promise<void> {
  const title = titleOf(path, language)
  if (title === undefined) await page.goto(path)
  else {
    await visit(page, path)
    await expect(page.getByRole('banner').getByRole('heading', { level: 1 }), path).toHaveText(title)
  }
  await settled(page, path)
}

async function settled(page: Page, path: string): Promise<void> {
  const main = page.getByRole('main')
  await expect(main, path).not.toBeEmpty()
  await expect(main.locator('[aria-busy="true"], .ant-skeleton, .ant-spin-spinning'), path).toHaveCount(0)
  await expect(
    main.getByRole('status').filter({ hasText: /Loading|Yükleniyor|counting|sayılıyor/ }),
    path,
  ).toHaveCount(0)
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Structure does not hang on the theme, nor colours on the language: two of the four combinations see every rule. */
async function violations(page: Page, isFull: boolean): Promise<string[]> {
  const axe = new AxeBuilder({ page })
  const { violations: found } = await (isFull
    ? axe.withTags(TAGS)
    : axe.withRules('color-contrast')
  ).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`)
}

/** Keys among the words on the page; what people type (scripts, outputs, file names) stands in code and cells. */
async function rawKeys(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (
        !parent ||
        parent.closest('code, pre, td, th[scope="row"], dd, script, style, .cm-editor, [data-user-text]')
      )
        continue
      const text = (node.textContent ?? '').trim()
      if (text) found.push(text)
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      for (const name of ['aria-label', 'placeholder', 'title']) found.push(element.getAttribute(name) ?? '')
    return found
  })
  return texts.filter((text) => RAW_KEY.test(text) && !/\w+\.(test|com|org|local|mjs|sh|ps1)\b|\d/.test(text))
}

async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

async function judge(page: Page, faults: string[], label: string, isFull = true): Promise<void> {
  for (const violation of await violations(page, isFull)) faults.push(`${label}: ${violation}`)
  for (const key of await rawKeys(page)) faults.push(`${label}: raw key "${key}"`)
}

async function judgeNarrow(page: Page, faults: string[], label: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 })
  const over = await overflow(page)
  if (over > 0) faults.push(`${label}: ${over} px wider than a 390 px screen`)
  await page.setViewportSize({ width: 1440, height: 900 })
}

const MODES: Mode[] = ['light', 'dark']
const LANGUAGES: Language[] = ['en', 'tr']

for (const language of LANGUAGES)
  for (const mode of MODES) {
    test(`every private page in ${language}, ${mode}`, async ({ page, api }) => {
      test.setTimeout(420_000)
      const admin = await api(ACCOUNTS.super)
      const [device] = await admin.read('devices?select=id&order=name_key&limit=1')
      const [procedure] = await admin.read('procedures?select=id&order=name_key&limit=1')
      const [group] = await admin.read('groups?select=id&order=name_key&limit=1')
      const paths = [
        ...Object.keys({ ...TITLES, ...RECORD_TITLES }),
        '/create-group',
        `/devices/${device?.id}`,
        `/devices/${device?.id}/edit`,
        `/procedures/${procedure?.id}`,
        `/procedures/${procedure?.id}/edit`,
        `/groups/${group?.id}`,
        '/no/such/page',
      ]
      const faults: string[] = []
      await page.emulateMedia({ colorScheme: mode, reducedMotion: 'reduce' })
      await setLanguage(page, language)
      await signInOn(page, ACCOUNTS.super)
      for (const path of paths) {
        await open(page, path, language)
        const label = `${path} ${language} ${mode}`
        await judge(page, faults, label, (mode === 'light') === (language === 'en'))
        await judgeNarrow(page, faults, label)
      }
      expect(faults).toEqual([])
    })
  }

test('every public page, both languages, light and dark, narrow and wide', async ({ page }) => {
  test.setTimeout(240_000)
  const faults: string[] = []
  await setLanguage(page, 'en')
  for (const mode of MODES) {
    await page.emulateMedia({ colorScheme: mode, reducedMotion: 'reduce' })
    for (const language of LANGUAGES) {
      await page.goto('/login')
      await page.evaluate((value) => localStorage.setItem('i18nextLng', value), language)
      await page.reload()
      for (const path of PUBLIC_ROUTES) {
        await page.goto(path)
        await settled(page, path)
        const label = `${path} ${language} ${mode}`
        await judge(page, faults, label, (mode === 'light') === (language === 'en'))
        await judgeNarrow(page, faults, label)
      }
    }
  }
  expect(faults).toEqual([])
})

test('the narrow sidebar, the open menus and a dialog are accessible too', async ({ page }) => {
  const faults: string[] = []
  await setLanguage(page, 'en')
  await signInOn(page, ACCOUNTS.admin)
  await page.getByRole('button', { name: /^Account of/ }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await settled(page, '/')
  await judge(page, faults, 'user menu')
  await page.keyboard.press('Escape')
  await visit(page, '/procedures')
  await page
    .getByRole('main')
    .getByRole('button', { name: /Filters/ })
    .click()
  await settled(page, '/procedures')
  await judge(page, faults, 'filters')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await judge(page, faults, 'drawer')
  expect(faults).toEqual([])
})

test('the console can be used by keyboard alone: skip link, sidebar, list, record', async ({
  page,
  signIn,
}) => {
  await signIn(ACCOUNTS.admin, { language: 'en' })
  await page.goto('/groups')
  await expect(page.getByRole('main').locator('tbody tr').first()).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  const link = page.getByRole('main').locator('tbody tr').first().getByRole('link')
  await link.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}/)
})
