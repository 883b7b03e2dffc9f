import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, expectToast, test, unique, visit } from './support/one-page'

const main = (page: Page) => page.getByRole('main')
const thread = (page: Page) => page.getByRole('region', { name: 'Comments' })

async function act(page: Page, subject: string, item: string): Promise<void> {
  await page
    .getByRole('row', { name: new RegExp(subject) })
    .getByRole('button', { name: /^Actions/ })
    .click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

test('a ticket is merged into another one, and a note that comes too late is kept and told where to go', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const [kept, gone, late] = [unique('Kalan'), unique('Giden'), unique('Geç')]
  const [target, merged, third] = [
    await admin.create('tickets', { subject: kept }),
    await admin.create('tickets', { subject: gone, description: 'The whole story' }),
    await admin.create('tickets', { subject: late }),
  ]
  await admin.create('ticket_comments', { ticket_id: merged.id, body: 'Moved words' })
  const [me] = await admin.read(`users?select=id&email=eq.${ACCOUNTS.admin}`)
  await admin.request('POST', 'rpc/request_approval', {
    ids: [merged.id],
    person_id: (await admin.read(`users?select=id&email=eq.${ACCOUNTS.teknik}`))[0]?.id,
  })
  await admin.create('time_entries', {
    ticket_id: merged.id,
    user_id: me?.id,
    started_at: '2026-01-01T08:00:00Z',
    ended_at: '2026-01-01T09:00:00Z',
  })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets?q=${encodeURIComponent(gone)}` })
  await act(page, gone, 'Merge')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(/This cannot be undone/)).toBeVisible()
  await expect(dialog.getByRole('listitem')).toHaveText([
    '1 comment moves',
    '1 time entry moves',
    '1 open approval is canceled',
  ])
  await dialog.getByRole('combobox', { name: /Ticket that takes the others/ }).fill(kept)
  await page.locator('.ant-select-item-option').filter({ hasText: kept }).first().click()
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await expectToast(page, 'Ticket merged')

  await visit(page, `/tickets/${merged.id}`)
  await expect(thread(page).getByText('No comments yet', { exact: false })).toBeVisible()
  await expect(thread(page).getByRole('textbox')).toHaveCount(0)
  await main(page).getByRole('button', { name: 'Go to the other ticket' }).click()
  await expect(page).toHaveURL(new RegExp(`/tickets/${target.id}`))
  await expect(thread(page).getByText('Moved words')).toBeVisible()
  const story = thread(page).getByRole('listitem').filter({ hasText: 'The whole story' })
  await expect(story.getByText(`Merged from #${merged.number}: ${gone}`)).toBeVisible()

  await visit(page, `/tickets/${third.id}`)
  await expect(main(page).getByRole('heading', { name: late })).toBeVisible()
  await thread(page).getByRole('group').getByText('Internal note', { exact: true }).click()
  await thread(page).getByRole('textbox', { name: 'Internal note' }).fill('Too late')
  await admin.request('POST', 'rpc/merge_tickets', { ids: [third.id], target_id: target.id })
  allowErrors(/400/)
  await thread(page).getByRole('button', { name: 'Send as internal note' }).click()
  await expect(thread(page).getByText(new RegExp(`merged into #${target.number}`))).toBeVisible()
  await expect(thread(page).getByRole('textbox', { name: 'Internal note' })).toHaveValue('Too late')
})

test('the words and the attachments of a merged ticket are at once on the open page of the other one', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const [target, merged] = [
    await admin.create('tickets', { subject: unique('Açık') }),
    await admin.create('tickets', { subject: unique('Ekli'), description: 'With a picture' }),
  ]
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets/${merged.id}?tab=attachments` })
  await expect(main(page).getByText('No attachments')).toBeVisible()
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'kanıt.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n') })
  await expect(main(page).getByRole('button', { name: 'Download kanıt.pdf' })).toBeVisible()
  await visit(page, `/tickets/${target.id}`)
  await expect(thread(page).getByText('No comments yet', { exact: false })).toBeVisible()
  await admin.request('POST', 'rpc/merge_tickets', { ids: [merged.id], target_id: target.id })
  await expect(thread(page).getByText('With a picture')).toBeVisible()
  await expect(main(page).getByText('kanıt.pdf')).toBeVisible()
})

test('an approval is asked for, seen by the person who is asked, and given', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const subject = unique('Satın alma')
  const ticket = await admin.create('tickets', { subject })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets?q=${encodeURIComponent(subject)}` })
  await act(page, subject, 'Request approval')
  const dialog = page.getByRole('dialog')
  const [person] = await admin.read(`users?select=name&email=eq.${ACCOUNTS.standard}`)
  await dialog.getByRole('combobox', { name: /Person/ }).fill(String(person?.name))
  await page
    .locator('.ant-select-item-option')
    .filter({ hasText: String(person?.name) })
    .first()
    .click()
  await dialog.getByRole('textbox', { name: /Question/ }).fill('May we buy it?')
  await dialog.getByRole('button', { name: 'Request approval' }).click()
  await expectToast(page, 'Approval requested')
  expect(await admin.read(`tickets?select=status&id=eq.${ticket.id}`)).toEqual([{ status: 'waiting' }])

  await signIn(ACCOUNTS.standard, { language: 'en', at: `/tickets/${ticket.id}?tab=ticket_approvals` })
  await expect(main(page).getByRole('row', { name: /May we buy it/ })).toBeVisible()
  await act(page, 'May we buy it', 'Approve')
  await page.getByRole('dialog').getByRole('textbox', { name: /Note/ }).fill('Yes')
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await expectToast(page, 'Approved')
  expect(await admin.read(`tickets?select=status&id=eq.${ticket.id}`)).toEqual([{ status: 'open' }])
  expect(await admin.read(`ticket_approvals?select=status,note&ticket_id=eq.${ticket.id}`)).toEqual([
    { status: 'approved', note: 'Yes' },
  ])
})

