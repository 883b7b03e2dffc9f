import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { judge } from './support/judge'
import { ACCOUNTS, expect, expectToast, listRows, listTool, test, toast, unique, visit } from './support/test'

const main = (page: Page) => page.getByRole('main')
const column = (page: Page, name: RegExp) => main(page).getByRole('region', { name })
const card = (page: Page, subject: string) => main(page).getByRole('article', { name: new RegExp(subject) })

/** The statuses of the demo company, in their order; two of them are of the kind waiting besides its default. */
const STATUSES = /^(Yeni|İşlemde|Açık|Tedarikçi bekleniyor|Beklemede|Talep eden bekleniyor|Çözüldü|Kapalı)/

test('a board has a column for each status of the company, and moves cards by key, mouse and menu as far as their actions allow', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Pano').replace(' ', '')
  const make = (name: string) => admin.create('tickets', { subject: `${word} ${name}` })
  const [one, two] = [await make('bir'), await make('iki')]
  const status = async (id: unknown) => {
    const [row] = await admin.read(`tickets?id=eq.${id}&select=status,of:ticket_statuses(name)`)
    return `${row?.status}: ${(row?.of as { name: string } | undefined)?.name}`
  }
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets?q=${word}` })
  await (await listTool(page, 'Board')).click()
  await expect(page).toHaveURL(/as=board/)
  await expect(column(page, /^Yeni, 2 records$/)).toBeVisible()
  await expect(column(page, STATUSES)).toHaveCount(8)

  await test.step('a key moves by the action of the kind, to the status of the column', async () => {
    await card(page, 'bir').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await expect(column(page, /^İşlemde, 1 record$/).getByRole('article')).toHaveCount(1)
    await expect(main(page).getByText(/bir was moved to İşlemde\./)).toBeAttached()
    // Two columns may be of one kind: the toast names the column.
    await expect(toast(page).getByText(/bir was moved to İşlemde\./)).toBeVisible()
    await expect.poll(() => status(one.id)).toBe('open: İşlemde')
  })

  await test.step('the menu moves between two statuses of a kind', async () => {
    const move = async (name: string) => {
      await card(page, 'bir')
        .getByRole('button', { name: /^Actions for/ })
        .click()
      await page.getByRole('menuitem', { name: `Move to ${name}` }).click()
    }
    await move('Tedarikçi bekleniyor')
    await expect.poll(() => status(one.id)).toBe('waiting: Tedarikçi bekleniyor')
    await move('Talep eden bekleniyor')
    await expect.poll(() => status(one.id)).toBe('waiting: Talep eden bekleniyor')
  })

  await test.step('the menu fits beside its button, and its items are reached by the arrow keys', async () => {
    await page.setViewportSize({ width: 1366, height: 420 })
    const button = card(page, 'bir').getByRole('button', { name: /^Actions for/ })
    await button.focus()
    await page.keyboard.press('Enter')
    const menu = page.getByRole('menu')
    await expect(page.getByRole('menuitem', { name: 'Open', exact: true })).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(menu.getByRole('menuitem').last()).toBeFocused()
    await expect(menu.getByRole('menuitem').last()).toBeInViewport({ ratio: 0.9 })
    const box = await menu.boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(420)
    await page.keyboard.press('Escape')
    await expect(button).toBeFocused()
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await test.step('the mouse moves to a column in view', async () => {
    await main(page)
      .getByRole('button', { name: /^Tedarikçi bekleniyor/ })
      .click()
    await card(page, 'iki').dragTo(column(page, /^Tedarikçi bekleniyor/))
    await expect(column(page, /^Tedarikçi bekleniyor, 1 record$/)).toBeVisible()
    await expect.poll(() => status(two.id)).toBe('waiting: Tedarikçi bekleniyor')
  })

  // A waiting ticket is not closed at once: the action says when it is possible.
  await test.step('a move that its action does not allow is not offered', async () => {
    await card(page, 'iki')
      .getByRole('button', { name: /^Actions for/ })
      .click()
    await expect(page.getByRole('menuitem', { name: 'Move to Çözüldü' })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Move to Kapalı' })).toHaveCount(0)
    await page.keyboard.press('Escape')
  })

  await test.step('on a phone, the names of the columns lead to them', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await main(page)
      .getByRole('button', { name: /^Kapalı/ })
      .click()
    await expect(column(page, /^Kapalı, 0 records$/)).toBeInViewport({ ratio: 0.5 })
    // The board scrolls alone: the page stays where it is.
    expect(await page.getByRole('banner').evaluate((each) => each.getBoundingClientRect().left)).toBe(0)
    const faults: string[] = []
    await judge(page, faults, 'phone')
    expect(faults).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await test.step('a filter of the kind leaves its statuses', async () => {
    await visit(page, `/tickets?q=${word}&as=board&status=new,waiting`)
    await expect(column(page, STATUSES)).toHaveCount(4)
    const faults: string[] = []
    await judge(page, faults, 'layout')
    expect(faults).toEqual([])
  })
})

test('a board by a relation that people edit moves by editing', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Konu').replace(' ', '')
  const category = await admin.create('ticket_categories', { name: word, position: 9000 })
  const article = await admin.create('articles', {
    title: `${word} yazısı`,
    body: 'x',
    category_id: category.id,
  })
  await signIn(ACCOUNTS.admin, { language: 'tr', at: `/tickets/articles?q=${word}&as=board` })
  // A column far from the view reads its cards once it comes near.
  await column(page, new RegExp(`^${word}, 1 kayıt$`)).scrollIntoViewIfNeeded()
  await card(page, word).focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(column(page, /^Kategorisiz, 1 kayıt$/).getByRole('article')).toHaveCount(1)
  const read = async () =>
    (await admin.read(`articles?id=eq.${article.id}&select=category_id`))[0]?.category_id
  await expect.poll(read).toBeNull()
})

test('a board whose write fails puts the card back and says why', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  allowErrors(/409|500/)
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Geri').replace(' ', '')
  await admin.create('tickets', { subject: word })
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets?q=${word}&as=board` })
  await page.route('**/rest/v1/rpc/set_ticket_status', (route) =>
    route.fulfill({ status: 500, json: { code: 'XX000', message: 'broken on purpose' } }),
  )
  await card(page, word).focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expectToast(page, 'Set to open: failed')
  await expect(column(page, /^Yeni, 1 record$/).getByRole('article')).toHaveCount(1)
})

