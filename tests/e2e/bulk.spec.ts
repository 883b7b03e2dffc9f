import type { Page } from '@playwright/test'
import type { Api, Row } from './support/api'
import { ACCOUNTS, expect, listRows, test, unique, visit } from './support/one-page'

const dialog = (page: Page) => page.getByRole('dialog')
/** In one request, in the order of their numbers. */
async function createAll(
  api: Api,
  table: string,
  count: number,
  row: (index: number) => Row,
): Promise<Row[]> {
  const rows = Array.from({ length: count }, (_, index) => ({ company_id: api.companyId, ...row(index) }))
  const { status, body } = await api.request('POST', table, rows)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as Row[]
}
const selectPage = (page: Page, name: string) => page.getByRole('checkbox', { name }).check()

test('all that match are edited at once, and the summary says how many', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Toplu').replace(' ', '')
  await createAll(admin, 'software_licenses', 30, (index) => ({
    name: `${word} ${index}`,
    type: index < 10 ? 'user' : 'device',
    publisher: index < 5 ? 'Contoso' : null,
  }))
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/software-licenses?q=${word}&pageSize=10` })
  await expect(listRows(page)).toHaveCount(10)

  // Each choice shows how many rows it would leave.
  await page.getByRole('button', { name: /Filters/ }).click()
  await page.getByRole('main').getByRole('combobox', { name: 'Counted by' }).click()
  await expect(page.locator('.ant-select-item-option').filter({ hasText: '(20)' })).toBeVisible()
  await expect(page.locator('.ant-select-item-option').filter({ hasText: '(0)' })).toBeVisible()
  await page.locator('.ant-select-item-option').filter({ hasText: '(20)' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('main').getByText('1–10 of 20')).toBeVisible()
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(page.getByRole('main').getByText('1–10 of 30')).toBeVisible()

  await selectPage(page, 'Select all rows of this page')
  await page.getByRole('button', { name: 'Select all 30 that match' }).click()
  await expect(page.getByRole('region', { name: '30 selected' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit…' }).click()
  await dialog(page).getByRole('combobox', { name: 'What to change' }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: 'Publisher' }).click()
  await page.keyboard.press('Escape')
  await dialog(page).getByRole('textbox', { name: 'Publisher' }).fill('Contoso')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(dialog(page).getByText('25 changed')).toBeVisible()
  await expect(dialog(page).getByText('5 unchanged')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(dialog(page)).toBeHidden()
  const after = await admin.read(`software_licenses?select=publisher&name=like.${word}*`)
  expect(after.map(({ publisher }) => publisher)).toEqual(Array(30).fill('Contoso'))
})

test('records are linked to all that match, those that are so already counted as such', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Kural').replace(' ', '')
  const group = await admin.create('groups', { name: `${word} grup` })
  const made = await createAll(admin, 'policies', 12, (index) => ({ name: `${word} ${index}` }))
  await admin.request('POST', 'policy_groups', {
    company_id: admin.companyId,
    policy_id: made[0]?.id,
    group_id: group.id,
  })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/policies?q=${word}&pageSize=10` })
  await expect(listRows(page)).toHaveCount(10)
  const editGroups = async (way: string) => {
    await page.getByRole('button', { name: 'Edit…' }).click()
    await dialog(page).getByRole('combobox', { name: 'What to change' }).click()
    await page.locator('.ant-select-item-option').filter({ hasText: 'Groups' }).click()
    await page.keyboard.press('Escape')
    await dialog(page).getByRole('radio', { name: way, exact: true }).check()
    const start = dialog(page).getByRole('button', { name: 'Save' })
    // To add or remove nothing is no change.
    await expect(start).toBeDisabled()
    await dialog(page)
      .getByRole('combobox', { name: /Groups$/ })
      .fill(word)
    await page
      .locator('.ant-select-item-option')
      .filter({ hasText: `${word} grup` })
      .click()
    // A choice made by search closes the popup: Escape would close the dialog.
    await expect(page.locator('.ant-select-dropdown:visible')).toHaveCount(0)
    await start.click()
  }
  const close = () => dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click()
  await selectPage(page, 'Select all rows of this page')
  await page.getByRole('button', { name: 'Select all 12 that match' }).click()
  await editGroups('Add')
  await expect(dialog(page).getByText('11 changed')).toBeVisible()
  await expect(dialog(page).getByText('1 unchanged')).toBeVisible()
  await close()
  const links = () => admin.read(`policy_groups?select=policy_id&group_id=eq.${group.id}`)
  expect(await links()).toHaveLength(12)

  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await listRows(page).first().getByRole('checkbox').check()
  await editGroups('Remove')
  await expect(page.getByRole('dialog', { name: /^1 .+ updated$/ })).toBeVisible()
  await close()
  expect(await links()).toHaveLength(11)
})