test('an approval is asked for on its tab, seen above the overview and decided there by whoever is asked', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const ticket = await (await api(ACCOUNTS.standard)).create('tickets', { subject: unique('Bütçe') })
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets/${ticket.id}?tab=ticket_approvals` })
  const panel = page.getByRole('tabpanel')
  await expect(panel.getByText('No approvals yet')).toBeVisible()
  await panel.getByRole('button', { name: 'Request approval' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: /Or a role/ }).click()
  // Whoever may not give the role asks it all the same.
  await page.locator('.ant-select-item-option').filter({ hasText: 'Admin' }).click()
  await dialog.getByRole('textbox', { name: /Question/ }).fill('Is there money?')
  await dialog.getByRole('button', { name: 'Request approval' }).click()
  await expectToast(page, 'Approval requested')
  await expect(panel.getByRole('row', { name: /Is there money/ })).toBeVisible()
  await page.getByRole('tab', { name: 'Overview' }).click()
  const waiting = page.getByRole('region', { name: 'Waiting for approval' })
  await expect(waiting.getByText('Is there money?')).toBeVisible()
  await expect(waiting.getByText('Admin', { exact: true })).toBeVisible()
  await expect(waiting.getByText(/ago|now/)).toBeVisible()
  await expect(waiting.getByRole('button', { name: 'Approve' })).toHaveCount(0)

  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets/${ticket.id}` })
  await waiting.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await expectToast(page, 'Approved')
  await expect(waiting).toHaveCount(0)
  // The ticket goes on, and the page that was open says so.
  await expect(main(page).getByRole('button', { name: 'Resolve', exact: true })).toBeVisible()
  expect(await admin.read(`tickets?select=status&id=eq.${ticket.id}`)).toEqual([{ status: 'open' }])
})

test('an approval is canceled on its tab, and a link is added as a link', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const ticket = await (await api(ACCOUNTS.standard)).create('tickets', { subject: unique('Bütçe') })
  const other = await admin.create('tickets', { subject: unique('Toner') })
  await admin.request('POST', 'rpc/request_approval', { ids: [ticket.id], approver_role: 'Admin' })
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets/${ticket.id}?tab=ticket_approvals` })
  const panel = page.getByRole('tabpanel')
  await expect(panel.getByRole('link', { name: /Asked/ })).toContainText('Admin')
  await page.getByRole('tab', { name: 'Overview' }).click()
  const waiting = page.getByRole('region', { name: 'Waiting for approval' })
  await waiting.getByRole('button', { name: 'Cancel request' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel request' }).click()
  await expectToast(page, 'Request canceled')
  await expect(waiting).toHaveCount(0)
  expect(await admin.read(`tickets?select=status&id=eq.${ticket.id}`)).toEqual([{ status: 'open' }])

  await page.getByRole('tab', { name: 'Links' }).click()
  await panel.getByRole('button', { name: 'New ticket link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: /Link$/ }).click()
  await expect(page.locator('.ant-select-item-option')).toHaveText([
    'Related to',
    'Blocks',
    'Blocked by',
    'Duplicate of',
    'Duplicated by',
  ])
  await page.locator('.ant-select-item-option').filter({ hasText: 'Blocks' }).click()
  await dialog.getByRole('combobox', { name: /Other ticket/ }).fill(String(other.subject))
  await page
    .locator('.ant-select-item-option')
    .filter({ hasText: String(other.subject) })
    .click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText(new RegExp(`^Ticket link added: Blocks · .*${other.subject}`))).toBeVisible()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(panel.getByText(/ · Links: added$/)).toBeVisible()
  await expect(panel.getByText(/ · Approvals: changed$/)).toBeVisible()
})

test('time is entered as a duration that ends now, or follows the start that was typed', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const ticket = await admin.create('tickets', { subject: unique('Süre') })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets/${ticket.id}?tab=time_entries` })
  await page.getByRole('tabpanel').getByRole('button', { name: 'New time entry' }).click()
  const dialog = page.getByRole('dialog', { name: 'New time entry' })
  const duration = dialog.getByRole('textbox', { name: 'Duration' })
  await duration.fill('soon')
  await duration.press('Tab')
  await expect(dialog.getByText(/Not a duration/)).toBeVisible()
  await duration.fill('1:30')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toHaveCount(0)
  const [entry] = await admin.read(`time_entries?select=seconds,ended_at&ticket_id=eq.${ticket.id}`)
  expect(entry?.seconds).toBe(5400)
  expect(Math.abs(Date.parse(String(entry?.ended_at)) - Date.now())).toBeLessThan(120_000)
  await expect(page.getByRole('row').filter({ hasText: '1 h 30 min' })).toBeVisible()
})

