import { ACCOUNTS, expect, expectToast, test, unique, visit } from './support/one-page'

const main = (page: import('@playwright/test').Page) => page.getByRole('main')

test('the settings of the desk lead to their lists', async ({ page, signIn }) => {
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/ticket-settings' })
  for (const [name, path] of [
    ['Ticket Statuses', '/ticket-statuses'],
    ['SLA Policies', '/sla-policies'],
    ['Business Hours', '/business-hours'],
    ['Assignment Rules', '/assignment-rules'],
    ['Canned Replies', '/canned-replies'],
    ['Closing and Reopening', '/closing-and-reopening'],
  ] as const)
    await test.step(name, async () => {
      await visit(page, '/ticket-settings')
      await page
        .getByRole('list', { name: 'Settings of the service desk' })
        .getByRole('link', { name, exact: true })
        .click()
      await expect(page).toHaveURL(path)
      await expect(main(page).getByRole('row').nth(1)).toBeVisible()
    })
})

test('a placeholder comes where the text of a canned reply is being written, and writing goes on behind it', async ({
  page,
  signIn,
}) => {
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-canned-reply' })
  const text = main(page).getByRole('textbox', { name: 'Text' })
  await text.fill('Hello , we look at it.')
  await text.press('Home')
  for (let count = 0; count < 6; count += 1) await page.keyboard.press('ArrowRight')
  await main(page).getByRole('button', { name: '{requester.name}' }).click()
  await expect(text).toBeFocused()
  await page.keyboard.type(' of {')
  await expect(text).toHaveValue('Hello {requester.name} of {, we look at it.')
})

test('a ticket is assigned by rule, and its clock pauses and goes on', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const subject = unique('Ağ')
  const [category] = await admin.read('ticket_categories?select=id&icon=eq.wifi')
  const standard = await api(ACCOUNTS.standard)
  const made = await standard.create('tickets', { subject, category_id: category?.id })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets/${made.id}` })
  await expect(main(page).getByText('Assigned by the rule Ağ sorunları sırayla.')).toBeVisible()
  await expect(main(page).getByText(/left$/).first()).toBeVisible()
  const read = async () => (await admin.read(`tickets?select=status,paused_at,sla_state&id=eq.${made.id}`))[0]
  expect(await read()).toEqual({ status: 'new', paused_at: null, sla_state: 'ok' })
  await visit(page, `/tickets?q=${encodeURIComponent(subject)}`)
  await page
    .getByRole('row', { name: new RegExp(subject) })
    .getByRole('button', { name: /^Actions/ })
    .click()
  await page.getByRole('menuitem', { name: 'Set to waiting' }).click()
  await expectToast(page, 'Ticket set to waiting')
  expect(await read()).toMatchObject({ status: 'waiting', paused_at: expect.any(String) })
  await expect(page.getByRole('row', { name: new RegExp(subject) }).getByText(/left$/)).toHaveCount(0)
  await page
    .getByRole('row', { name: new RegExp(subject) })
    .getByRole('button', { name: /^Actions/ })
    .click()
  // A waiting ticket was never done: it is opened, not opened again.
  await expect(page.getByRole('menuitem', { name: 'Reopen' })).toBeDisabled()
  await page.getByRole('menuitem', { name: 'Set to open' }).click()
  await expectToast(page, 'Ticket set to open')
  expect(await read()).toMatchObject({ status: 'open', paused_at: null })
  await expect(page.getByRole('row', { name: new RegExp(subject) }).getByText(/left$/)).toBeVisible()
})

test('a category asks its questions in the form of a ticket, and the record shows the answers', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const name = unique('Kategori')
  const label = (row: number) =>
    page.getByRole('group', { name: `Row ${row}` }).getByRole('textbox', { name: 'Label' })
  const fields = async () =>
    (await admin.read(`ticket_categories?name=eq.${encodeURIComponent(name)}&select=fields`))[0]?.fields
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-category' })

  await test.step('each question gets a key from its label, and two of one label differ', async () => {
    await main(page).getByRole('textbox', { name: /Name$/ }).fill(name)
    const rows = page.getByRole('group', { name: 'Form fields' })
    for (const [row, text] of ['Demirbaş No', 'Demirbaş no'].entries()) {
      await rows.getByRole('button', { name: 'Add a row' }).click()
      await label(row + 1).fill(text)
    }
    await expect(rows.getByText('Key')).toHaveCount(0)
    await main(page).getByRole('button', { name: 'Create', exact: true }).click()
    await expect(page).toHaveURL(/\/categories\/[0-9a-f-]{36}/)
    expect(await fields()).toMatchObject([{ key: 'demirbas_no' }, { key: 'demirbas_no_2' }])
  })

  await test.step('another label leaves the key', async () => {
    await main(page).getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Remove row 2' }).click()
    await label(1).fill('Asset number')
    await main(page).getByRole('button', { name: 'Save', exact: true }).click()
    // The form leads to the record once it is saved, wherever the page has gone by then.
    await expect(main(page).getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
    expect(await fields()).toMatchObject([{ key: 'demirbas_no', label: 'Asset number' }])
  })

  await visit(page, '/tickets/create-ticket?card=')
  await main(page)
    .getByRole('textbox', { name: /Subject$/ })
    .fill(unique('Soru'))
  await main(page)
    .getByRole('combobox', { name: /Category$/ })
    .fill(name)
  await page.locator('.ant-select-item-option').filter({ hasText: name }).first().click()
  await main(page)
    .getByRole('textbox', { name: /Asset number/ })
    .fill('A-1042')
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/tickets\/[0-9a-f-]{36}/)
  await expect(main(page).getByText('A-1042')).toBeVisible()
})

test('a status that tickets have is deleted with the one that takes them', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const name = unique('Durum')
  const status = await admin.create('ticket_statuses', { name, kind: 'waiting' })
  const ticket = await admin.create('tickets', { subject: unique('Bekleyen'), status_id: status.id })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/ticket-statuses?q=${encodeURIComponent(name)}` })
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByRole('button', { name: /^Actions/ })
    .click()
  await page.getByRole('menuitem', { name: 'Delete and move tickets' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: /Status that takes the tickets/ }).fill('İşlemde')
  await page.locator('.ant-select-item-option').filter({ hasText: 'İşlemde' }).first().click()
  await dialog.getByRole('button', { name: 'Delete and move tickets' }).click()
  await expectToast(page, 'Status deleted')
  expect(await admin.read(`tickets?select=status&id=eq.${ticket.id}`)).toEqual([{ status: 'open' }])
  expect(await admin.read(`ticket_statuses?select=id&id=eq.${status.id}`)).toEqual([])
})

