import type { Page } from '@playwright/test'
import { openPage } from './support/judge'
import { ACCOUNTS, expect, listRows, listTool, test, unique, visit } from './support/one-page'

const main = (page: Page) => page.getByRole('main')

test.describe('a company whose license expired', () => {
  test('edits no cell and is told why, but still exports', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.initech, { language: 'en', at: '/groups' })
    await expect(listRows(page).first()).toBeVisible()
    const edit = await listTool(page, 'Edit cells')
    await expect(edit).toHaveAttribute('aria-disabled', 'true')
    await expect(edit).toContainText(/licen/i)
    await page.keyboard.press('Escape')
    await expect(edit).toBeHidden()
    await page.keyboard.press('c')
    await expect(page.getByRole('grid')).toHaveCount(0)
    await (await listTool(page, 'Export')).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'CSV' }).check()
    const saved = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    expect((await saved).suggestedFilename()).toMatch(/\.csv$/)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
  })

  test('has every write control disabled, each says why, and no form opens', async ({
    page,
    signIn,
    api,
  }) => {
    const initech = await api(ACCOUNTS.initech)
    const [device] = await initech.read('devices?select=id&limit=1')
    const [group] = await initech.read('groups?select=id&limit=1')
    const [procedure] = await initech.read('procedures?select=id&limit=1')
    const banner = page.getByText('Lisans Süresi Dolmuş - Salt Okunur Mod')
    await signIn(ACCOUNTS.initech, { language: 'tr', at: '/tickets' })
    await expect(banner).toBeVisible()
    await visit(page, '/devices')
    await expect(banner).toBeVisible()
    await page.getByRole('button', { name: 'Dil' }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await expect(banner).toHaveCount(0)
    const controls: [string, RegExp[]][] = [
      ['/', [/Deploy Script/]],
      [`/devices/${device?.id}`, [/Run script/, /Edit/]],
      ['/groups', [/New group/]],
      [`/groups/${group?.id}`, [/Run script/, /Edit/]],
      ['/procedures', [/New script/]],
      [`/procedures/${procedure?.id}`, [/Run script/, /Edit/]],
      ['/agents', [/Create token/]],
    ]
    for (const [path, names] of controls) {
      await openPage(page, path)
      for (const name of names) {
        const button = main(page).getByRole('button', { name }).first()
        await expect(button, `${path} ${name}`).toBeVisible()
        await expect(button, `${path} ${name}`).toBeDisabled()
      }
      // Nor is there another one that a later screen may have brought. Favorites are the user's own.
      const others = main(page)
        .getByRole('button', {
          name: /(^|plus |edit |delete )(create|new|add|edit|delete|remove|run|deploy|revoke)\b/i,
        })
        .filter({ hasNotText: /favorites/ })
      for (const button of await others.all()) await expect(button, path).toBeDisabled()
    }
    await visit(page, `/procedures/${procedure?.id}`)
    await main(page).getByRole('button', { name: 'More actions', exact: true }).click()
    await expect(page.getByRole('menuitem', { name: /Delete/ })).toHaveAttribute('aria-disabled', 'true')
    await page.keyboard.press('Escape')

    // The forms look alike: a list in between makes sure that the second one has loaded.
    const forms: [string, string][] = [
      ['/procedures', '/create-procedure'],
      [`/procedures/${procedure?.id}`, `/procedures/${procedure?.id}/edit`],
      ['/groups', '/create-group'],
    ]
    for (const [before, form] of forms) {
      await openPage(page, before)
      if (before === '/groups') {
        // Where the pointer has rested since the menu, it enters nothing.
        await page.mouse.move(0, 0)
        await main(page)
          .getByRole('button', { name: /New group/ })
          .hover({ force: true })
        await expect(page.getByRole('tooltip').filter({ hasText: /license is not active/ })).toBeVisible()
      }
      await openPage(page, form)
      await expect(page).toHaveURL(new RegExp(`${form}$`))
      await expect(main(page).getByText(/license is not active/), form).toBeVisible()
      await expect(main(page).getByRole('textbox'), form).toHaveCount(0)
    }
  })

  test('is refused the same writes by the backend, and no row changes', async ({ api }) => {
    const initech = await api(ACCOUNTS.initech)
    const [device] = await initech.read('devices?select=id,name,notes,version&order=id&limit=1')
    const [procedure] = await initech.read('procedures?select=id,name,script,version&order=id&limit=1')
    const before = await initech.read('groups?select=id,name,version&order=id')
    const refused = { status: 403, body: { code: '42501', hint: 'read-only' } }
    const company = initech.companyId
    const writes: [string, string, unknown?][] = [
      ['PATCH', `devices?id=eq.${device?.id}`, { name: 'changed' }],
      ['DELETE', `devices?id=eq.${device?.id}`],
      ['POST', 'groups', { company_id: company, name: unique('refused') }],
      [
        'POST',
        'procedures',
        { company_id: company, name: unique('refused'), type: 'Python', script: 'print(1)' },
      ],
      ['PATCH', `procedures?id=eq.${procedure?.id}`, { script: 'print(2)' }],
      ['DELETE', `procedures?id=eq.${procedure?.id}`],
      ['POST', 'rpc/create_enrollment_token', { company_id: company, name: 'refused' }],
      ['POST', 'rpc/run_procedure', { procedure_id: procedure?.id, device_ids: [device?.id] }],
    ]
    for (const [method, path, body] of writes)
      expect(await initech.request(method, path, body), `${method} ${path}`).toMatchObject(refused)
    expect(await initech.read(`devices?id=eq.${device?.id}&select=id,name,notes,version`)).toEqual([device])
    expect(await initech.read(`procedures?id=eq.${procedure?.id}&select=id,name,script,version`)).toEqual([
      procedure,
    ])
    expect(await initech.read('groups?select=id,name,version&order=id')).toEqual(before)
  })
})
