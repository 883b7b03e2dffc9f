import { ACCOUNTS, expect, test, unique, visit } from './support/one-page'

test.describe('enrollment tokens', () => {
  test('are shown once with the lines that use them, and hold devices back for approval', async ({
    page,
    signIn,
    api,
  }) => {
    const admin = await api(ACCOUNTS.admin)
    const name = unique('Roll-out')
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/agents' })
    const { key } = await (await page.request.get('/config.json')).json()

    await test.step('shown once with the lines that use them, then only by their end', async () => {
      await page.getByRole('button', { name: 'Create token' }).first().click()
      const form = page.getByRole('dialog', { name: 'Create an enrollment token' })
      await form.getByLabel('Name').fill(name)
      await form.getByLabel('Maximum uses').fill('3')
      await form.getByRole('button', { name: 'Create token' }).click()

      const made = page.getByRole('dialog', { name: 'Enroll a device' })
      const token = await made.getByRole('group', { name: 'Token' }).locator('code').innerText()
      expect(token).toMatch(/^kt_\w{32,}$/)
      const origin = new URL(page.url()).origin
      await expect(made.getByRole('group', { name: 'Install command for Linux' }).locator('code')).toHaveText(
        `{ echo KONSOL_TOKEN=${token}; curl -fsSL ${origin}/agent/install.sh; } | sh`,
      )
      for (const system of ['macOS', 'Windows', 'Foreground']) {
        await made.getByRole('tab', { name: system }).click()
        await expect(made.getByRole('group', { name: `Install command for ${system}` })).toContainText(token)
        await expect(made.getByRole('tabpanel')).toContainText('No Node.js on the device?')
      }
      await made.getByRole('button', { name: 'Done' }).click()
      await expect(page.getByText(token)).toHaveCount(0)

      // The page goes on waiting for the device, and says when it is there.
      const watch = page.getByRole('status').filter({ hasText: name })
      await expect(watch).toContainText('Waiting for the first device')
      const enroll = (hostname: string) =>
        page.request.post('/rest/v1/rpc/agent_enroll', {
          headers: { apikey: key },
          data: { payload: { token, machine_id: unique('machine'), hostname, platform: 'linux' } },
        })
      const hostname = unique('joined')
      expect((await enroll(hostname)).status()).toBe(200)
      await watch.getByRole('link', { name: `Open ${hostname}` }).click()
      await expect(page.getByRole('main').getByRole('heading', { name: hostname })).toBeVisible()

      await visit(page, '/enrollment-tokens')
      const row = page.getByRole('row', { name: new RegExp(name) })
      await expect(row).toContainText(token.slice(-4))
      await expect(row).toContainText('3')
    })

    await test.step('they hold devices back for approval where they ask for it', async () => {
      const made = await admin.request('POST', 'rpc/create_enrollment_token', {
        company_id: admin.companyId,
        name: unique('Checked'),
        requires_approval: true,
      })
      const { token } = made.body as { token: string }
      await visit(page, '/agents')
      const payload = { machine_id: unique('machine'), hostname: unique('waiting'), platform: 'linux' }
      const ask = (more: object) =>
        page.request.post('/rest/v1/rpc/agent_enroll', {
          headers: { apikey: key },
          data: { payload: { ...payload, ...more } },
        })
      const { status, secret } = await (await ask({ token })).json()
      expect(status).toBe('pending')

      await page.getByRole('link', { name: 'Review' }).first().click()
      const row = page.getByRole('row', { name: new RegExp(payload.hostname) })
      await row.getByRole('button').last().click()
      await page.getByRole('menuitem', { name: 'Approve' }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog).toContainText('as a new device')
      await dialog.getByRole('button', { name: 'Approve' }).click()
      await expect(dialog).toHaveCount(0)
      expect((await (await ask({ secret })).json()).device_id).toMatch(/^[0-9a-f-]{36}$/)
    })
  })
})