test('the order of statuses is changed by keys and by dragging, and kept', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.globex)
  const positions = () => admin.read('ticket_statuses?select=name,position&order=position,id')
  const names = (await positions()).map(({ name }) => String(name))
  await signIn(ACCOUNTS.globex, { language: 'en', at: '/ticket-statuses' })
  await page.getByRole('button', { name: 'Change order…' }).click()
  const drawer = page.getByRole('dialog')
  const handles = drawer.getByRole('button', { name: /^Move / })
  await expect(handles.first()).toHaveAccessibleName(new RegExp(`^Move ${names[0]}, position 1 of`))
  await handles.first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(drawer.getByRole('status')).toHaveText(`${names[0]} is now at position 2 of ${names.length}`)
  await drawer.getByRole('button', { name: 'Save order' }).click()
  await expectToast(page, 'The order was saved.')
  const [first, second, ...rest] = names
  expect((await positions()).map(({ name }) => name)).toEqual([second, first, ...rest])
  await expect(page.getByRole('row').nth(1)).toContainText(String(second))

  await page.getByRole('button', { name: 'Change order…' }).click()
  const from = await handles.nth(1).boundingBox()
  const to = await handles.nth(0).boundingBox()
  if (!from || !to) throw new Error('The lines have no place.')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + 4, { steps: 6 })
  await page.mouse.up()
  await drawer.getByRole('button', { name: 'Save order' }).click()
  await expect(drawer).toBeHidden()
  expect((await positions()).map(({ name }) => name)).toEqual(names)
})

test('every page of the settings is in sight on a desktop', async ({ page, signIn }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/ticket-settings' })
  const tabs = page.locator('.k-page-tabs').last().getByRole('link')
  await expect(tabs.first()).toBeVisible()
  expect(await tabs.count()).toBeGreaterThan(9)
  // The line below a row of tabs covers one pixel of them.
  for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 0.9 })
})
