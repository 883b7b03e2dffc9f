import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, listRows, test, unique, visit } from './support/one-page'

const searchBox = (page: Page) => page.getByRole('main').getByRole('searchbox')
const loaded = (page: Page) => expect(listRows(page).first()).toBeVisible()

/** The titles of the rows, in order, without the secondary text. */
const names = (page: Page): Promise<string[]> =>
  listRows(page)
    .locator('th[scope="row"] a')
    .evaluateAll((links) =>
      links.map((link) => {
        const copy = link.cloneNode(true) as HTMLElement
        for (const detail of copy.querySelectorAll('.k-cell-detail')) detail.remove()
        return (copy.textContent ?? '').trim()
      }),
    )

test('a list says what others change, and moves no row until it is asked to', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Canlı')
  const first = await admin.create('groups', { name: `${word} 1` })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/groups?q=${encodeURIComponent(word)}` })
  const mine = listRows(page).filter({ hasText: word })
  await expect(mine).toHaveCount(1)
  // The page may still be joining the topic: change the row again until the message arrives.
  const waiting = page.getByRole('main').getByRole('button', { name: /^\d+ changes?$/ })
  await expect(async () => {
    await admin.request('PATCH', `groups?id=eq.${first.id}`, { description: `seen live ${Date.now()}` })
    await waiting.click({ timeout: 3000 })
  }).toPass()
  await expect(mine).toContainText('seen live')

  await mine.getByRole('checkbox').check()
  const second = await admin.create('groups', { name: `${word} 2` })
  await expect(waiting).toBeVisible()
  await expect(mine).toHaveCount(1)
  await waiting.click()
  await expect(mine).toHaveCount(2)
  for (const { id } of [first, second]) await admin.request('DELETE', `groups?id=eq.${id}`)
})

test('a list stays still: selecting moves no row, its header stays in view, its tools take one row', async ({
  page,
  signIn,
}) => {
  await signIn(ACCOUNTS.admin, { language: 'tr', at: '/devices' })
  await loaded(page)
  const top = async (at: number) => (await listRows(page).nth(at).boundingBox())?.y ?? 0
  const third = await top(2)
  expect(await top(0)).toBeLessThan(200)
  expect((await page.locator('.k-list-bar').boundingBox())?.height).toBe(32)

  const bulk = page.getByRole('region', { name: '1 seçildi' })
  await listRows(page).first().getByRole('checkbox').check()
  await expect(bulk.getByRole('button', { name: 'Düzenle…' })).toBeVisible()
  expect(await top(2)).toBe(third)
  // The last row ends above the bar, and does not move when the bar goes.
  const last = listRows(page).last()
  await page.getByRole('main').focus()
  await page.keyboard.press('End')
  await expect(last).toBeInViewport({ ratio: 1 })
  const end = (await last.boundingBox()) ?? { y: 0, height: 0 }
  expect(end.y + end.height).toBeLessThanOrEqual((await bulk.boundingBox())?.y ?? 0)
  const header = page.getByRole('columnheader', { name: /^Ad/ })
  await expect(header).toBeInViewport({ ratio: 1 })
  await bulk.getByRole('button', { name: 'Seçimi temizle' }).click()
  await expect(bulk).toHaveCount(0)
  expect((await last.boundingBox())?.y).toBe(end.y)

  // Columns that do not fit are shown to go on.
  const box = page.locator('.k-table-box')
  await expect(box).toHaveAttribute('data-edge', 'none')
  await page.setViewportSize({ width: 1024, height: 700 })
  await expect(box).toHaveAttribute('data-edge', 'end')
  const cut = await page
    .locator('thead .k-head-label')
    .evaluateAll((labels) => labels.filter((label) => label.scrollWidth > label.clientWidth + 1).length)
  expect(cut).toBe(0)
})

test.describe('a list of devices', () => {
  test('shows a page of rows and their total; the next page is in the address', async ({
    page,
    signIn,
    api,
  }) => {
    const admin = await api(ACCOUNTS.admin)
    const all = await admin.read('devices?select=name&order=name_key.asc,id.asc')
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/devices?pageSize=20' })
    await expect(listRows(page)).toHaveCount(20)
    await expect(page.getByRole('main').getByText(`1–20 of ${all.length}`)).toBeVisible()
    expect(await names(page)).toEqual(all.slice(0, 20).map(({ name }) => name))

    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(page).toHaveURL(/[?&]page=2/)
    await expect(page.getByRole('main').getByText(`21–40 of ${all.length}`)).toBeVisible()
    await expect.poll(() => names(page)).toEqual(all.slice(20, 40).map(({ name }) => name))

    await page.goBack()
    await expect.poll(() => names(page)).toEqual(all.slice(0, 20).map(({ name }) => name))
  })

  test('says so when an address lies past the end', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/devices?page=9999&pageSize=10' })
    await expect(page.getByText('This page is past the end of the list')).toBeVisible()
    await page.getByRole('button', { name: 'Go to the first page' }).click()
    await loaded(page)
  })

  test('finds ışık by IŞIK and İSTANBUL by istanbul', async ({ page, signIn, api }) => {
    const admin = await api(ACCOUNTS.admin)
    const tail = unique('x').replace(' ', '')
    const made = []
    for (const name of [`ışık-${tail}`, `IŞIK-${tail}`, `İSTANBUL-${tail}`, `istanbul-${tail}`])
      made.push(await admin.create('devices', { name }))
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/devices?pageSize=10' })
    await loaded(page)
    for (const word of ['ışık', 'IŞIK', 'istanbul', 'İSTANBUL']) {
      await searchBox(page).fill(`${word}-${tail}`)
      await expect(page).toHaveURL(({ searchParams }) => searchParams.get('q') === `${word}-${tail}`)
      const first = word.toLowerCase().startsWith('i') && word !== 'IŞIK' ? 'İSTANBUL' : 'ışık'
      await expect(listRows(page)).toHaveCount(2)
      await expect(listRows(page).filter({ hasText: `${first}-${tail}` })).toHaveCount(1)
    }
    await searchBox(page).fill(`nothing-${tail}`)
    await expect(page.getByText('No matching records')).toBeVisible()
    for (const { id } of made) await admin.request('DELETE', `devices?id=eq.${id}`)
  })

  test('sorts by a column, forwards and backwards, as Turkish is sorted', async ({ page, signIn, api }) => {
    const admin = await api(ACCOUNTS.admin)
    const word = unique('sira').replace(' ', '-')
    const made = ['Çam', 'Cam', 'Dam', 'Şam', 'Sam', 'İz', 'Iz'].map((start) => `${start}-${word}`)
    const devices = []
    for (const name of made) devices.push(await admin.create('devices', { name }))
    await signIn(ACCOUNTS.admin, { language: 'tr', at: `/devices?q=${word}` })
    const sorted = [...made].sort((a, b) => a.localeCompare(b, 'tr'))
    await expect.poll(() => names(page)).toEqual(sorted)
    await page.getByRole('columnheader', { name: /^Ad/ }).getByRole('button').click()
    await expect(page).toHaveURL(/sort=/)
    await expect.poll(() => names(page)).toEqual([...sorted].reverse())
    for (const { id } of devices) await admin.request('DELETE', `devices?id=eq.${id}`)
  })

  test('filters, and the address alone brings the same rows', async ({ page, signIn, api }) => {
    // The company is one whose devices no test enrolls: those of another go offline some minutes after their test.
    const offline = await (await api(ACCOUNTS.globex)).read('devices?select=id&status=eq.offline')
    await signIn(ACCOUNTS.globex, { language: 'en', at: '/devices' })
    await loaded(page)
    await page.getByRole('button', { name: /Filters/ }).click()
    await page.getByRole('main').getByRole('combobox', { name: 'Status' }).click()
    await page.locator('.ant-select-item-option').filter({ hasText: 'Offline' }).click()
    await expect(page).toHaveURL(/status=offline/)
    await expect(page.getByRole('main').getByText(new RegExp(`of ${offline.length}$`))).toBeVisible()
    await visit(page, '/groups')
    await loaded(page)
    await visit(page, '/devices?status=offline')
    await expect(page.getByRole('main').getByText(new RegExp(`of ${offline.length}$`))).toBeVisible()
    await expect(listRows(page).filter({ hasText: /^(?!.*Offline)/s })).toHaveCount(0)
  })

  test('is as it was when one comes back from a record, and after a reload', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.globex, {
      language: 'en',
      at: '/devices?status=online&sort=-name&pageSize=10&page=2',
    })
    await expect(listRows(page).nth(2)).toBeVisible()
    const before = await names(page)
    await listRows(page).nth(2).getByRole('link').first().click()
    await expect(page).toHaveURL(/\/devices\/[0-9a-f-]{36}/)
    await page.goBack()
    await expect(page).toHaveURL(/status=online&|&status=online/)
    await expect.poll(() => names(page)).toEqual(before)
    await listRows(page).nth(2).getByRole('link').first().click()
    await page
      .getByRole('link', { name: /back to/i })
      .or(page.getByRole('button', { name: /back to/i }))
      .first()
      .click()
    await expect(page).toHaveURL(/sort=-name/)
    await expect.poll(() => names(page)).toEqual(before)
    await page.reload()
    await expect.poll(() => names(page)).toEqual(before)
  })
})
