import type { Page } from '@playwright/test'
import { test } from './support/added'
import { apiOf } from './support/api'
import { originalFingerprint } from './support/copy'
import { ACCOUNTS, expect, expectToast, listRows, PASSWORD, visit } from './support/test'

// What an administrator adds from nothing, by the commands and a text editor alone: no file of src/ is touched.

const main = (page: Page) => page.getByRole('main')
const box = (page: Page, name: RegExp) => main(page).getByRole('textbox', { name })
async function chooseDay(page: Page, name: RegExp, day: string): Promise<void> {
  await box(page, name).fill(day)
  await page.keyboard.press('Tab')
}
const press = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true }).click()
const serials = (page: Page) => listRows(page).locator('th[scope="row"] a').allInnerTexts()

test('a resource added without touching src/ is a whole one', async ({ page, signIn, added }) => {
  test.setTimeout(120_000)
  expect(added.copy.fingerprint('src')).toBe(originalFingerprint('src'))
  // Nor is anything built for it.
  expect(added.copy.log()).not.toContain('Building the console')
  const admin = await apiOf(added.url, ACCOUNTS.admin, PASSWORD)

  await admin.request('DELETE', 'printers?id=not.is.null')

  // The resource is in the sidebar, its list is empty, and a new record has its dates checked against each
  // other.
  await signIn(ACCOUNTS.admin, { language: 'en' })
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Printers' }).click()
  await main(page).getByRole('button', { name: 'New printer' }).first().click()
  await expect(page).toHaveURL(/\/create-printer$/)
  await press(page, 'Create')
  await expect(main(page).getByText('Serial is required.').first()).toBeVisible()
  await box(page, /Serial$/).fill('IŞIK-01')
  await box(page, /Model$/).fill('Lazer')
  await chooseDay(page, /Bought on$/, '2026-05-10')
  await chooseDay(page, /Warranty$/, '2026-01-10')
  await press(page, 'Create')
  await expect(
    main(page)
      .getByText(/must not be before|Must not be less/i)
      .first(),
  ).toBeVisible()
  await chooseDay(page, /Warranty$/, '2029-05-10')
  await press(page, 'Create')
  await expect(page).toHaveURL(/\/printers\/[0-9a-f-]{36}$/)
  const id = page.url().split('/').at(-1) ?? ''

  // The same check in the database.
  const early = {
    serial: 'SN-EARLY',
    bought_on: '2026-05-10',
    warranty: '2026-01-10',
    company_id: admin.companyId,
  }
  expect((await admin.request('POST', 'printers', early)).status).toBe(400)

  // Edited, while somebody else does: the second is told and loses nothing.
  await press(page, 'Edit')
  await box(page, /Model$/).fill('Renkli lazer')
  const changed = await admin.request('PATCH', `printers?id=eq.${id}`, { bought_on: '2026-05-11' })
  expect(changed.status).toBe(200)
  // By a live message: a press of Save would open the comparison over the notice, sooner or later than that.
  await expect(page.getByText('Somebody else changed this record')).toBeVisible()
  await expect(box(page, /Model$/)).toHaveValue('Renkli lazer')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await press(page, 'Save')
  await expectToast(page, 'IŞIK-01 was saved')
  expect(await admin.read(`printers?id=eq.${id}&select=model,bought_on`)).toEqual([
    { model: 'Renkli lazer', bought_on: '2026-05-11' },
  ])

  // Sorted, filtered, searched.
  for (const [serial, status] of [
    ['ÇAM-02', 'repair'],
    ['CAM-03', 'active'],
    ['ZİL-04', 'repair'],
  ] as const)
    await admin.create('printers', { serial, status })
  await visit(page, '/printers')
  await expect.poll(() => serials(page)).toEqual(['CAM-03', 'ÇAM-02', 'IŞIK-01', 'ZİL-04'])
  await page
    .getByRole('columnheader', { name: /^Serial/ })
    .getByRole('button')
    .first()
    .click()
  await expect.poll(() => serials(page)).toEqual(['ZİL-04', 'IŞIK-01', 'ÇAM-02', 'CAM-03'])
  await visit(page, '/printers?status=repair')
  await expect.poll(() => serials(page)).toEqual(['ÇAM-02', 'ZİL-04'])
  await visit(page, '/printers')
  await expect(listRows(page)).toHaveCount(4)
  await main(page).getByRole('searchbox').fill('ışık')
  await expect.poll(() => serials(page)).toEqual(['IŞIK-01'])

  // The action asks for what it needs, and is no more offered after it.
  await main(page).getByRole('button', { name: 'Actions for IŞIK-01' }).click()
  await page.getByRole('menuitem', { name: 'Retire' }).click()
  const dialog = page.getByRole('dialog').filter({ hasText: 'Retire: IŞIK-01' })
  await dialog.getByRole('button', { name: 'Retire' }).click()
  await expect(dialog.getByText('Reason is required.')).toBeVisible()
  await dialog.getByRole('textbox').fill('the drum is worn')
  await dialog.getByRole('button', { name: 'Retire' }).click()
  await expectToast(page, 'Retire: done for 1 printer')
  await expect
    .poll(() => admin.read(`printers?id=eq.${id}&select=status,reason`))
    .toEqual([{ status: 'retired', reason: 'the drum is worn' }])

  // A further one shows without a restart.
  await added.copy.run('resource', 'new', 'vehicles', 'plate:text!', '--label', 'Vehicle/Vehicles')
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Vehicles' }).click()
  await main(page).getByRole('button', { name: 'New vehicle' }).first().click()
  await box(page, /Plate$/).fill('34 AB 123')
  await press(page, 'Create')
  await expect(page).toHaveURL(/\/vehicles\/[0-9a-f-]{36}$/)
  expect(added.copy.fingerprint('src')).toBe(originalFingerprint('src'))

  // In Turkish, and gone.
  await page.getByRole('banner').getByRole('button', { name: 'Language' }).click()
  await page.getByRole('menuitem', { name: 'Türkçe' }).click()
  await visit(page, '/printers?view=in_repair')
  await expect(page.getByRole('banner').getByRole('heading', { level: 1 })).toHaveText('Yazıcılar')
  await expect(main(page).getByText('Tamirde').first()).toBeVisible()
  await expect(page.getByRole('columnheader', { name: /^Seri numarası/ })).toBeVisible()
  await visit(page, `/printers/${id}`)
  await main(page).getByRole('button', { name: 'Diğer işlemler', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sil' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sil' }).click()
  await expect(page).toHaveURL(/\/printers(\?|$)/)
  expect(await admin.read(`printers?id=eq.${id}&select=id`)).toEqual([])

  // Nobody's but the company's: not a Standard user's, not another company's.
  const [left] = await admin.read('printers?select=id,serial&order=serial&limit=1')
  const standard = await apiOf(added.url, ACCOUNTS.standard, PASSWORD)
  expect((await standard.request('GET', 'printers?select=id')).body).toEqual([])
  expect((await standard.request('PATCH', `printers?id=eq.${left?.id}`, { model: 'x' })).status).toBe(403)
  const globex = await apiOf(added.url, ACCOUNTS.globex, PASSWORD)
  expect(await globex.read('printers?select=id')).toEqual([])
  const foreign = { serial: 'SN-FOREIGN', company_id: admin.companyId }
  expect((await globex.request('POST', 'printers', foreign)).status).toBe(403)
  expect((await globex.request('PATCH', `printers?id=eq.${left?.id}`, { model: 'x' })).body).toEqual([])
  expect(await admin.read(`printers?id=eq.${left?.id}&select=model`)).toEqual([{ model: null }])
})
