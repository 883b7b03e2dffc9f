import type { Locator, Page } from '@playwright/test'
import { judge } from './support/judge'
import { ACCOUNTS, expect, listRows, test, unique, visit } from './support/one-page'
import { test as fresh } from './support/test'

const palette = (page: Page): Locator =>
  page.getByRole('dialog', { name: /^(Search and commands|Arama ve komutlar)$/ })
const group = (page: Page, name: string): Locator => palette(page).getByRole('group', { name, exact: true })

async function openPalette(page: Page, text = ''): Promise<void> {
  // The key also closes it: one that is still closing would not open again.
  await expect(palette(page)).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await expect(palette(page).getByRole('combobox')).toBeFocused()
  if (text) await page.keyboard.type(text)
}

test('Enter opens nothing that other words found', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const [first, second] = [unique('Önceki'), unique('Sonraki')]
  await admin.create('ticket_categories', { name: first })
  const wanted = await admin.create('ticket_categories', { name: second })
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/policies' })
  await expect(listRows(page).first()).toBeVisible()
  await openPalette(page, first)
  await expect(palette(page).getByRole('option')).toHaveText([first])
  let answer = () => {}
  const held = new Promise<void>((done) => {
    answer = done
  })
  await page.route('**/rpc/find_records', async (route) => {
    await held
    await route.continue()
  })
  await palette(page).getByRole('combobox').fill(second)
  await page.keyboard.press('Enter')
  answer()
  await expect(palette(page).getByRole('option')).toHaveText([second])
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/categories/${wanted.id}`)
})

test('keeps the focus while another page comes under it', async ({ page, signIn }) => {
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/policies' })
  await expect(listRows(page).first()).toBeVisible()
  await openPalette(page)
  await visit(page, '/groups')
  await expect(page.getByRole('banner').getByRole('heading', { level: 1 })).toHaveText('Groups')
  await expect(listRows(page).first()).toBeVisible()
  await expect(palette(page).getByRole('combobox')).toBeFocused()
})

test('a list is worked through by keys', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('sıra')
  const faults: string[] = []
  const made = []
  for (const letter of ['a', 'b', 'c']) made.push(await admin.create('groups', { name: `${word} ${letter}` }))
  await signIn(ACCOUNTS.admin, { language: 'tr', at: `/groups?q=${encodeURIComponent(word)}` })
  await expect(listRows(page)).toHaveCount(3)
  const link = (letter: string) => page.getByRole('link', { name: `${word} ${letter}` })
  const box = (letter: string) =>
    listRows(page)
      .filter({ hasText: `${word} ${letter}` })
      .getByRole('checkbox')

  await page.keyboard.press('j')
  await expect(link('a')).toBeFocused()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect(link('b')).toBeFocused()
  await page.keyboard.press('x')
  await expect(box('b')).toBeChecked()
  await expect(box('a')).not.toBeChecked()
  await page.keyboard.press('Shift+J')
  await expect(link('b')).toBeFocused()

  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Klavye kısayolları' })
  await expect(keys.getByText('Sonraki satır')).toBeVisible()
  await judge(page, faults, 'the keys')
  expect(faults).toEqual([])
  await page.keyboard.press('n')
  await expect(page).toHaveURL(/\/groups\?/)
  await page.keyboard.press('Escape')
  await expect(keys).toBeHidden()

  await page.keyboard.press('/')
  const search = page.getByRole('main').getByRole('searchbox')
  await expect(search).toBeFocused()
  await page.keyboard.type('jxen')
  await expect(search).toHaveValue('jxen')
  // The test waits for this answer first: the three rows of before would else pass for those of the next search.
  await expect(listRows(page)).toHaveCount(0)
  await search.fill(word)
  await expect(listRows(page)).toHaveCount(3)
  await search.blur()
  await page.keyboard.press('j')
  await expect(link('a')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/groups/${made[0]?.id}`)
  await expect(page.getByRole('heading', { name: `${word} a` })).toBeVisible()
  await page.keyboard.press('e')
  await expect(page).toHaveURL(`/groups/${made[0]?.id}/edit`)
  await visit(page, '/ticket-settings')
  await expect(page).toHaveURL('/ticket-settings')
  await page.keyboard.press('/')
  await expect(palette(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await visit(page, '/groups')
  await expect(listRows(page).first()).toBeVisible()
  await page.keyboard.press('n')
  await expect(page).toHaveURL('/create-group')
})