test('a timer is started and stopped on a ticket, and runs on while the page is loaded again', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const subject = unique('Sayaç')
  const ticket = await admin.create('tickets', { subject })
  await signIn(ACCOUNTS.admin, { language: 'en', at: `/tickets?q=${encodeURIComponent(subject)}` })
  await act(page, subject, 'Timer')
  await page.getByRole('dialog').getByRole('button', { name: 'Start timer' }).click()
  await expectToast(page, 'Timer started')
  await visit(page, `/tickets/${ticket.id}`)
  await expect(main(page).getByText('Timer running', { exact: true })).toBeVisible()
  await page.reload()
  await expect(main(page).getByText('Timer running', { exact: true })).toBeVisible()
  await visit(page, `/tickets?q=${encodeURIComponent(subject)}`)
  await act(page, subject, 'Timer')
  await expect(page.getByRole('timer')).toBeVisible()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('Cable replaced')
  await page.getByRole('dialog').getByRole('button', { name: 'Stop timer' }).click()
  await expect(page.getByText(/^Timer stopped: /).first()).toBeVisible()
  await visit(page, `/tickets/${ticket.id}?tab=time_entries`)
  await expect(main(page).getByRole('row', { name: /Cable replaced/ })).toBeVisible()
})

test('whoever works the desk chooses people by name and tags a ticket, and splits a reply off from beside it', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const [subject, label] = [unique('Kişi'), unique('Etiket')]
  const ticket = await admin.create('tickets', { subject })
  await admin.create('tags', { name: label })
  await admin.create('ticket_comments', { ticket_id: ticket.id, body: 'Another matter as well' })
  const [person] = await admin.read(`users?select=id,name&email=eq.${ACCOUNTS.admin}`)
  const name = String(person?.name)
  await signIn(ACCOUNTS.teknik, { language: 'en', at: `/tickets?q=${encodeURIComponent(subject)}` })
  await act(page, subject, 'Assign')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: /Assignee/ }).fill(name)
  await page.locator('.ant-select-item-option').filter({ hasText: name }).first().click()
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
  await expectToast(page, 'Ticket assigned')
  // A colleague's ticket is taken after a question that names them.
  await act(page, subject, 'Take over')
  await expect(dialog.getByText(name)).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await visit(page, `/tickets/${ticket.id}`)
  const side = page.getByRole('region', { name: 'Handling', exact: true })
  await expect(side.getByText(name)).toBeVisible()
  for (const [field, words] of [
    ['tags', label],
    ['watchers', name],
  ] as const) {
    await side.getByRole('button', { name: `Edit ${field}` }).click()
    await side.getByRole('combobox').fill(words)
    await page.locator('.ant-select-item-option').filter({ hasText: words }).first().click()
    await page.keyboard.press('Tab')
    await expect(side.getByRole('button', { name: `Edit ${field}` })).toBeVisible()
  }
  await expect(side.getByText(label)).toBeVisible()
  await expect(side.getByText(name)).toHaveCount(2)
  // A tag that is created from there is kept like one that is chosen.
  const fresh = unique('Yeni')
  await side.getByRole('button', { name: 'Edit tags' }).click()
  await side.getByRole('combobox').fill(fresh)
  await page
    .locator('.ant-select-item-option')
    .filter({ hasText: `Create “${fresh}”` })
    .click()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expectToast(page, `${fresh} was created`)
  await expect(dialog).toHaveCount(0)
  await expect(side.getByRole('combobox')).toBeFocused()
  await main(page).getByRole('heading', { level: 2 }).first().click()
  await expect(side.getByRole('button', { name: 'Edit tags' })).toBeVisible()
  await expect(side.getByText(fresh)).toBeVisible()
  await page.reload()
  await expect(side.getByText(fresh)).toBeVisible()
  await expect(side.getByText(label)).toBeVisible()
  await expect(main(page).getByText('Not visible to you')).toHaveCount(0)

  await thread(page).getByRole('button', { name: 'Split into a new ticket' }).click()
  const newSubject = dialog.getByRole('textbox', { name: 'Subject of the new ticket' })
  await expect(newSubject).toHaveValue(subject)
  await newSubject.fill(`${subject} 2`)
  await dialog.getByRole('button', { name: 'Create ticket' }).click()
  await expect(page.getByRole('heading', { name: new RegExp(`${subject} 2`) })).toBeVisible()
  expect(await admin.read(`ticket_links?select=kind&ticket_id=eq.${ticket.id}`)).toEqual([
    { kind: 'split_into' },
  ])
})
