import type { Browser, Page } from '@playwright/test'
import { ACCOUNTS, expect, putSession, setLanguage, unique } from './support/one-page'
import { test } from './support/test'

/** A picture of a single pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
)

const thread = (page: Page) => page.getByRole('region', { name: /^(Comments|Yorumlar)$/ })
const item = (page: Page, text: string) => thread(page).getByRole('listitem').filter({ hasText: text })
const side = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function openPhone(browser: Browser, baseURL: string | undefined, email: string, path: string) {
  const context = await browser.newContext({
    baseURL,
    locale: 'en-US',
    viewport: { width: 390, height: 844 },
  })
  const page = await context.newPage()
  await setLanguage(page, 'tr')
  await putSession(page, baseURL ?? '', email)
  await page.goto(path)
  await expect(thread(page)).toBeVisible()
  return page
}

test('the desk answers with a canned reply and a picture, runs a script and waits; the requester sees the reply and no note', async ({
  page,
  signIn,
  api,
  browser,
  baseURL,
}) => {
  const requester = await api(ACCOUNTS.standard)
  const desk = await api(ACCOUNTS.teknik)
  const [device] = await desk.read('devices?select=id,name&platform=eq.linux&order=name&limit=1')
  const [waiting] = await desk.read('ticket_statuses?select=name&kind=eq.waiting&is_default=is.true')
  const ticket = await requester.create('tickets', {
    company_id: requester.companyId,
    subject: unique('Yazıcı'),
  })
  const at = `/tickets/${ticket.id}`
  const shortcut = unique('k').replaceAll(/\W/g, '').toLowerCase()
  await desk.create('canned_replies', {
    company_id: desk.companyId,
    name: unique('Greeting'),
    shortcut,
    body: 'Hello {requester.name}, about #{ticket.number}:',
    scope: 'mine',
  })
  const asked: string[] = []
  page.on('request', (request) => {
    if (/\/(rest|storage)\/v1\//.test(request.url())) asked.push(request.url())
  })
  await signIn(ACCOUNTS.teknik, { language: 'en', at })
  await expect(thread(page)).toBeVisible()

  await test.step('the parts of the side share one request', async () => {
    await expect(side(page, 'Requester').getByText(String(ticket.requester_name))).toBeVisible()
    await expect(side(page, 'Runs').getByText('Nothing was run from this ticket yet.')).toBeVisible()
    expect(asked.filter((url) => url.includes('/rpc/ticket_side'))).toHaveLength(1)
    test.info().annotations.push({ type: 'requests on open', description: asked.join('\n') })
  })

  await test.step('device and priority are chosen in place, by keyboard', async () => {
    await side(page, 'Device').getByRole('button', { name: 'Edit device' }).focus()
    await page.keyboard.press('Enter')
    await expect(side(page, 'Device').getByRole('combobox')).toBeFocused()
    await page.keyboard.type(String(device?.name))
    await page
      .getByRole('option', { name: String(device?.name) })
      .first()
      .waitFor({ state: 'attached' })
    await page.keyboard.press('Enter')
    await expect(side(page, 'Device').getByRole('button', { name: 'Run Script' })).toBeVisible()
    await side(page, 'Handling').getByRole('button', { name: 'Edit priority' }).focus()
    await page.keyboard.press('Enter')
    await expect(side(page, 'Handling').getByRole('combobox')).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await desk.read(`tickets?id=eq.${ticket.id}&select=priority`))[0]?.priority)
      .toBe('urgent')
  })

  await test.step('a slash inserts a canned reply with the values of the ticket', async () => {
    const box = page.getByRole('textbox', { name: 'Reply' })
    await box.pressSequentially(`/${shortcut}`)
    await page.getByRole('option', { name: new RegExp(shortcut) }).waitFor()
    await page.keyboard.press('Enter')
    await expect(box).toHaveValue(/^Hello .+, about #\d+: $/)
    await box.pressSequentially('please look at this')
  })

  await test.step('a pasted screenshot is uploaded and goes with the reply, and the ticket waits', async () => {
    await page.getByRole('textbox', { name: 'Reply' }).focus()
    await page.evaluate((base64) => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      transfer.items.add(new File([bytes], 'image.png', { type: 'image/png' }))
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
      )
    }, PNG.toString('base64'))
    await expect(thread(page).getByRole('button', { name: /^Remove screenshot-/ })).toBeVisible()
    await page.getByRole('button', { name: 'Send and set: status' }).click()
    await page.getByRole('menuitem', { name: new RegExp(`Send as reply · Status: ${waiting?.name}`) }).click()
    await expect(item(page, 'please look at this')).toBeVisible()
    await expect(
      item(page, 'please look at this').getByRole('img', { name: /^Preview of screenshot-/ }),
    ).toBeVisible()
    await expect
      .poll(async () => (await desk.read(`tickets?id=eq.${ticket.id}&select=status`))[0]?.status)
      .toBe('waiting')
  })

  await test.step('a note keeps its own file', async () => {
    await page.getByRole('radio', { name: 'Internal note' }).check()
    await page.getByRole('textbox', { name: 'Internal note' }).fill('Only for us')
    await thread(page)
      .getByTestId('file-input')
      .setInputFiles({ name: 'secret.txt', mimeType: 'text/plain', buffer: Buffer.from('the password') })
    await expect(thread(page).getByRole('button', { name: 'Remove secret.txt' })).toBeVisible()
    await page.getByRole('radio', { name: 'Reply' }).check()
    await expect(thread(page).getByRole('button', { name: 'Remove secret.txt' })).toBeHidden()
    await page.getByRole('radio', { name: 'Internal note' }).check()
    await page.getByRole('button', { name: 'Send as internal note' }).click()
    await expect(item(page, 'Only for us').getByRole('button', { name: 'Download secret.txt' })).toBeVisible()
  })

  await test.step('a command is started from the ticket, linked to it and told by its activity', async () => {
    await side(page, 'Device').getByRole('button', { name: 'Run Command' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').first().fill('uptime')
    await dialog.getByRole('button', { name: /^Run/ }).click()
    await expect(dialog.getByText('Queued').first()).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await expect(side(page, 'Runs').getByRole('link', { name: 'uptime' })).toBeVisible()
    // The task has one run: both places say of it that it is queued.
    await expect(side(page, 'Runs')).toContainText('Queued')
    await expect(side(page, 'Device').getByRole('list', { name: /runs/i })).toContainText('Queued')
    await expect(page.getByRole('main').getByText('Running')).toHaveCount(0)
    const [linked] = await desk.read(`ticket_jobs?ticket_id=eq.${ticket.id}&select=job:jobs(name)`)
    expect(linked).toEqual({ job: { name: 'uptime' } })
  })

  await test.step('the requester sees reply and picture on a phone, and nothing of the note', async () => {
    const phone = await openPhone(browser, baseURL, ACCOUNTS.standard, at)
    await expect(item(phone, 'please look at this')).toBeVisible()
    await expect(item(phone, 'please look at this').getByRole('img')).toBeVisible()
    await expect(phone.getByText('Only for us')).toHaveCount(0)
    await expect(phone.getByText('secret.txt')).toHaveCount(0)
    await expect(phone.getByText('uptime')).toHaveCount(0)
    expect(await requester.read(`files?name=eq.secret.txt&select=id`)).toEqual([])
    expect(await requester.read(`ticket_jobs?ticket_id=eq.${ticket.id}&select=job_id`)).toEqual([])
    const width = await phone.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(390)
    await phone.context().close()
  })
})

test('resolving asks about what is open, by the button, with a reply and in place, as the ticket is now', async ({
  page,
  signIn,
  api,
}) => {
  const desk = await api(ACCOUNTS.teknik)
  const admin = await api(ACCOUNTS.admin)
  const [resolved] = await desk.read('ticket_statuses?select=id,name&kind=eq.resolved&is_default=is.true')
  const ticket = await desk.create('tickets', { company_id: desk.companyId, subject: unique('Monitör') })
  const stateOf = async (id: unknown) => (await desk.read(`tickets?id=eq.${id}&select=status`))[0]?.status
  const askApproval = async (id: unknown) => {
    const asked = await desk.request('POST', 'rpc/request_approval', { ids: [id], person_id: admin.userId })
    expect(asked.status).toBe(200)
  }
  await askApproval(ticket.id)
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets/${ticket.id}` })
  const box = page.getByRole('textbox', { name: 'Reply' })
  const dialog = page.getByRole('dialog')
  const sendAndResolve = async () => {
    await page.getByRole('button', { name: 'Send and set: status' }).click()
    await page.getByRole('menuitem', { name: new RegExp(`Status: ${resolved?.name}`) }).click()
  }

  await test.step('a reply that would resolve the ticket asks first; no keeps the text', async () => {
    await box.fill('It works again')
    await sendAndResolve()
    await expect(dialog.getByText('Needs approval', { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toBeHidden()
    await expect(box).toHaveValue('It works again')
    await expect(box).toBeEnabled()
    await expect(item(page, 'It works again')).toBeHidden()
    expect(await stateOf(ticket.id)).not.toBe('resolved')
  })

  await test.step('so does the status beside the ticket', async () => {
    await side(page, 'Handling').getByRole('button', { name: 'Edit status' }).click()
    await page.locator('.ant-select-item-option', { hasText: String(resolved?.name) }).click()
    await expect(dialog.getByText('Needs approval', { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toBeHidden()
    expect(await stateOf(ticket.id)).not.toBe('resolved')
  })

  await test.step('yes sends the reply and resolves the ticket', async () => {
    await sendAndResolve()
    await dialog.getByRole('button', { name: new RegExp(`Status: ${resolved?.name}`) }).click()
    await expect(item(page, 'It works again')).toBeVisible()
    await expect.poll(() => stateOf(ticket.id)).toBe('resolved')
  })

  const late = await desk.create('tickets', { company_id: desk.companyId, subject: unique('Klavye') })
  await test.step('a page that has not heard of the decision asks nothing', async () => {
    await askApproval(late.id)
    // The page hears of no change: it keeps the ticket as it read it.
    await page.routeWebSocket(/\/realtime\//, () => undefined)
    await page.goto(`/tickets/${late.id}`)
    await expect(page.getByRole('button', { name: 'Resolve', exact: true })).toBeVisible()
    const [approval] = await admin.read(`ticket_approvals?ticket_id=eq.${late.id}&select=id`)
    await admin.request('POST', 'rpc/decide_approvals', { ids: [approval?.id], approved: true })
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await expect.poll(() => stateOf(late.id)).toBe('resolved')
    await expect(dialog).toBeHidden()
  })
})
