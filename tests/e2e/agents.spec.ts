import { ACCOUNTS, expect, test, unique } from './support/test'

test.describe('enrolment tokens', () => {
  test('are shown once with the lines that use them, then only by their end', async ({ page, signIn }) => {
    const name = unique('Roll-out')
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/agents' })
    await page.getByRole('button', { name: 'Create token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create an enrolment token' })
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Maximum number of devices').fill('3')
    await form.getByRole('button', { name: 'Create token' }).click()

    const made = page.getByRole('dialog', { name: 'Enrol a device' })
    const token = await made.getByRole('group', { name: 'Token' }).locator('code').innerText()
    expect(token).toMatch(/^kt_\w{32,}$/)
    const origin = new URL(page.url()).origin
    await expect(made.getByRole('group', { name: 'Install line for Linux' }).locator('code')).toHaveText(
      `curl -fsSL ${origin}/agent/install.sh | sh -s -- --token ${token}`,
    )
    for (const system of ['macOS', 'Windows', 'Foreground']) {
      await made.getByRole('tab', { name: system }).click()
      await expect(made.getByRole('group', { name: `Install line for ${system}` })).toContainText(token)
      await expect(made.getByRole('tabpanel')).toContainText('No Node.js on the device?')
    }
    await made.getByRole('button', { name: 'Done' }).click()

    const row = page.getByRole('row', { name: new RegExp(name) })
    await expect(row).toContainText(`…${token.slice(-4)}`)
    await expect(row).toContainText('Active')
    await expect(row).toContainText('0 of 3')
    await expect(page.getByText(token)).toHaveCount(0)
  })

  test('are revoked after a question', async ({ page, signIn }) => {
    const name = unique('Mistake')
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/agents' })
    await page.getByRole('button', { name: 'Create token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create an enrolment token' })
    await form.getByLabel('Name').fill(name)
    await form.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row', { name: new RegExp(name) })
    await row.getByRole('button', { name: `Revoke ${name}` }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Revoke' }).click()
    await expect(row).toContainText('Revoked')
    await expect(row.getByRole('button')).toHaveCount(0)
  })

  test('ask for a name, and for the company where all are in view', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.super, { language: 'en', at: '/agents' })
    await page.getByRole('button', { name: 'Create token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create an enrolment token' })
    await form.getByRole('button', { name: 'Create token' }).click()
    await expect(form.getByText('Choose the company that the devices join.')).toBeVisible()
    await expect(form.getByText('Give the token a name of at most 120 characters.')).toBeVisible()
  })

  test('are made by nobody whose licence is over', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.initech, { language: 'en', at: '/agents' })
    const create = page.getByRole('button', { name: 'Create token' }).first()
    await expect(create).toHaveAttribute('aria-disabled', 'true')
    await create.click({ force: true })
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('are not for a technician', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.teknik, { language: 'en', at: '/agents' })
    await expect(page.getByText('Enrolment tokens are not for your role')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Agent versions' })).toContainText('devices')
  })
})
