import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { eventually } from '../../support/eventually'
import { type MailDesk, openMailDesk } from '../support/mail-desk'

let desk: MailDesk
beforeAll(async () => {
  desk = await openMailDesk()
})
afterAll(() => desk?.stop())

const bells = (email: string, ticket: string) =>
  desk.backend.sql<{ kind: string; link: string; is_read: boolean }>(
    `select n.kind, n.link, n.read_at is not null as is_read from public.notifications n
      join public.ticket_approvals a on n.once_key = 'approval:' || a.id where a.ticket_id = $2 and n.user_id = $1`,
    [desk.people.get(email), ticket],
  )
const approval = async (ticket: string) =>
  (await desk.one<{ id: string }>('select id from public.ticket_approvals where ticket_id = $1', [ticket])).id
const subjectOf = async (ticket: string) =>
  (await desk.one<{ subject: string }>('select subject from public.tickets where id = $1', [ticket])).subject
const mails = (email: string, subject: string) =>
  desk.backend.mails().filter((mail) => mail.to === email && mail.subject.includes(subject))
const resolve = (ticket: string) =>
  desk.teknik.rpc('set_ticket_status', { ids: [ticket], status: 'resolved' }).throwOnError()
const ask = (ticket: string, whom: Record<string, unknown>) =>
  desk.teknik.rpc('request_approval', { ids: [ticket], ...whom }).throwOnError()

describe('an approval that is canceled', () => {
  it('is told to the person who was asked by name, by bell and mail, although they no longer see the ticket', async () => {
    const ticket = await desk.openTicket('teknik@acme.test')
    const subject = await subjectOf(ticket)
    await ask(ticket, { person_id: desk.people.get('standard@acme.test'), question: 'May I?' })
    expect(await bells('standard@acme.test', ticket)).toMatchObject([
      { kind: 'approval_asked', is_read: false },
    ])
    await desk.mailTo('standard@acme.test', 'May I?')
    await resolve(ticket)
    // A link would lead to a page that they may no longer see.
    expect((await desk.standard.from('tickets').select('id').eq('id', ticket)).data).toEqual([])
    expect(await bells('standard@acme.test', ticket)).toEqual([
      { kind: 'approval_canceled', link: null, is_read: false },
    ])
    await eventually(async () => {
      await desk.hurry()
      const sent = mails('standard@acme.test', subject)
      expect(sent).toHaveLength(2)
      expect(sent[1]?.text).toMatch(/no longer needed|artık gerek yok/)
    })
  })

  it('leaves no question in a mail that waits once somebody else is asked', async () => {
    const ticket = await desk.openTicket('teknik@acme.test')
    const reader = desk.people.get('standard@acme.test')
    await desk.backend.sql(
      'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
      [desk.company, ticket, reader],
    )
    const { data: reply } = await desk.reply(desk.teknik, ticket, 'Look')
    // As the mail is in the queue until the sender's limit lets it go.
    const mail = {
      company_id: desk.company,
      ticket_id: ticket,
      user_id: reader,
      events: ['reply', 'approval'],
      comment_ids: [reply.id],
    }
    const content = async () => {
      const sql = `select app.ticket_mail_content(jsonb_populate_record(null::app.ticket_mails, $1::text::jsonb)) as content`
      return (await desk.one<{ content: object }>(sql, [JSON.stringify(mail)])).content
    }
    await ask(ticket, { person_id: reader, question: 'Harmless?' })
    expect(await content()).toMatchObject({ events: ['reply', 'approval'], question: 'Harmless?' })
    const first = await approval(ticket)
    await ask(ticket, { approver_role: 'Admin', question: 'A secret?' })
    await desk.teknik.rpc('cancel_approval_requests', { ids: [first] }).throwOnError()
    expect(await content()).toMatchObject({ events: ['reply'], question: null, comments: [{ body: 'Look' }] })
  })

  it('is told to everybody of the role that was asked', async () => {
    const ticket = await desk.openTicket()
    await ask(ticket, { approver_role: 'Admin' })
    await resolve(ticket)
    expect(await bells('admin@acme.test', ticket)).toEqual([
      { kind: 'approval_canceled', link: `/tickets/${ticket}`, is_read: false },
    ])
  })

  it('by a merge is told as well', async () => {
    const [merged, target] = [await desk.openTicket(), await desk.openTicket()]
    await ask(merged, { person_id: desk.people.get('admin@acme.test') })
    await desk.teknik.rpc('merge_tickets', { ids: [merged], target_id: target }).throwOnError()
    expect(await bells('admin@acme.test', merged)).toMatchObject([{ kind: 'approval_canceled' }])
  })

  it('with its ticket in the trash is told as well, by a bell that leads nowhere', async () => {
    const ticket = await desk.openTicket('teknik@acme.test')
    await ask(ticket, { person_id: desk.people.get('standard@acme.test') })
    await ask(ticket, { approver_role: 'Admin' })
    const second = await desk.openTicket()
    await ask(second, { approver_role: 'Admin' })
    await desk.admin.from('tickets').delete().in('id', [ticket, second]).throwOnError()
    expect(
      await desk.backend.sql(
        'select status from public.ticket_approvals where ticket_id = any ($1::uuid[])',
        [[ticket, second]],
      ),
    ).toEqual(Array.from({ length: 3 }, () => ({ status: 'canceled' })))
    expect(await bells('standard@acme.test', ticket)).toMatchObject([
      { kind: 'approval_canceled', link: null },
    ])
  })

  it('before its mail is sent is not mailed at all', async () => {
    const ticket = await desk.openTicket('teknik@acme.test')
    const subject = await subjectOf(ticket)
    const person = desk.people.get('standard@acme.test')
    // The mail waits for the end of a minute, so that both events are in one row.
    await desk.backend.sql(
      `insert into app.ticket_mails (company_id, ticket_id, user_id, email, events, status, sent_at)
        values ($1, $2, $3, 'standard@acme.test', '{assigned}', 'sent', now())`,
      [desk.company, ticket, person],
    )
    await ask(ticket, { person_id: person })
    await resolve(ticket)
    await eventually(async () => {
      await desk.hurry()
      expect(
        await desk.backend.sql(
          `select status from app.ticket_mails where ticket_id = $1 and email = 'standard@acme.test' and 'approval' = any (events)`,
          [ticket],
        ),
      ).toEqual([{ status: 'dropped' }])
    })
    expect(mails('standard@acme.test', subject)).toEqual([])
  })
})

