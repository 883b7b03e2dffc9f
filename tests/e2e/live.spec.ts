import type { Browser, Page } from '@playwright/test'
import {
  ACCOUNTS,
  expect,
  expectToast,
  listRows,
  NAMES,
  putSession,
  setLanguage,
  test,
  toast,
  unique,
  visit,
} from './support/one-page'
import { test as fresh } from './support/test'

const main = (page: Page) => page.getByRole('main')
const pill = (page: Page) => main(page).getByRole('button', { name: /^[\d.,]+\+? changes?$/ })
const nameField = (page: Page) => main(page).getByRole('textbox', { name: /Name$/ })

async function openOther(browser: Browser, baseURL: string | undefined, email: string, path: string) {
  const context = await browser.newContext({ baseURL, locale: 'en-US' })
  const page = await context.newPage()
  await setLanguage(page, 'en')
  await putSession(page, baseURL ?? '', email)
  await page.goto(path)
  return page
}

test('a list tells of what its search and filter hold, of nothing beside them', async ({
  page,
  signIn,
  api,
}, info) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Kapsam')
  const make = (name: string, type = 'user') =>
    admin.create('software_licenses', {
      company_id: admin.companyId,
      name: `${name} ${unique('k')}`,
      type,
      seats: 5,
    })
  const [first, second, hidden] = [await make(word), await make(word), await make(word, 'site')]
  const beside = await make('Dışarıda')
  const touch = (row: { id?: unknown }) =>
    admin.request('PATCH', `software_licenses?id=eq.${row.id}`, { seats: 6 })
  const at = `/software-licenses?q=${encodeURIComponent(word)}&type=user`
  await signIn(ACCOUNTS.admin, { language: 'tr', at })
  await expect(listRows(page)).toHaveCount(2)
  const asked: string[] = []
  page.on('requestfinished', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`))

  const told = main(page).getByRole('button', { name: /değişiklik$/ })
  // Outside, and hidden by the filter: the one change told after them is the one inside.
  for (const row of [beside, hidden]) await touch(row)
  await admin.request('DELETE', `software_licenses?id=eq.${beside.id}`)
  const late = await make('Dışarıda')
  // Whether the list holds them is asked at most once a second, and waited for: no part of the time it takes to tell.
  await expect.poll(() => asked.some((text) => text.includes(late.id))).toBe(true)
  const begun = Date.now()
  await touch(first)
  await expect(told).toHaveText('1 değişiklik')
  info.annotations.push({ type: 'told after', description: `${Date.now() - begun} ms` })
  // Newly matching, new, and gone.
  await admin.request('PATCH', `software_licenses?id=eq.${hidden.id}`, { type: 'user' })
  await make(word)
  await admin.request('DELETE', `software_licenses?id=eq.${second.id}`)
  await expect(told).toHaveText('4 değişiklik')
  await page.keyboard.press('.')
  await expect(listRows(page)).toHaveCount(3)
  await expect(told).toHaveCount(0)
})

test('a form that is being edited is told quietly, and both versions are merged field by field', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const teknik = await api(ACCOUNTS.teknik)
  const made = await admin.create('groups', { name: unique('Grup'), description: 'before' })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/groups/${made.id}/edit` })
  const mine = unique('benim')
  await nameField(page).fill(mine)
  const theirs = unique('onların')
  await teknik.request('PATCH', `groups?id=eq.${made.id}`, { name: theirs, description: 'theirs' })
  await expect(main(page).getByText(`Changed in the meantime by ${NAMES.teknik}.`)).toBeVisible()
  await expect(nameField(page)).toHaveValue(mine)
  await main(page).getByRole('button', { name: 'Compare…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Compare the two versions' })
  await expect(dialog.getByRole('radio', { name: 'Name: Mine' })).toBeChecked()
  await expect(dialog.getByRole('radio', { name: 'Description: Theirs' })).toBeChecked()
  await expect(dialog.getByRole('row').filter({ hasText: 'Name' })).toContainText(theirs)
  await dialog.getByRole('button', { name: 'Save selected values' }).click()
  await expectToast(page, `${mine} was saved`)
  expect(await admin.read(`groups?id=eq.${made.id}&select=name,description`)).toEqual([
    { name: mine, description: 'theirs' },
  ])

  // Both changes are in its story; the first is undone through the form, which writes when it is saved.
  await main(page).getByRole('tab', { name: 'Activity' }).click()
  const story = main(page).getByRole('tabpanel').getByRole('listitem')
  // The history that was read before the save gets one entry more, and moves down.
  await expect(story.first()).toContainText(`${NAMES.admin} changed this`)
  const entry = story.filter({ hasText: `${NAMES.teknik} changed this` })
  await entry.getByRole('button', { name: 'Restore the values before this change' }).click()
  await expect(nameField(page)).toHaveValue(String(made.name))
  await expect(main(page).getByText(/Filled in with the values from before/)).toBeVisible()
  expect(await admin.read(`groups?id=eq.${made.id}&select=name`)).toEqual([{ name: mine }])
  await page.keyboard.press('Control+s')
  await expectToast(page, `${made.name} was saved`)
  expect(await admin.read(`groups?id=eq.${made.id}&select=name,description`)).toEqual([
    { name: made.name, description: 'before' },
  ])
})

