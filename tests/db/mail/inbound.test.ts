import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testBackend } from '../../support/backend'
import { eventually } from '../../support/eventually'
import { letter, type MailDesk, openMailDesk, type Result } from '../support/mail-desk'

let desk: MailDesk
let { backend, admin, teknik, company, one, post, arrive, mailTo, openTicket, reply, comments } =
  {} as MailDesk

beforeAll(async () => {
  desk = await openMailDesk()
  ;({ backend, admin, teknik, company, one, post, arrive, mailTo, openTicket, reply, comments } = desk)
})
afterAll(() => desk?.stop())

describe('strangers', () => {
  const rule = (value: string) =>
    backend.sql('update public.desk_settings set unknown_senders = $2 where company_id = $1', [
      company,
      value,
    ])

  it('wait for approval, and open a ticket by address once an admin approves', async () => {
    await rule('hold')
    const held = await arrive({ from: 'Ayşe Kaya <ayse@elsewhere.test>', subject: 'Yazıcı bozuk' })
    expect(held).toMatchObject({ status: 'held', reason: 'unknown_sender', company_id: company })
    for (const email of ['standard@acme.test', 'teknik@acme.test', 'admin@globex.test']) {
      const { error } = await (await backend.client(email)).rpc('approve_mails', { ids: [held.id] })
      expect(error?.code).toMatch(/42501|PT404/)
    }
    await admin.rpc('approve_mails', { ids: [held.id] }).throwOnError()
    const ticket = await eventually(async () => {
      const row = await one<{ ticket_id: string | null }>(
        'select ticket_id from public.inbound_mails where id = $1',
        [held.id],
      )
      if (!row.ticket_id) throw new Error('It has no ticket.')
      return row.ticket_id
    })
    expect(
      await one(
        'select subject, requester_id, requester_name, requester_email from public.tickets where id = $1',
        [ticket],
      ),
    ).toEqual({
      subject: 'Yazıcı bozuk',
      requester_id: null,
      requester_name: 'Ayşe Kaya',
      requester_email: 'ayse@elsewhere.test',
    })
    // A stranger is told by mail, without links into the console, and answers in the same way.
    const words = `Which printer? ${randomUUID()}`
    await reply(teknik, ticket, words)
    const sent = await mailTo('ayse@elsewhere.test', words)
    expect(sent.text).not.toContain(backend.url)
    const answer = await arrive({
      from: 'ayse@elsewhere.test',
      to: sent.replyTo as string,
      text: 'The one in the hall',
    })
    expect(answer).toMatchObject({ status: 'filed', ticket_id: ticket })
    expect((await comments(ticket)).at(-1)).toMatchObject({
      author_id: null,
      author_name: 'ayse@elsewhere.test',
      body: 'The one in the hall',
    })
    expect(await backend.sql('select 1 from app.inbound_raw where mail_id = $1', [held.id])).toEqual([])
  })

  it('say whether they are who the From line names, and whose name an approved mail gets', async () => {
    await rule('hold')
    const checked = async (given: Parameters<typeof arrive>[0]) => {
      const { id, status } = await arrive(given)
      return {
        id,
        status,
        ...(await one<{ sender_check: string; person_id: string | null }>(
          'select sender_check, person_id from public.inbound_mails where id = $1',
          [id],
        )),
      }
    }
    const person = (
      await one<{ id: string }>(`select id from public.profiles where email = 'standard@acme.test'`)
    ).id
    const claimed = await checked({ from: 'standard@acme.test' })
    expect(claimed).toMatchObject({ status: 'held', sender_check: 'unverified', person_id: person })
    expect(await checked({ from: 'stranger@elsewhere.test' })).toMatchObject({
      status: 'held',
      sender_check: 'unverified',
      person_id: null,
    })
    // An account of another company is no account here.
    expect(await checked({ from: 'admin@globex.test' })).toMatchObject({ status: 'held', person_id: null })
    expect(
      await checked({
        from: 'stranger@elsewhere.test',
        headers: ['Authentication-Results: mx.desk.test; dmarc=pass header.from=elsewhere.test'],
      }),
    ).toMatchObject({ status: 'held', sender_check: 'verified' })
    await admin.rpc('approve_mails', { ids: [claimed.id] }).throwOnError()
    await eventually(async () => {
      const { requester_id } = await one<{ requester_id: string }>(
        'select t.requester_id from public.inbound_mails m join public.tickets t on t.id = m.ticket_id where m.id = $1',
        [claimed.id],
      )
      expect(requester_id).toBe(person)
    })
  })

  it('open a ticket at once, or are refused, where the company says so', async () => {
    await rule('open')
    expect(await arrive({})).toMatchObject({ status: 'filed', company_id: company })
    await rule('refuse')
    expect(await arrive({})).toMatchObject({ status: 'refused', reason: 'unknown_sender', ticket_id: null })
    await rule('hold')
  })

  it('are rejected by an admin, and their message is deleted', async () => {
    const held = await arrive({})
    await admin.rpc('reject_mails', { ids: [held.id] }).throwOnError()
    expect(await one('select status, ticket_id from public.inbound_mails where id = $1', [held.id])).toEqual({
      status: 'rejected',
      ticket_id: null,
    })
    expect(await backend.sql('select 1 from app.inbound_raw where mail_id = $1', [held.id])).toEqual([])
    const again = await admin.rpc('approve_mails', { ids: [held.id] })
    expect(again.error?.hint).toBe('mail_gone')
  })

  it('who write to an address of no company are seen by staff of the operator alone', async () => {
    const held = await arrive({ to: 'nobody@nowhere.test' })
    expect(held).toMatchObject({ status: 'held', reason: 'no_address', company_id: null })
    const seen = async (email: string) =>
      (await (await backend.client(email)).from('inbound_mails').select('id').eq('id', held.id)).data
    expect(await seen('super@demo.test')).toEqual([{ id: held.id }])
    expect(await seen('admin@acme.test')).toEqual([])
  })
})

