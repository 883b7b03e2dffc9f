import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually'
import { type Letter, type MailDesk, openMailDesk, type Result } from '../support/mail-desk'

let desk: MailDesk
let {
  backend,
  admin,
  teknik,
  standard,
  company,
  people,
  one,
  arrive,
  hurry,
  mailTo,
  openTicket,
  reply,
  comments,
} = {} as MailDesk

beforeAll(async () => {
  desk = await openMailDesk()
  ;({
    backend,
    admin,
    teknik,
    standard,
    company,
    people,
    one,
    arrive,
    hurry,
    mailTo,
    openTicket,
    reply,
    comments,
  } = desk)
})
afterAll(() => desk?.stop())

describe('a conversation by mail', () => {
  it('takes the reply of the desk to the requester, and the answer back to the ticket with its attachment', async () => {
    const ticket = await openTicket()
    const words = `Is it plugged in? ${randomUUID()}`
    await reply(teknik, ticket, words)
    const sent = await mailTo('standard@acme.test', words)
    expect(sent.replyTo).toMatch(/^reply\+[a-z2-7]{52}@desk\.test$/)
    expect(sent.messageId).toMatch(new RegExp(`^<ticket\\.${ticket}\\.\\d+\\.[0-9a-f]{32}@desk\\.test>$`))
    const boundary = 'b1'
    // A file name from outside mentions nobody.
    const mention = `mention:${people.get('teknik@acme.test')}`
    const result = await arrive({
      from: 'Someone <standard@acme.test>',
      to: sent.replyTo as string,
      subject: 'AW: whatever',
      headers: [`Content-Type: multipart/mixed; boundary=${boundary}`],
      text: [
        `--${boundary}`,
        'Content-Type: text/plain; charset=utf-8',
        '',
        'Yes, it is.',
        '',
        'On Mon, 3 Mar 2025 at 10:00, Desk <reply@desk.test> wrote:',
        '> Is it plugged in?',
        `--${boundary}`,
        'Content-Type: application/pdf; name="photo.pdf"',
        'Content-Disposition: attachment; filename="photo.pdf"',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('%PDF-1.4 a photo').toString('base64'),
        `--${boundary}`,
        'Content-Type: application/octet-stream',
        `Content-Disposition: attachment; filename="[@Teknik](${mention}).lnk"`,
        '',
        'a shortcut',
        `--${boundary}--`,
      ].join('\r\n'),
    })
    expect([result.status, result.reason, result.ticket_id]).toEqual(['filed', null, ticket])
    const answer = (await comments(ticket)).at(-1)
    expect(answer).toMatchObject({ author_id: people.get('standard@acme.test'), kind: 'reply' })
    expect(answer?.body).toBe(
      `Alınmadı: (@Teknik)(${mention}).lnk (programlar, betikler ve kısayollar alınmaz)\n\nYes, it is.\n\n` +
        '> On Mon, 3 Mar 2025 at 10:00, Desk <reply@desk.test> wrote:\n> Is it plugged in?',
    )
    const { data: files } = await standard
      .from('files')
      .select('name, type, created_by')
      .eq('resource', 'ticket_comments')
      .eq('record_id', answer?.id as string)
    expect(files).toEqual([
      { name: 'photo.pdf', type: 'application/pdf', created_by: people.get('standard@acme.test') },
    ])
    // The assignee hears of it by mail, too, and can answer in the same way.
    expect((await mailTo('teknik@acme.test', 'Yes, it is.')).replyTo).toMatch(/^reply\+/)
  })

  it('waits while its ticket is in the trash, and is filed once the ticket is back', async () => {
    const ticket = await openTicket()
    const words = `Trash or not ${randomUUID()}`
    await reply(teknik, ticket, words)
    const { replyTo } = await mailTo('standard@acme.test', words)
    await admin.rpc('bulk_delete', { resource: 'tickets', ids: [ticket] }).throwOnError()
    const answer = `Not yet ${randomUUID()}`
    const held = await arrive({ from: 'standard@acme.test', to: replyTo as string, text: answer })
    expect([held.status, held.reason, held.ticket_id]).toEqual(['held', 'ticket_in_trash', null])
    const approve = () => admin.rpc('approve_mails', { ids: [held.id] }).throwOnError()
    const settled = () =>
      one<Result>('select status, reason, ticket_id from public.inbound_mails where id = $1', [held.id])
    const { number } = await one<{ number: number }>('select number from public.tickets where id = $1', [
      ticket,
    ])
    expect((await admin.rpc('approve_mails', { ids: [held.id] })).error).toMatchObject({
      code: '23514',
      hint: 'mail_ticket_in_trash',
      details: `{"tickets": "#${number}"}`,
    })
    // A stranger is told of no mail, and so of no ticket.
    const stranger = await backend.client('admin@globex.test')
    expect((await stranger.rpc('approve_mails', { ids: [held.id] })).error?.hint).toBe('mail_gone')
    expect((await teknik.rpc('approve_mails', { ids: [held.id] })).error?.code).toBe('42501')
    expect(await settled()).toEqual({ status: 'held', reason: 'ticket_in_trash', ticket_id: null })
    expect((await comments(ticket)).map(({ body }) => body)).not.toContain(answer)
    await admin.rpc('restore_records', { resource: 'tickets', ids: [ticket] }).throwOnError()
    await approve()
    await expect.poll(settled).toEqual({ status: 'filed', reason: null, ticket_id: ticket })
    expect((await comments(ticket)).at(-1)?.body).toBe(answer)
  })

  it('opens a new ticket on approval once its ticket was deleted for good', async () => {
    const ticket = await openTicket()
    const words = `Gone for good ${randomUUID()}`
    await reply(teknik, ticket, words)
    const { replyTo } = await mailTo('standard@acme.test', words)
    await admin.rpc('bulk_delete', { resource: 'tickets', ids: [ticket] }).throwOnError()
    const answer = `Is it gone? ${randomUUID()}`
    const held = await arrive({ from: 'standard@acme.test', to: `${replyTo}, help@acme.test`, text: answer })
    expect(held.reason).toBe('ticket_in_trash')
    await admin.rpc('purge_records', { resource: 'tickets', ids: [ticket] }).throwOnError()
    await admin.rpc('approve_mails', { ids: [held.id] }).throwOnError()
    const filed = await eventually(async () => {
      const row = await one<Result>('select status, ticket_id from public.inbound_mails where id = $1', [
        held.id,
      ])
      if (row.status !== 'filed') throw new Error('Not yet')
      return row
    })
    expect(await one('select description from public.tickets where id = $1', [filed.ticket_id])).toEqual({
      description: answer,
    })
  })

  it.each(['in the trash', 'closed'])(
    'stays in the list of its company when its ticket, which was %s, is deleted for good',
    async (state) => {
      const ticket = await openTicket()
      const words = `Gone without an address ${randomUUID()}`
      await reply(teknik, ticket, words)
      const { replyTo } = await mailTo('standard@acme.test', words)
      const remove = () => admin.rpc('bulk_delete', { resource: 'tickets', ids: [ticket] }).throwOnError()
      if (state === 'closed')
        await backend.sql(
          `update public.tickets set status = 'closed', resolved_at = now() - interval '1 year' where id = $1`,
          [ticket],
        )
      else await remove()
      const held = await arrive({ from: 'standard@acme.test', to: replyTo as string })
      expect(held.reason).toBe(state === 'closed' ? 'ticket_closed' : 'ticket_in_trash')
      if (state === 'closed') await remove()
      await admin.rpc('purge_records', { resource: 'tickets', ids: [ticket] }).throwOnError()
      expect((await admin.rpc('approve_mails', { ids: [held.id] })).error).toMatchObject({
        code: '23514',
        hint: 'mail_ticket_gone',
      })
      // The ticket may be deleted while an approved mail waits for the reader.
      await backend.sql(
        `update public.inbound_mails set status = 'received', is_approved = true, next_attempt_at = now() where id = $1`,
        [held.id],
      )
      await expect
        .poll(async () => (await admin.from('inbound_mails').select('status, reason').eq('id', held.id)).data)
        .toEqual([{ status: 'held', reason: 'no_address' }])
      expect((await admin.rpc('approve_mails', { ids: [held.id] })).error?.hint).toBe('mail_ticket_gone')
      await admin.rpc('reject_mails', { ids: [held.id] }).throwOnError()
    },
  )

  it('reaches requesters without the words of an internal note', async () => {
    const ticket = await openTicket()
    await reply(teknik, ticket, 'The requester is a nuisance', 'note')
    const after = `Public ${randomUUID()}`
    await reply(teknik, ticket, after)
    await mailTo('standard@acme.test', after)
    expect(JSON.stringify(backend.mails())).not.toContain('nuisance')
    expect(
      await backend.sql(
        `select 1 from app.ticket_mails m join public.ticket_comments c on c.id = any (m.comment_ids)
         where c.kind = 'note'`,
      ),
    ).toEqual([])
  })

  it('tells the assignee of an assignment, and the requester that the request was resolved', async () => {
    const ticket = await openTicket()
    await admin
      .from('tickets')
      .update({ assignee_id: people.get('admin@acme.test') })
      .eq('id', ticket)
      .throwOnError()
    await teknik.rpc('assign_tickets', { ids: [ticket] }).throwOnError()
    await admin
      .from('tickets')
      .update({ assignee_id: people.get('teknik@acme.test') })
      .eq('id', ticket)
      .throwOnError()
    await admin.rpc('set_ticket_status', { ids: [ticket], status: 'resolved' }).throwOnError()
    const events = await backend.sql<{ email: string; events: string[] }>(
      'select email, events from app.ticket_mails where ticket_id = $1 order by id',
      [ticket],
    )
    const of = (email: string) => events.filter((mail) => mail.email === email).flatMap((mail) => mail.events)
    expect(of('standard@acme.test')).toEqual(['received', 'resolved'])
    // Nobody is told of what they did themselves.
    expect(of('teknik@acme.test')).toEqual([])
    expect(of('admin@acme.test')).toEqual([])
  })

  it('sends twelve replies of one minute as few mails that hold them all', async () => {
    const ticket = await openTicket()
    await mailTo('standard@acme.test', ticket)
    const before = backend.mails().length
    for (let at = 0; at < 12; at++) await reply(teknik, ticket, `Line ${at} of many`)
    await hurry()
    await eventually(async () => {
      const text = backend
        .mails()
        .slice(before)
        .map((mail) => mail.text)
        .join()
      for (let at = 0; at < 12; at++) if (!text.includes(`Line ${at} of many`)) throw new Error(`Line ${at}`)
    })
    const told = backend
      .mails()
      .slice(before)
      .filter((mail) => mail.to === 'standard@acme.test')
    expect(told.length).toBeLessThanOrEqual(3)
  })

  it('reopens a resolved ticket when its requester answers', async () => {
    const ticket = await openTicket()
    await admin.rpc('set_ticket_status', { ids: [ticket], status: 'resolved' }).throwOnError()
    const number = (
      await one<{ number: number }>('select number from public.tickets where id = $1', [ticket])
    ).number
    const sent = await mailTo('standard@acme.test', `/tickets/${ticket}`)
    expect(sent.subject).toContain(`[#${number}]`)
    // The answer names our Message-ID alone, and comes from the address that it went to.
    const result = await arrive({
      from: 'standard@acme.test',
      headers: [`In-Reply-To: ${sent.messageId}`],
      text: 'It is broken again.',
    })
    expect([result.status, result.ticket_id]).toEqual(['filed', ticket])
    expect(await one('select status from public.tickets where id = $1', [ticket])).toEqual({ status: 'open' })
  })
})

