import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