describe('machines', () => {
  it.each([
    ['an automatic reply', { headers: ['Auto-Submitted: auto-replied'] }, 'auto_reply'],
    ['an answer of Exchange', { headers: ['X-Auto-Response-Suppress: All'] }, 'auto_reply'],
    [
      'an out-of-office message that says so in its subject',
      { subject: 'Otomatik yanıt: Monitor' },
      'auto_reply',
    ],
    ['bulk mail', { headers: ['Precedence: bulk'] }, 'bulk'],
    ['a mailing list', { headers: ['List-Id: <news.elsewhere.test>'] }, 'bulk'],
    ['a bounce', { from: 'MAILER-DAEMON@elsewhere.test' }, 'bounce'],
    ['an empty return path', { headers: ['Return-Path: <>'] }, 'bounce'],
  ])('%s changes nothing and is logged, although it has a token', async (_name, given, reason) => {
    const ticket = await openTicket()
    const words = `Out ${randomUUID()}`
    await reply(teknik, ticket, words)
    const sent = await mailTo('standard@acme.test', words)
    const before = await comments(ticket)
    const mails = await one<{ n: number }>('select count(*)::integer as n from app.ticket_mails')
    const result = await arrive({ from: 'standard@acme.test', to: sent.replyTo as string, ...given })
    expect(result).toMatchObject({ status: 'ignored', reason, company_id: company })
    expect(await comments(ticket)).toEqual(before)
    expect(await one('select count(*)::integer as n from app.ticket_mails')).toEqual(mails)
  })

  it('one of our own mails that comes back is ignored', async () => {
    const ticket = await openTicket()
    const words = `Loop ${randomUUID()}`
    await reply(teknik, ticket, words)
    const sent = await mailTo('standard@acme.test', words)
    expect(
      await arrive({ from: 'standard@acme.test', to: sent.replyTo as string, id: sent.messageId as string }),
    ).toMatchObject({ status: 'ignored', reason: 'own' })
  })

  it('more than 20 mails a minute of one sender are held', async () => {
    await backend.sql(`update public.desk_settings set unknown_senders = 'open' where company_id = $1`, [
      company,
    ])
    const from = `flood-${randomUUID()}@elsewhere.test`
    for (let at = 0; at < 20; at++) expect((await post(letter({ from }))).status).toBe(202)
    const last = await arrive({ from })
    expect(last).toMatchObject({ status: 'held', reason: 'too_many' })
    expect(
      await one(`select count(*)::integer as n from public.tickets where requester_email = $1`, [from]),
    ).toEqual({ n: 20 })
    await backend.sql(`update public.desk_settings set unknown_senders = 'hold' where company_id = $1`, [
      company,
    ])
  })
})

