import { newAccount } from './support/account'
import { ACCOUNTS, expect, expectToast, PASSWORD, test, toast, unique, visit } from './support/test'

test('a script shows what hides in it, and its approval shows all that it fixes', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  allowErrors(/status of 400/)
  const author = await api(ACCOUNTS.teknik)
  const name = unique('Betik')
  const script = await author.create('procedures', {
    name,
    type: 'Bash',
    script: `id${' '.repeat(300)}; rm -rf "$PARAM_FOLDER"\n`,
    timeout_seconds: 60,
    parameters: [
      { name: 'FOLDER', kind: 'text', label: 'Folder', default: '/tmp/old', required: true },
      { name: 'MODE', kind: 'choice', choices: ['list', 'delete'], default: 'list' },
    ],
  })

  await signIn(ACCOUNTS.admin, { language: 'en', at: `/procedures/${script.id}` })
  await test.step('the first version with its settings, one a line, and blanks as a mark', async () => {
    await page.getByRole('button', { name: 'Approve or decline' }).click()
    const dialog = page.getByRole('dialog', { name: `Approve ${name}` })
    const settings = dialog.getByRole('list', { name: 'Settings of the version' })
    await expect(settings.getByRole('listitem').filter({ hasText: 'FOLDER Default: /tmp/old' })).toBeVisible()
    await expect(
      settings.getByRole('listitem').filter({ hasText: 'MODE Choices: list, delete' }),
    ).toBeVisible()
    await expect(settings.getByRole('listitem').filter({ hasText: '60 seconds' })).toBeVisible()
    await expect(dialog.getByText('300 blanks')).toBeVisible()
    await dialog.getByRole('button', { name: 'Approve version 1' }).click()
    await expectToast(page, 'Version 1 approved')
  })

  await test.step('a default that alone was changed', async () => {
    const [row] = await author.read(`procedures?id=eq.${script.id}&select=parameters`)
    const [folder, mode] = (row?.parameters ?? []) as Record<string, unknown>[]
    const changed = await author.request('PATCH', `procedures?id=eq.${script.id}`, {
      parameters: [{ ...folder, default: '/etc' }, mode],
    })
    expect(changed.status).toBe(200)
    await visit(page, `/procedures/${script.id}?tab=versions`)
    const settings = page.getByRole('main').getByRole('list', { name: 'Settings of the version' })
    await expect(settings.getByRole('listitem')).toHaveText(['FOLDER Default: /tmp/old → /etc'])
  })

  await test.step('a hidden character is marked in the editor, and refused', async () => {
    await visit(page, `/procedures/${script.id}/edit`)
    const editor = page.getByRole('textbox', { name: /Script/ })
    await editor.click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.insertText('# \u202Eroot\n')
    await expect(page.locator('mark', { hasText: 'U+202E' })).toBeVisible()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText(/Line 1 has a hidden character \(U\+202E\)/).first()).toBeVisible()
    await page.getByRole('button', { name: 'Remove hidden characters' }).click()
    await expect(page.locator('mark')).toHaveCount(0)
    await expect(editor).toContainText('# root')
  })

  await test.step('a value of a run that no version has', async () => {
    const [device] = await author.read('devices?select=id&platform=eq.linux&order=name&limit=1')
    const started = await author.request('POST', 'rpc/run_procedure', {
      procedure_id: script.id,
      device_ids: [device?.id],
      parameters: { FOLDER: '/home', MODE: 'delete' },
    })
    await page.goto(`/tasks/${started.body}?tab=details`)
    const fact = (label: string) =>
      page
        .getByRole('main')
        .locator('.k-fact')
        .filter({ has: page.getByText(label, { exact: true }) })
    await expect(fact('Folder')).toContainText('approved by nobody')
    await expect(fact('MODE')).not.toContainText('approved by nobody')
  })
})

test('a schedule whose maker lost the right is paused, says so, and is taken over', async ({
  page,
  signIn,
  api,
  baseURL,
}) => {
  const url = String(baseURL)
  const admin = await api(ACCOUNTS.admin)
  const maker = await api(await newAccount(admin, url))
  const script = await admin.create('procedures', { name: unique('Betik'), type: 'Bash', script: 'id\n' })
  const name = unique('Nightly')
  const schedule = await maker.create('scheduled_tasks', {
    name,
    procedure_id: script.id,
    frequency: 'once',
    starts_at: new Date(Date.now() + 3_000).toISOString(),
    target: { kind: 'all' },
  })
  const lowered = await admin.request('PATCH', `users?id=eq.${maker.userId}`, { role: 'Standard' })
  expect(lowered.status).toBe(200)
  const state = async () =>
    (await admin.read(`scheduled_tasks?id=eq.${schedule.id}&select=enabled,paused_for,set_by`))[0]
  await expect
    .poll(state, { timeout: 90_000 })
    .toMatchObject({ enabled: false, paused_for: expect.any(String) })

  await signIn(ACCOUNTS.admin, { language: 'en', at: `/scheduled-tasks/${schedule.id}` })
  await expect(page.getByRole('main')).toContainText('Paused: right missing for')
  await page.getByRole('button', { name: 'Take over' }).click()
  await expect.poll(state).toMatchObject({ paused_for: null, set_by: admin.userId })
})

test('a new password in the settings asks for the current one, and common ones are refused', async ({
  page,
  signIn,
  api,
  baseURL,
  allowErrors,
}) => {
  allowErrors(/status of 422/)
  const admin = await api(ACCOUNTS.admin)
  const email = await newAccount(admin, String(baseURL))
  await signIn(email, { language: 'tr', at: '/settings' })
  const change = async (current: string, next: string) => {
    await page.getByLabel('Geçerli şifre', { exact: true }).fill(current)
    await page.getByLabel('Yeni şifre', { exact: true }).fill(next)
    await page.locator('input[name="repeat-password"]').fill(next)
    await page.getByRole('button', { name: 'Şifreyi değiştir' }).click()
  }
  await change('', 'Fresh-Console-2027')
  await expect(toast(page)).toContainText('Geçerli şifrenizi girin.')
  await change('wrong-password-1', 'Fresh-Console-2027')
  await expect(toast(page)).toContainText('Geçerli şifre yanlış.')
  await change(PASSWORD, 'galatasaray1905')
  await expect(toast(page)).toContainText('en yaygın şifrelerden biridir')
  await change(PASSWORD, 'Fresh-Console-2027')
  await expect(toast(page)).toContainText('Diğer cihazlardaki oturumlarınız kapatıldı.')
})
