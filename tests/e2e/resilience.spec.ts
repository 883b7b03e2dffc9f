import type { Page } from '@playwright/test'
import { expect, test } from './support/own-server'
import { ACCOUNTS, listRows, unique } from './support/test'

const OFFLINE = 'No connection to the server'
const entry = (page: Page, href: string) => page.getByRole('navigation').first().locator(`a[href="${href}"]`)

/** A mark that only a reload of the page removes. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { stillHere: true }))
const isMarked = (page: Page) => page.evaluate(() => 'stillHere' in window)

const ofTheNetwork = /ERR_|Failed to (fetch|load)|WebSocket|NetworkError|status of 5\d\d|AuthRetryable/

test('a backend that goes and comes back needs no reload and signs nobody out', async ({
  page,
  own,
  allowErrors,
  signIn,
}) => {
  allowErrors(ofTheNetwork)
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/devices' })
  await expect(listRows(page).first()).toBeVisible()
  await mark(page)

  await own.stop()
  await entry(page, '/groups')
    .or(page.getByRole('main').getByRole('link', { name: 'Groups' }))
    .first()
    .click()
  await expect(page.getByText(OFFLINE)).toBeVisible({ timeout: 60_000 })
  await expect(page).not.toHaveURL(/\/login/)

  await own.start()
  await expect(page.getByText(OFFLINE)).toBeHidden({ timeout: 60_000 })
  await expect(listRows(page).first()).toBeVisible({ timeout: 60_000 })
  await entry(page, '/procedures').click()
  await expect(listRows(page).first()).toBeVisible()
  expect(await isMarked(page)).toBe(true)
})

test('a list and a record catch up by themselves after the backend was away, a form keeps what is typed', async ({
  page,
  context,
  own,
  allowErrors,
  signIn,
}) => {
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
  const [record, form] = [await context.newPage(), await context.newPage()]
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/groups' })
  await record.goto(`/groups/${group?.id}`)
  await form.goto(`/groups/${group?.id}/edit`)
  const field = form.getByRole('main').getByRole('textbox', { name: /Name$/ })
  const typed = unique('typed')
  await field.fill(typed)
  await expect(listRows(page).first()).toBeVisible()
  await expect(record.getByRole('main').getByRole('heading').first()).toBeVisible()
  const write = (word: string) =>
    own.sql('update public.groups set description = $1, version = version + 1 where id = $2', [
      word,
      group?.id,
    ])

  isAway = true
  await own.stop()
  await own.start()
  const missed = unique('missed')
  await write(missed)
  isAway = false
  const row = listRows(page).filter({ has: page.locator(`a[href*="${group?.id}"]`) })
  await expect(row).toContainText(missed, { timeout: 60_000 })
  await expect(record.getByRole('main').getByText(missed).first()).toBeVisible({ timeout: 60_000 })
  await expect(form.getByRole('main').getByText(/^Changed in the meantime by/)).toBeVisible({
    timeout: 60_000,
  })
  await expect(field).toHaveValue(typed)

  // Listening again: told, and shown when asked.
  const after = unique('after')
  await write(after)
  const waiting = page.getByRole('main').getByRole('button', { name: '1 change', exact: true })
  await expect(waiting).toBeVisible()
  await expect(row).toContainText(missed)
  await waiting.click()
  await expect(row).toContainText(after)
  await expect(record.getByRole('main').getByText(after).first()).toBeVisible()
  await expect(field).toHaveValue(typed)
})

test('what changed before a page was listening shows all the same', async ({ page, own, signIn }) => {
  const word = unique('Erken')
  const [group] = (await own.sql(
    `insert into public.groups (company_id, name) select id, $1 from public.companies where name = 'Acme' returning id`,
    [`${word} 1`],
  )) as { id: string }[]
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
  await own.sql('update public.groups set name = $1, version = version + 1 where id = $2', [
    `${word} 2`,
    group?.id,
  ])
  listen()
  await expect(listRows(page)).toContainText(`${word} 2`)
})

test('a network that fails at the first load is waited for, not taken for a sign-out', async ({
  page,
  allowErrors,
  signIn,
}) => {
  allowErrors(ofTheNetwork)
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/settings' })
  let isDown = true
  for (const path of ['**/rest/v1/**', '**/auth/v1/**'])
    await page.route(path, (route) => (isDown ? route.abort('connectionrefused') : route.continue()))
  await page.goto('/devices')
  await expect(page.locator('input[type="password"]')).toHaveCount(0)
  await expect(page.getByText(/server|connection/i).first()).toBeVisible()
  await expect(page).toHaveURL(/\/devices/)
  isDown = false
  await expect(listRows(page).first()).toBeVisible({ timeout: 60_000 })
})

test('a page opened without a connection says so, and comes by itself with the connection', async ({
  page,
  context,
  allowErrors,
  signIn,
}) => {
  allowErrors(ofTheNetwork)
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/settings' })
  await expect(entry(page, '/agents')).toBeVisible()
  await context.setOffline(true)
  // The banner; a part of the page that was still being read says the same.
  await expect(page.getByRole('main').getByText('No connection to the server').first()).toBeVisible()
  await entry(page, '/agents').click()
  await expect(page.getByText('This part of the console could not be loaded.')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('main').getByRole('button', { name: /token/i }).first()).toBeVisible()
  await expect(page.getByText('No connection to the server')).toHaveCount(0)
})

test('a write that the network swallows is told, and what was typed stands', async ({
  page,
  allowErrors,
  signIn,
}) => {
  allowErrors(ofTheNetwork)
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-group' })
  await page.getByRole('main').getByRole('textbox', { name: /Name$/ }).fill('Typed once')
  await page.route('**/rest/v1/groups**', (route) =>
    route.request().method() === 'POST' ? route.abort('connectionrefused') : route.continue(),
  )
  await page.getByRole('main').getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByText(/not saved|cannot be reached|no connection/i).first()).toBeVisible()
  await expect(page.getByRole('main').getByRole('textbox', { name: /Name$/ })).toHaveValue('Typed once')
})

test('a definition that crashes its screen says file and line, and the other screens run on', async ({
  page,
  allowErrors,
  signIn,
}) => {
  // React logs what its boundary caught before the page explains it.
  allowErrors(/groups|No field kind/)
  const problem = { file: 'resources/groups.json', line: 12, message: 'unknown type `textaera` of `notes`' }
  await page.route('**/definitions.json*', async (route) => {
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
  })
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/groups' })
  await expect(page.getByText(/^This screen.s definition has an error$/)).toBeVisible()
  await expect(page.getByText(/groups\.json, line 12/).first()).toBeVisible()
  await entry(page, '/devices').click()
  await expect(listRows(page).first()).toBeVisible()
})
