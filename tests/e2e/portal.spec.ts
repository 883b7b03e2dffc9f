import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, expectToast, test, unique, visit } from './support/test'

/** A picture of a single pixel. */
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
)

const main = (page: Page) => page.getByRole('main')
/** Nothing is wider than the phone. */
const expectFits = async (page: Page) =>
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

  test('a requester opens a ticket with a photo, is offered an article, rates it later and opens it again', async ({
    page,
    signIn,
    api,
  }) => {
    const desk = await api(ACCOUNTS.admin)
    const article = await desk.create('articles', {
      company_id: desk.companyId,
      title: unique('Projeksiyon kumandası'),
      body: '## Pilleri değiştirin\n\nYedek piller **danışmada**.',
      status: 'published',
      audience: 'everyone',
      language: 'tr',
    })
    const subject = unique('Projeksiyon açılmıyor')
    await signIn(ACCOUNTS.standard, { language: 'tr', at: '/tickets' })

    await test.step('one button leads to the categories as cards', async () => {
      await main(page).getByRole('button', { name: 'Yeni talep' }).click()
      await expect(page).toHaveURL(/\/tickets\/create-ticket$/)
      await expect(main(page).getByRole('button', { name: /^Ağ ve internet/ })).toBeVisible()
      await expectFits(page)
      await main(page)
        .getByRole('button', { name: /^Ağ ve internet/ })
        .click()
      const topic = main(page).getByRole('textbox', { name: 'Konu' })
      const answer = main(page).getByRole('textbox', { name: /Demirbaş numarası$/ })
      const files = main(page).getByRole('list', { name: 'Ekler' })
      await main(page)
        .getByTestId('file-input')
        .setInputFiles({ name: 'taslak.png', mimeType: 'image/png', buffer: PHOTO })
      await expect(files.getByText('taslak.png')).toBeVisible()
      // A file alone is input that leaving would lose.
      await main(page).getByRole('button', { name: 'Vazgeç' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Kal' }).click()
      await topic.fill('Taslak')
      // The form keeps what was typed and chosen, and the answers to questions of the same category.
      const choose = async (name: RegExp) => {
        await main(page).getByRole('button', { name: 'Başka seç' }).click()
        await expect(topic).toBeHidden()
        await main(page).getByRole('button', { name }).click()
        await expect(topic).toHaveValue('Taslak')
        await expect(files.getByText('taslak.png')).toBeVisible()
      }
      await choose(/^Donanım/)
      await answer.fill('DM-1')
      await choose(/^Donanım/)
      await expect(answer).toHaveValue('DM-1')
      await choose(/^Ağ ve internet/)
      await expect(answer).toHaveCount(0)
      await choose(/^Donanım/)
      await expect(answer).toHaveValue('')
      await topic.fill('')
      await files.getByRole('button').click()
      await expect(files).toHaveCount(0)
    })

    await test.step('an article is suggested while the subject is typed, and the form keeps what was typed', async () => {
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/rpc/suggest_articles')) asked.push(request.url())
      })
      await main(page).getByRole('textbox', { name: 'Konu' }).pressSequentially(subject, { delay: 20 })
      await main(page)
        .getByRole('button', { name: String(article.title) })
        .click()
      const dialog = page.getByRole('dialog', { name: String(article.title) })
      await expect(dialog.getByRole('heading', { name: 'Pilleri değiştirin' })).toBeVisible()
      await dialog.getByRole('button', { name: 'Forma dön' }).click()
      await expect(dialog).toBeHidden()
      await expect(main(page).getByRole('textbox', { name: 'Konu' })).toHaveValue(subject)
      // The pause makes one request of many letters.
      expect(asked.length).toBeLessThanOrEqual(3)
    })

    await test.step('the form asks what the category needs, offers their own devices alone and takes a photo', async () => {
      await main(page).getByRole('button', { name: 'Oluştur' }).click()
      await expect(main(page).getByText('Bu soruyu yanıtlayın.')).toBeVisible()
      await main(page)
        .getByRole('textbox', { name: /Demirbaş numarası$/ })
        .fill('DM-1042')
      await main(page).getByRole('combobox', { name: 'Cihaz' }).click()
      await expect(page.getByRole('option')).toHaveCount(2)
      await page.keyboard.press('Enter')
      // The button opens the picker; the browser's own control beside it would be a second one.
      await expect(main(page).getByTestId('file-input')).toBeHidden()
      await main(page)
        .getByTestId('file-input')
        .setInputFiles({ name: 'ekran.png', mimeType: 'image/png', buffer: PHOTO })
      await expect(main(page).getByRole('list', { name: 'Ekler' }).getByText('ekran.png')).toBeVisible()
      await expectFits(page)
      await main(page).getByRole('button', { name: 'Oluştur' }).click()
      await expect(page).toHaveURL(/\/tickets\/[0-9a-f-]{36}$/)
      await expect(page.getByRole('heading', { name: new RegExp(subject) })).toBeVisible()
      await expectFits(page)
    })

    const id = page.url().split('/').at(-1) ?? ''
    await test.step('the photo is at the ticket', async () => {
      const { body } = await desk.request('GET', `files?record_id=eq.${id}&select=name`)
      expect(body).toEqual([{ name: 'ekran.png' }])
      const ticket = await desk.request('GET', `tickets?id=eq.${id}&select=device_id,answers,requester_name`)
      expect(ticket.body).toMatchObject([{ answers: { asset_tag: 'DM-1042' }, requester_name: 'Şule Güneş' }])
    })

    await test.step('it is rated with one press once it is resolved', async () => {
      await desk.request('POST', 'rpc/set_ticket_status', { ids: [id], status: 'resolved' })
      await visit(page, '/tickets?group=done')
      const stars = main(page).getByRole('group', { name: `${subject} için puan` })
      await stars.getByRole('button', { name: '5 üzerinden 4' }).click()
      await expectToast(page, 'Puanınız için teşekkürler')
      await expect(stars.getByRole('button', { name: '5 üzerinden 4' })).toHaveAttribute(
        'aria-pressed',
        'true',
      )
      const rated = await desk.request('GET', `tickets?id=eq.${id}&select=rating`)
      expect(rated.body).toEqual([{ rating: 4 }])
    })

    await test.step('it is opened again', async () => {
      await main(page).getByRole('link', { name: subject }).click()
      await main(page).getByRole('button', { name: 'Talebimi yeniden aç' }).click()
      await expect
        .poll(async () => (await desk.request('GET', `tickets?id=eq.${id}&select=status`)).body)
        .toEqual([{ status: 'open' }])
    })

    await test.step('the articles are a list to read, not a table that scrolls sideways', async () => {
      await visit(page, '/tickets/articles')
      const row = main(page)
        .getByRole('row')
        .filter({ hasText: String(article.title) })
      await expect(row.getByText('Yayımlandı')).toBeVisible()
      const box = await main(page)
        .getByRole('table')
        .evaluate((table) => {
          const { scrollWidth = 0, clientWidth = 0 } = table.parentElement ?? {}
          return scrollWidth - clientWidth
        })
      expect(box).toBe(0)
    })
  })

  test('an article that solves it ends the form without a ticket, and counts as helpful', async ({
    page,
    signIn,
    api,
  }) => {
    const desk = await api(ACCOUNTS.admin)
    const word = unique('Zımbaaleti').replace(' ', '')
    const article = await desk.create('articles', {
      company_id: desk.companyId,
      title: word,
      body: 'Danışmada.',
      status: 'published',
      audience: 'everyone',
    })
    await signIn(ACCOUNTS.standard, { language: 'en', at: '/tickets/create-ticket?card=' })
    await main(page).getByRole('textbox', { name: 'Subject' }).fill(word)
    await main(page).getByRole('button', { name: word }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'This solved it' }).click()
    await expect(page).toHaveURL(/\/tickets$/)
    const votes = await desk.request('GET', `articles?id=eq.${article.id}&select=helpful`)
    expect(votes.body).toEqual([{ helpful: 1 }])
    const made = await desk.request('GET', `tickets?subject=eq.${word}&select=id`)
    expect(made.body).toEqual([])
  })
})

