import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, expectToast, NAMES, test, unique, visit } from './support/one-page'
import { test as fresh } from './support/test'

const main = (page: Page) => page.getByRole('main')
const nameField = (page: Page) => main(page).getByRole('textbox', { name: /Name$/ })
const editor = (page: Page) => main(page).getByRole('textbox', { name: /code editor/ })

async function choose(page: Page, field: RegExp, option: string): Promise<void> {
  await main(page).getByRole('combobox', { name: field }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: option }).first().click()
}

const script = (name: string) => ({ name, type: 'Python', script: 'print(1)\n', description: 'before' })

test('a script is created from its form, which says what is missing', async ({ page, signIn, api }) => {
  const name = unique('Yeni betik')
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-procedure' })
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(
    main(page)
      .getByText(/^Required: /)
      .first(),
  ).toBeVisible()
  await expect(page).toHaveURL(/\/create-procedure/)
  await nameField(page).fill(name)
  await choose(page, /Type$/, 'Python')
  await editor(page).fill('import socket\nprint(socket.gethostname())')
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/procedures\/[0-9a-f-]{36}/)
  await expect(main(page).getByText(name).first()).toBeVisible()
  const [made] = await (await api(ACCOUNTS.admin)).read(
    `procedures?name=eq.${encodeURIComponent(name)}&select=type,script`,
  )
  expect(made).toEqual({ type: 'Python', script: 'import socket\nprint(socket.gethostname())' })
})

test('a script is edited, and its earlier version is kept', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const made = await admin.create('procedures', script(unique('Düzenle')))
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/procedures/${made.id}/edit` })
  await expect(nameField(page)).toHaveValue(String(made.name))
  await editor(page).fill('print(2)')
  await page.keyboard.press('Control+Enter')
  await expectToast(page, `${made.name} was saved`)
  await expect
    .poll(() => admin.read(`procedure_versions?procedure_id=eq.${made.id}&select=number,script&order=number`))
    .toEqual([
      { number: 1, script: 'print(1)\n' },
      { number: 2, script: 'print(2)' },
    ])
})

test('a form with changes asks before it is left, by a link or by the browser’s Back', async ({
  page,
  signIn,
  api,
}) => {
  const made = await (await api(ACCOUNTS.admin)).create('procedures', script(unique('Bekle')))
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/procedures/${made.id}` })
  await main(page).getByRole('button', { name: 'Edit', exact: true }).click()
  await nameField(page).fill('not saved')
  const dialog = page.getByRole('dialog').filter({ hasText: 'Leave without saving?' })
  await page.goBack()
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await expect(dialog).toBeHidden()
  await expect(nameField(page)).toHaveValue('not saved')
  // As it was before is not a change.
  await nameField(page).fill(String(made.name))
  await page.goBack()
  await expect(page).toHaveURL(new RegExp(`/procedures/${made.id}$`))
  await page.goForward()
  await nameField(page).fill('not saved')
  await page.getByRole('navigation').first().locator('a[href="/devices"]').click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await expect(page).toHaveURL(/\/devices/)
})

test('deleting asks first, and then the script is gone from the list and the database', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const made = await admin.create('procedures', script(unique('Sil')))
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/procedures/${made.id}` })
  const askToDelete = async () => {
    await main(page).getByRole('button', { name: 'More actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
  }
  await askToDelete()
  const dialog = page.getByRole('dialog').filter({ hasText: `Delete ${made.name}?` })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await admin.read(`procedures?id=eq.${made.id}&select=id`)).toHaveLength(1)
  await askToDelete()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, `${made.name} was deleted`)
  await expect(page).toHaveURL(/\/procedures(\?|$)/)
  expect(await admin.read(`procedures?id=eq.${made.id}&select=id`)).toEqual([])
})

test('a record that is gone says so instead of staying blank', async ({ page, signIn }) => {
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/procedures/00000000-0000-4000-8000-000000000001' })
  await expect(main(page).getByText(/no longer exists, or is not visible to you/)).toBeVisible()
})

test('an issue is created from its category, and a category from the form of an issue', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const category = await admin.create('ticket_categories', { name: unique('Kategori') })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/categories/${category.id}?tab=ticket_issues` })
  await main(page).getByRole('button', { name: /^New / }).click()
  const dialog = page.getByRole('dialog')
  // The dialog has settled when the last field is there: the button below moves no more.
  const lastField = dialog.getByRole('textbox', { name: 'Description' })
  await expect(lastField).toBeVisible()
  const issue = unique('Sorun')
  await dialog.getByRole('textbox', { name: /Name$/ }).fill(issue)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expectToast(page, `Issue type added: ${issue}`)
  await expect(main(page).getByRole('row').filter({ hasText: issue })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(category.id))

  await visit(page, '/create-issue')
  const typed = unique('Yeni kategori')
  await nameField(page).fill(unique('Başka sorun'))
  await main(page)
    .getByRole('combobox', { name: /Category$/ })
    .fill(typed)
  await page
    .locator('.ant-select-item-option')
    .filter({ hasText: `Create “${typed}”` })
    .click()
  await expect(dialog.getByRole('textbox', { name: /Name$/ })).toHaveValue(typed)
  await expect(lastField).toBeVisible()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expectToast(page, `${typed} was created`)
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/issues\/[0-9a-f-]{36}/)
  await expect(main(page).getByText(typed).first()).toBeVisible()
})

