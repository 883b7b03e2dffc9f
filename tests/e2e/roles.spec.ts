import type { Page } from '@playwright/test'
import { addedResources } from '../support/without-added'
import { openPage, settled } from './support/judge'
import { BOTTOM, SIDEBAR } from './support/routes'
import { ACCOUNTS, expect, test, unique, visit } from './support/test'

/** What an administrator added to this tree is below a divider, and none of this test's business. */
const ADDED = addedResources('.').map((name) => `/${name.replaceAll('_', '-')}`)

const sidebar = (page: Page) => page.getByRole('navigation').first()

async function expectEntries(page: Page, expected: readonly string[]): Promise<void> {
  const entries = sidebar(page).locator('a[href]')
  // Tickets depends on a permission that is still loading when the shell first renders.
  await expect
    .poll(async () => {
      const found = await entries.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
      return found.filter((path) => !ADDED.includes(path))
    })
    .toEqual(expected)
}

test.describe('Standard', () => {
  test('sees Tickets alone, another private address leads there, and reads nothing else', async ({
    page,
    signIn,
    api,
  }) => {
    const standard = await api(ACCOUNTS.standard)
    for (const table of ['devices', 'procedures', 'groups', 'monitors', 'device_software', 'audit_log'])
      expect((await standard.request('GET', `${table}?select=*&limit=5`)).body, table).toEqual([])
    expect((await standard.request('POST', 'rpc/search_devices', { q: 'a' })).status).toBe(403)

    await signIn(ACCOUNTS.standard, { language: 'en', at: '/devices' })
    await expect(page).toHaveURL(/\/tickets$/)
    await expectEntries(page, ['/tickets'])
    await visit(page, '/')
    await expect(page).toHaveURL(/\/tickets$/)
    await visit(page, '/tickets/00000000-0000-4000-8000-000000000001')
    await expect(page).toHaveURL(/\/tickets\/0/)
    await expect(page.locator('a[href="/notifications"]')).toHaveCount(0)
  })
})

test.describe('Teknik', () => {
  test('works with devices and scripts but neither removes nor invites', async ({ page, signIn, api }) => {
    const teknik = await api(ACCOUNTS.teknik)
    const group = await (await api(ACCOUNTS.admin)).create('groups', { name: unique('Teknik kept') })
    const refused = await teknik.request('DELETE', `groups?id=eq.${group.id}`)
    expect(refused).toMatchObject({ status: 403, body: { code: '42501', hint: 'role' } })
    expect(await teknik.read(`groups?id=eq.${group.id}&select=name`)).toEqual([{ name: group.name }])
    const edited = await teknik.request('PATCH', `groups?id=eq.${group.id}`, { description: 'by Teknik' })
    expect(edited.status).toBe(200)

    await signIn(ACCOUNTS.teknik, { language: 'en', at: '/settings' })
    await expectEntries(page, [...SIDEBAR, ...BOTTOM])
    // Only a Super Admin chooses a company.
    await expect(page.getByRole('banner').getByRole('combobox')).toHaveCount(0)
    await visit(page, '/company-management')
    await expect(page).toHaveURL(/:\d+\/$/)
    await visit(page, '/users')
    await expect(page.getByRole('alert').filter({ hasText: "You don't have access to Users" })).toBeVisible()
  })
})

test.describe('Admin', () => {
  test('learns nothing of another company by its addresses', async ({ page, signIn, api }) => {
    const globex = await api(ACCOUNTS.globex)
    const group = await globex.create('groups', { name: unique('Gizli') })
    const [device] = await globex.read('devices?select=id,name,serial,hostname&order=id&limit=1')
    const [procedure] = await globex.read('procedures?select=id,name&order=id&limit=1')
    const paths = [
      `/procedures/${procedure?.id}`,
      `/devices/${device?.id}`,
      `/procedures/${procedure?.id}/edit`,
      `/groups/${group.id}`,
      `/groups?q=${encodeURIComponent(String(group.name))}`,
      `/devices?company_id=${globex.companyId}`,
    ]
    await signIn(ACCOUNTS.admin, { language: 'en', at: paths[0] })
    await settled(page)
    for (const [place, path] of paths.entries()) {
      if (place > 0) await openPage(page, path)
      const shown = page.locator('body')
      await expect(shown, path).not.toContainText('Globex')
      for (const secret of [device?.name, device?.serial, procedure?.name].filter(Boolean))
        if (path.includes(String(device?.id)) || path.includes(String(procedure?.id)))
          await expect(shown, path).not.toContainText(String(secret))
      // The search box may contain the searched word; no row may.
      await expect(page.getByRole('row').filter({ hasText: String(group.name) }), path).toHaveCount(0)
    }
  })
})

test.describe('a company whose license expired', () => {
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
    const main = page.getByRole('main')
    for (const [path, names] of controls) {
      await openPage(page, path)
      for (const name of names) {
        const button = main.getByRole('button', { name }).first()
        await expect(button, `${path} ${name}`).toBeVisible()
        await expect(button, `${path} ${name}`).toBeDisabled()
      }
      // Nor is there another one that a later screen may have brought. Favorites are the user's own.
      const others = main
        .getByRole('button', {
          name: /(^|plus |edit |delete )(create|new|add|edit|delete|remove|run|deploy|revoke)\b/i,
        })
        .filter({ hasNotText: /favorites/ })
      for (const button of await others.all()) await expect(button, path).toBeDisabled()
    }
    await visit(page, `/procedures/${procedure?.id}`)
    await main.getByRole('button', { name: 'More actions', exact: true }).click()
    await expect(page.getByRole('menuitem', { name: /Delete/ })).toHaveAttribute('aria-disabled', 'true')
    await page.keyboard.press('Escape')

    // A list between two forms, which look alike: what is seen is the second one.
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
        await main.getByRole('button', { name: /New group/ }).hover({ force: true })
        await expect(page.getByRole('tooltip').filter({ hasText: /license is not active/ })).toBeVisible()
      }
      await openPage(page, form)
      await expect(page).toHaveURL(new RegExp(`${form}$`))
      await expect(main.getByText(/license is not active/), form).toBeVisible()
      await expect(main.getByRole('textbox'), form).toHaveCount(0)
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

test('a license about to end says in how many days', async ({ page, signIn }) => {
  await signIn(ACCOUNTS.globex, { language: 'tr', at: '/settings' })
  await expect(page.getByText('Lisans Süresi Yaklaşıyor')).toBeVisible()
  await expect(page.getByText(/\b12 gün\b/)).toBeVisible()
  await page.getByRole('button', { name: 'Dil' }).click()
  await page.getByRole('menuitem', { name: 'English' }).click()
  await expect(page.getByText(/\b12 days\b/)).toBeVisible()
})
