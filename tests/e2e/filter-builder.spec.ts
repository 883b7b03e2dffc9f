import type { Locator, Page } from '@playwright/test'
import { judge } from './support/judge'
import { ACCOUNTS, expect, listRows, listTool, test, unique, visit } from './support/one-page'

const main = (page: Page) => page.getByRole('main')
const chip = (page: Page, name: RegExp) => main(page).getByRole('button', { name })
const address = (path: string, where: unknown) => `${path}?where=${encodeURIComponent(JSON.stringify(where))}`

/** Not by letters: the browser takes two that come a second apart for two words. */
async function pick(select: Locator, word: string): Promise<void> {
  await select.focus()
  await select.selectOption({ label: word })
  await expect(select.locator('option:checked')).toHaveText(word)
}

/** However many rows other tests have left, and on however many pages. */
const expectTotal = (page: Page, count: number) =>
  expect(main(page).getByText(new RegExp(`(of|/) ${count}$`))).toBeVisible()

test('a nested filter is built by keyboard, counted, kept in the link and in a view, and exported', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10)
  const all = await admin.read(`software_licenses?company_id=eq.${admin.companyId}`)
  const wanted = all.filter(
    ({ type, seats, name, expires_on: expires, publisher }) =>
      type === 'device' &&
      (Number(seats) > 20 ||
        /adobe/i.test(String(name)) ||
        (expires !== null &&
          String(expires) >= day(0) &&
          String(expires) <= day(200) &&
          /o/i.test(String(publisher ?? '')))),
  )
  expect(wanted.length).toBeGreaterThan(2)
  expect(wanted.length).toBeLessThan(all.length)

  await signIn(ACCOUNTS.admin, { language: 'en', at: '/software-licenses' })
  await main(page).getByRole('button', { name: 'Filters' }).press('Enter')
  await main(page).getByRole('button', { name: 'Advanced filter…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Advanced filter for software licenses' })
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).press('Enter')
  const part = (what: 'Field' | 'Comparison', place: string) =>
    dialog.getByRole('combobox', { name: `${what} of condition ${place}`, exact: true })
  const value = (place: string) => dialog.getByLabel(`Value of condition ${place}`, { exact: true })

  await pick(part('Field', '1'), 'Counted by')
  await press('Apply')
  await expect(dialog.getByText('Enter a value, or remove the condition.')).toBeVisible()
  await expect(value('1')).toBeFocused()
  await page.keyboard.type('Device')
  await expect(page.locator('.ant-select-item-option-active')).toHaveText('Device')
  await page.keyboard.press('Enter')
  await press('Add group')
  await expect(part('Field', '2.1')).toBeFocused()
  await pick(part('Field', '2.1'), 'Seats')
  await pick(part('Comparison', '2.1'), 'is more than')
  await value('2.1').fill('20')
  await press('Add a condition to group 2')
  await value('2.2').fill('Adobe')
  await press('Add a group to group 2')
  await pick(part('Field', '2.3.1'), 'Expires')
  await pick(part('Comparison', '2.3.1'), 'in the next … days')
  await value('2.3.1').fill('200')
  await press('Add a condition to group 2.3')
  await pick(part('Field', '2.3.2'), 'Publisher')
  await value('2.3.2').fill('o')
  const joins = dialog.getByRole('radiogroup', { name: 'Match in group 2.3' })
  await joins.getByRole('radio', { name: 'Any of' }).press('ArrowLeft')
  await expect(joins.getByRole('radio', { name: 'All of' })).toBeChecked()
  const count = dialog.getByText(`${wanted.length} rows match`, { exact: true })
  await expect(count).toBeVisible()

  await dialog.getByRole('button', { name: /^Move Condition 1:/ }).press('ArrowDown')
  await expect(dialog.getByRole('button', { name: /^Move Condition 1.1:/ })).toBeFocused()
  await expect(count).toHaveCount(0)
  await page.keyboard.press('ArrowUp')
  await expect(dialog.getByRole('button', { name: /^Move Condition 1:/ })).toBeFocused()
  await press('Duplicate Group 2')
  await press('Remove Group 3')
  await expect(count).toBeVisible()
  const faults: string[] = []
  await judge(page, faults, 'builder')
  expect(faults).toEqual([])
  await press('Apply')

  const sentence =
    'Advanced filter: Counted by is Device and (Seats is more than 20 or Product contains “Adobe” or (Expires in the next 200 days and Publisher contains “o”))'
  const own = main(page).getByRole('button', { name: sentence })
  await expect(own).toBeVisible()
  await expect(listRows(page)).toHaveCount(wanted.length)
  // No quick view is cut off by what a filter adds to the toolbar.
  await expect(main(page).locator('.k-views-strip')).toHaveAttribute('data-edge', 'none')
  await page.reload()
  await expect(own).toBeVisible()
  await expect(listRows(page)).toHaveCount(wanted.length)
  await (await listTool(page, 'Export')).click()
  await expect(
    page.getByRole('dialog').getByText(`All ${wanted.length} rows, with the current search`),
  ).toBeVisible()
  // The button closes it: Escape is listened to a moment after the dialog is seen.
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  const name = unique('Nested')
  await main(page).getByRole('button', { name: 'Save view…' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name)
  await page.keyboard.press('Enter')
  const tab = main(page).getByRole('button', { name, exact: true })
  await expect(tab).toHaveAttribute('aria-pressed', 'true')
  await visit(page, '/software-licenses')
  await expectTotal(page, all.length)
  await tab.click()
  await expect(listRows(page)).toHaveCount(wanted.length)
  await expect(main(page).getByRole('button', { name: 'Save view…' })).toHaveCount(0)
  await main(page).getByRole('button', { name: 'Remove the advanced filter' }).click()
  await expectTotal(page, all.length)
  await expect(main(page).getByRole('button', { name: 'Save view…' })).toBeVisible()
  await admin.request('DELETE', `saved_views?name=eq.${encodeURIComponent(name)}`)
})