test('a database error is shown at its field, and a duplicate starts with the values of its original', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  // The browser logs the refused request.
  allowErrors(/409/)
  const admin = await api(ACCOUNTS.admin)
  const made = await admin.create('groups', { name: unique('Grup'), description: 'as before' })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/groups/${made.id}` })
  await main(page).getByRole('button', { name: 'More actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await expect(nameField(page)).toHaveValue(`${made.name} (copy)`)
  await nameField(page).fill(String(made.name))
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  const field = main(page)
    .locator('.ant-form-item')
    .filter({ has: page.getByRole('textbox', { name: /Name$/ }) })
  await expect(field.getByText('This value is already in use.')).toBeVisible()
  await expect(main(page).getByRole('textbox', { name: /Description$/ })).toHaveValue('as before')
  const copy = unique('Kopya')
  await nameField(page).fill(copy)
  await page.keyboard.press('Control+s')
  await expectToast(page, `${copy} was created`)
})

test('a Super Admin who sees all companies chooses the one a new script belongs to', async ({
  page,
  signIn,
  api,
}) => {
  const name = unique('Hangi şirket')
  await signIn(ACCOUNTS.super, { language: 'en', at: '/create-procedure' })
  await nameField(page).fill(name)
  await choose(page, /Type$/, 'Bash')
  await editor(page).fill('hostname')
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/create-procedure/)
  await choose(page, /Company$/, 'Hooli')
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/procedures\/[0-9a-f-]{36}/)
  const [made] = await (await api(ACCOUNTS.super)).read(
    `procedures?name=eq.${encodeURIComponent(name)}&select=companies!procedures_company_id_fkey(name)`,
  )
  expect(made).toEqual({ companies: { name: 'Hooli' } })
})

fresh(
  'of two users on one record the second to save loses nothing and decides',
  async ({ page, signIn, api }) => {
    const admin = await api(ACCOUNTS.admin)
    const teknik = await api(ACCOUNTS.teknik)
    const made = await admin.create('procedures', script(unique('Çakışma')))
    // No message tells the page: it learns of the other change from the refused save.
    await page.routeWebSocket(/\/realtime\//, () => undefined)
    await signIn(ACCOUNTS.admin, { language: 'en', at: `/procedures/${made.id}/edit` })
    const mine = unique('benim')
    await nameField(page).fill(mine)
    await teknik.request('PATCH', `procedures?id=eq.${made.id}`, { description: 'from the other desk' })

    await main(page).getByRole('button', { name: 'Save', exact: true }).click()
    const compare = page.getByRole('dialog', { name: 'Compare the two versions' })
    await expect(compare).toBeVisible()
    await expect(page.getByText('Somebody else changed this record')).toBeVisible()
    await expect(page.getByText('Changed by them: Description')).toBeVisible()
    await expect(nameField(page)).toHaveValue(mine)
    expect(await admin.read(`procedures?id=eq.${made.id}&select=name`)).toEqual([{ name: made.name }])
    await compare.getByRole('button', { name: 'Save selected values' }).click()
    await expectToast(page, `${mine} was saved`)
    // A field that the other user changed, and this one did not, keeps the other's value.
    expect(await admin.read(`procedures?id=eq.${made.id}&select=name,description`)).toEqual([
      { name: mine, description: 'from the other desk' },
    ])
    // Both are in the record's story, the newest first.
    await main(page).getByRole('tab', { name: 'Activity' }).click()
    const story = main(page).getByRole('tabpanel').getByRole('listitem')
    await expect(story.first()).toContainText(`${NAMES.admin} changed this`)
    await expect(story.nth(1)).toContainText('from the other desk')
  },
)
