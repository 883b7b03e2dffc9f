import type { Page } from '@playwright/test'
import { judge } from './support/judge'
import {
  ACCOUNTS,
  expect,
  expectToast,
  listRows,
  listTool,
  NAMES,
  test,
  unique,
  visit,
} from './support/one-page'
import { test as fresh } from './support/test'

const dialog = (page: Page) => page.getByRole('dialog')
const bar = (page: Page, name: string) => page.getByRole('region', { name })
const gridRow = (page: Page, name: string) => page.getByRole('grid').getByRole('row', { name })

test('cells are edited by keys alone, looked over, and saved as far as nothing stands against it', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Hücre').replace(' ', '')
  const license = (name: string) =>
    admin.create('software_licenses', { name: `${word} ${name}`, seats: 1, purchased_on: '2026-01-01' })
  const [a, b, c] = [await license('A'), await license('B'), await license('C')]
  const stored = (id: string) => admin.read(`software_licenses?id=eq.${id}&select=seats,expires_on`)
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/software-licenses?q=${word}` })
  await expect(listRows(page)).toHaveCount(3)

  const type = async (text: string) => {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('grid').getByRole('textbox').or(page.getByRole('spinbutton'))).toBeFocused()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await expect(page.locator('[data-cell]:focus')).toBeVisible()
  }
  await page.keyboard.press('c')
  await expect(page.locator('[data-cell="name"]:focus')).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await type('7')
  await page.keyboard.press('ArrowDown')
  await type('8')
  await page.keyboard.press('End')
  await type('01.02.2030')
  await page.keyboard.press('ArrowDown')
  await type('01.02.2020')
  await expect(gridRow(page, `${word} C`)).toContainText('Expires must not be before Purchased.')
  // Esc leaves a value as it was.
  await page.keyboard.press('Home')
  await page.keyboard.press('F2')
  const editor = page.getByRole('textbox', { name: `Product: ${word} C` })
  await expect(editor).toBeFocused()
  // Over its own cell, not over another row.
  const cell = await gridRow(page, `${word} C`).getByRole('rowheader').boundingBox()
  const place = await editor.boundingBox()
  expect(Math.abs((place?.x ?? 0) - (cell?.x ?? 0))).toBeLessThan(12)
  expect(place?.y).toBeGreaterThanOrEqual((cell?.y ?? 0) - 8)
  expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual((cell?.y ?? 0) + (cell?.height ?? 0) + 8)
  await page.keyboard.type('x')
  await page.keyboard.press('Escape')
  await expect(bar(page, 'Cell changes').getByText('4 changes in 3 rows')).toBeVisible()

  // Somebody else changes two of the rows, one of them in the same field.
  await admin.request('PATCH', `software_licenses?id=eq.${b.id}`, { purchased_on: '2031-01-01' })
  // The page may still be joining the topic: change the row again until the message arrives.
  let seats = 9
  await expect(async () => {
    await admin.request('PATCH', `software_licenses?id=eq.${a.id}`, { seats: seats++ })
    await expect(gridRow(page, `${word} A`)).toContainText('Somebody else changed this too.', {
      timeout: 3000,
    })
  }).toPass()

  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByText(`Changed in the meantime by ${NAMES.admin}.`).first()).toBeVisible()
  await dialog(page)
    .getByRole('button', { name: `Undo: Seats of ${word} B` })
    .press('Enter')
  await dialog(page)
    .getByRole('button', { name: `Keep mine: Seats of ${word} A` })
    .press('Enter')
  const faults: string[] = []
  await judge(page, faults, 'review')
  expect(faults).toEqual([])
  await dialog(page).getByRole('button', { name: 'Save changes' }).press('Enter')
  await expect(dialog(page).getByText('1 row saved')).toBeVisible()
  await expect(dialog(page).getByText('Expires must not be before Purchased.')).toHaveCount(2)
  expect(await stored(a.id)).toEqual([{ seats: 7, expires_on: null }])
  for (const { id } of [b, c]) expect(await stored(id)).toEqual([{ seats: 1, expires_on: null }])
  for (const name of ['B', 'C'])
    await dialog(page)
      .getByRole('button', { name: `Undo: Expires of ${word} ${name}` })
      .press('Enter')
  await expect(dialog(page).getByText('No changes left.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()

  await visit(page, `/software-licenses/${a.id}?tab=activity`)
  const latest = page.getByRole('tabpanel').getByRole('listitem').first()
  await expect(latest).toContainText('Seats')
})

test('a dialog over the list does not let go of the changes under it', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const name = unique('Kept')
  await admin.create('groups', { name })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/groups?q=${encodeURIComponent(name)}` })
  await (await listTool(page, 'Edit cells')).click()
  await gridRow(page, name).locator('[data-cell="name"]').press('Enter')
  await page.getByRole('textbox', { name: `Name: ${name}` }).fill(`${name} x`)
  await page.keyboard.press('Enter')
  await expect(bar(page, 'Cell changes').getByText('1 change in 1 row')).toBeVisible()
  await (await listTool(page, 'Export')).click()
  await expect(page.getByRole('dialog', { name: 'Export groups' })).toBeVisible()
  await page
    .locator('nav a[href="/devices"]')
    .first()
    .evaluate((link: HTMLElement) => link.click())
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(question).toBeHidden()
  await expect(bar(page, 'Cell changes').getByText('1 change in 1 row')).toBeVisible()
})

