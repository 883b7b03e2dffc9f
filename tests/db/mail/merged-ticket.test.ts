import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually'
import { type MailDesk, openMailDesk } from '../support/mail-desk'

let desk: MailDesk
beforeAll(async () => {
  desk = await openMailDesk()
})
afterAll(() => desk?.stop())

const read = (ticket: string) =>
  desk.one<{ number: number; subject: string; updated_at: string }>(
    'select number, subject, updated_at::text from public.tickets where id = $1',
    [ticket],
  )
const merge = (ids: string[], target: string, client = desk.teknik) =>
  client.rpc('merge_tickets', { ids, target_id: target }).throwOnError()
const bells = (email: string, ticket: string) =>
  desk.backend.sql<{ params: Record<string, string>; link: string }>(
    `select params, link from public.notifications where user_id = $1 and kind = 'ticket_merged' and once_key = 'merged:' || $2`,
    [desk.people.get(email), ticket],
  )
const events = (ticket: string) =>
  desk.backend.sql<{ email: string }>(
    `select email from app.ticket_mails where ticket_id = $1 and 'merged' = any (events)`,
    [ticket],
  )

describe('the requester of a ticket that is merged', () => {
  it('hears by bell and mail where it goes on, and the other ticket counts as changed', async () => {
    const [merged, target] = [await desk.openTicket(), await desk.openTicket('admin@acme.test')]
    await desk.backend.sql(`update public.tickets set updated_at = '2026-01-02' where id = $1`, [target])
    const before = await read(target)
    await merge([merged], target)
    const [old, survivor] = [await read(merged), await read(target)]
    expect(survivor.updated_at > before.updated_at).toBe(true)
    expect(await bells('standard@acme.test', merged)).toEqual([
      {
        params: { number: String(old.number), into: String(survivor.number), subject: survivor.subject },
        link: `/tickets/${target}`,
      },
    ])
    const sent = await desk.mailTo('standard@acme.test', `#${survivor.number}: ${survivor.subject}`)
    expect(sent.text).toMatch(/Your request goes on as|şu talep olarak sürüyor/)
    expect(sent.text).toContain(`/tickets/${target}`)
    expect(sent.subject).toContain(`[#${old.number}]`)
  })

  it('is told nothing of a merge of their own', async () => {
    const [merged, target] = [await desk.openTicket('teknik@acme.test'), await desk.openTicket()]
    await merge([merged], target)
    expect(await bells('teknik@acme.test', merged)).toEqual([])
    expect(await events(merged)).toEqual([])
  })

  it('gets no word of a ticket that they may not see', async () => {
    const target = await desk.openTicket()
    const address = 'visitor@elsewhere.test'
    const { id: merged } = await desk.one<{ id: string }>(
      `insert into public.tickets (company_id, subject, requester_id, requester_email) values ($1, 'From outside', null, $2) returning id`,
      [desk.company, address],
    )
    await merge([merged], target)
    expect(await events(merged)).toEqual([{ email: address }])
    await eventually(async () => {
      await desk.hurry()
      expect(
        await desk.backend.sql(
          'select status from app.ticket_mails where ticket_id = $1 and email = $2 order by id desc limit 1',
          [merged, address],
        ),
      ).not.toEqual([{ status: 'queued' }])
    })
    const { subject } = await read(target)
    expect(desk.backend.mails().filter((mail) => mail.to === address && mail.text.includes(subject))).toEqual(
      [],
    )
  })
})

describe('the bell of an approval', () => {
  it('says who asks and what, and then who decided and with which note', async () => {
    const ticket = await desk.openTicket()
    const params = async (email: string) =>
      (
        await desk.one<{ params: Record<string, string> }>(
          `select n.params from public.notifications n join public.ticket_approvals a on n.once_key = 'approval:' || a.id
            where a.ticket_id = $1 and n.user_id = $2`,
          [ticket, desk.people.get(email)],
        )
      ).params
    const name = async (email: string) =>
      (
        await desk.one<{ name: string }>('select name from public.profiles where id = $1', [
          desk.people.get(email),
        ])
      ).name
    await desk.teknik
      .rpc('request_approval', { ids: [ticket], approver_role: 'Admin', question: 'May we buy it?' })
      .throwOnError()
    expect(await params('admin@acme.test')).toMatchObject({
      by: await name('teknik@acme.test'),
      about: 'May we buy it?',
    })
    const { id } = await desk.one<{ id: string }>(
      'select id from public.ticket_approvals where ticket_id = $1',
      [ticket],
    )
    await desk.backend.sql('update public.tickets set assignee_id = $2 where id = $1', [
      ticket,
      desk.people.get('teknik@acme.test'),
    ])
    await desk.admin
      .rpc('decide_approvals', { ids: [id], approved: true, note: 'Within budget' })
      .throwOnError()
    expect(await params('teknik@acme.test')).toMatchObject({
      by: await name('admin@acme.test'),
      about: 'Within budget',
    })
  })
})
