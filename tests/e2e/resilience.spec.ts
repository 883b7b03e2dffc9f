import type { Page, Route } from '@playwright/test'
import { patience } from '../support/patience'
import { test as withOwnServer } from './support/own-server'
import { ACCOUNTS, expect, listRows, test, unique, visit } from './support/test'

const OFFLINE = 'No connection to the server'
const main = (page: Page) => page.getByRole('main')
const entry = (page: Page, href: string) => page.getByRole('navigation').first().locator(`a[href="${href}"]`)

/** A mark that only a reload of the page removes. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { stillHere: true }))
const isMarked = (page: Page) => page.evaluate(() => 'stillHere' in window)

const ofTheNetwork = /ERR_|Failed to (fetch|load)|WebSocket|NetworkError|status of 5\d\d|AuthRetryable/

withOwnServer(
  'a backend that goes and comes back signs nobody out; lists and records catch up, a form keeps what is typed',
  async ({ page, context, own, allowErrors, signIn }) => {
    allowErrors(ofTheNetwork)
    let isAway = false
    // Held off until the change is made: what they show then was missed, not told.
    await context.routeWebSocket(/\/realtime\//, (socket) => {
      if (isAway) void socket.close()
      else socket.connectToServer()
    })
    const [group] = (await own.sql(
      `select id from public.groups
        where company_id = (select id from public.companies where name like 'Acme%') order by name_key limit 1`,
    )) as { id: string }[]
    const [record, form, walker] = [await context.newPage(), await context.newPage(), await context.newPage()]
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/groups' })
    await record.goto(`/groups/${group?.id}`)
    await form.goto(`/groups/${group?.id}/edit`)
    await walker.goto('/devices')
    const field = main(form).getByRole('textbox', { name: /Name$/ })
    const typed = unique('typed')
    await field.fill(typed)
    await expect(listRows(page).first()).toBeVisible()
    await expect(main(record).getByRole('heading').first()).toBeVisible()
    await expect(listRows(walker).first()).toBeVisible()
    const all = [page, record, form, walker]
    for (const each of all) await mark(each)
    const write = (word: string) =>
      own.sql('update public.groups set description = $1, version = version + 1 where id = $2', [
        word,
        group?.id,
      ])

    isAway = true
    await own.stop()
    await withOwnServer.step('an open page says that the server is away', async () => {
      await entry(walker, '/groups')
        .or(main(walker).getByRole('link', { name: 'Groups' }))
        .first()
        .click()
      await expect(walker.getByText(OFFLINE)).toBeVisible({ timeout: patience(60_000) })
      await expect(walker).not.toHaveURL(/\/login/)
    })
    await own.start()
    const missed = unique('missed')
    await write(missed)

    await withOwnServer.step('and goes on without a reload once it is back', async () => {
      await expect(walker.getByText(OFFLINE)).toBeHidden({ timeout: patience(60_000) })
      await expect(listRows(walker).first()).toBeVisible({ timeout: patience(60_000) })
      await entry(walker, '/procedures').click()
      await expect(listRows(walker).first()).toBeVisible()
    })

    isAway = false
    const row = listRows(page).filter({ has: page.locator(`a[href*="${group?.id}"]`) })
    await withOwnServer.step('what was missed is shown', async () => {
      await expect(row).toContainText(missed, { timeout: patience(60_000) })
      await expect(main(record).getByText(missed).first()).toBeVisible({ timeout: patience(60_000) })
      await expect(main(form).getByText(/^Changed in the meantime by/)).toBeVisible({
        timeout: patience(60_000),
      })
      await expect(field).toHaveValue(typed)
    })

    await withOwnServer.step('they listen again: told, and shown when asked', async () => {
      const after = unique('after')
      await write(after)
      const waiting = main(page).getByRole('button', { name: '1 change', exact: true })
      await expect(waiting).toBeVisible()
      await expect(row).toContainText(missed)
      await waiting.click()
      await expect(row).toContainText(after)
      await expect(main(record).getByText(after).first()).toBeVisible()
      await expect(field).toHaveValue(typed)
    })
    for (const each of all) expect(await isMarked(each)).toBe(true)
  },
)

/** The definitions as they are when `resources/groups.json` has a mistake. */
async function breakGroups(route: Route): Promise<void> {
  const problem = { file: 'resources/groups.json', line: 12, message: 'unknown type `textaera` of `notes`' }
  const response = await route.fetch()
  const entries = (await response.json()) as { name: string; definition: object }[]
  const broken = entries.map((entry) =>
    entry.name === 'groups'
      ? {
          ...entry,
          definition: { ...entry.definition, fields: { name: { type: 'textaera' } } },
          problems: [problem],
        }
      : entry,
  )
  await route.fulfill({ response, json: broken })
}

