import { readFileSync } from 'node:fs'
import type { Download, Page, Route } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { ACCOUNTS, expect, listRows, listTool, test, unique } from './support/one-page'

const WORDS = {
  en: { export: 'Export', cancel: 'Cancel', close: 'Close' },
  tr: { export: 'Dışa aktar', cancel: 'Vazgeç', close: 'Kapat' },
} as const
type Language = keyof typeof WORDS

const dialog = (page: Page) => page.getByRole('dialog')
const exportEntry = (page: Page, language: Language = 'en') => listTool(page, WORDS[language].export)

async function open(page: Page, format: 'CSV' | 'Excel (XLSX)', language: Language = 'en'): Promise<void> {
  await expect(listRows(page).first()).toBeVisible()
  await (await exportEntry(page, language)).click()
  await dialog(page).getByRole('radio', { name: format }).check()
}

const start = (page: Page, language: Language = 'en') =>
  dialog(page).getByRole('button', { name: WORDS[language].export, exact: true }).click()

async function save(page: Page, language: Language = 'en'): Promise<Download> {
  const saved = page.waitForEvent('download')
  await start(page, language)
  return saved
}

const bytesOf = async (download: Download): Promise<Buffer> => readFileSync(await download.path())

/** The requests of an export ask for 1,000 rows; a list never does. */
const isExport = (route: Route) => new URL(route.request().url()).searchParams.get('limit') === '1000'

/** The files that a running export keeps on the disk. */
const keptFiles = (page: Page, made: string[] = []) =>
  page.evaluate(async (names) => {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle('exports', { create: true })
    for (const name of names) await folder.getFileHandle(name, { create: true })
    const found: string[] = []
    for await (const name of (folder as unknown as { keys: () => AsyncIterable<string> }).keys())
      found.push(name)
    // During a write, the browser keeps new data in a second file.
    return found.filter((name) => !name.endsWith('.crswap'))
  }, made)

test('software licenses become a CSV as Turkish Excel reads it, formulas made harmless', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('lisans').replace(' ', '')
  const base = { company_id: admin.companyId, type: 'user', seats: 5, cost: 12.5, currency: 'EUR' }
  const made = []
  for (const name of [`=HYPERLINK("http://x","${word}")`, `ığüşöç İI ${word}`])
    made.push(await admin.create('software_licenses', { ...base, name, expires_on: '2031-02-09' }))
  await admin.create('software_licenses', { ...base, type: 'site', name: `site ${word}` })

  await signIn(ACCOUNTS.admin, { language: 'tr', at: `/software-licenses?q=${word}&type=user&sort=-name` })
  await expect(listRows(page)).toHaveCount(2)
  await open(page, 'CSV', 'tr')
  await expect(dialog(page).getByText(/sütunlarıyla 2 satırın tümü\.$/)).toBeVisible()
  const download = await save(page, 'tr')
  await expect(dialog(page).getByText('2 satır aktarıldı')).toBeVisible()
  await expect(dialog(page).getByText(download.suggestedFilename())).toBeVisible()
  expect(download.suggestedFilename()).toMatch(/\.csv$/)

  const bytes = await bytesOf(download)
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const lines = bytes.toString('utf8').slice(1).split('\r\n')
  const titles = lines[0]?.split(';') ?? []
  expect(titles.length).toBeGreaterThan(6)
  expect(lines).toHaveLength(4)
  // Sorted backwards: the letter before the sign.
  expect(lines[1]).toMatch(new RegExp(`^ığüşöç İI ${word};`))
  expect(lines[2]).toContain(`"'=HYPERLINK(""http://x"",""${word}"")"`)
  expect(lines[1]).toContain(';12,5;Avro (EUR);09.02.2031')
  // The type by its word.
  expect(lines[1]).toContain(';Kullanıcı;')
  await dialog(page).getByRole('button', { name: 'Kapat', exact: true }).last().click()
  await expect(dialog(page)).toHaveCount(0)
})

