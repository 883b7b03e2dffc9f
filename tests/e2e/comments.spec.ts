import type { Browser, Page } from '@playwright/test'
import { ACCOUNTS, expect, putSession, setLanguage, unique } from './support/one-page'
import { test } from './support/test'

const thread = (page: Page) => page.getByRole('region', { name: /^(Comments|Yorumlar)$/ })
const item = (page: Page, text: string) => thread(page).getByRole('listitem').filter({ hasText: text })

async function openOther(
  browser: Browser,
  baseURL: string | undefined,
  email: string,
  path: string,
  options: { language?: 'en' | 'tr'; viewport?: { width: number; height: number } } = {},
) {
  const { language = 'en', viewport } = options
  const context = await browser.newContext({ baseURL, locale: 'en-US', ...(viewport ? { viewport } : {}) })
  const page = await context.newPage()
  await setLanguage(page, language)
  await putSession(page, baseURL ?? '', email)
  await page.goto(path)
  await expect(thread(page)).toBeVisible()
  return page
}

test('a requester on a phone and the desk write to each other, and a note stays with the desk', async ({
  page,
  signIn,
  api,
  browser,
  baseURL,
}, info) => {
  const requester = await api(ACCOUNTS.standard)
  const ticket = await requester.create('tickets', {
    company_id: requester.companyId,
    subject: unique('Ekran'),
  })
  const at = `/tickets/${ticket.id}`
  await signIn(ACCOUNTS.teknik, { language: 'en', at })
  await expect(thread(page)).toBeVisible()
  const phone = await openOther(browser, baseURL, ACCOUNTS.standard, at, {
    language: 'tr',
    viewport: { width: 390, height: 844 },
  })

  await test.step('the desk sees who is there and who writes', async () => {
    await expect(thread(page).getByText(/is also here$/)).toBeVisible()
    await phone.getByRole('textbox', { name: 'Yorum yazın' }).fill('Ekran **hiç** açılmıyor')
    await expect(thread(page).getByText(/is writing…$/)).toBeVisible()
  })

  await test.step('a reply appears in the other window within a second', async () => {
    await phone.getByRole('button', { name: 'Yorum ekle' }).click()
    const begun = Date.now()
    await expect(item(page, 'Ekran hiç açılmıyor')).toBeVisible()
    info.annotations.push({
      type: 'seconds until the reply was seen',
      description: String((Date.now() - begun) / 1000),
    })
    await expect(item(page, 'Ekran hiç açılmıyor').locator('strong').last()).toHaveText('hiç')
    await expect(phone.getByRole('textbox', { name: 'Yorum yazın' })).toHaveValue('')
  })

  await test.step('a note has its own color and never reaches the requester', async () => {
    await page.getByRole('radio', { name: 'Internal note' }).check()
    await expect(page.getByText('Only people who may read these see it.')).toBeVisible()
    await page.getByRole('textbox', { name: 'Internal note' }).fill('Third time this week')
    // Long enough for the requester's page to hear of it, were it told.
    await expect(phone.getByText(/yazıyor…$/)).toHaveCount(0)
    await page.getByRole('button', { name: 'Send as internal note' }).click()
    await expect(item(page, 'Third time this week').getByText('Internal note')).toBeVisible()
    await page.getByRole('radio', { name: 'Reply' }).check()
    await page.getByRole('textbox', { name: 'Reply' }).fill('We are on it')
    await page.keyboard.press('Control+Enter')
    await expect(item(phone, 'We are on it')).toBeVisible()
    await expect(phone.getByText('Third time this week')).toHaveCount(0)
    await phone.reload()
    await expect(item(phone, 'We are on it')).toBeVisible()
    await expect(phone.getByText('Third time this week')).toHaveCount(0)
    await expect(phone.getByText('İç not')).toHaveCount(0)
  })

  await test.step('a draft of each kind survives a reload', async () => {
    await page.getByRole('textbox', { name: 'Reply' }).fill('Half a reply')
    await page.getByRole('radio', { name: 'Internal note' }).check()
    await page.getByRole('textbox', { name: 'Internal note' }).fill('Half a note')
    await page.reload()
    await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveValue('Half a reply')
    await page.getByRole('radio', { name: 'Internal note' }).check()
    await expect(page.getByRole('textbox', { name: 'Internal note' })).toHaveValue('Half a note')
    await page.getByRole('textbox', { name: 'Internal note' }).fill('')
    await page.getByRole('radio', { name: 'Reply' }).check()
    await page.getByRole('textbox', { name: 'Reply' }).fill('')
  })

  await test.step('a mention is picked by keyboard, told by the bell and leads to the comment', async () => {
    const box = phone.getByRole('textbox', { name: 'Yorum yazın' })
    await box.pressSequentially('Merhaba @cagri')
    await expect(phone.getByRole('option').first()).toBeVisible()
    await phone.keyboard.press('Enter')
    await box.pressSequentially('bakar mısınız?')
    await phone.keyboard.press('Control+Enter')
    const mentioned = item(page, 'bakar mısınız?')
    await expect(mentioned.locator('.k-mention')).toBeVisible()
    await page.goto('/notifications')
    await page
      .getByRole('link', { name: /mentioned you in/ })
      .first()
      .click()
    await expect(page).toHaveURL(/\?comment=/)
    await expect(item(page, 'bakar mısınız?')).toHaveAttribute('data-linked', 'true')
  })

  await test.step('the requester edits a comment and deletes it', async () => {
    const own = item(phone, 'Ekran hiç')
    await own.getByRole('button', { name: 'Düzenle' }).click()
    await phone.getByRole('textbox', { name: 'Yorumu düzenle' }).fill('Ekran yanıp sönüyor')
    await phone.getByRole('button', { name: 'Kaydet' }).click()
    await expect(item(page, 'Ekran yanıp sönüyor').getByText('edited', { exact: true })).toBeVisible()
    await item(phone, 'Ekran yanıp sönüyor').getByRole('button', { name: 'Sil' }).click()
    await phone.getByRole('tooltip').getByRole('button', { name: 'Sil' }).click()
    await expect(item(page, 'Ekran yanıp sönüyor')).toHaveCount(0)
  })

  await test.step('nothing is wider than the phone', async () => {
    const width = await phone.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(390)
  })
  await phone.screenshot({ path: '/tmp/phone.png', fullPage: true })
  await page.screenshot({ path: '/tmp/desk.png', fullPage: true })
  await phone.context().close()
})

