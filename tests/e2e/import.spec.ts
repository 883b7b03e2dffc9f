import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { judge } from './support/judge'
import { ACCOUNTS, expect, listRows, listTool, test, unique, visit } from './support/one-page'
import { test as fresh } from './support/test'

const dialog = (page: Page) => page.getByRole('dialog')
const press = (page: Page, name: string | RegExp) =>
  dialog(page).getByRole('button', { name, exact: true }).click()
const mistakes = (page: Page) => dialog(page).getByRole('region', { name: 'Errors' }).locator('tbody tr')

/** As Windows writes it in Turkey; what is not here is the same in Latin-1. */
const TURKISH: Record<string, number> = { ğ: 0xf0, ş: 0xfe, ı: 0xfd, İ: 0xdd, Ş: 0xde, Ğ: 0xd0 }
const windows1254 = (text: string) =>
  Buffer.from(Array.from(text, (letter) => TURKISH[letter] ?? letter.charCodeAt(0)))

function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  return dialog(page)
    .getByLabel(/^(Choose a file, or drop it here|Dosya seçin ya da buraya bırakın)$/)
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
}

async function expectAccessible(page: Page): Promise<void> {
  const faults: string[] = []
  await judge(page, faults, 'import')
  expect(faults).toEqual([])
}

