import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, listRows, listTool, test, unique, visit } from './support/one-page'
import { test as fresh } from './support/test'

const main = (page: Page) => page.getByRole('main')
const headers = (page: Page): Promise<string[]> =>
  main(page)
    .locator('thead th')
    .evaluateAll((cells) =>
      cells
        .filter((cell) => !cell.matches('.k-table-select, .k-table-menu'))
        .map((cell) => cell.textContent ?? ''),
    )
const tab = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })

test('columns and row height are chosen by keyboard, kept on the server, and put back', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  // The test has rows of its own, few enough to load at once: later rows would move the columns.
  const word = unique('Sütun').replace(' ', '')
  for (const place of [1, 2]) await admin.create('software_licenses', { name: `${word} ${place}` })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/software-licenses?q=${word}` })
  await expect(listRows(page)).toHaveCount(2)
  const usual = await headers(page)
  const high = (await listRows(page).first().boundingBox())?.height ?? 0
  await (await listTool(page, 'Columns')).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Columns' })
  await dialog.getByRole('checkbox', { name: 'Show Seats' }).press('Space')
  const seats = dialog.getByRole('checkbox', { name: 'Show Seats' })
  await expect(seats).not.toBeChecked()
  await expect(seats).toBeFocused()
  await dialog.getByRole('checkbox', { name: 'Show Publisher' }).press('Space')
  const handle = dialog.getByRole('button', { name: /^Move Publisher/ })
  await handle.focus()
  for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowUp')
  await expect(handle).toBeFocused()
  await expect(handle).toHaveAccessibleName(/position 3 of 7/)
  await dialog.getByRole('spinbutton', { name: 'Width of Publisher in pixels' }).fill('260')
  await dialog.getByRole('radio', { name: 'Comfortable' }).press('ArrowRight')
  const wanted = ['Product', 'Counted by', 'Publisher', 'Detected', 'Available', 'Cost', 'Expires']
  await expect.poll(() => headers(page)).toEqual(wanted)
  await page.keyboard.press('Escape')
  await expect
    .poll(async () => (await admin.read('list_preferences?resource=eq.software_licenses'))[0])
    .toMatchObject({ density: 'compact' })

  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.reload()
  await expect.poll(() => headers(page)).toEqual(wanted)
  const width = (name: string) =>
    main(page)
      .getByRole('columnheader', { name })
      .boundingBox()
      .then((box) => box?.width ?? 0)
  expect(await width('Publisher')).toBeGreaterThanOrEqual(260)
  expect((await listRows(page).first().boundingBox())?.height).toBeLessThan(high)
  expect(asked.filter((url) => url.includes('my_list_settings'))).toHaveLength(1)

  // The pointer drags the edge of the heading, and a line of the chooser.
  const edge = main(page).getByRole('columnheader', { name: 'Publisher' }).locator('.k-resize')
  await edge.hover()
  const at = await edge.boundingBox()
  if (!at) throw new Error('no edge to pull')
  const before = await width('Publisher')
  await page.mouse.down()
  await page.mouse.move(at.x + 104, at.y + 10, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => width('Publisher')).toBeGreaterThan(before + 80)
  await (await listTool(page, 'Columns')).click()
  await dialog.getByRole('button', { name: /^Move Expires/ }).hover()
  await page.mouse.down()
  await dialog.getByRole('button', { name: /^Move Counted by/ }).hover()
  await page.mouse.up()
  await expect.poll(async () => (await headers(page))[1]).toBe('Expires')

  await dialog.getByRole('button', { name: 'Reset to default' }).click()
  await expect.poll(() => headers(page)).toEqual(usual)
  await page.keyboard.press('Escape')
  // The last of the changes is kept a moment after it shows; a row that came after the deletion would stay.
  await expect
    .poll(() => admin.read('list_preferences?resource=eq.software_licenses&select=columns'))
    .toEqual([{ columns: null }])
  await admin.request('DELETE', 'list_preferences?resource=eq.software_licenses')
})

fresh(
  'a choice made before the saved settings have loaded does not overwrite them',
  async ({ page, signIn, api }) => {
    const globex = await api(ACCOUNTS.globex)
    const kept = 'list_preferences?resource=eq.groups'
    await globex.request('POST', 'list_preferences', { resource: 'groups', columns: [{ field: 'name' }] })
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/rpc/my_list_settings', async (route) => {
      const response = await route.fetch()
      await held
      await route.fulfill({ response }).catch(() => undefined)
    })
    await signIn(ACCOUNTS.globex, { language: 'en', at: '/groups' })
    await expect(listRows(page).first()).toBeVisible()
    await (await listTool(page, 'Columns')).click()
    await page.getByRole('dialog').getByText('Compact').click()
    await expect
      .poll(() => globex.read(`${kept}&select=columns,density`))
      .toEqual([{ columns: [{ field: 'name' }], density: 'compact' }])
    answer()
    await expect.poll(() => headers(page)).toEqual(['Name'])
    await expect(main(page).locator('.k-list')).toHaveAttribute('data-density', 'compact')
    await globex.request('DELETE', kept)
  },
)

test('a view is saved, changed, made the default and deleted; in Turkish', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const name = unique('Cihaz lisansları')
  await signIn(ACCOUNTS.admin, { language: 'tr', at: '/software-licenses?type=device' })
  await expect(listRows(page).first()).toBeVisible()
  await main(page).getByRole('button', { name: 'Görünümü kaydet…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Kaydet' }).click()
  await expect(dialog.getByText('Bir ad girin.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Ad' }).fill(name)
  await page.keyboard.press('Enter')
  await expect(tab(page, name)).toHaveAttribute('aria-pressed', 'true')
  await expect(page).toHaveURL(/saved=[0-9a-f-]{36}.*type=device/)

  const menu = main(page).getByRole('button', { name: `“${name}” görünümü için işlemler` })
  const choose = async (item: string) => {
    await menu.click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await main(page)
    .getByRole('button', { name: /^Boşta$/ })
    .click()
  await expect(page).toHaveURL(/sort=available/)
  await choose('Geçerli listeyle güncelle')
  await expect(main(page).getByRole('button', { name: 'Görünümü kaydet…' })).toHaveCount(0)
  await choose('Varsayılan yap')
  await expect
    .poll(
      async () => (await admin.read('saved_views?is_default=is.true&resource=eq.software_licenses')).length,
    )
    .toBe(1)

  await visit(page, '/groups')
  await visit(page, '/software-licenses')
  await expect(tab(page, name)).toHaveAttribute('aria-pressed', 'true')
  await expect(page).toHaveURL(/sort=available.*type=device/)
  await tab(page, 'Tümü').click()
  await expect(page).toHaveURL(/\?saved=none$/)
  await expect(tab(page, 'Tümü')).toHaveAttribute('aria-pressed', 'true')

  await tab(page, name).click()
  await choose('Sil…')
  await page.getByRole('dialog').getByRole('button', { name: 'Sil' }).click()
  await expect(tab(page, name)).toHaveCount(0)
  expect(await admin.read(`saved_views?name=eq.${encodeURIComponent(name)}`)).toEqual([])
})