describe('an approval that one person of a role decides', () => {
  it('no longer asks the bell of whoever decided, which says how it ended', async () => {
    const ticket = await desk.openTicket()
    await ask(ticket, { approver_role: 'Admin' })
    await desk.admin.rpc('decide_approvals', { ids: [await approval(ticket)], approved: true }).throwOnError()
    expect(await bells('admin@acme.test', ticket)).toMatchObject([{ kind: 'approval_given', is_read: true }])
  })
})

describe('somebody who was asked and has moved to another company', () => {
  const moved = async (change: (ticket: string, person: string) => Promise<unknown>) => {
    const [person, ticket] = [
      await createAccount(desk.backend, 'Standard', desk.company),
      await desk.openTicket('teknik@acme.test'),
    ]
    await change(ticket, person.id)
    return { person, ticket }
  }
  const move = (person: string) =>
    desk.backend.sql(
      `update public.user_roles set company_id = (select id from public.companies where name = 'Globex') where user_id = $1`,
      [person],
    )
  const rename = (ticket: string) =>
    desk.admin.from('tickets').update({ subject: 'A secret of later' }).eq('id', ticket).throwOnError()

  it('reads nothing of the ticket when the approval is canceled, by bell or mail', async () => {
    const { person, ticket } = await moved(async (id, whom) => {
      await ask(id, { person_id: whom })
      await move(whom)
      await rename(id)
      await resolve(id)
    })
    const seen = await desk.backend.sql(
      `select kind, params ->> 'subject' = 'A secret of later' as is_told, link from public.notifications where user_id = $1`,
      [person.id],
    )
    expect(seen).toEqual([{ kind: 'approval_canceled', is_told: false, link: null }])
    const left = await desk.backend.sql(
      `select app.ticket_mail_content(m) as content from app.ticket_mails m where m.ticket_id = $1 and m.user_id = $2`,
      [ticket, person.id],
    )
    expect(left.filter(({ content }) => content !== null)).toEqual([])
  })

  it('is not asked when their step comes, and the desk hears that nobody is', async () => {
    const { person, ticket } = await moved(async (id, whom) => {
      await ask(id, { person_id: desk.people.get('admin@acme.test') })
      await ask(id, { person_id: whom })
      await move(whom)
    })
    const { id } = await desk.one<{ id: string }>(
      `select id from public.ticket_approvals where ticket_id = $1 and status = 'asked'`,
      [ticket],
    )
    await desk.admin.rpc('decide_approvals', { ids: [id], approved: true }).throwOnError()
    expect(
      await desk.backend.sql('select kind from public.notifications where user_id = $1', [person.id]),
    ).toEqual([])
    expect(await bells('teknik@acme.test', ticket)).toContainEqual({
      kind: 'approval_left',
      link: `/tickets/${ticket}`,
      is_read: false,
    })
  })
})

it('an assignee who does not see the ticket is not told how its approval ended: the desk is', async () => {
  const ticket = await desk.openTicket('teknik@acme.test')
  await desk.backend.sql('update public.tickets set assignee_id = $2 where id = $1', [
    ticket,
    desk.people.get('standard@acme.test'),
  ])
  await ask(ticket, { approver_role: 'Admin' })
  await desk.admin.rpc('decide_approvals', { ids: [await approval(ticket)], approved: true }).throwOnError()
  expect(await bells('standard@acme.test', ticket)).toEqual([])
  expect(await bells('teknik@acme.test', ticket)).toMatchObject([{ kind: 'approval_given' }])
})

it('a decision without a yes or no is refused, and so is a second request to the same person', async () => {
  const ticket = await desk.openTicket('teknik@acme.test')
  const person_id = desk.people.get('admin@acme.test')
  await ask(ticket, { person_id })
  const again = await desk.teknik.rpc('request_approval', { ids: [ticket], person_id })
  expect(again.error).toMatchObject({ code: '23514', hint: 'approval_again' })
  const ids = [await approval(ticket)]
  const { error } = await desk.admin.rpc('decide_approvals', { ids, approved: null as never })
  expect(error?.code).toBe('22023')
  expect(await desk.one('select status from public.ticket_approvals where ticket_id = $1', [ticket])).toEqual(
    {
      status: 'asked',
    },
  )
})