describe('the webhook', () => {
  it('refuses what is not signed, is old, or was changed', async () => {
    const raw = letter({})
    expect(await post(raw, { signature: '0'.repeat(64) })).toMatchObject({ status: 401, code: 'signature' })
    expect(await post(raw, { signature: '' })).toMatchObject({ status: 401 })
    expect(await post(raw, { secret: 'another secret of somebody else entirely' })).toMatchObject({
      status: 401,
    })
    expect(await post(raw, { at: Date.now() / 1000 - 301 })).toMatchObject({ status: 401 })
    expect(await post(raw, { at: Date.now() / 1000 + 301 })).toMatchObject({ status: 401 })
    const { signature } = await post(raw)
    expect(await post(raw.replace('Printer', 'Changed'), { signature })).toMatchObject({ status: 401 })
  })

  it('takes a request once, and a message once', async () => {
    const raw = letter({})
    const at = Date.now() / 1000
    expect(await post(raw, { at })).toMatchObject({ status: 202, code: 'taken' })
    expect(await post(raw, { at })).toMatchObject({ status: 409, code: 'replay' })
    expect(await post(raw, { at: at - 10 })).toMatchObject({ status: 202, code: 'known' })
    expect(await post('')).toMatchObject({ status: 400 })
  })

  it('says that a message of more than 30 MB is too large', async () => {
    expect(await post(Buffer.alloc(30 * 1024 * 1024 + 1, 'a'))).toMatchObject({
      status: 413,
      code: 'too_large',
    })
  })

  it('keeps a message that cannot be read, with the reason, where an admin sees it', async () => {
    expect((await post('To: help@acme.test\r\nSubject: Nobody\r\n\r\nHello')).status).toBe(202)
    const row = await eventually(async () => {
      const { data } = await admin
        .from('inbound_mails')
        .select('id, status, reason, error')
        .eq('subject', 'Nobody')
      if (data?.[0]?.status !== 'unreadable') throw new Error('Not yet')
      return data[0] as { id: string }
    })
    expect(row).toMatchObject({ reason: 'broken', error: 'The message names no sender.' })
    expect(
      await backend.sql('select length(raw) > 0 as kept from app.inbound_raw where mail_id = $1', [row.id]),
    ).toEqual([{ kept: true }])
  })
})

it.each([
  ['two From lines', { headers: ['From: Admin <admin@acme.test>'] }],
  ['two From lines, one of them folded', { headers: ['from:', ' admin@acme.test'] }],
  ['two senders in its From line', { from: 'standard@acme.test, admin@acme.test' }],
  ['two addresses in brackets', { from: '<admin@acme.test><standard@acme.test>' }],
  ['a line break that only some programs know', { from: 'standard@acme.test\rFrom: admin@acme.test' }],
  ['a route', { from: '<@elsewhere.test:admin@acme.test>' }],
  ['a group', { from: 'Desk: admin@acme.test;' }],
])('a mail with %s is kept unread, whatever the rules for senders', async (_name, given) => {
  await backend.sql(
    `update public.desk_settings set unknown_senders = 'open', trust_known_senders = true where company_id = $1`,
    [company],
  )
  const id = `<${randomUUID()}@elsewhere.test>`
  expect((await post(letter({ from: 'standard@acme.test', ...given, id }))).status).toBe(202)
  const row = await eventually(async () => {
    const found = await one<Result | undefined>(
      `select m.id, m.status, m.reason, m.error, m.ticket_id from public.inbound_mails m join app.inbound_raw r on r.mail_id = m.id
       where m.status <> 'received' and strpos(convert_from(r.raw, 'UTF8'), $1) > 0`,
      [id],
    )
    if (!found) throw new Error('Not yet')
    return found
  })
  expect(row).toMatchObject({
    status: 'unreadable',
    reason: 'broken',
    error: 'The message names more than one sender.',
    ticket_id: null,
  })
  await backend.sql(
    `update public.desk_settings set unknown_senders = 'hold', trust_known_senders = false where company_id = $1`,
    [company],
  )
})

it.each([
  ['"Ada; <b> (c)" <names@elsewhere.test>', 'names@elsewhere.test'],
  ['names@elsewhere.test <names@elsewhere.test>', 'names@elsewhere.test'],
  ['Ada Lovelace (IT)\r\n <names@elsewhere.test>', 'names@elsewhere.test'],
])('a From line as programs write it names one sender: %s', async (from, address) => {
  const { id } = await arrive({ from })
  expect(await one('select from_address, error from public.inbound_mails where id = $1', [id])).toEqual({
    from_address: address,
    error: null,
  })
})

it('a subject with line breaks and signs that turn text opens a ticket with a clean one', async () => {
  await backend.sql(`update public.desk_settings set unknown_senders = 'open' where company_id = $1`, [
    company,
  ])
  const subject = `=?UTF-8?B?${Buffer.from('Yaz\u0131c\u0131\u202e\r\nBcc: x\u2066 👩\u200d💻\u2028').toString('base64')}?=`
  const { status, ticket_id } = await arrive({ subject, from: '"A\u202eB" <names@elsewhere.test>' })
  expect(status).toBe('filed')
  expect(await one('select subject, requester_name from public.tickets where id = $1', [ticket_id])).toEqual({
    subject: expect.stringMatching(/^Yazıcı ?Bcc: x 👩\u200d💻$/u),
    requester_name: 'AB',
  })
  await backend.sql(`update public.desk_settings set unknown_senders = 'hold' where company_id = $1`, [
    company,
  ])
})

it('a server without the secret has no such route', async () => {
  const other = await testBackend({ driver: 'pglite' })
  try {
    const answer = await fetch(`${other.url}/mail/v1/inbound`, { method: 'POST', body: letter({}) })
    expect(answer.status).toBe(404)
  } finally {
    await other.stop()
  }
})
