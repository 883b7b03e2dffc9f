import type { Page } from '@playwright/test'
import type { Api } from './support/api'
import { ACCOUNTS, test as base, expect, listTool, unique } from './support/one-page'

const COUNT = 1200

interface List {
  path: string
  name: (index: number) => string
  remove: () => Promise<void>
}

/** A category with more issues than the document holds at once. */
async function makeList(admin: Api): Promise<List> {
  const word = unique('Sanal').replace(' ', '')
  const category = await admin.create('ticket_categories', { name: word, position: 1 })
  const name = (index: number) => `${word} ${String(index).padStart(4, '0')}`
  const rows = Array.from({ length: COUNT }, (_, index) => ({
    company_id: admin.companyId,
    category_id: category.id,
    name: name(index),
  }))
  expect((await admin.request('POST', 'ticket_issues', rows)).status).toBe(201)
  return {
    path: `/issues?category_id=${category.id}`,
    name,
    remove: async () => {
      await admin.request('DELETE', `ticket_issues?category_id=eq.${category.id}`)
      await admin.request('DELETE', `ticket_categories?id=eq.${category.id}`)
    },
  }
}

// The tests only read this list: it is made for the first of them and removed after the last.
let made: Promise<List> | undefined
const test = base.extend<{ list: List }>({
  list: async ({ api }, use) => {
    made ??= makeList(await api(ACCOUNTS.admin))
    await use(await made)
  },
})
test.afterAll(async () => {
  await (await made)?.remove()
})

const box = (page: Page) => page.getByRole('main').locator('.k-table-box')
const rowsInDocument = (page: Page) => page.getByRole('main').locator('tr[data-row]')
const row = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name, exact: true })
const scrollToEnd = (page: Page) => box(page).evaluate((element) => element.scrollTo(0, element.scrollHeight))
const size = (page: Page, name: string) => page.getByRole('combobox', { name })

test('a list that goes on as it is scrolled holds few rows in the document', async ({
  page,
  signIn,
  list,
  allowErrors,
}) => {
  allowErrors(/500/)
  await signIn(ACCOUNTS.admin, { language: 'en', at: list.path })
  await size(page, 'Rows per page').selectOption('As you scroll')
  await expect(page).toHaveURL(/pageSize=scroll/)
  await expect(page.getByText('Loaded 500 of 1,200')).toBeVisible()
  const table = page.getByRole('table', { name: 'Issue types' })
  await expect(table).toHaveAttribute('aria-rowcount', String(COUNT + 1))
  expect(await rowsInDocument(page).count()).toBeLessThan(80)

  // All that are loaded, and all that match.
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check()
  await expect(page.getByRole('region', { name: '500 selected' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Select all 1,200 that match' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear the selection' }).click()

  // The next piece fails: the rows stay, and a retry is offered in its place.
  await page.route('**/rest/v1/ticket_issues*', (route) =>
    route.fulfill({ status: 500, json: { code: 'XX000', message: 'broken on purpose' } }),
  )
  await scrollToEnd(page)
  const failure = page.getByRole('alert').filter({ hasText: 'The next rows could not be loaded.' })
  await expect(failure).toBeVisible()
  await expect(row(page, list.name(499))).toBeVisible()
  await page.unroute('**/rest/v1/ticket_issues*')
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Loaded 1,000 of 1,200')).toBeVisible()
  await scrollToEnd(page)
  await expect(page.getByText('1–1,200 of 1,200')).toBeVisible()
  await scrollToEnd(page)
  await expect(row(page, list.name(COUNT - 1))).toBeInViewport()
  await expect(page.locator(`tr[aria-rowindex="${COUNT + 1}"]`)).toBeVisible()
  expect(await rowsInDocument(page).count()).toBeLessThan(80)

  // The row that has the focus stays in the document, however far its list is scrolled; keys go on from it.
  await row(page, list.name(COUNT - 1)).focus()
  await page.keyboard.press('k')
  await expect(row(page, list.name(COUNT - 2))).toBeFocused()
  await box(page).evaluate((element) => element.scrollTo(0, 0))
  await expect(row(page, list.name(0))).toBeInViewport()
  await expect(row(page, list.name(COUNT - 2))).toBeFocused()
  await page.keyboard.press('k')
  await expect(row(page, list.name(COUNT - 3))).toBeInViewport()
  await page.keyboard.press('x')
  await expect(page.getByRole('region', { name: '1 selected' })).toBeVisible()

  // A row's menu is hung on its button with the first press, by key too, and gives the focus back.
  const menu = page.getByRole('button', { name: `Actions for ${list.name(COUNT - 3)}` })
  await menu.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Open' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menuitem', { name: 'Open' })).toBeHidden()
  await expect(menu).toBeFocused()
  await row(page, list.name(COUNT - 3)).focus()

  // Back from a record, the list is where it was left.
  await page.keyboard.press('Enter')
  await expect(page.getByRole('banner').getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page).toHaveURL(/\/issues\/[0-9a-f-]{36}/)
  await page.goBack()
  await expect(row(page, list.name(COUNT - 3))).toBeInViewport()

  // Paper takes what is loaded.
  await page.emulateMedia({ media: 'print' })
  await expect(rowsInDocument(page)).toHaveCount(COUNT)
  await page.emulateMedia({ media: 'screen' })
  await expect.poll(() => rowsInDocument(page).count()).toBeLessThan(80)
})

test('a page of a thousand is read as a whole, and the next one follows it, in Turkish', async ({
  page,
  signIn,
  list,
}) => {
  await signIn(ACCOUNTS.admin, { language: 'tr', at: `${list.path}&pageSize=1000` })
  await expect(size(page, 'Sayfadaki satır sayısı').locator('option:checked')).toHaveText('Sayfada 1.000')
  await expect(page.getByText('1–1.000 / 1.200')).toBeVisible()
  await page.getByRole('button', { name: 'Sonraki sayfa' }).click()
  await expect(page.getByText('1.001–1.200 / 1.200')).toBeVisible()
  await expect(row(page, list.name(1000))).toBeInViewport()
  await page.getByRole('button', { name: 'Önceki sayfa' }).click()
  await expect(page.getByText('1–1.000 / 1.200')).toBeVisible()
  await expect(row(page, list.name(0))).toBeInViewport()
  await size(page, 'Sayfadaki satır sayısı').selectOption('Kaydırdıkça')
  await expect(page.getByText('1.200 satırdan 500 yüklendi')).toBeVisible()
  // Until the new page is there, the thousand rows of the one before stay on screen.
  await expect(page.locator('[data-stale="true"]')).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Yüklenen tüm satırları seç' }).check()
  await expect(page.getByRole('region', { name: '500 seçildi' })).toBeVisible()

  // Input in a cell stays with its row, however far the list is scrolled.
  await (await listTool(page, 'Hücreleri düzenle')).click()
  await page
    .getByRole('grid')
    .getByRole('rowheader', { name: list.name(1) })
    .click()
  const typed = page.getByRole('grid').getByRole('textbox')
  await typed.fill('Taslak')
  await box(page).evaluate((element) => element.scrollTo(0, 9000))
  await expect(page.getByRole('rowheader', { name: list.name(207) })).toBeInViewport()
  await expect(typed).toHaveValue('Taslak')
  await typed.press('Enter')
  await expect(page.getByRole('rowheader', { name: 'Taslak' })).toBeInViewport()
  await expect(page.getByText('1 satırda 1 değişiklik')).toBeVisible()
})
