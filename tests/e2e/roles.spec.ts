import type { Locator, Page } from '@playwright/test'
import { addedResources } from '../support/without-added'
import { openPage, settled } from './support/judge'
import { ACCOUNTS, expect, listRows, test, unique, visit } from './support/one-page'
import { BOTTOM, SIDEBAR } from './support/routes'

/** An administrator's additions to this tree are below a divider, and none of this test's business. */
const ADDED = addedResources('.').map((name) => `/${name.replaceAll('_', '-')}`)

const main = (page: Page) => page.getByRole('main')
const palette = (page: Page): Locator => page.getByRole('dialog', { name: 'Search and commands' })
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
      expect((await standard.request('GET', `${table}?select=id&limit=5`)).body, table).toEqual([])
    expect((await standard.request('POST', 'rpc/search_devices', { q: 'a' })).status).toBe(403)

    await signIn(ACCOUNTS.standard, { language: 'en', at: '/devices' })
    await expect(page).toHaveURL(/\/tickets$/)
    await expectEntries(page, ['/tickets'])
    const groups = page.getByRole('group', { name: 'Which tickets' }).getByRole('button')
    await expect(groups).toHaveText(['Open', 'Resolved'])
    // A link from somebody who assigns tickets opens the plain list.
    await visit(page, '/tickets?view=mine')
    await expect(groups.first()).toHaveAttribute('aria-pressed', 'true')
    await expect(
      page
        .getByRole('navigation')
        .getByRole('link', { name: 'Articles' })
        .or(page.getByRole('link', { name: 'Articles' }))
        .first(),
    ).toBeVisible()
    await visit(page, '/')
    await expect(page).toHaveURL(/\/tickets$/)
    await visit(page, '/tickets/00000000-0000-4000-8000-000000000001')
    await expect(page).toHaveURL(/\/tickets\/0/)
    await expect(page.locator('a[href="/notifications"]')).toHaveCount(0)
  })

  test('is offered by the palette what they may do, and gets the focus back', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.standard, { language: 'en', at: '/tickets' })
    const button = page.getByRole('button', { name: /^Search and commands/ })
    await button.focus()
    await page.keyboard.press('Enter')
    await expect(
      palette(page).getByRole('group', { name: 'Go to', exact: true }).getByRole('option'),
    ).toHaveText(['Tickets', 'Articles', 'Approvals'])
    await expect(
      palette(page).getByRole('group', { name: 'Create', exact: true }).getByRole('option'),
    ).toHaveCount(1)
    await page.keyboard.press('Tab')
    await expect(palette(page).getByRole('combobox')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(palette(page)).toHaveCount(0)
    await expect(button).toBeFocused()
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

  test('makes no enrollment tokens, but sees the agents', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.teknik, { language: 'en', at: '/agents' })
    await expect(page.getByRole('region', { name: 'Agent versions' })).toContainText('devices')
    await expect(page.getByRole('row').nth(1)).toContainText(/Online|Offline/)
    await expect(page.getByRole('link', { name: 'Enrollment Tokens' })).toHaveCount(0)
    const create = page.getByRole('button', { name: 'Create token' })
    await expect(create.and(page.locator(':not([aria-disabled="true"])'))).toHaveCount(0)
  })

  test('uses a shared view of the company; its link shows a stranger the same list', async ({
    page,
    signIn,
    api,
  }) => {
    const admin = await api(ACCOUNTS.admin)
    const tab = (text: string) => main(page).getByRole('button', { name: text, exact: true })
    const headers = () =>
      main(page)
        .locator('thead th:not(.k-table-select, .k-table-menu)')
        .evaluateAll((cells) => cells.map((cell) => cell.textContent ?? ''))
    const name = unique('Company view')
    const query = 'columns=name%2Ckind&kind=patch'
    const view = await admin.create('saved_views', {
      resource: 'policies',
      name,
      scope: 'company',
      company_id: admin.companyId,
      state: { query: `${query}&secret=1&sort=-nonsense` },
    })
    const link = `/policies?saved=${view.id}&${query}`
    const globex = await api(ACCOUNTS.globex)
    await globex.create('policies', { name: unique('Theirs'), kind: 'patch', enabled: false })
    await signIn(ACCOUNTS.teknik, { language: 'en', at: '/policies' })
    await tab(name).click()
    await expect(page).toHaveURL(new RegExp(`\\?saved=${view.id}&columns=name%2Ckind&kind=patch$`))
    await expect(main(page).getByRole('button', { name: `Actions for the view “${name}”` })).toHaveCount(0)
    await expect.poll(() => headers()).toHaveLength(2)

    await signIn(ACCOUNTS.globex, { language: 'en', at: link })
    await expect(main(page).getByRole('list', { name: 'Active filters' })).toBeVisible()
    await expect(tab(name)).toHaveCount(0)
    await expect(listRows(page).first()).toBeVisible()
    expect(await headers()).toHaveLength(2)
    await admin.request('DELETE', `saved_views?id=eq.${view.id}`)
  })
})

