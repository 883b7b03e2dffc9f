import type { Page } from '@playwright/test'
import { listPath } from '@/resource/language/naming'
import { judge, judgeWords, openPage, settled } from './support/judge'
import { ACCOUNTS, expect, type Language, test, visit } from './support/one-page'
import { DEFINITIONS, JUDGED_PAGES, pathOf, withoutRecord } from './support/resources'
import { PUBLIC_ROUTES, RECORD_TITLES, TITLES } from './support/routes'
import { test as fresh } from './support/test'

// Nothing is written here, so that its parts go side by side.
test.describe.configure({ mode: 'parallel' })

type Mode = 'light' | 'dark'
const LANGUAGES: readonly Language[] = ['en', 'tr']

async function showMode(page: Page, mode: Mode): Promise<void> {
  await page.emulateMedia({ colorScheme: mode, reducedMotion: 'reduce' })
}

async function switchLanguage(page: Page, language: Language): Promise<void> {
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^(Language|Dil)$/ })
    .click()
  await page.getByRole('menuitem', { name: language === 'tr' ? 'Türkçe' : 'English' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', language)
  await expect(page.getByRole('menuitem')).toHaveCount(0)
}

/**
 * Structure does not hang on the theme, nor colors on the language: English in light and Turkish in dark see
 * every rule in each of them.
 */
const MODE_OF: Readonly<Record<Language, Mode>> = { en: 'light', tr: 'dark' }

async function judgePage(page: Page, faults: string[], path: string, language: Language): Promise<void> {
  await judge(page, faults, `${path} ${language} ${MODE_OF[language]}`)
  await judgeWords(page, faults, `${path} ${language}`)
}

/**
 * Pages come by turns in each language: all are made of the same parts, and CI has no time for every page in both.
 * THOROUGH=1 takes them all.
 */
function isTurnOf(language: Language, place: number): boolean {
  if (process.env.THOROUGH === '1') return true
  return (place + Math.floor(place / 4)) % 2 === (language === 'en' ? 0 : 1)
}

/** Signed in once, and without loading the console again. */
async function judgeAll(page: Page, paths: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const language of LANGUAGES) {
    await showMode(page, MODE_OF[language])
    await expect(page.locator('html')).toHaveAttribute('data-theme', MODE_OF[language])
    if (language === 'tr') await switchLanguage(page, language)
    for (const [place, path] of paths.entries()) {
      if (!isTurnOf(language, place)) continue
      await openPage(page, path)
      await judgePage(page, faults, path, language)
    }
  }
  return faults
}

/** A list has its page among the resources below. */
const DECLARED = DEFINITIONS.map(listPath)
/** Records that do not exist: the same screen under another title. */
const RECORDS = Object.keys(RECORD_TITLES)
const OWN = [
  ...Object.keys(TITLES).filter((path) => path !== '/' && !DECLARED.includes(path) && !/create-/.test(path)),
  ...(process.env.THOROUGH === '1' ? RECORDS : RECORDS.slice(-2)),
  '/',
]

test('the console’s own pages, in both languages and themes', async ({ page, signIn }) => {
  test.setTimeout(240_000)
  await showMode(page, 'light')
  await signIn(ACCOUNTS.super, { language: 'en', at: '/groups' })
  expect(await judgeAll(page, OWN)).toEqual([])
})

test('the demo data holds a record of every resource', async ({ api }) => {
  expect(await withoutRecord(await api(ACCOUNTS.super))).toEqual([])
})

const SHARE = 8
for (let first = 0; first < JUDGED_PAGES.length; first += SHARE) {
  const some = JUDGED_PAGES.slice(first, first + SHARE)
  const names = some.map(({ definition, screen }) => `${definition.name} ${screen}`).join(', ')
  test(`${names}, in both languages and themes`, async ({ page, signIn, api }) => {
    test.setTimeout(240_000)
    const admin = await api(ACCOUNTS.super)
    const paths = await Promise.all(some.map((each) => pathOf(each, admin)))
    await showMode(page, 'light')
    await signIn(ACCOUNTS.super, { language: 'en', at: '/' })
    expect(
      await judgeAll(
        page,
        paths.filter((path) => path !== null),
      ),
    ).toEqual([])
  })
}

test('the narrow sidebar, the open menus and a dialog are accessible too', async ({ page, signIn }) => {
  const faults: string[] = []
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/settings' })
  await page.getByRole('button', { name: /^Account of/ }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await settled(page)
  await judge(page, faults, 'user menu')
  await page.keyboard.press('Escape')
  await visit(page, '/procedures')
  await page
    .getByRole('main')
    .getByRole('button', { name: /Filters/ })
    .click()
  await settled(page)
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
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/groups' })
  await expect(page.getByRole('main').locator('tbody tr').first()).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  const link = page.getByRole('main').locator('tbody tr').first().getByRole('link')
  await link.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}/)
})

fresh('every public page and the 404 page, in both languages and themes', async ({ page }) => {
  test.setTimeout(240_000)
  const faults: string[] = []
  await showMode(page, MODE_OF.en)
  await page.goto('/login')
  await settled(page)
  for (const language of LANGUAGES) {
    await showMode(page, MODE_OF[language])
    const paths = [...PUBLIC_ROUTES, '/no/such/page'].filter((_path, place) => isTurnOf(language, place))
    for (const path of paths) {
      if (new URL(page.url()).pathname !== path) await openPage(page, path)
      await judgePage(page, faults, path, language)
    }
    if (language === 'tr') continue
    await openPage(page, '/login')
    await page.getByRole('group', { name: 'Language' }).getByRole('button', { name: 'Türkçe' }).click()
    await expect(page.locator('html')).toHaveAttribute('lang', 'tr')
  }
  expect(faults).toEqual([])
})