test('a role that may not edit has no entry for it, and its key does nothing', async ({ page, signIn }) => {
  await signIn(ACCOUNTS.teknik, { language: 'en', at: '/software-licenses' })
  await expect(listRows(page).first()).toBeVisible()
  await expect(await listTool(page, 'Edit cells')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  await expect(page.getByRole('grid')).toHaveCount(0)
})

fresh.describe('on a phone', () => {
  fresh.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

  fresh(
    'hücreler dokunarak düzenlenir; kuyruk süzmeden sonra da durur, ayrılırken sorulur',
    async ({ page, signIn, api }) => {
      const admin = await api(ACCOUNTS.admin)
      const word = unique('Konu').replace(' ', '')
      const category = await admin.create('ticket_categories', { name: word })
      const made = await Promise.all(
        ['Elma', 'Armut'].map((name) =>
          admin.create('ticket_issues', { name: `${word} ${name}`, category_id: category.id }),
        ),
      )
      await signIn(ACCOUNTS.admin, { language: 'tr', at: `/issues?q=${word}` })
      await expect(listRows(page)).toHaveCount(2)
      const tools = page.getByRole('button', { name: /^Liste araçları:/ })
      await tools.tap()
      await page.getByRole('menuitem', { name: 'Hücreleri düzenle' }).tap()
      await gridRow(page, `${word} Elma`).locator('[data-cell="name"]').tap()
      await page.getByRole('textbox', { name: `Ad: ${word} Elma` }).fill(`${word} Işık`)
      await page.keyboard.press('Enter')
      await gridRow(page, `${word} Armut`).locator('[data-cell="priority"]').tap()
      await page.locator('.ant-select-item-option').filter({ hasText: 'Acil' }).tap()
      // A related record's name leads nowhere while cells are edited: pressed, it shows its choices.
      await gridRow(page, `${word} Armut`).locator('[data-cell="category_id"]').tap()
      await expect(page.locator('.ant-select-item-option').filter({ hasText: word })).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.locator('[data-cell="category_id"]:focus')).toContainText(word)
      const changes = bar(page, 'Hücre değişiklikleri')
      await expect(changes.getByText('2 satırda 2 değişiklik')).toBeVisible()
      const faults: string[] = []
      await judge(page, faults, 'grid')
      expect(faults).toEqual([])

      // The list need not show the column that is edited.
      await page.getByRole('searchbox').fill(`${word} Armut`)
      await expect(listRows(page)).toHaveCount(1)
      await expect(changes.getByText('2 satırda 2 değişiklik')).toBeVisible()
      await page.getByRole('button', { name: /^Yeni / }).tap()
      await dialog(page).getByRole('button', { name: 'Kal', exact: true }).tap()
      await changes.getByRole('button', { name: 'Değişiklikleri kaydet' }).tap()
      await expectToast(page, '2 satır kaydedildi')
      expect(
        await admin.read(
          `ticket_issues?id=in.(${made.map(({ id }) => id).join(',')})&select=name,priority&order=name`,
        ),
      ).toEqual([
        { name: `${word} Armut`, priority: 'urgent' },
        { name: `${word} Işık`, priority: 'normal' },
      ])
      // The choice of a category shows the first few: rows left by an earlier run would fill it.
      await admin.request('DELETE', `ticket_issues?id=in.(${made.map(({ id }) => id).join(',')})`)
      await admin.request('DELETE', `ticket_categories?id=eq.${category.id}`)
    },
  )
})
