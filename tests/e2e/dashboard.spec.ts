import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, expectToast, test, unique } from './support/one-page'
import { test as fresh } from './support/test'

type Answer = {
  online: number
  offline: number
  procedures: number
  alerts: number
  severities: Record<string, number>
  systems: { os: string; count: number }[]
}

const card = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name })
const figures = (page: Page) => page.getByRole('main').getByRole('list', { name: 'Figures' })

test.describe('the dashboard', () => {
  test('shows the figures and the operating systems of the company, and each leads to its list', async ({
    page,
    signIn,
    api,
  }) => {
    const admin = await api(ACCOUNTS.admin)
    await signIn(ACCOUNTS.admin, { language: 'en' })
    await expect(card(page, 'Online Devices')).toBeVisible()
    // Devices go offline by themselves, so that figures of before the sign-in may be old.
    const reply = await admin.request('POST', 'rpc/dashboard', { company: null })
    const answer = reply.body as Answer
    await expect(card(page, `Online Devices: ${answer.online}`)).toContainText(String(answer.online))
    await expect(card(page, 'Online Devices')).toContainText('Active')
    await expect(card(page, `Offline Devices: ${answer.offline}`)).toContainText('Needs attention')
    await expect(card(page, `Active Procedures: ${answer.procedures}`)).toContainText('Available')
    // Every open alert counts, however few monitors they are from.
    const { body } = await admin.request('GET', 'alerts?select=id&status=in.(open,acknowledged)')
    const open = (body as unknown[]).length
    expect(Object.values(answer.severities).reduce((sum, count) => sum + count, 0)).toBe(open)
    const failing = answer.alerts === 1 ? '1 monitor reports them' : `${answer.alerts} monitors report them`
    await expect(card(page, `Alerts: ${open}`)).toContainText(`Monitor issues${failing}`)
    await expect(figures(page).getByRole('link')).toHaveCount(4)

    await expect(card(page, 'Offline Devices')).toHaveAttribute('href', '/devices?status=offline')
    await expect(card(page, 'Active Procedures')).toHaveAttribute('href', '/procedures')
    await expect(card(page, 'Alerts')).toHaveAttribute('href', '/alerts?status=open,acknowledged')

    // The operating systems are drawn, and the same is said beside the chart.
    const { systems } = answer
    const total = systems.reduce((sum, system) => sum + system.count, 0)
    const section = page.getByRole('region', { name: 'Operating Systems' })
    const canvas = section.locator('canvas').first()
    await expect(canvas).toBeVisible()
    // Outer radius 120.
    expect(await canvas.boundingBox()).toMatchObject({ width: 240, height: 240 })
    for (const { os, count } of systems) {
      // A device that another test enrolled may not have told its system yet.
      const entry = section.getByRole('link', { name: os || 'Unknown' })
      await expect(entry).toContainText(String(count))
      const percent = new Intl.NumberFormat('en-GB', {
        style: 'percent',
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
      })
      await expect(entry).toContainText(percent.format(count / total))
    }
    await section.getByRole('link', { name: 'Windows 11' }).click()
    await expect(page).toHaveURL(/\/devices\?os=Windows(%20|\+)11/)
    await page.goBack()
    await card(page, 'Online Devices').click()
    await expect(page).toHaveURL(/\/devices\?status=online/)
  })

  fresh(
    'says that it could not be loaded, loads when asked again, and follows the company',
    async ({ page, signIn, api, allowErrors }) => {
      allowErrors(/500|Failed to load resource/)
      const admin = await api(ACCOUNTS.admin)
      // Nobody tells the page to ask again but its reader.
      let listen = () => {}
      const held = new Promise<void>((done) => {
        listen = done
      })
      await page.routeWebSocket(/\/realtime\//, async (socket) => {
        await held
        socket.connectToServer()
      })
      await page.route('**/rest/v1/rpc/dashboard*', (route) =>
        route.fulfill({ status: 500, json: { code: 'XX000', message: 'the figures are out' } }),
      )
      await signIn(ACCOUNTS.admin, { language: 'en' })
      await expectToast(page, 'Error loading dashboard', 'the figures are out')
      await expect(page.getByRole('navigation').first().locator('a[href="/devices"]')).toBeVisible()
      const retry = page.getByRole('main').getByRole('button', { name: 'Try again' })
      await page.unroute('**/rest/v1/rpc/dashboard*')
      await retry.click()

      // The figures loaded before the page subscribes; changes in between are announced, too.
      const label = (await card(page, 'Offline Devices').getAttribute('aria-label')) ?? ''
      const before = Number(/: ([\d,]+)/.exec(label)?.[1]?.replace(',', ''))
      const device = await admin.create('devices', { name: unique('live') })
      listen()
      await expect(card(page, `Offline Devices: ${before + 1}`)).toBeVisible()
      await admin.request('DELETE', `devices?id=eq.${device.id}`)
      await expect(card(page, `Offline Devices: ${before}`)).toBeVisible()
    },
  )
})