test('a list from a function is exported as the function returns it', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const [license] = await admin.read(
    `software_licenses?company_id=eq.${admin.companyId}&type=eq.device&detected=gt.0&order=detected&limit=1&select=id,detected`,
  )
  const all = (await admin.read(`devices?company_id=eq.${admin.companyId}&select=id`)).length
  const count = Number(license?.detected)
  expect(count).toBeLessThan(all)
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/software-licenses/${license?.id}?tab=use` })
  await open(page, 'CSV')
  const lines = (await bytesOf(await save(page))).toString('utf8').trimEnd().split('\r\n')
  expect(lines).toHaveLength(count + 1)
  await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click()
})

test('ticket categories become a workbook', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('kategori').replace(' ', '')
  for (const [index, name] of [`Çağrı ${word}`, `+Ek ${word}`].entries())
    await admin.create('ticket_categories', {
      company_id: admin.companyId,
      name,
      color: '#4d6a99',
      position: 7000 + index,
    })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/categories?q=${word}` })
  await open(page, 'Excel (XLSX)')
  const download = await save(page)
  await expect(dialog(page).getByText('2 rows exported')).toBeVisible()
  const parts = unzipSync(new Uint8Array(await bytesOf(download)))
  const sheet = strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
  expect(sheet).toContain('state="frozen"')
  expect(sheet).toMatch(/<autoFilter ref="A1:[A-Z]+3"\/>/)
  expect(sheet).toContain(`>Çağrı ${word}<`)
  // A text that begins like a formula is a text and bears the apostrophe; a number is a number.
  expect(sheet).toMatch(new RegExp(`s="4" t="inlineStr"><is><t xml:space="preserve">\\+Ek ${word}<`))
  expect(sheet).toMatch(/<c r="[A-Z]+2"><v>7000<\/v><\/c>/)
})

test('a backend that is away is waited for, a failure tried again, and an export cancelled', async ({
  page,
  signIn,
  allowErrors,
}) => {
  allowErrors(/Failed to load resource/)
  let mode: 'away' | 'broken' | 'silent' | 'fine' = 'away'
  await page.route('**/rest/v1/policies*', async (route) => {
    if (!isExport(route) || mode === 'fine') return route.continue()
    if (mode === 'away') return route.abort('connectionrefused')
    if (mode === 'broken')
      return route.fulfill({ status: 500, json: { code: 'XX000', message: 'Something broke' } })
  })
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/policies' })
  await open(page, 'CSV')
  await start(page)
  await expect(dialog(page).getByText(/The server cannot be reached/)).toBeVisible()
  mode = 'broken'
  await expect(dialog(page).getByText('The export stopped after 0 rows')).toBeVisible()
  mode = 'fine'
  const saved = page.waitForEvent('download')
  await dialog(page).getByRole('button', { name: 'Try again' }).click()
  expect((await saved).suggestedFilename()).toMatch(/\.csv$/)
  await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click()

  mode = 'silent'
  // A closed tab's file is gone with the next export; a file that was just saved may still be on its way.
  const saves = await keptFiles(page)
  const fresh = `${Date.now()}-fresh`
  // A saved file is removed a minute later.
  const others = async () => (await keptFiles(page)).filter((name) => !saves.includes(name))
  expect(await keptFiles(page, ['1000-left', fresh])).toContain('1000-left')
  await open(page, 'CSV')
  await expect.poll(others).toEqual([fresh])
  await start(page)
  await expect(dialog(page).getByRole('progressbar')).toBeVisible()
  await expect.poll(others).toHaveLength(2)
  await page
    .locator('nav a[href="/devices"]')
    .first()
    .evaluate((link: HTMLElement) => link.click())
  const warning = page.getByRole('dialog', { name: 'Leave while this is running?' })
  await expect(warning).toContainText('The export stops, and no file is saved.')
  await warning.getByRole('button', { name: 'Stay' }).click()
  await expect(warning).toBeHidden()
  const asked = await page.evaluate(
    () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })),
  )
  expect(asked).toBe(true)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog(page).getByText('Export canceled. No file was saved.')).toBeVisible()
  await expect.poll(others).toEqual([fresh])
  // The choice is kept.
  await expect(dialog(page).getByRole('radio', { name: 'CSV' })).toBeChecked()
})