test('records follow one another as in the list they were found in, past its page, and print whole', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Sıra')
  for (let place = 1; place <= 11; place++)
    await admin.create('ticket_categories', {
      name: `${word} ${String(place).padStart(2, '0')}`,
      position: place,
    })
  const at = `/categories?q=${encodeURIComponent(word)}&pageSize=10`
  await signIn(ACCOUNTS.admin, { language: 'en', at })
  const heading = (place: string) => main(page).getByRole('heading', { name: `${word} ${place}` })
  await listRows(page)
    .getByRole('link', { name: `${word} 09` })
    .click()
  await expect(heading('09')).toBeVisible()
  const next = main(page).getByRole('button', { name: /^Next record/ })
  await expect(next).toBeEnabled()
  await page.keyboard.press(']')
  await expect(heading('10')).toBeVisible()
  await expect(next).toBeEnabled()
  await next.click()
  await expect(heading('11')).toBeVisible()
  await expect(next).toBeDisabled()
  await main(page)
    .getByRole('link', { name: /^Back to/ })
    .click()
  await expect(page).toHaveURL(/page=2/)
  await expect(listRows(page)).toHaveCount(1)
  await listRows(page).getByRole('link').first().click()
  await expect(main(page).getByRole('button', { name: /^Previous record: / })).toBeEnabled()
  await page.keyboard.press('[')
  await expect(heading('10')).toBeVisible()
  const { pathname } = new URL(page.url())
  // A record that was opened by its address belongs to no list.
  await visit(page, '/groups')
  await expect(heading('10')).toHaveCount(0)
  await visit(page, pathname)
  await expect(heading('10')).toBeVisible()
  await expect(next).toHaveCount(0)
  await main(page).getByRole('tab', { name: /Issue/ }).click()
  await page.evaluate(() => Object.assign(window, { print: () => Object.assign(window, { printed: true }) }))
  await main(page).getByRole('button', { name: 'More actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Print' }).click()
  expect(await page.evaluate(() => 'printed' in window)).toBe(true)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('navigation').first()).toBeHidden()
  await expect(main(page).getByText('Position', { exact: true }).first()).toBeVisible()
  await expect(main(page).getByRole('button', { name: 'Edit', exact: true })).toBeHidden()
})

fresh(
  'what one browser changes another is told, and shows when asked; never another company',
  async ({ page, signIn, api, browser, baseURL }, info) => {
    const admin = await api(ACCOUNTS.admin)
    const word = unique('Canlı')
    const made = await admin.create('ticket_categories', { name: `${word} 1` })
    const heard: string[] = []
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => heard.push(String(payload))))
    await signIn(ACCOUNTS.admin, { language: 'en', at: `/categories?q=${encodeURIComponent(word)}` })
    const rows = listRows(page)
    await expect(rows).toHaveCount(1)
    const stranger = await openOther(browser, baseURL, ACCOUNTS.globex, '/categories')
    await expect(listRows(stranger).first()).toBeVisible()
    const other = await openOther(browser, baseURL, ACCOUNTS.admin, `/categories/${made.id}/edit`)
    await nameField(other).fill(`${word} 2`)
    await other.keyboard.press('Control+s')
    await expectToast(other, `${word} 2 was saved`)
    const saved = Date.now()
    await expect(pill(page)).toHaveText('1 change')
    info.annotations.push({ type: 'told after', description: `${Date.now() - saved} ms` })
    await expect(rows).toContainText(`${word} 1`)
    await page.keyboard.press('.')
    await expect(rows).toContainText(`${word} 2`)
    await expect(pill(page)).toHaveCount(0)

    // New and gone rows wait too; a row that changes twice counts once.
    const second = await admin.create('ticket_categories', { name: `${word} 3` })
    for (const position of [5, 6])
      await admin.request('PATCH', `ticket_categories?id=eq.${second.id}`, { position })
    await expect(pill(page)).toHaveText('1 change')
    await expect(rows).toHaveCount(1)
    await pill(page).click()
    await expect(rows).toHaveCount(2)

    // This browser's own writes show at once.
    await rows
      .filter({ hasText: `${word} 3` })
      .getByRole('checkbox')
      .check()
    await main(page).getByRole('button', { name: 'Delete' }).first().click()
    const before = heard.length
    const sent = page.waitForRequest((request) => request.headers()['x-origin-id'] !== undefined)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(rows).toHaveCount(1)
    await expect(toast(page).getByText(/^1 .+ deleted$/)).toBeVisible()
    await expect(page.getByRole('dialog')).toBeHidden()
    const told = () => heard.slice(before).find((text) => text.includes(second.id))
    await expect.poll(told).toContain(`"origin":"${(await sent).headers()['x-origin-id']}"`)
    await expect(pill(page)).toHaveCount(0)
    await expect(pill(stranger)).toHaveCount(0)

    // A record is read again in its place.
    await rows.getByRole('link').first().click()
    await expect(main(page).getByRole('heading', { name: `${word} 2` })).toBeVisible()
    await admin.request('PATCH', `ticket_categories?id=eq.${made.id}`, { name: `${word} 4` })
    await expect(main(page).getByRole('heading', { name: `${word} 4` })).toBeVisible()
    await Promise.all([stranger.context().close(), other.context().close()])
  },
)