describe('what proves nothing', () => {
  it.each([
    [
      'the number in the subject',
      (ticket: { number: number }) => ({ subject: `Re: [#${ticket.number}] Monitor` }),
    ],
    ['a token that nobody was given', () => ({ to: `reply+${'a'.repeat(52)}@desk.test, help@acme.test` })],
    [
      'the Message-ID of a mail to somebody else',
      (ticket: { message_id: string }) => ({ headers: [`In-Reply-To: ${ticket.message_id}`] }),
    ],
    ['a token in the mail of another address', (ticket: { replyTo: string }) => ({ to: ticket.replyTo })],
  ])('%s adds nothing to a ticket', async (_name, made) => {
    const ticket = await openTicket()
    const words = `Hello ${randomUUID()}`
    await reply(teknik, ticket, words)
    const sent = await mailTo('standard@acme.test', words)
    const { number } = await one<{ number: number }>('select number from public.tickets where id = $1', [
      ticket,
    ])
    const before = (await comments(ticket)).length
    const result = await arrive(
      made({ number, message_id: sent.messageId as string, replyTo: sent.replyTo as string }) as Letter,
    )
    expect(result.status).toBe('held')
    expect((await comments(ticket)).length).toBe(before)
  })

  it('a known address without proof is a stranger, unless the own mail server vouches for it', async () => {
    const from = 'Standard <standard@acme.test>'
    expect(await arrive({ from })).toMatchObject({ status: 'held', reason: 'unknown_sender' })
    expect(
      await arrive({
        from,
        headers: ['Authentication-Results: mx.elsewhere.test; dmarc=pass header.from=acme.test'],
      }),
    ).toMatchObject({ status: 'held' })
    expect(
      await arrive({
        from,
        headers: [
          'Authentication-Results: mx.desk.test; dmarc=fail header.from=acme.test',
          'Authentication-Results: mx.desk.test; dmarc=pass header.from=acme.test',
        ],
      }),
    ).toMatchObject({ status: 'held' })
    expect(
      await arrive({
        from,
        headers: [
          'Authentication-Results: mx.desk.test; dkim=pass header.d=evil.test; spf=pass smtp.mailfrom=x@evil.test',
        ],
      }),
    ).toMatchObject({ status: 'held' })
    const result = await arrive({
      from,
      headers: [
        'Authentication-Results: mx.desk.test; spf=none; dmarc=pass (p=reject) header.from=acme.test',
      ],
    })
    expect(result.status).toBe('filed')
    expect(
      await one('select requester_id, requester_email, description from public.tickets where id = $1', [
        result.ticket_id,
      ]),
    ).toEqual({
      requester_id: people.get('standard@acme.test'),
      requester_email: null,
      description: 'It does not print.',
    })
  })
})

