import type { Locator, Page } from '@playwright/test'
import type { Api } from './support/api'
import { openPage } from './support/judge'
import { ACCOUNTS, expect, test, unique } from './support/one-page'

const main = (page: Page) => page.getByRole('main')

/** Devices that no agent answers for, so that their runs stay queued. */
async function makeDevices(admin: Api, count: number): Promise<{ id: string; name: string }[]> {
  const word = unique('hedef').replace(' ', '-')
  const rows = Array.from({ length: count }, (_, index) => ({
    company_id: admin.companyId,
    name: `${word}-${String(index + 1).padStart(2, '0')}`,
    platform: 'linux',
    os: 'Ubuntu',
  }))
  expect((await admin.request('POST', 'devices', rows)).status).toBe(201)
  const made = await admin.read(`devices?name=like.${word}-*&select=id,name&order=name`)
  return made.map(({ id, name }) => ({ id: String(id), name: String(name) }))
}

async function removeDevices(admin: Api, devices: readonly { id: string }[]): Promise<void> {
  await admin.request('DELETE', `devices?id=in.(${devices.map(({ id }) => id).join(',')})`)
}

async function makeProcedure(admin: Api, row: Record<string, unknown> = {}) {
  return admin.create('procedures', {
    name: unique('Betik'),
    type: 'Python',
    script: 'print(1)\nprint(2)\n',
    ...row,
  })
}

async function choose(page: Page, box: Locator, text: string): Promise<void> {
  await box.click()
  await box.fill(text)
  await page.locator('.ant-select-dropdown:visible').getByTitle(text, { exact: true }).click()
}

