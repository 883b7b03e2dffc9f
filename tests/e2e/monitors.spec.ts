import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, test, unique } from './support/one-page'

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
  await expect(main(page).getByText('Required: Event ID.')).toBeVisible()
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
