import type { Page } from '@playwright/test'
import { dataDirOf, mailedLinks } from './support/mailbox'
import {
  ACCOUNTS,
  expect,
  expectToast,
  fillSignIn,
  setLanguage,
  test,
  unique,
  visit,
} from './support/one-page'

const main = (page: Page) => page.getByRole('main')
const PASSWORD = 'Ilk-Parola-2026'

test('somebody is invited, sets a password by the mailed link, is signed in by it, and is switched off', async ({
  page,
  signIn,
  browser,
  baseURL,
}) => {
  const name = unique('Davetli')
  const email = `${name.replace(' ', '.').toLowerCase()}@acme.example`
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-user' })
  await main(page).getByRole('textbox', { name: /Name$/ }).fill(name)
  await main(page)
    .getByRole('textbox', { name: /Email$/ })
    .fill(email)
  await main(page).getByRole('combobox', { name: /Role$/ }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: 'Teknik' }).click()
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/users\/[0-9a-f-]{36}/)
  await expect(main(page).getByText('Invited').first()).toBeVisible()
  await main(page).getByRole('button', { name: 'Resend invitation' }).click()
  await expectToast(page, 'Invitation sent again')
  await expect(main(page).getByText('Acme').first()).toBeVisible()

  const mailed = () => mailedLinks(dataDirOf(baseURL ?? ''), email)
  await expect.poll(async () => (await mailed()).at(-1)).toContain('/reset-password')
  const invited = await (await browser.newContext({ baseURL })).newPage()
  await setLanguage(invited, 'en')
  await invited.goto((await mailed()).at(-1) ?? '')
  await invited.locator('input').nth(0).fill(PASSWORD)
  await invited.locator('input').nth(1).fill(PASSWORD)
  await invited.locator('button[type="submit"]').click()
  // The password was chosen a moment ago: it is not asked for again.
  await expect(invited).toHaveURL(/\/$/)
  await expect(invited.getByText(name).first()).toBeVisible()

  await expect(main(page).getByText('Active').first()).toBeVisible()
  await main(page).getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await expect(main(page).getByText('Deactivated').first()).toBeVisible()
  await invited.goto('/login')
  await fillSignIn(invited, email, PASSWORD)
  await expect(invited.getByRole('alert')).toBeVisible()
  await expect(invited).toHaveURL(/\/login/)
  await invited.context().close()
})

test('no ticket goes to a deactivated account, and deactivating says how many open ones are left', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  // The refused save.
  allowErrors(/status of 400/)
  const admin = await api(ACCOUNTS.admin)
  const name = unique('Giden')
  const person = await admin.create('users', {
    name,
    email: `${name.replace(' ', '.').toLowerCase()}@acme.example`,
    role: 'Teknik',
  })
  const ticket = await admin.create('tickets', { subject: `${name} 1`, assignee_id: person.id })
  await admin.create('tickets', { subject: `${name} 2`, assignee_id: person.id })

  await signIn(ACCOUNTS.admin, { language: 'en', at: '/tickets/create-ticket?card=' })
  const assignee = main(page).getByRole('combobox', { name: /Assignee$/ })
  const options = page.locator('.ant-select-item-option')
  await test.step('the form of a ticket says who cannot sign in any more', async () => {
    await main(page)
      .getByRole('textbox', { name: /Subject$/ })
      .fill(`${name} 3`)
    await assignee.fill(name)
    await options.filter({ hasText: name }).click()
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await admin.request('POST', 'rpc/deactivate_users', { ids: [person.id] })
    await main(page).getByRole('button', { name: 'Create', exact: true }).click()
    await expect(main(page).getByText('This person’s account is deactivated.').first()).toBeVisible()
    await admin.request('POST', 'rpc/reactivate_users', { ids: [person.id] })
    await main(page).getByRole('button', { name: 'Create', exact: true }).click()
    await expect(page).toHaveURL(/\/tickets\/[0-9a-f-]{36}/)
  })

  await test.step('the question before somebody is deactivated counts their open tickets', async () => {
    await visit(page, `/users/${person.id}`)
    await main(page).getByRole('button', { name: 'Deactivate' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('3 open tickets are assigned to them.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await expect(main(page).getByText('Deactivated').first()).toBeVisible()
  })

  await test.step('a ticket says that its assignee left, and offers only others', async () => {
    await visit(page, `/tickets/${ticket.id}/edit`)
    await expect(main(page).getByText(`The account of ${name} is deactivated.`)).toBeVisible()
    await assignee.fill(name)
    await expect(page.getByText('No results').last()).toBeVisible()
    await expect(options.filter({ hasText: name })).toHaveCount(0)
  })
})
