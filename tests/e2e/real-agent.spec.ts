import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { hostname, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { patience } from '../support/patience'
import { ACCOUNTS, expect, test, unique, visit } from './support/test'

const main = (page: Page) => page.getByRole('main')
const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true })

/** The system's own name, as the inventory should have it: `Debian GNU/Linux`, `Ubuntu`. */
function systemName(): string {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  return /^NAME="?([^"\n]+)"?$/m.exec(release)?.[1] ?? ''
}

async function choose(page: Page, name: string, text: string): Promise<void> {
  const box = page.getByRole('dialog').getByRole('combobox', { name })
  await box.click()
  await box.fill(text)
  await page.locator('.ant-select-dropdown:visible').getByTitle(text, { exact: true }).first().click()
}

test.describe('this very machine', () => {
  test.skip(process.platform !== 'linux', 'The line under test is the one for Linux.')
  let folder: string
  let agent: ChildProcess | undefined
  let said = ''

  test.beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-agent-'))
  })
  test.afterAll(() => {
    // The whole group ends: the shell of the line, and the agent it became.
    if (agent?.pid) {
      try {
        process.kill(-agent.pid, 'SIGTERM')
      } catch {
        // It had already ended.
      }
    }
    rmSync(folder, { recursive: true, force: true })
  })

  test('enrolls with the copied command, and a script’s output comes back', async ({
    page,
    context,
    signIn,
    api,
  }) => {
    test.setTimeout(240_000)
    const admin = await api(ACCOUNTS.admin)
    const failing = await admin.create('procedures', {
      name: unique('Failing'),
      type: 'Python',
      script: 'import sys\nprint("it went wrong")\nsys.exit(3)\n',
    })
    await signIn(ACCOUNTS.admin, { language: 'en' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])

    await menu(page, 'Agents').click()
    await main(page).getByRole('button', { name: 'Create token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create an enrollment token' })
    await form.getByLabel('Name').fill(unique('This machine'))
    await form.getByRole('button', { name: 'Create token' }).click()
    const made = page.getByRole('dialog', { name: 'Enroll a device' })
    await made
      .getByRole('group', { name: 'Install command for Linux' })
      .getByRole('button', { name: 'Copy command' })
      .click()
    const line = await page.evaluate(() => navigator.clipboard.readText())
    await made.getByRole('button', { name: 'Done' }).click()

    // Two options more than the line, so that the machine of the test keeps no service.
    agent = spawn('sh', ['-c', `${line} -s -- --foreground --data-dir ${folder}`], { detached: true })
    agent.stdout?.on('data', (chunk) => (said += chunk))
    agent.stderr?.on('data', (chunk) => (said += chunk))

    await test.step('it is online in the list, without a reload', async () => {
      await visit(page, `/devices?q=${hostname()}`)
      const row = main(page).getByRole('row').filter({ hasText: 'Online' }).filter({ hasText: hostname() })
      // A list that was open before the device enrolled announces it, and shows it on request.
      const news = main(page).getByRole('button', { name: /^[\d.,]+\+? changes?$/ })
      await expect(async () => {
        if (await news.isVisible()) await news.click({ timeout: 1000 })
        await expect(row.first(), `the agent said: ${said}`).toBeVisible({ timeout: 1000 })
      }).toPass()
      await row.first().getByRole('link').first().click()
      await expect(main(page).getByRole('heading', { name: hostname() })).toBeVisible()
    })

    const deviceId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await test.step('with its true inventory', async () => {
      await expect(main(page)).toContainText(systemName())
      await expect
        .poll(async () => {
          const [device] = await admin.read(`devices?id=eq.${deviceId}&select=hostname,memory_mb`)
          const isAsMuch = Math.abs(Number(device?.memory_mb) - totalmem() / 2 ** 20) < 64
          return { hostname: device?.hostname, isAsMuch }
        })
        .toEqual({ hostname: hostname(), isAsMuch: true })
      await expect
        .poll(async () => (await admin.read(`device_software?device_id=eq.${deviceId}&select=id`)).length)
        .toBeGreaterThan(100)
      await page.getByRole('tab', { name: 'Software', exact: true }).click()
      await expect(main(page).getByText(/^1–50 of [\d,]{3,}$/)).toBeVisible()
    })

    await test.step('a script runs on it and its output comes back', async () => {
      await main(page).getByRole('button', { name: 'Run script', exact: true }).click()
      await choose(page, 'Script', 'Print hostname')
      await page.getByRole('dialog').getByRole('button', { name: 'Run on 1 device' }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog.getByText('Succeeded', { exact: true })).toBeVisible({ timeout: patience(30_000) })
      await expect(dialog.getByRole('region', { name: 'Output' })).toContainText(hostname())
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      await page.getByRole('tab', { name: 'Runs', exact: true }).click()
      await expect(main(page).getByRole('row', { name: /Print hostname/ })).toContainText('Succeeded')
    })

    const activity = page.getByRole('region', { name: 'Recent Activity' })
    await test.step('it is in Recent Activity with a tick', async () => {
      await menu(page, 'Dashboard').click()
      const entry = activity
        .getByRole('listitem')
        .filter({ hasText: `Print hostname on ${hostname()}` })
        .first()
      await expect(entry).toBeVisible()
      await expect(entry.getByRole('img', { name: 'Succeeded' })).toBeVisible()
    })

    await test.step('a failing script shows a cross, without a reload', async () => {
      await main(page).getByRole('button', { name: 'Deploy Script' }).click()
      const dialog = page.getByRole('dialog')
      await choose(page, 'Script', String(failing.name))
      await choose(page, 'Devices', hostname())
      await dialog.getByRole('button', { name: 'Run on 1 device' }).click()
      await expect(dialog.getByText('Failed', { exact: true })).toBeVisible({ timeout: patience(30_000) })
      await expect(dialog.getByText('Exit code')).toContainText('3')
      await expect(dialog.getByRole('button', { name: 'Run again on the failed device' })).toBeVisible()
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      const entry = activity.getByRole('listitem').filter({ hasText: String(failing.name) })
      await expect(entry).toBeVisible()
      await expect(entry.getByRole('img', { name: 'Failed' })).toBeVisible()
      await entry.getByRole('link').click()
      await expect(main(page).getByRole('heading', { name: `${failing.name} · ${hostname()}` })).toBeVisible()
      await expect(main(page).getByRole('region', { name: 'Output' })).toContainText('it went wrong')
    })

    await test.step('a command shows what it prints while it runs, and runs once more where it failed', async () => {
      await menu(page, 'Custom Commands').click()
      await main(page).getByText('Bash', { exact: true }).click()
      await main(page)
        .getByRole('textbox', { name: /^Command, code editor/ })
        .fill('echo "hello from $(hostname)"; sleep 4; exit 5')
      const devices = main(page).getByRole('combobox', { name: 'Devices' })
      await devices.click()
      await devices.fill(hostname())
      await page
        .locator('.ant-select-dropdown:visible')
        .getByTitle(hostname(), { exact: true })
        .first()
        .click()
      await page.keyboard.press('Escape')
      await main(page).getByRole('button', { name: 'Run on 1 device' }).click()
      await expect(main(page).getByRole('region', { name: 'Output' })).toContainText(
        `hello from ${hostname()}`,
        { timeout: patience(30_000) },
      )
      await expect(main(page).getByText('1 failed')).toBeVisible({ timeout: patience(30_000) })
      await expect(main(page).getByText('Exit code')).toContainText('5')
      await main(page).getByRole('button', { name: 'Run again on the failed device' }).click()
      await expect(main(page).getByText('1 failed')).toBeHidden()
      await expect(main(page).getByText('1 failed')).toBeVisible({ timeout: patience(30_000) })
      await expect(main(page).getByRole('row', { name: /hello from/ })).toHaveCount(2)
    })

    await test.step('the script’s record knows of it too', async () => {
      await visit(page, `/procedures/${failing.id}?tab=history`)
      await expect(main(page).getByRole('row', { name: new RegExp(hostname()) })).toContainText('Failed')
      await expect(main(page).getByRole('region', { name: 'Exit codes' })).toContainText('3')
      await expect(main(page).getByRole('button', { name: 'Run again on the failed device' })).toBeVisible()
    })
    await admin.request('DELETE', `devices?id=eq.${deviceId}`)
  })
})