test.describe('Admin of another company', () => {
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

  test('is told in how many days the license ends', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.globex, { language: 'tr', at: '/settings' })
    await expect(page.getByText('Lisans Süresi Yaklaşıyor')).toBeVisible()
    await expect(page.getByText(/\b12 gün\b/)).toBeVisible()
    await page.getByRole('button', { name: 'Dil' }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await expect(page.getByText(/\b12 days\b/)).toBeVisible()
  })
})

test.describe('Super Admin', () => {
  test('makes a company with its license', async ({ page, signIn, api }) => {
    const name = unique('Ege Denizcilik')
    await signIn(ACCOUNTS.super, { language: 'tr', at: '/create-company' })
    await main(page)
      .getByRole('textbox', { name: /^\*? ?Ad$/ })
      .fill(name)
    await main(page)
      .getByRole('combobox', { name: /Lisans türü$/ })
      .click()
    await page.locator('.ant-select-item-option').filter({ hasText: 'Pro' }).first().click()
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

  test('runs a script within one company where all are in view', async ({ page, signIn, api }) => {
    const everywhere = await api(ACCOUNTS.super)
    const [acme] = await everywhere.read('companies?name=eq.Acme&select=id')
    const [globex] = await everywhere.read('companies?name=eq.Globex&select=id')
    const first = (id: unknown) =>
      everywhere.read(`devices?company_id=eq.${id}&order=name_key&limit=1&select=name`)
    const [[ours], [theirs]] = await Promise.all([first(acme?.id), first(globex?.id)])
    await signIn(ACCOUNTS.super, { language: 'en' })
    await main(page).getByRole('button', { name: 'Deploy Script' }).click()
    const dialog = page.getByRole('dialog')
    const devices = dialog.getByRole('combobox', { name: 'Devices' })
    // While the search goes on, Enter takes nothing of the list that other words found.
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/rpc/search_devices*', async (route) => {
      await held
      await route.continue()
    })
    await devices.fill(String(ours?.name))
    await devices.press('Enter')
    const chosen = dialog.locator('.ant-select-selection-item')
    await expect(chosen).toHaveCount(0)
    answer()
    await devices.click()
    await devices.fill(String(ours?.name))
    await page.locator('.ant-select-dropdown:visible').getByTitle(String(ours?.name), { exact: true }).click()
    await expect(chosen).toHaveText([String(ours?.name)])
    // The search is done with: the list makes room, and is whole again.
    await expect(page.locator('.ant-select-dropdown:visible')).toHaveCount(0)
    await devices.click()
    await expect(page.locator('.ant-select-dropdown:visible .ant-select-item-option').nth(5)).toBeVisible()
    // Once one is chosen, only devices of its company are offered.
    await devices.fill(String(theirs?.name))
    await expect(page.getByText('No devices found')).toBeVisible()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
  })

  test('switches the company in the palette', async ({ page, signIn }) => {
    await signIn(ACCOUNTS.super, { language: 'en', at: '/groups' })
    await expect(listRows(page).first()).toBeVisible()
    await page.keyboard.press('Control+k')
    await expect(palette(page).getByRole('combobox')).toBeFocused()
    await page.keyboard.type('company globex')
    await expect(
      palette(page).getByRole('group', { name: 'Switch company', exact: true }).getByRole('option'),
    ).toHaveCount(1)
    await page.keyboard.press('Enter')
    await expect(page.locator('.top-bar .company-switcher')).toContainText('Globex')
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
