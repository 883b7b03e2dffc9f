import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { test } from './support/added'
import { type Api, apiOf } from './support/api'
import { originalFingerprint } from './support/copy'
import { editPrinters, newPrinters } from './support/printers'
import { openOther } from './support/subjects'
import { ACCOUNTS, expect, expectToast, listRows, PASSWORD, visit } from './support/test'

// An administrator adds this resource from nothing, by the commands and a text editor, beside a running console: no file
// of src/ is touched, nothing is built and nothing restarts.

const main = (page: Page) => page.getByRole('main')
const entry = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true })
const box = (page: Page, name: RegExp) => main(page).getByRole('textbox', { name })
const column = (page: Page, name: RegExp) => main(page).getByRole('columnheader', { name })
async function chooseDay(page: Page, name: RegExp, day: string): Promise<void> {
  await box(page, name).fill(day)
  await page.keyboard.press('Tab')
}
const press = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true }).click()
const serials = (page: Page) => listRows(page).locator('th[scope="row"] a').allInnerTexts()

/** Vite sends the browser each module by itself: a page costs several times as much. `db/dev.test.ts` has what is its own. */
const HOMES = process.env.THOROUGH === '1' ? (['plain', 'dev'] as const) : (['plain'] as const)

for (const home of HOMES)
  test.describe(home, () => {
    test.use({ home })
    test('a resource added without touching src/ is a whole one, and open pages follow each change of it', async ({
      page,
      signIn,
      open,
      browser,
    }) => {
      test.setTimeout(240_000)
      const { copy, url } = await open(home)
      expect(copy.fingerprint('src')).toBe(originalFingerprint('src'))
      const file = join(copy.root, 'resources/printers.json')
      const admin = await apiOf(url, ACCOUNTS.admin, PASSWORD)
      await signIn(ACCOUNTS.admin, { language: 'en', at: '/settings' })
      const second = await openOther(browser, url, ACCOUNTS.teknik, { language: 'en', at: '/groups' })
      await expect(main(second)).toBeVisible()

      await test.step('it comes into every menu, and other browsers hear of its records', async () => {
        await newPrinters(copy)
        await entry(second, 'Printers').click()
        await expect(second).toHaveURL(/\/printers$/)
        await expect(main(second).getByText('No printers yet')).toBeVisible()
        await admin.create('printers', { serial: 'CAM-03', status: 'active' })
        await press(second, '1 change')
        await expect(main(second).getByText('CAM-03')).toBeVisible()
        await entry(page, 'Printers').click()
        await main(page).getByRole('button', { name: 'New printer' }).first().click()
        await expect(page).toHaveURL(/\/create-printer$/)
      })

      await test.step('a field before its migration: the list goes on, and takes the field with its column', async () => {
        editPrinters(copy)
        const definition = JSON.parse(readFileSync(file, 'utf8'))
        definition.fields.paint = { type: 'text' }
        definition.list.columns.push('paint')
        writeFileSync(file, JSON.stringify(definition, null, 2))
        await expect(main(second).getByText('the table `printers` has no column `paint` yet')).toBeVisible()
        await expect(main(second).getByText('CAM-03')).toBeVisible()
        await copy.run('resource', 'migrate', 'printers')
        await expect(column(second, /^Paint/)).toBeVisible()
        await expect(main(second).getByText('CAM-03')).toBeVisible()
      })

      await test.step('a changed definition: a list shows it, a form with input waits for its user', async () => {
        await visit(page, '/groups')
        await visit(page, '/create-printer')
        await press(page, 'Create')
        await expect(main(page).getByText('Required: Serial.').first()).toBeVisible()
        await box(page, /Serial$/).fill('IŞIK-01')
        await box(page, /Model$/).fill('Lazer')
        const definition = JSON.parse(readFileSync(file, 'utf8'))
        definition.fields.model.label = { en: 'Model name', tr: 'Model adı' }
        writeFileSync(file, JSON.stringify(definition, null, 2))
        await expect(column(second, /^Model name/)).toBeVisible()
        await expect(main(page).getByText('This page has a new version')).toBeVisible()
        await expect(box(page, /Serial$/)).toHaveValue('IŞIK-01')

        // A mistake: the last correct version stays, with what is wrong.
        writeFileSync(file, JSON.stringify({ ...definition, paint: 'red' }, null, 2))
        await expect(main(second).getByText('unknown key `paint` in the definition')).toBeVisible()
        await expect(column(second, /^Model name/)).toBeVisible()
        writeFileSync(file, JSON.stringify(definition, null, 2))
        await expect(main(second).getByText('unknown key `paint` in the definition')).toHaveCount(0)
      })

      let id = ''
      await test.step('a new record has its dates checked against each other, in the database too', async () => {
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
        await expect(main(page).getByText('Model name')).toBeVisible()
        await expect(main(page).getByText('This page has a new version')).toHaveCount(0)
        id = page.url().split('/').at(-1) ?? ''
        const early = { serial: 'SN-EARLY', bought_on: '2026-05-10', warranty: '2026-01-10' }
        expect(
          (await admin.request('POST', 'printers', { ...early, company_id: admin.companyId })).status,
        ).toBe(400)
      })

      await test.step('edited while somebody else does: the second is told and loses nothing', async () => {
        await press(page, 'Edit')
        await box(page, /Model name$/).fill('Renkli lazer')
        const changed = await admin.request('PATCH', `printers?id=eq.${id}`, { bought_on: '2026-05-11' })
        expect(changed.status).toBe(200)
        // A live message brings it: a press of Save would open the comparison over the notice, sooner or later than that.
        await expect(page.getByText('Somebody else changed this record')).toBeVisible()
        await expect(box(page, /Model name$/)).toHaveValue('Renkli lazer')
        await page.getByRole('button', { name: 'Keep mine' }).click()
        await press(page, 'Save')
        await expectToast(page, 'IŞIK-01 was saved')
        expect(await admin.read(`printers?id=eq.${id}&select=model,bought_on`)).toEqual([
          { model: 'Renkli lazer', bought_on: '2026-05-11' },
        ])
      })

      await test.step('sorted, filtered, searched', async () => {
        for (const serial of ['ÇAM-02', 'ZİL-04'])
          await admin.create('printers', { serial, status: 'repair' })
        await visit(page, '/printers')
        await expect.poll(() => serials(page)).toEqual(['CAM-03', 'ÇAM-02', 'IŞIK-01', 'ZİL-04'])
        await column(page, /^Serial/)
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
      })

      await test.step('as a board, where a key moves a card, and as a calendar', async () => {
        await visit(page, '/printers?as=board')
        const columnOf = (name: RegExp) => main(page).getByRole('region', { name })
        await expect(columnOf(/^Repair, 2 records$/).getByText('2 of 1')).toBeVisible()
        const card = main(page).getByRole('article', { name: 'ZİL-04' })
        await card.focus()
        await page.keyboard.press('Shift+ArrowLeft')
        await expect(columnOf(/^Active, 3 records$/).getByRole('article', { name: 'ZİL-04' })).toBeVisible()
        await expect
          .poll(() => admin.read('printers?serial=eq.ZİL-04&select=status'))
          .toEqual([{ status: 'active' }])
        await visit(page, '/printers?as=calendar&in=2028-02')
        // It lasts from 2026 until 2029.
        await expect(main(page).getByRole('cell').filter({ hasText: 'IŞIK-01' })).toHaveCount(35)
        await visit(page, '/printers?q=ışık')
        await expect.poll(() => serials(page)).toEqual(['IŞIK-01'])
      })

      await test.step('its action asks for what it needs, and is no more offered after it', async () => {
        await main(page).getByRole('button', { name: 'Actions for IŞIK-01' }).click()
        await page.getByRole('menuitem', { name: 'Retire' }).click()
        const dialog = page.getByRole('dialog').filter({ hasText: 'Retire: IŞIK-01' })
        await dialog.getByRole('button', { name: 'Retire' }).click()
        await expect(dialog.getByText('Required: Reason.')).toBeVisible()
        await dialog.getByRole('textbox').fill('the drum is worn')
        await dialog.getByRole('button', { name: 'Retire' }).click()
        await expectToast(page, 'Retire: done for 1 printer')
        await expect
          .poll(() => admin.read(`printers?id=eq.${id}&select=status,reason`))
          .toEqual([{ status: 'retired', reason: 'the drum is worn' }])
      })

      await test.step('a permission that is taken away, and a changed text', async () => {
        const lines = join(copy.root, 'policies/teknik.csv')
        const kept = readFileSync(lines, 'utf8')
          .split('\n')
          .filter((line) => !line.includes('printers'))
        writeFileSync(lines, kept.join('\n'))
        const texts = join(copy.root, 'locales/en/resources/monitors.json')
        const words = JSON.parse(readFileSync(texts, 'utf8'))
        words.many = 'Watchers'
        writeFileSync(texts, JSON.stringify(words, null, 2))
        await copy.run('policies')
        await expect(main(second).getByText('printers, list')).toBeVisible()
        await expect(entry(second, 'Printers')).toHaveCount(0)
        await expect(entry(second, 'Watchers')).toBeVisible()
        await second.context().close()
      })

      const speak = async (button: string, language: string) => {
        await page.getByRole('banner').getByRole('button', { name: button }).click()
        await page.getByRole('menuitem', { name: language }).click()
      }
      await test.step('in Turkish', async () => {
        await speak('Language', 'Türkçe')
        await visit(page, '/printers?view=in_repair')
        await expect(page.getByRole('banner').getByRole('heading', { level: 1 })).toHaveText('Yazıcılar')
        await expect(main(page).getByText('Tamirde').first()).toBeVisible()
        await expect(column(page, /^Seri numarası/)).toBeVisible()
      })

      await test.step('a record is deleted', async () => {
        await visit(page, `/printers/${id}`)
        await main(page).getByRole('button', { name: 'Diğer işlemler', exact: true }).click()
        await page.getByRole('menuitem', { name: 'Sil' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Sil' }).click()
        await expect(page).toHaveURL(/\/printers(\?|$)/)
        expect(await admin.read(`printers?id=eq.${id}&select=id`)).toEqual([])
      })

      await test.step('it comes back from the trash, and is deleted forever', async () => {
        await page.getByRole('button', { name: 'Geri al', exact: true }).click()
        await expect.poll(() => admin.read(`printers?id=eq.${id}&select=id`)).toEqual([{ id }])
        await admin.request('DELETE', `printers?id=eq.${id}`)
        await visit(page, '/printers?trash=1')
        await main(page)
          .getByRole('button', { name: /^Kalıcı olarak sil:/ })
          .click()
        await page.locator('.ant-popconfirm').getByRole('button', { name: 'Kalıcı olarak sil' }).click()
        await expect(main(page).getByText('Çöp kutusu boş')).toBeVisible()
        await visit(page, '/printers')
      })

      await test.step('its rows are the company’s alone', () => keptFromOthers(url, admin))

      await test.step('removed: its open page says so', async () => {
        await speak('Dil', 'English')
        await expect(entry(page, 'Printers')).toBeVisible()
        rmSync(file)
        await expect(main(page).getByText('Printers was removed')).toBeVisible()
        await expect(entry(page, 'Printers')).toHaveCount(0)
      })

      expect(copy.fingerprint('src')).toBe(originalFingerprint('src'))
      expect(copy.log()).not.toContain('Building the console')
    })
  })

/** Not a Standard user's, and not another company's. */
async function keptFromOthers(url: string, admin: Api): Promise<void> {
  const [left] = await admin.read('printers?select=id,serial&order=serial&limit=1')
  const standard = await apiOf(url, ACCOUNTS.standard, PASSWORD)
  expect((await standard.request('GET', 'printers?select=id')).body).toEqual([])
  expect((await standard.request('PATCH', `printers?id=eq.${left?.id}`, { model: 'x' })).status).toBe(403)
  const globex = await apiOf(url, ACCOUNTS.globex, PASSWORD)
  expect(await globex.read('printers?select=id')).toEqual([])
  const foreign = { serial: 'SN-FOREIGN', company_id: admin.companyId }
  expect((await globex.request('POST', 'printers', foreign)).status).toBe(403)
  expect((await globex.request('PATCH', `printers?id=eq.${left?.id}`, { model: 'x' })).body).toEqual([])
  expect(await admin.read(`printers?id=eq.${left?.id}&select=model`)).toEqual([{ model: null }])
}
