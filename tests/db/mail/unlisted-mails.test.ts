import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { letter, type MailDesk, openMailDesk, type Result } from '../support/mail-desk'

let desk: MailDesk
let { backend, teknik, company, one, post, mailTo, openTicket, reply } = {} as MailDesk

beforeAll(async () => {
  desk = await openMailDesk()
  ;({ backend, teknik, company, one, post, mailTo, openTicket, reply } = desk)
})
afterAll(() => desk?.stop())

describe('a mail that the database refuses', () => {
  const found = (id: string) =>
    one<Result & { from_address: string | null; subject: string | null; attempts: number }>(
      `select m.id, m.status, m.reason, m.error, m.company_id, m.from_address, m.subject, m.attempts
       from public.inbound_mails m join app.inbound_raw r on r.mail_id = m.id where strpos(convert_from(r.raw, 'UTF8'), $1) > 0`,
      [id],
    )
  const refuse = (table: string, condition: string) =>
    backend.sql(
      `do $do$ begin
         create or replace function app.test_refuse() returns trigger language plpgsql as
           $$ begin if ${condition} then raise 'refused by the test'; end if; return new; end $$;
         create trigger test_refuse before insert or update on ${table} for each row execute function app.test_refuse();
       end $do$`,
    )
  const allow = (table: string) => backend.sql(`drop trigger test_refuse on ${table}`)

  it('is listed with its sender, its subject and the company of its ticket', async () => {
    const ticket = await openTicket()
    const words = `Refused later ${randomUUID()}`
    await reply(teknik, ticket, words)
    const { replyTo } = await mailTo('standard@acme.test', words)
    const id = `<${randomUUID()}@elsewhere.test>`
    await refuse('public.ticket_comments', `new.body = 'No thanks'`)
    try {
      await post(
        letter({
          from: 'standard@acme.test',
          to: replyTo as string,
          subject: 'My answer',
          id,
          text: 'No thanks',
        }),
      )
      await expect
        .poll(() => found(id))
        .toMatchObject({
          error: 'refused by the test',
          from_address: 'standard@acme.test',
          subject: 'My answer',
          company_id: company,
        })
    } finally {
      await allow('public.ticket_comments')
    }
  })

  it('is listed with its sender and subject when its body ends the reader', async () => {
    const id = `<${randomUUID()}@elsewhere.test>`
    const from = 'ada@elsewhere.test'
    const nested = Array.from(
      { length: 1100 },
      (_, at) => `--b${at}\r\nContent-Type: multipart/mixed; boundary=b${at + 1}\r\n\r\n`,
    ).join('')
    await post(
      letter({
        from,
        id,
        subject: 'Nested',
        headers: ['Content-Type: multipart/mixed; boundary=b0'],
        text: nested,
      }),
    )
    await expect
      .poll(() => found(id))
      .toMatchObject({ status: 'unreadable', from_address: from, subject: 'Nested', company_id: company })
  })

  it('is listed without its head where that is refused as well', async () => {
    const id = `<${randomUUID()}@elsewhere.test>`
    await refuse('public.inbound_mails', `new.subject = 'Unwanted words'`)
    try {
      await post(letter({ from: 'a@out.test, b@out.test', subject: 'Unwanted words', id }))
      await expect
        .poll(() => found(id))
        .toMatchObject({ status: 'unreadable', reason: 'broken', from_address: null, subject: null })
    } finally {
      await allow('public.inbound_mails')
    }
  })

  it('and that cannot be listed is given up after three tries, and the mail behind it is read', async () => {
    const [bad, good] = [randomUUID(), randomUUID()].map((name) => `<${name}@elsewhere.test>`)
    const raw = (id: string) => Buffer.from(letter({ from: 'a@out.test, b@out.test', id })).toString('base64')
    await refuse(
      'public.inbound_mails',
      `new.attempts < 3 and new.status = 'unreadable' and new.message_key = 'bad'`,
    )
    try {
      // Both in one statement, so that one drain meets them in this order.
      await backend.sql(
        `with mails as (
           insert into public.inbound_mails (message_key, source, size, next_attempt_at)
           values ('bad', 'imap', 1, now() - interval '2 seconds'), ('good', 'imap', 1, now() - interval '1 second') returning id, message_key)
         insert into app.inbound_raw (mail_id, raw) select id, decode(case message_key when 'bad' then $1 else $2 end, 'base64') from mails`,
        [raw(bad as string), raw(good as string)],
      )
      await expect.poll(() => found(good as string)).toMatchObject({ status: 'unreadable' })
      expect(await found(bad as string)).toMatchObject({ status: 'received', attempts: 1 })
      // A server that ends while it reads leaves a mail like this.
      await backend.sql(
        `with due as (update public.inbound_mails set attempts = 3, next_attempt_at = now() where message_key = 'bad')
         select pg_notify('konsol_mail_in', '')`,
      )
      await expect
        .poll(() => found(bad as string))
        .toMatchObject({ status: 'unreadable', reason: 'broken', attempts: 3 })
    } finally {
      await allow('public.inbound_mails')
    }
  })
})