test('a text whose ticket was closed meanwhile stays in the box, and one sent twice is one comment', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const ticket = await admin.create('tickets', { company_id: admin.companyId, subject: unique('Kapanan') })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets/${ticket.id}` })
  const box = page.getByRole('textbox', { name: 'Reply' })

  await test.step('an answer that was lost does not write twice', async () => {
    allowErrors(/Failed to load resource|ERR_FAILED/)
    let isLost = true
    await page.route('**/rest/v1/ticket_comments*', async (route) => {
      if (route.request().method() !== 'POST' || !isLost) return route.fallback()
      isLost = false
      // The server writes the comment; only its answer is lost.
      await route.fetch()
      await route.abort()
    })
    await box.fill('Written once')
    await page.getByRole('button', { name: 'Send as reply' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Your text is kept here' })).toBeVisible()
    await expect(box).toHaveValue('Written once')
    await page.getByRole('button', { name: 'Send as reply' }).click()
    await expect(box).toHaveValue('')
    await expect(item(page, 'Written once')).toHaveCount(1)
    const rows = await admin.read(`ticket_comments?ticket_id=eq.${ticket.id}&select=id`)
    expect(rows).toHaveLength(1)
  })

  await test.step('a closed ticket says what to do', async () => {
    await box.fill('Too late')
    for (const status of ['resolved', 'closed'])
      await admin.request('PATCH', `tickets?id=eq.${ticket.id}`, { status })
    await page.getByRole('button', { name: 'Send as reply' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'was closed in the meantime' })).toBeVisible()
    await expect(box).toHaveValue('Too late')
  })

  await test.step('a text on a ticket that was deleted is still there to copy', async () => {
    const other = await admin.create('tickets', { company_id: admin.companyId, subject: unique('Silinen') })
    await page.goto(`/tickets/${other.id}`)
    await page.getByRole('textbox', { name: 'Reply' }).fill('Written for nothing')
    await admin.request('DELETE', `tickets?id=eq.${other.id}`)
    await expect(page.getByText('Your text is kept here')).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Write a comment' })).toHaveValue('Written for nothing')
    await page.goto(`/tickets/${ticket.id}`)
  })

  await test.step('a sign-out takes the drafts with it', async () => {
    const drafts = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('konsol.draft:')).length)
    expect(await drafts()).toBe(2)
    await page
      .getByRole('button', { name: /account|menu/i })
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page).toHaveURL(/login/)
    expect(await drafts()).toBe(0)
  })
})