describe('a person who left', () => {
  it('is refused, and is told so by mail once', async () => {
    await backend.sql(`select app.create_auth_user('leaver@acme.test', 'A-long-password-2026', 'Leaver')`)
    const { id: leaver } = await one<{ id: string }>(
      `select id from public.profiles where email = 'leaver@acme.test'`,
    )
    await backend.sql(
      `insert into public.user_roles (user_id, company_id, role) values ($1, $2, 'Standard')
       on conflict (user_id) do update set company_id = excluded.company_id, role = excluded.role`,
      [leaver, company],
    )
    people.set('leaver@acme.test', leaver)
    const ticket = await openTicket('leaver@acme.test')
    const words = `Bye ${randomUUID()}`
    await reply(teknik, ticket, words)
    const sent = await mailTo('leaver@acme.test', words)
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [
      people.get('leaver@acme.test'),
    ])
    for (let at = 0; at < 2; at++)
      expect(
        await arrive({ from: 'leaver@acme.test', to: sent.replyTo as string, text: 'Still here' }),
      ).toMatchObject({ status: 'refused', reason: 'deactivated' })
    await mailTo('leaver@acme.test', 'devre dışı')
    expect(
      backend.mails().filter(({ to, text }) => to === 'leaver@acme.test' && text.includes('devre dışı')),
    ).toHaveLength(1)
    expect((await comments(ticket)).map(({ body }) => body)).toEqual([words])
  })
})