test('an invalid filter in the address is reported; in Turkish, on a phone', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const [issue] = await admin.read('ticket_issues?select=category_id,ticket_categories(name)&limit=1')
  const category = String((issue?.ticket_categories as { name?: unknown } | undefined)?.name)
  const all = (await admin.read(`ticket_issues?company_id=eq.${admin.companyId}&select=id`)).length
  const asked: string[] = []
  page.on('request', (request) => asked.push(decodeURIComponent(request.url())))
  await page.setViewportSize({ width: 390, height: 844 })
  const broken = { _or: [{ description: { _contains: 'x' } }, { secret_column: { _eq: 1 } }] }
  await signIn(ACCOUNTS.admin, { language: 'tr', at: address('/issues', broken) })
  await expect(main(page).getByText('Adresteki filtre bu liste için geçerli değil')).toBeVisible()
  await expectTotal(page, all)
  expect(asked.filter((url) => url.includes('/rest/') && url.includes('secret_column'))).toEqual([])
  await main(page).getByRole('button', { name: 'Adresten kaldır' }).click()
  await expect(page).toHaveURL(/\/issues$/)

  const where = {
    _and: [
      { priority: { _in: ['high', 'urgent', 'normal', 'low'] } },
      { _or: [{ category_id: { _eq: issue?.category_id } }, { name: { _contains: 'ğ' } }] },
    ],
  }
  await visit(page, address('/issues', where))
  const own = chip(
    page,
    new RegExp(`^Gelişmiş filtre: .*: Yüksek, Acil.* ve \\(.*: ${category} veya .* “ğ” içeriyor\\)$`),
  )
  await expect(own).toBeVisible()
  await own.click()
  const dialog = page.getByRole('dialog', { name: /^Gelişmiş filtre/ })
  await expect(dialog.getByText(/^\d+ satır uyuyor$/)).toBeVisible()
  await expect(dialog.getByText(category)).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  const faults: string[] = []
  await judge(page, faults, 'oluşturucu')
  expect(faults).toEqual([])
  await dialog.getByRole('button', { name: 'Temizle' }).click()
  await expect(dialog.getByText(`${all} satır uyuyor`)).toBeVisible()
  await dialog.getByRole('button', { name: 'Uygula' }).click()
  await expect(own).toHaveCount(0)
  await expectTotal(page, all)
})
