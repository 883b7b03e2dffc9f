import type { Page } from '@playwright/test'
import { openPage } from './support/judge'
import { ACCOUNTS, expect, listRows, test, unique } from './support/test'

const main = (page: Page) => page.getByRole('main')

async function choose(page: Page, field: RegExp, option: string): Promise<void> {
  await main(page).getByRole('combobox', { name: field }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: option }).first().click()
}

test('a monitor asks for what its type needs, and no more', async ({ page, signIn, api }) => {
  const name = unique('Olay günlüğü')
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-monitor' })
  await main(page)
    .getByRole('textbox', { name: /^\*? ?Name/ })
    .fill(name)
  await expect(main(page).locator('#event_id')).toHaveCount(0)
  await choose(page, /Type$/, 'Event ID')
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(main(page).getByText('Event ID is required.')).toBeVisible()
  await main(page).locator('#event_id').fill('4625')
  await main(page).locator('#log_name').fill('Security')
  await main(page).locator('#description').click()
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/monitors\/[0-9a-f-]{36}$/)
  const admin = await api(ACCOUNTS.admin)
  expect(
    await admin.read(`monitors?name=eq.${encodeURIComponent(name)}&select=type,event_id,log_name,target`),
  ).toEqual([{ type: 'Event ID', event_id: 4625, log_name: 'Security', target: null }])
})

test('resolving an alert asks while its device still fails, and the monitor stays failing', async ({
  page,
  signIn,
  api,
}) => {
  const globex = await api(ACCOUNTS.globex)
  const [alert] = await globex.read(
    'alerts?status=eq.open&select=id,message,monitor:monitors(id,name)&order=id&limit=1',
  )
  const monitor = alert?.monitor as { id: string; name: string }
  // The dashboard's System Health leads here.
  await signIn(ACCOUNTS.globex, { language: 'en', at: '/monitors?is_active=false' })
  await expect(listRows(page).filter({ hasText: monitor.name })).toHaveCount(1)
  await listRows(page).filter({ hasText: monitor.name }).getByRole('link').first().click()
  await page.getByRole('tab', { name: 'Alerts' }).click()
  await listRows(page)
    .getByRole('link', { name: String(alert?.message) })
    .click()
  // The monitor's page has the same button, and stays until the alert's page has loaded.
  await expect(main(page).getByRole('heading', { level: 2, name: String(alert?.message) })).toBeVisible()
  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Resolve the alert?' })
  await expect(question).toContainText('The check still fails on 1 device.')
  await question.getByRole('button', { name: 'Resolve anyway' }).click()
  await expect
    .poll(() => globex.read(`alerts?id=eq.${alert?.id}&select=status`))
    .toEqual([{ status: 'resolved' }])
  expect(await globex.read(`monitors?id=eq.${monitor.id}&select=is_active,health`)).toEqual([
    { is_active: false, health: 'failing' },
  ])
  await openPage(page, '/monitors?view=failing')
  await expect(listRows(page).filter({ hasText: monitor.name })).toHaveCount(1)
})

test('a Super Admin makes a company with its license', async ({ page, signIn, api }) => {
  const name = unique('Ege Denizcilik')
  await signIn(ACCOUNTS.super, { language: 'tr', at: '/create-company' })
  await main(page)
    .getByRole('textbox', { name: /^\*? ?Ad$/ })
    .fill(name)
  await choose(page, /Lisans türü$/, 'Pro')
  await main(page).locator('#seats').fill('25')
  await main(page).getByRole('button', { name: 'Oluştur', exact: true }).click()
  await expect(page).toHaveURL(/\/company-management\/[0-9a-f-]{36}$/)
  const [made] = await (await api(ACCOUNTS.super)).read(
    `companies?name=eq.${encodeURIComponent(name)}&select=id,status,license_type,seats,timezone`,
  )
  expect(made).toMatchObject({
    status: 'Active',
    license_type: 'Pro',
    seats: 25,
    timezone: 'Europe/Istanbul',
  })
})