test('from anywhere to everything by keys alone: records, pages, forms, actions, language and theme', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const word = unique('Işıltı')
  const category = await admin.create('ticket_categories', { name: `${word} arızası` })
  await admin.create('software_licenses', { name: word })
  const other = await api(ACCOUNTS.globex)
  await other.create('software_licenses', { name: `${word} of another company` })
  const asked: string[] = []
  const faults: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/rpc/find_records')) asked.push(request.postData() ?? '')
  })
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/policies' })
  await expect(listRows(page).first()).toBeVisible()

  // The palette sends a single request for all resources, whatever the case, however many letters.
  await openPalette(page)
  // Letter by letter, with no pause between them on a slow machine either.
  await palette(page)
    .getByRole('combobox')
    .evaluate((box: HTMLInputElement, text) => {
      const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
      for (let end = 1; end <= text.length; end++) {
        write?.call(box, text.slice(0, end))
        box.dispatchEvent(new Event('input', { bubbles: true }))
      }
    }, word.toLocaleUpperCase('tr'))
  await expect(group(page, 'Software licenses').getByRole('option')).toHaveText([word])
  await expect(group(page, 'Categories').getByRole('option')).toHaveText([`${word} arızası`])
  await expect(palette(page).getByText('of another company')).toHaveCount(0)
  expect(asked).toHaveLength(1)
  expect((JSON.parse(asked.at(-1) ?? '{}') as { resources: unknown[] }).resources.length).toBeGreaterThan(8)
  await judge(page, faults, 'the palette')
  expect(faults).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await expect(palette(page).getByRole('option', { selected: true })).toHaveCount(1)
  while (!(await palette(page).getByRole('option', { selected: true }).innerText()).includes('arızası'))
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/categories/${category.id}`)
  await expect(page.getByRole('heading', { name: `${word} arızası` })).toBeVisible()

  // The palette offers the actions of the record's own buttons.
  await openPalette(page, 'delete')
  await page.keyboard.press('Enter')
  await expect(palette(page)).toHaveCount(0)
  await expect(page.getByRole('dialog').getByText(`${word} arızası`)).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(palette(page)).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await openPalette(page, 'edit')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/categories/${category.id}/edit`)

  // Typed at once: nothing waits for the palette.
  await expect(palette(page)).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('GROUPS')
  await expect(palette(page).getByRole('combobox')).toHaveValue('GROUPS')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/groups')
  await openPalette(page, 'new policy')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/create-policy')
  await openPalette(page, 'turkce')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('lang', 'tr')
  await expect(page.getByRole('link', { name: 'Kontrol Paneli' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(palette(page).getByRole('combobox')).toBeFocused()
  await page.keyboard.type('koyu')
  await expect(group(page, 'Ayarlar').getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await openPalette(page, 'YAZILIM LISANSLARI')
  await judge(page, faults, 'the palette in the dark')
  expect(faults).toEqual([])
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/software-licenses')
})

fresh('keeps what is typed before it has opened for the first time', async ({ page, signIn }) => {
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/settings' })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/palette*', async (route) => {
    await held
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('off')
  release()
  await page.keyboard.type('line')
  const input = palette(page).getByRole('combobox')
  await expect(input).toHaveValue('offline')
  await page.keyboard.type(' dev')
  await expect(input).toHaveValue('offline dev')
  await expect(palette(page).getByRole('option', { name: 'Devices: Offline' })).toBeVisible()
})

test('a record that its title does not explain says where the words are', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const [word, other] = [unique('Sebep').replace(' ', ''), unique('Yorum').replace(' ', '')]
  const ticket = await admin.create('tickets', {
    subject: 'Konusu başka',
    description: `Ekranda ${word} yazıyor`,
  })
  await admin.create('ticket_comments', { ticket_id: ticket.id, kind: 'note', body: `Bizde ${other} var` })
  await signIn(ACCOUNTS.admin, { language: 'en', at: '/policies' })
  await openPalette(page, word)
  await expect(palette(page).getByRole('option')).toContainText(`Description: …Ekranda ${word} yazıyor…`)
  await palette(page).getByRole('combobox').fill(other)
  await expect(palette(page).getByRole('option')).toContainText(`In a comment: …Bizde ${other} var…`)
})
