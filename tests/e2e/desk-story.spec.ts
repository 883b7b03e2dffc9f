import type { Browser, Page } from '@playwright/test'
import { patience } from '../support/patience'
import { deliverMail, mailsTo } from './support/mailbox'
import { test } from './support/own-server'
import { ACCOUNTS, expect, expectToast, putSession, setLanguage, unique, visit } from './support/test'

/** A picture of a single pixel. */
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
)

const main = (page: Page) => page.getByRole('main')
const thread = (page: Page) => page.getByRole('region', { name: /^(Comments|Yorumlar)$/ })
const said = (page: Page, text: string) => thread(page).getByRole('listitem').filter({ hasText: text })
const side = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function phoneOf(browser: Browser, url: string, email: string, path: string): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    hasTouch: true,
  })
  const page = await context.newPage()
  await setLanguage(page, 'tr')
  await putSession(page, url, email)
  await page.goto(path)
  return page
}

test('a ticket from the photo on a phone to the answer that is found again', async ({
  page,
  signIn,
  api,
  browser,
  own,
}) => {
  const { url } = own
  const admin = await api(ACCOUNTS.admin)
  const subject = unique('Kablosuz ağ kopuyor')
  const phone = await phoneOf(browser, url, ACCOUNTS.standard, '/tickets')
  const ticket = async (columns: string) =>
    (await admin.read(`tickets?id=eq.${id}&select=${columns}`))[0] ?? {}
  const mailTo = async (email: string, text: string) => {
    const found = async () => (await mailsTo(own.dataDir, email)).findLast((mail) => mail.text.includes(text))
    // Mails that wait for others of five minutes, or for a minute after another, are sent now.
    await own.sql(
      `with notices as (update app.notices set next_attempt_at = now()),
         mails as (update app.ticket_mails set next_attempt_at = now(), sent_at = sent_at - interval '1 day')
       select pg_notify('konsol_mail', '')`,
    )
    await expect.poll(async () => (await found())?.replyTo, { timeout: patience(30_000) }).toMatch(/^reply\+/)
    return String((await found())?.replyTo)
  }

  await test.step('a requester opens it on a phone, with a photo', async () => {
    await main(phone).getByRole('button', { name: 'Yeni talep' }).click()
    await main(phone)
      .getByRole('button', { name: /^Ağ ve internet/ })
      .click()
    await main(phone).getByRole('textbox', { name: 'Konu' }).fill(subject)
    await main(phone).getByRole('combobox', { name: 'Cihaz' }).click()
    await expect(phone.getByRole('option')).toHaveCount(2)
    await phone.keyboard.press('Enter')
    await main(phone)
      .getByTestId('file-input')
      .setInputFiles({ name: 'modem.png', mimeType: 'image/png', buffer: PHOTO })
    await expect(main(phone).getByRole('list', { name: 'Ekler' }).getByText('modem.png')).toBeVisible()
    await main(phone).getByRole('button', { name: 'Oluştur' }).click()
    await expect(phone).toHaveURL(/\/tickets\/[0-9a-f-]{36}$/)
  })
  const id = phone.url().split('/').at(-1) ?? ''

  const { assignee_id, number, device_id } = await ticket('assignee_id,number,device_id')
  const [assignee] = await admin.read(`users?id=eq.${assignee_id}&select=email,name`)
  const desk = String(assignee?.email)
  await test.step('a rule assigns it, and the assignee answers from their mail', async () => {
    expect(device_id).toEqual(expect.any(String))
    await deliverMail(url, {
      from: desk,
      to: await mailTo(desk, `/tickets/${id}`),
      text: 'Modemi kapatıp açar mısınız?\r\n\r\nOn Mon, Desk wrote:\r\n> quoted',
    })
    await expect(said(phone, 'Modemi kapatıp açar mısınız?')).toBeVisible()
  })

  const [waiting] = await admin.read('ticket_statuses?select=name&kind=eq.waiting&is_default=is.true')
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets/${id}` })
  await test.step('the desk answers from the page and waits: the clock stops', async () => {
    await expect(main(page).getByText(/^Assigned by the rule/)).toBeVisible()
    await page.getByRole('textbox', { name: 'Reply' }).fill('Which floor are you on?')
    await page.getByRole('button', { name: 'Send and set: status' }).click()
    await page.getByRole('menuitem', { name: new RegExp(`Status: ${waiting?.name}`) }).click()
    await expect(said(phone, 'Which floor are you on?')).toBeVisible()
    await expect
      .poll(() => ticket('status,paused_at'))
      .toEqual({ status: 'waiting', paused_at: expect.any(String) })
  })

  await test.step('the requester answers on the phone: the clock goes on', async () => {
    await thread(phone).getByRole('textbox').fill('Üçüncü kat')
    await thread(phone).getByRole('button', { name: 'Yorum ekle' }).click()
    await expect(said(page, 'Üçüncü kat')).toBeVisible()
    await expect.poll(() => ticket('status,paused_at')).toEqual({ status: 'open', paused_at: null })
  })

  await test.step('a script is run on the device from the ticket', async () => {
    await side(page, 'Device').getByRole('button', { name: 'Run Script' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox').first().click()
    await page.locator('.ant-select-dropdown:visible .ant-select-item-option').first().click()
    await dialog.getByRole('button', { name: /^Run/ }).last().click()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await expect(side(page, 'Runs').getByRole('link').first()).toBeVisible()
    expect(await admin.read(`ticket_jobs?ticket_id=eq.${id}&select=ticket_id`)).toHaveLength(1)
  })

  await test.step('an approval is asked for by mail and given', async () => {
    const asker = await api(ACCOUNTS.teknik)
    const question = unique('Yeni modem alınsın mı?')
    const asked = await asker.request('POST', 'rpc/request_approval', {
      ids: [id],
      person_id: admin.userId,
      question,
    })
    expect(asked.status).toBe(200)
    await mailTo(ACCOUNTS.admin, question)
    const [approval] = await admin.read(`ticket_approvals?ticket_id=eq.${id}&select=id`)
    await admin.request('POST', 'rpc/decide_approvals', { ids: [approval?.id], approved: true })
    await expect.poll(() => ticket('status')).toEqual({ status: 'open' })
  })

  await test.step('it is resolved, rated, and opened again by mail', async () => {
    await main(page).getByRole('button', { name: 'Resolve', exact: true }).click()
    await expectToast(page, 'Ticket resolved')
    await visit(phone, '/tickets?group=done')
    const stars = main(phone).getByRole('group', { name: `${subject} için puan` })
    await stars.getByRole('button', { name: '5 üzerinden 5' }).click()
    await expect.poll(() => ticket('rating')).toEqual({ rating: 5 })
    await deliverMail(url, {
      from: ACCOUNTS.standard,
      to: await mailTo(ACCOUNTS.standard, 'yeniden açmak için bu iletiyi'),
      text: 'Yine koptu.',
    })
    await expect.poll(() => ticket('status')).toEqual({ status: 'open' })
    await expect(said(page, 'Yine koptu.')).toBeVisible()
  })

  await test.step('it is merged, and its words are found again', async () => {
    const other = await admin.create('tickets', { subject: unique('Modem değişecek') })
    const merged = await admin.request('POST', 'rpc/merge_tickets', { ids: [id], target_id: other.id })
    expect(merged.status).toBe(200)
    await page.reload()
    await expect(
      main(page)
        .getByRole('link', { name: new RegExp(`#${other.number}`) })
        .first(),
    ).toBeVisible()
    await visit(page, `/tickets/${other.id}`)
    await expect(said(page, 'Yine koptu.')).toBeVisible()
    await visit(page, `/tickets?q=${encodeURIComponent(subject)}`)
    await expect(
      main(page)
        .getByRole('link', { name: new RegExp(`#?${number}`) })
        .first(),
    ).toBeVisible()
  })
  await phone.context().close()
})