test('issue types come from a Turkish CSV: columns, mistakes by line, a corrected file, the rows', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('konu').replace(' ', '')
  await admin.create('ticket_categories', {
    company_id: admin.companyId,
    name: `Ağ ${word}`,
    color: '#4d6a99',
    position: 7100,
  })
  const header = 'Ad;Kategori;Öncelik;Fazladan\r\n'
  const good = `ığüşöçİ ${word};Ağ ${word};Yüksek;x\r\n`
  const name = (text: string) => `${text} ${word}`
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/issues?q=${word}` })
  await (await listTool(page, 'Import')).click()
  const wrong = `${header}${good}"=1+1\r\n ${word}";Ağ ${word};Çok;\r\n;Olmayan;low;\r\n${name('Yok')};Olmayan;Normal;\r\n${name('Yok')};Ağ ${word};Normal;\r\n`
  await choose(page, 'konular.csv', windows1254(wrong))
  await expect(dialog(page).getByText('Chosen: konular.csv · 5 rows, 4 columns')).toBeVisible()
  await expect(dialog(page).getByText('Windows-1254 (Turkish)')).toBeVisible()
  await expect(dialog(page).getByRole('cell', { name: `ığüşöçİ ${word}` })).toBeVisible()
  await press(page, 'Next')
  await expect(dialog(page).getByText('1 column is skipped: Fazladan.')).toBeVisible()
  await expectAccessible(page)
  await press(page, 'Check')

  await expect(mistakes(page)).toHaveCount(5)
  const texts = (await mistakes(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  // A cell with a break takes two lines of the file: what follows is still told by its own.
  expect(texts[0]).toContain('3 Priority Çok Write one of: Low, Normal, High, Urgent.')
  expect(texts[1]).toMatch(/^5 Name {1,2}Required: Name\.$/)
  expect(texts[2]).toBe(
    '5 Category Olmayan There is no category with this name. Create it first, or correct the name.',
  )
  expect(texts[3]).toBe(
    '6 Category Olmayan There is no category with this name. Create it first, or correct the name.',
  )
  expect(texts[4]).toBe(`7 Name ${name('Yok')} Duplicate of line 6. Keep one of them.`)
  await expect(dialog(page).getByText(/looks like a formula \(line 3\)/)).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: /^Import \d+ rows?$/ })).toBeDisabled()
  await expectAccessible(page)
  const saved = page.waitForEvent('download')
  await press(page, 'Download errors')
  expect(readFileSync(await (await saved).path(), 'utf8')).toContain(
    '6,Category,Olmayan,"There is no category',
  )

  await press(page, 'Choose another file')
  await choose(page, 'konular.csv', windows1254(`${header}${good}=1+1 ${word};Ağ ${word};low;\r\n`))
  await expect(dialog(page).getByText(/2 rows, 4 columns/)).toBeVisible()
  await press(page, 'Next')
  await press(page, 'Check')
  await expect(dialog(page).getByText('2 new', { exact: true })).toBeVisible()
  await press(page, 'Import 2 rows')
  await expect(dialog(page).getByText('2 added, 0 changed, 0 unchanged.')).toBeVisible()
  await press(page, 'Go to the list')
  await expect(dialog(page)).toHaveCount(0)
  await visit(page, `/issues?q=${word}`)
  await expect(listRows(page)).toHaveCount(2)
  await expect(listRows(page).filter({ hasText: `ığüşöçİ ${word}` })).toContainText('High')
  await expect(listRows(page).filter({ hasText: `=1+1 ${word}` })).toContainText('Low')
})

const MANY = process.env.THOROUGH === '1' ? 100_000 : 20_001

test(`a file with ${MANY} rows is offered in parts, and one that is no table is refused, without a request`, async ({
  page,
  signIn,
}) => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/rpc/import_rows')) asked.push(request.url())
  })
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/categories' })
  await (await listTool(page, 'Import')).click()
  await choose(page, 'many.csv', Buffer.from(`name\n${'x\n'.repeat(MANY)}`))
  await expect(
    dialog(page).getByText(
      `has ${MANY.toLocaleString('en')} rows; the limit is 10,000. It can be imported in ${Math.ceil(MANY / 10_000)} parts`,
    ),
  ).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Next' })).toBeDisabled()
  await dialog(page).getByRole('button', { name: 'Import in parts' }).click()
  await expect(dialog(page).getByText('1 of 3 (lines 2 to 10,001)')).toBeVisible()
  await choose(page, 'table.csv', Buffer.from('%PDF-1.7'))
  await expect(dialog(page).getByText(/^This is a PDF\./)).toBeVisible()
  expect(asked).toEqual([])
})

fresh(
  'in Turkish: an exported workbook comes back unchanged, and after a lost connection it is found out what was written',
  async ({ page, signIn, api, allowErrors }) => {
    allowErrors(/Failed to load resource/)
    const admin = await api(ACCOUNTS.admin)
    const word = unique('lisans').replace(' ', '')
    const base = { company_id: admin.companyId, type: 'user', seats: 1234, cost: 1234.5, currency: 'EUR' }
    for (const title of [`=TOPLA(1) ${word}`, `ığüşöç İI ${word}`])
      await admin.create('software_licenses', {
        ...base,
        name: title,
        publisher: '-Öz',
        expires_on: '2031-02-09',
      })
    // No message tells the list what was written: on a lost connection none would come.
    await page.routeWebSocket(/\/realtime\//, () => {})
    await signIn(ACCOUNTS.admin, { language: 'tr', at: `/software-licenses?q=${word}` })
    await expect(listRows(page)).toHaveCount(2)
    await (await listTool(page, 'Dışa aktar')).click()
    const saved = page.waitForEvent('download')
    await press(page, 'Dışa aktar')
    const file = readFileSync(await (await saved).path())
    await dialog(page).getByRole('button', { name: 'Kapat', exact: true }).last().click()

    await (await listTool(page, 'İçe aktar')).click()
    await choose(page, 'lisanslar.xlsx', file)
    await press(page, 'İleri')
    await press(page, 'Denetle')
    await expect(dialog(page).getByText('2 değişmeyecek', { exact: true })).toBeVisible()
    await expect(dialog(page).getByText(/tüm kayıtlar zaten aynı/)).toBeVisible()

    // The answer is lost, not the work.
    await page.route('**/rpc/import_rows', async (route) => {
      if (route.request().postDataJSON().dry_run !== false) return route.continue()
      await route.fetch()
      return route.abort('connectionreset')
    })
    await press(page, 'Başka dosya seç')
    await choose(page, 'lisanslar.csv', Buffer.from(`Ürün;Lisans sayısı\r\nığüşöç İI ${word};77\r\n`))
    await expect(dialog(page).getByText(/1 satır, 2 sütun/)).toBeVisible()
    await press(page, 'İleri')
    await press(page, 'Denetle')
    await expect(dialog(page).getByText('1 değişecek', { exact: true })).toBeVisible()
    await press(page, '1 satırı içe aktar')
    await expect(dialog(page).getByText('İçe aktarma sırasında bağlantı koptu')).toBeVisible()
    await press(page, 'Yeniden denetle')
    await expect(dialog(page).getByText(/bağlantı kopmadan tamamlanmış/)).toBeVisible()
    // The page asks before it loses the rows.
    await press(page, 'Vazgeç')
    await dialog(page).getByRole('button', { name: 'Çık', exact: true }).click()
    await expect(dialog(page)).toHaveCount(0)
    await expect(listRows(page).filter({ hasText: `ığüşöç İI ${word}` })).toContainText('77')
  },
)