test('on a phone the conversation of a ticket comes before its facts, and its requester closes it with the first button', async ({
  page,
  signIn,
  api,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const [desk, requester] = [await api(ACCOUNTS.admin), await api(ACCOUNTS.standard)]
  const ticket = await requester.create('tickets', { subject: unique('Önce yanıt') })
  await desk.create('ticket_comments', { ticket_id: ticket.id, body: 'Masanın yanıtı' })
  await signIn(ACCOUNTS.standard, { language: 'tr', at: `/tickets/${ticket.id}` })
  const answer = main(page).getByText('Masanın yanıtı')
  await expect(answer).toBeInViewport()
  const facts = main(page).getByRole('complementary')
  await expect(facts).toBeAttached()
  const isBefore = await answer.evaluate(
    (element, other) =>
      other !== null &&
      (element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 &&
      element.getBoundingClientRect().bottom <= other.getBoundingClientRect().top,
    await facts.elementHandle(),
  )
  expect(isBefore).toBe(true)
  await expect(main(page).getByRole('button', { name: 'Talebimi kapat' })).toHaveClass(/primary/)
  await expect(main(page).getByRole('button', { name: 'Takip et' })).toHaveCount(0)
})

test.describe('on a phone with its keyboard open', () => {
  test.use({ viewport: { width: 390, height: 400 }, hasTouch: true })

  test('a requester writes a long answer beside the button that sends it, and sees what is typed in the form', async ({
    page,
    signIn,
    api,
  }) => {
    const requester = await api(ACCOUNTS.standard)
    const ticket = await requester.create('tickets', { subject: unique('Klavye') })
    await signIn(ACCOUNTS.standard, { language: 'tr', at: `/tickets/${ticket.id}` })
    const box = main(page).getByRole('textbox', { name: 'Yorum' })
    await box.fill(Array.from({ length: 14 }, (_, n) => `Satır ${n}`).join('\n'))
    const send = main(page).getByRole('button', { name: 'Yorum ekle' })
    // The box grows to its text and parts of the page still arrive: the places are read together, once they hold.
    await expect(async () => {
      await send.scrollIntoViewIfNeeded()
      const [text, button, bar] = await Promise.all([
        box.boundingBox(),
        send.boundingBox(),
        page.getByRole('banner').boundingBox(),
      ])
      expect(button && Math.floor(button.y + button.height)).toBeLessThanOrEqual(400)
      expect(text && bar && text.y).toBeGreaterThanOrEqual(bar?.height ?? 0)
    }).toPass({ timeout: 10_000 })
    await expect(main(page).getByText('veya buraya bırakın')).toBeHidden()
    await send.click()
    await expect(main(page).getByText('Satır 13')).toBeVisible()

    const desk = await api(ACCOUNTS.admin)
    // Articles are offered by the beginning of a word, which `unique` shares with what other tests make.
    const word = `q${Math.random().toString(36).slice(2, 12)}`
    await desk.create('articles', {
      company_id: desk.companyId,
      title: word,
      body: 'Danışmada.',
      status: 'published',
      audience: 'everyone',
    })
    await visit(page, '/tickets/create-ticket?card=')
    let offer = () => {}
    const offered = new Promise<void>((resolve) => {
      offer = resolve
    })
    await page.route('**/rpc/suggest_articles', async (route) => {
      await offered
      await route.continue()
    })
    const asked = page.waitForRequest('**/rpc/suggest_articles')
    await main(page).getByRole('textbox', { name: 'Konu' }).fill(word)
    await asked
    await expectFits(page)
    const description = main(page).getByRole('textbox', { name: 'Açıklama' })
    await description.click()
    await expect(description).toBeInViewport({ ratio: 0.95 })
    // An article that is found while somebody writes below it does not push their text behind the keyboard.
    offer()
    await expect(main(page).getByRole('button', { name: word })).toBeAttached()
    await expect(description).toBeInViewport({ ratio: 0.95 })
  })
})

test('an article is read below Tickets, found in the palette by Turkish letters, and voted on', async ({
  page,
  signIn,
  api,
}) => {
  const desk = await api(ACCOUNTS.admin)
  const title = unique('Işıklı klavye')
  const values = { company_id: desk.companyId, body: '# Nasıl\n\n1. Bir\n2. İki', audience: 'everyone' }
  const article = await desk.create('articles', { ...values, title, status: 'published' })
  const draft = await desk.create('articles', { ...values, title: `${title} taslak`, status: 'draft' })
  await signIn(ACCOUNTS.standard, { language: 'en', at: '/tickets/articles' })
  await expect(page).toHaveURL(/\/tickets\/articles$/)
  await main(page).getByRole('searchbox').fill('isikli')
  await expect(main(page).getByRole('link', { name: title, exact: true })).toBeVisible()
  await expect(main(page).getByRole('link', { name: `${title} taslak` })).toHaveCount(0)
  await main(page).getByRole('link', { name: title, exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/tickets/articles/${article.id}`))
  await expect(main(page).getByRole('listitem').filter({ hasText: 'İki' })).toBeVisible()
  const helpful = main(page).getByRole('region', { name: 'Was this helpful?' })
  await helpful.getByRole('button', { name: 'Yes' }).click()
  await expect(helpful.getByText(/1 found it helpful, 0 did not/)).toBeVisible()
  await helpful.getByRole('button', { name: 'No' }).click()
  await expect(helpful.getByText(/0 found it helpful, 1 did not/)).toBeVisible()
  await visit(page, `/tickets/articles/${draft.id}`)
  await expect(main(page).getByText('taslak')).toHaveCount(0)

  await page.getByRole('button', { name: /^Search and commands/ }).click()
  await page.getByRole('combobox', { name: /Search/ }).fill('ışıklı')
  await expect(page.getByRole('option', { name: title, exact: true })).toBeVisible()
  await expect(page.getByRole('option', { name: `${title} taslak` })).toHaveCount(0)
})

test('the console installs as an app that begins with the tickets', async ({ page, request }) => {
  const manifest = await (await request.get('/manifest.webmanifest')).json()
  expect(manifest).toMatchObject({ start_url: '/tickets', scope: '/', display: 'standalone' })
  for (const { src, type } of manifest.icons) {
    const icon = await request.get(src)
    expect(icon.headers()['content-type'], src).toContain(type)
  }
  expect(manifest.icons.some(({ purpose }: { purpose?: string }) => purpose === 'maskable')).toBe(true)
  await page.goto('/login')
  await expect(page.locator('meta[name="theme-color"]')).toHaveCount(2)
})