test('a column of many cards holds few in the document and loads them as it is scrolled', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Çok').replace(' ', '')
  const rows = Array.from({ length: 300 }, (_, index) => ({
    company_id: admin.companyId,
    subject: `${word} ${String(index).padStart(3, '0')}`,
  }))
  // A statement may take 8 seconds, on a busy machine too.
  for (let from = 0; from < rows.length; from += 50)
    expect((await admin.request('POST', 'tickets', rows.slice(from, from + 50))).status).toBe(201)
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets?q=${word}&as=board&sort=subject` })
  await expect(column(page, /^Yeni, 300 records$/)).toBeVisible()
  await expect(card(page, `${word} 000`)).toBeVisible()
  const cards = main(page).getByRole('article')
  expect(await cards.count()).toBeLessThan(40)
  const box = column(page, /^Yeni/).locator('.k-board-cards')
  await expect(async () => {
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect(card(page, `${word} 299`)).toBeVisible({ timeout: 500 })
  }).toPass()
  expect(await cards.count()).toBeLessThan(40)
  await admin.request('DELETE', `tickets?subject=like.${word}*`)
})

test('a calendar shows records on their day, on a phone in a list of the day', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Takvim').replace(' ', '')
  for (const [index, day] of ['2031-03-04', '2031-03-04', '2031-03-20'].entries())
    await admin.create('tickets', { subject: `${word} ${index}`, due_at: `${day}T12:00:00Z` })
  await signIn(ACCOUNTS.admin, { language: 'tr', at: `/tickets?q=${word}&as=calendar&in=2031-03` })
  await expect(main(page).getByRole('heading', { name: 'Mart 2031' })).toBeVisible()
  await expect(main(page).locator('[data-day="2031-03-04"] li')).toHaveCount(2)
  await main(page).getByRole('button', { name: 'Sonraki ay' }).click()
  await expect(page).toHaveURL(/in=2031-04/)
  await page.goBack()
  await expect(main(page).getByText(`${word} 2`)).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await main(page).locator('[data-day="2031-03-20"] button').click()
  await expect(main(page).getByRole('link', { name: new RegExp(`${word} 2`) })).toBeVisible()
  const faults: string[] = []
  await judge(page, faults, 'layout')
  expect(faults).toEqual([])
})

test('a figure leads to the rows that it counts, and all are saved as a file', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Sayı').replace(' ', '')
  const category = await admin.create('ticket_categories', { name: word, position: 1 })
  for (const priority of ['urgent', 'low', 'low'])
    await admin.create('tickets', { subject: `${word} ${priority}`, priority, category_id: category.id })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets?q=${word}&as=dashboard` })
  const figure = (name: string) => main(page).getByRole('article', { name, exact: true })
  await expect(figure('Unresolved').getByRole('link')).toHaveText('3')
  await expect(figure('SLA kept, 90 days')).toContainText('0 of 0')
  await expect(figure('Unresolved by category').getByRole('link')).toHaveText(`${word}3`)
  const table = figure('Unresolved by assignee and status').getByRole('table')
  await expect(table.getByRole('columnheader')).toHaveText(['Assignee', 'Yeni', 'Total'])
  await expect(table.getByRole('row').last()).toHaveText('Total33')
  const faults: string[] = []
  await judge(page, faults, 'figures')
  expect(faults).toEqual([])

  const download = page.waitForEvent('download')
  await main(page).getByRole('button', { name: 'Save as CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text).toContain(`Unresolved by category,${word},3`)
  // Tables follow as they are on the screen.
  expect(text).toContain('\r\nUnresolved by assignee and status\r\nAssignee,Yeni,Total\r\n')
  const own = page.waitForEvent('download')
  await main(page).getByRole('button', { name: 'Save Unresolved by assignee and status as CSV' }).click()
  const lines = (await readFile(await (await own).path(), 'utf8')).replace('\uFEFF', '').trim().split('\r\n')
  expect([lines.at(0), lines.at(-1)]).toEqual(['Assignee,Yeni,Total', 'Total,3,3'])

  await table.getByRole('row').last().getByRole('link').first().click()
  await expect(listRows(page)).toHaveCount(3)
  await page.goBack()

  await figure('Unresolved').getByRole('link').click()
  await expect(listRows(page)).toHaveCount(3)
  await page.goBack()
  await figure('Unresolved by category').getByRole('link').click()
  await expect(listRows(page)).toHaveCount(3)
})