test('deleting many asks for the number, and names the rows that others hold', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Silinen').replace(' ', '')
  const made = await createAll(admin, 'ticket_categories', 27, (index) => ({
    name: `${word} ${index}`,
    position: index,
  }))
  await admin.create('tickets', { subject: word, category_id: made[3]?.id })
  await signIn(ACCOUNTS.admin, { language: 'tr', at: `/categories?q=${word}&pageSize=10` })
  await expect(listRows(page)).toHaveCount(10)
  await selectPage(page, 'Bu sayfadaki tüm satırları seç')
  await page.getByRole('button', { name: 'Eşleşen 27 satırın tümünü seç' }).click()
  await page
    .getByRole('region', { name: '27 seçildi' })
    .getByRole('button', { name: 'Sil', exact: true })
    .click()
  const start = dialog(page).getByRole('button', { name: '27 satırı sil' })
  await start.click()
  const wrong = dialog(page).getByText('Tam olarak 27 sayısını yazın.')
  await expect(wrong).toBeVisible()
  await dialog(page).getByRole('textbox').fill('27')
  // Not only with the press on the button, which would move from under it.
  await expect(wrong).toBeHidden()
  await start.click()
  await expect(dialog(page).getByText('26 silindi')).toBeVisible()
  await expect(dialog(page).getByText('1 reddedildi')).toBeVisible()
  await expect(dialog(page).getByRole('rowheader', { name: `${word} 3`, exact: true })).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Kapat', exact: true }).last().click()
  await expect(listRows(page)).toHaveCount(1)
  await expect(page.getByRole('region', { name: /seçildi/ })).toBeHidden()
})

test('an action over chosen rows says of each why not, and the activity names records', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Talep').replace(' ', '')
  const made = await createAll(admin, 'tickets', 3, (index) => ({ subject: `${word} ${index}` }))
  const [first, second, third] = made.map(({ id }) => id)
  const category = await admin.create('ticket_categories', { name: `${word} kategori` })
  const gone = await admin.create('ticket_categories', { name: `${word} silinen` })
  for (const { id } of [gone, category])
    await admin.request('PATCH', `tickets?id=eq.${third}`, { category_id: id })
  await admin.request('DELETE', `ticket_categories?id=eq.${gone.id}`)
  await signIn(ACCOUNTS.admin, { language: 'tr', at: `/tickets?q=${word}` })
  await expect(listRows(page)).toHaveCount(3)
  await selectPage(page, 'Bu sayfadaki tüm satırları seç')
  // Others come in between: one can no longer be resolved, one is gone.
  await admin.request('PATCH', `tickets?id=eq.${first}`, { status: 'closed' })
  await admin.request('DELETE', `tickets?id=eq.${second}`)
  await page
    .getByRole('region', { name: '3 seçildi' })
    .getByRole('button', { name: 'Çöz', exact: true })
    .click()
  await expect(dialog(page).getByText('1 yapıldı')).toBeVisible()
  await expect(dialog(page).getByText('1 reddedildi')).toBeVisible()
  await expect(
    dialog(page).getByRole('row', {
      name: `${word} 0 Kayıt değişti; bu işlem artık yapılamaz.`,
    }),
  ).toBeVisible()
  await expect(dialog(page).getByRole('rowheader', { name: `${word} 1` })).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Kapat', exact: true }).last().click()
  expect(await admin.read(`tickets?select=status&id=eq.${third}`)).toEqual([{ status: 'resolved' }])

  await visit(page, `/tickets/${third}`)
  await page.getByRole('tab', { name: 'Etkinlik' }).click()
  await expect(page.getByRole('tabpanel').getByRole('link', { name: `${word} kategori` })).toBeVisible()
  await expect(page.getByRole('tabpanel').getByText('Silinmiş ya da size görünmüyor').first()).toBeVisible()
})

test('an action that shows fields says which chosen records it affects, and leaves out those that somebody unchecks', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Yarım').replace(' ', '')
  const made = await createAll(admin, 'tickets', 3, (index) => ({ subject: `${word} ${index}` }))
  await createAll(admin, 'ticket_checklist_items', 2, (index) => ({
    ticket_id: made[index]?.id,
    text: 'Not yet',
  }))
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets?q=${word}&sort=number` })
  await expect(listRows(page)).toHaveCount(3)
  await selectPage(page, 'Select all rows of this page')
  // Rows with a question and without are one act.
  await page
    .getByRole('region', { name: '3 selected' })
    .getByRole('button', { name: 'Resolve', exact: true })
    .click()

  await expect(dialog(page).getByText('3 of 3 are included')).toBeVisible()
  const line = (index: number) =>
    dialog(page)
      .getByRole('listitem')
      .filter({ hasText: `${word} ${index}` })
  await expect(line(0)).toContainText('Checklist open')
  await expect(line(2)).not.toContainText('Checklist open')
  await line(1).getByRole('checkbox').uncheck()
  await expect(dialog(page).getByText('2 of 3 are included')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Resolve on 2 rows' }).click()
  await expect(dialog(page)).toBeHidden()
  const after = await admin.read(`tickets?select=status&subject=like.${word}*&order=number`)
  expect(after.map(({ status }) => status)).toEqual(['resolved', 'new', 'resolved'])
})
