import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { insertRow } from '../support/as-user'

describe.each(drivers('sessions'))('without SMTP_URL and without a mailbox, on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let person: { id: string; email: string }
  let admin: SupabaseClient

  beforeAll(async () => {
    // A console in production has no mailbox on PGlite either.
    backend = await testBackend({
      driver,
      demo: false,
      isProduction: true,
      ...(driver === 'postgres' ? { keepMails: false } : {}),
    })
    company = await createCompany(backend)
    person = await createAccount(backend, 'Teknik', company)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
  })
  afterAll(() => backend?.stop())

  it('the settings say that no mail is sent, and a test mail is refused', async () => {
    expect((await admin.rpc('mail_state').throwOnError()).data).toMatchObject({
      can_send: false,
      is_local: false,
    })
    expect((await admin.rpc('send_test_mail')).error).toMatchObject({ code: '23514', hint: 'mail_off' })
  })

  it('nobody is told that a link to set a password was sent, and none waits for a mail server', async () => {
    expect((await admin.rpc('send_password_links', { ids: [person.id] })).error).toMatchObject({
      code: '23514',
      hint: 'mail_off',
    })
    const anonymous = await backend.client()
    // Whether or not the address has an account.
    for (const email of [person.email, 'nobody@elsewhere.test'])
      expect((await anonymous.auth.resetPasswordForEmail(email)).error).toMatchObject({
        status: 422,
        code: 'mail_off',
      })
    expect(await backend.sql('select 1 from app.mail_outbox where email = $1', [person.email])).toEqual([])
  })

  it('mails wait, and are not marked as sent', async () => {
    const invited = `invited-${company}@elsewhere.test`
    await admin.from('users').insert({ email: invited, name: 'Invited', role: 'Teknik' }).throwOnError()
    const ticket = await insertRow(backend, 'tickets', { company_id: company, subject: 'Toner' })
    await backend.sql(
      `insert into app.ticket_mails (company_id, ticket_id, user_id, email, events) values ($1, $2, $3, $4, '{assigned}')`,
      [company, ticket, person.id, person.email],
    )
    await backend.sql(`select pg_notify('konsol_mail', '')`)
    // The server hears of them at once where it sends.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(
      await backend.sql(
        'select status, attempts, sent_at from app.ticket_mails where company_id = $1 and user_id = $2',
        [company, person.id],
      ),
    ).toEqual([{ status: 'queued', attempts: 0, sent_at: null }])
    expect((await admin.from('users').select('invitation_mail').eq('email', invited)).data).toEqual([
      { invitation_mail: 'queued' },
    ])
    expect(backend.mails()).toEqual([])
  })
})
