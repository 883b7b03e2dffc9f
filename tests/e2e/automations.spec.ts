import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, listRows, test, unique, visit } from './support/one-page'

const main = (page: Page) => page.getByRole('main')

test('an automation is made with its steps, runs on its devices and is stopped', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const device = await admin.create('devices', { name: unique('Otomasyon PC') })
  const scripts = [unique('First'), unique('Second')]
  for (const name of scripts) await admin.create('procedures', { name, type: 'Bash', script: 'true' })
  const name = unique('Automation')
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-automation' })
  await main(page)
    .getByRole('textbox', { name: /^\*? ?Name/ })
    .fill(name)
  await main(page).getByRole('combobox', { name: 'Devices' }).fill(String(device.name))
  await page
    .locator('.ant-select-item-option')
    .filter({ hasText: String(device.name) })
    .click()
  await page.keyboard.press('Escape')
  for (const [index, script] of scripts.entries()) {
    await main(page)
      .getByRole('button', { name: /automation step/ })
      .last()
      .click()
    const box = main(page).getByRole('combobox', { name: 'Script' }).nth(index)
    await box.fill(script)
    await page.locator('.ant-select-dropdown:visible').getByTitle(script, { exact: true }).click()
  }
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/automation\/[0-9a-f-]{36}$/)

  await main(page).getByRole('tab', { name: 'Steps' }).click()
  await expect(page).toHaveURL(/\/procedures$/)
  await expect(listRows(page)).toHaveCount(2)
  await expect(listRows(page).first()).toContainText(String(scripts[0]))

  await main(page).getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run on 1 device' }).click()
  await main(page).getByRole('tab', { name: 'Automation runs' }).click()
  await expect(listRows(page).filter({ hasText: String(device.name) })).toContainText('Running')
  await main(page).getByRole('tab', { name: 'Matching devices' }).click()
  await main(page).getByText('Left out (1)').click()
  await expect(main(page).getByText('Already running there (1)').first()).toBeVisible()
  await expect(listRows(page)).toHaveCount(1)
  await expect(listRows(page).first()).toContainText(String(device.name))
  await expect(page).toHaveURL(/show=left-out/)
  const [run] = await admin.read(`automation_runs?device_id=eq.${device.id}&select=id`)
  await visit(page, `/automation-runs/${run?.id}`)
  await main(page).getByRole('button', { name: 'Stop run' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop run' }).click()
  await expect(main(page).getByText('Canceled').first()).toBeVisible()
})