test('a browser whose network comes and goes, and a definition that crashes its screen', async ({
  page,
  context,
  allowErrors,
  signIn,
  api,
}) => {
  allowErrors(ofTheNetwork)
  // React logs what its boundary caught before the page explains it.
  allowErrors(/groups|No field kind/)
  const teknik = await api(ACCOUNTS.teknik)
  const word = unique('Erken')

  await test.step('what changed before a page was listening shows all the same', async () => {
    const group = await teknik.create('groups', { name: `${word} 1` })
    let listen = () => {}
    const held = new Promise<void>((resolve) => {
      listen = resolve
    })
    await page.routeWebSocket(/\/realtime\//, (socket) => {
      const server = socket.connectToServer()
      socket.onMessage(async (message) => {
        await held
        server.send(message)
      })
    })
    await signIn(ACCOUNTS.admin, { language: 'en', at: `/groups?q=${encodeURIComponent(word)}` })
    await expect(listRows(page)).toContainText(`${word} 1`)
    const changed = await teknik.request('PATCH', `groups?id=eq.${group.id}`, { name: `${word} 2` })
    expect(changed.status).toBe(200)
    listen()
    await expect(listRows(page)).toContainText(`${word} 2`)
  })

  await test.step('a page opened without a connection says so, and comes by itself with the connection', async () => {
    await expect(entry(page, '/agents')).toBeVisible()
    await context.setOffline(true)
    // The banner; a part of the page that was still being read says the same.
    await expect(main(page).getByText(OFFLINE).first()).toBeVisible()
    await entry(page, '/agents').click()
    await expect(page.getByText('This part of the console could not be loaded.')).toBeVisible()
    await context.setOffline(false)
    await expect(main(page).getByRole('button', { name: /token/i }).first()).toBeVisible()
    await expect(page.getByText(OFFLINE)).toHaveCount(0)
  })

  await test.step('a write that is lost on the way is reported, and the typed text is kept', async () => {
    await visit(page, '/create-group')
    await main(page).getByRole('textbox', { name: /Name$/ }).fill('Typed once')
    await page.route('**/rest/v1/groups**', (route) =>
      route.request().method() === 'POST' ? route.abort('connectionrefused') : route.continue(),
    )
    await main(page).getByRole('button', { name: 'Create', exact: true }).click()
    await expect(page.getByText(/not saved|cannot be reached|no connection/i).first()).toBeVisible()
    await expect(main(page).getByRole('textbox', { name: /Name$/ })).toHaveValue('Typed once')
    await page.unrouteAll()
  })

  await test.step('a network that fails at the first load is waited for, not taken for a sign-out', async () => {
    let isDown = true
    for (const path of ['**/rest/v1/**', '**/auth/v1/**'])
      await page.route(path, (route) => (isDown ? route.abort('connectionrefused') : route.continue()))
    page.once('dialog', (dialog) => void dialog.accept())
    await page.route('**/definitions.json*', breakGroups)
    await page.goto('/devices')
    await expect(page.locator('input[type="password"]')).toHaveCount(0)
    await expect(page.getByText(/server|connection/i).first()).toBeVisible()
    await expect(page).toHaveURL(/\/devices/)
    isDown = false
    await expect(listRows(page).first()).toBeVisible({ timeout: patience(60_000) })
  })

  await test.step('a definition that crashes its screen says file and line, and the other screens run on', async () => {
    await visit(page, '/groups')
    await expect(page.getByText(/^This screen.s definition has an error$/)).toBeVisible()
    await expect(page.getByText(/groups\.json, line 12/).first()).toBeVisible()
    await entry(page, '/devices').click()
    await expect(listRows(page).first()).toBeVisible()
  })
})