test('a script runs on a device and on a group, and its record shows its versions and runs', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const dialog = page.getByRole('dialog')

  await test.step('it asks for what it needs, then shows every run and lets it be canceled', async () => {
    const devices = await makeDevices(admin, 1)
    const [device] = devices
    const procedure = await makeProcedure(admin, {
      parameters: [
        { name: 'target', kind: 'text', label: 'Target', required: true },
        { name: 'depth', kind: 'number', label: 'Depth', default: 3 },
        { name: 'mode', kind: 'choice', label: 'Mode', choices: ['fast', 'slow'] },
        { name: 'password', kind: 'secret', label: 'Password' },
      ],
    })
    await signIn(ACCOUNTS.admin, { language: 'en', at: `/devices/${device?.id}?tab=job_runs` })
    await expect(main(page).getByText('No runs yet', { exact: true })).toBeVisible()
    await main(page).getByRole('button', { name: 'Run script', exact: true }).click()
    await expect(dialog.getByText('1 device:')).toBeVisible()
    await choose(page, dialog.getByRole('combobox', { name: 'Script' }), String(procedure.name))
    await dialog.getByRole('button', { name: 'Run on 1 device' }).click()
    await expect(dialog.getByText('Required: Target.')).toBeVisible()
    await expect(dialog.getByLabel('Depth')).toHaveValue('3')
    await expect(dialog.getByLabel('Password')).toHaveAttribute('type', 'password')
    await dialog.getByLabel('Target').fill('/var')
    await dialog.getByLabel('Password').fill('çok gizli')
    await dialog.getByRole('button', { name: 'Run on 1 device' }).click()

    await expect(dialog.getByText('0 of 1 finished')).toBeVisible()
    await expect(dialog.getByText('Queued', { exact: true }).first()).toBeVisible()
    const [job] = await admin.read(`jobs?procedure_id=eq.${procedure.id}&select=id,parameters`)
    expect(job?.parameters).toEqual({ target: '/var', depth: 3 })
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    // The tab behind the dialog has heard of it without a reload.
    const row = main(page).getByRole('row', { name: new RegExp(String(procedure.name)) })
    await expect(row).toContainText('Queued')
    await row.getByRole('button', { name: /^Actions for / }).click()
    await page.getByRole('menuitem', { name: 'Stop run' }).click()
    await dialog.getByRole('button', { name: 'Stop run' }).click()
    await expect(row).toContainText('Canceled')

    await row.getByRole('link').click()
    await expect(
      main(page).getByRole('heading', { name: `${procedure.name} · ${device?.name}` }),
    ).toBeVisible()
    await expect(main(page).getByText('The run was canceled.')).toBeVisible()
    await expect(main(page).getByRole('button', { name: 'Stop run' })).toBeDisabled()
    await removeDevices(admin, devices)
  })

  const devices = await makeDevices(admin, 26)
  const group = await admin.create('groups', { name: unique('Küme') })
  const added = devices.slice(0, 2)
  const procedure = await makeProcedure(admin, { script: 'one\ntwo\nthree\n' })
  await test.step('devices are added to a group', async () => {
    const links = devices
      .slice(2)
      .map(({ id }) => ({ company_id: admin.companyId, group_id: group.id, device_id: id }))
    expect((await admin.request('POST', 'group_devices', links)).status).toBe(201)
    await openPage(page, `/groups/${group.id}?tab=members`)
    await expect(main(page).getByText('1–24 of 24')).toBeVisible()
    await main(page).getByRole('button', { name: 'Add devices' }).click()
    const search = dialog.getByRole('searchbox')
    // The dialog takes the focus once it is open: what is typed before that has no field.
    await expect(search).toBeFocused()
    for (const { name } of added) {
      await search.fill(name)
      await expect(search).toHaveValue(name)
      await dialog.getByRole('checkbox', { name: `Select ${name}` }).check()
    }
    await dialog.getByRole('button', { name: 'Add 2 devices' }).click()
    await expect(dialog.getByRole('status')).toContainText('2 devices were added')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(main(page).getByText('1–26 of 26')).toBeVisible()
    for (const { name } of added)
      await expect(main(page).getByRole('row', { name: new RegExp(name) })).toBeVisible()
  })

  await test.step('above 25 devices the number is typed, and all of them are canceled', async () => {
    await main(page).getByRole('button', { name: 'Run script', exact: true }).click()
    await expect(dialog.getByText('26 devices:')).toBeVisible()
    await expect(dialog.getByText(devices[0]?.name ?? '').first()).toBeVisible()
    await choose(page, dialog.getByRole('combobox', { name: 'Script' }), String(procedure.name))
    const run = dialog.getByRole('button', { name: 'Run on 26 devices' })
    await run.click()
    await expect(dialog.getByText('Type 26, the number of devices.')).toBeVisible()
    expect(await admin.read(`jobs?procedure_id=eq.${procedure.id}`)).toEqual([])

    await dialog.getByLabel('Type 26 to confirm running on all 26 devices').fill('26')
    await run.click()
    await expect(dialog.getByText('0 of 26 finished')).toBeVisible()
    await dialog.getByRole('button', { name: 'Stop all' }).click()
    await page.getByRole('tooltip').getByRole('button', { name: 'Stop all' }).click()
    await expect(dialog.getByText('26 of 26 finished')).toBeVisible()
    await expect(dialog.getByText('26 canceled')).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
  })

  await test.step('a device is removed from the group', async () => {
    const name = devices[0]?.name ?? ''
    await main(page)
      .getByRole('row', { name: new RegExp(name) })
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Remove from group' }).click()
    await dialog.getByRole('button', { name: 'Remove from group' }).click()
    await expect(main(page).getByRole('row', { name: new RegExp(name) })).toHaveCount(0)
    await expect(main(page).getByText('1–25 of 25')).toBeVisible()
    await admin.request('DELETE', `groups?id=eq.${group.id}`)
    await removeDevices(admin, devices)
  })

  await test.step('its record shows its versions and what changed between them', async () => {
    await admin.request('PATCH', `procedures?id=eq.${procedure.id}`, {
      script: 'one\n2\nthree\n',
      timeout_seconds: 60,
    })
    await openPage(page, `/procedures/${procedure.id}?tab=versions`)
    await expect(main(page).getByRole('button', { name: /Version 2/ })).toContainText('Current')
    await expect(main(page).getByText('2 lines changed')).toBeVisible()
    await expect(main(page).getByText('Time limit: 300 seconds → 60 seconds')).toBeVisible()
    const diff = main(page).getByRole('region', { name: 'Script' })
    await expect(diff.locator('[data-kind="removed"]')).toContainText('two')
    await expect(diff.locator('[data-kind="added"]')).toContainText('2')
    await main(page)
      .getByRole('button', { name: /Version 1/ })
      .click()
    await expect(page).toHaveURL(/to=1/)
    await expect(diff).toContainText('two')
  })

  await test.step('one that has not run says so, and offers to', async () => {
    const unused = await makeProcedure(admin)
    await openPage(page, `/procedures/${unused.id}?tab=history`)
    await expect(main(page).getByText('This script has not run yet')).toBeVisible()
    await main(page).getByRole('button', { name: 'Run a script' }).click()
    await expect(dialog).toContainText(String(unused.name))
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
  })
})
