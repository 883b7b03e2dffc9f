import { describe, expect, it } from 'vitest'
import { createAccount } from '../../support/accounts'
import { drivers } from '../../support/backend'
import {
  alertsOf,
  backend,
  checkIn,
  company,
  createMonitor,
  device,
  failing,
  ok,
  one,
  openMonitors,
} from './support'

describe.each(drivers())('tickets of alerts, on %s', (driver) => {
  openMonitors(driver)

  it('tells of an alert that opened within the cooldown when it is over and the alert still open', async () => {
    const admin = await createAccount(backend, 'Admin', company)
    const id = await createMonitor({ open_ticket: true, name: 'Cooling' })
    const told = async () => ({
      notified: (
        await one<{ n: number }>(
          `select count(*)::int as n from public.notifications where user_id = $1 and params ->> 'monitor' ~ 'Cooling'`,
          admin.id,
        )
      )?.n,
      tickets: (
        await one<{ n: number }>(`select count(*)::int as n from public.tickets where subject ~ 'Cooling'`)
      )?.n,
    })
    await checkIn([failing(id)])
    await checkIn([ok(id)])
    await checkIn([failing(id)])
    await backend.sql('select app.end_cooldowns()')
    expect(await told()).toEqual({ notified: 1, tickets: 1 })
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '61 minutes' where monitor_id = $1`,
      [id],
    )
    await backend.sql('update app.notices set closes_at = now() where user_id = $1', [admin.id])
    await backend.sql('select app.end_cooldowns(), app.end_cooldowns()')
    // The ticket closed with the alert, and opens with it again.
    expect(await told()).toEqual({ notified: 2, tickets: 1 })
    expect(await one(`select status from public.tickets where subject ~ 'Cooling'`)).toEqual({
      status: 'open',
    })
    expect(
      await backend.sql(`select in_cooldown from public.alerts where monitor_id = $1 and status = 'open'`, [
        id,
      ]),
    ).toEqual([{ in_cooldown: false }])
    expect(
      await backend.sql('select times, flapping from public.alerts where monitor_id = $1', [id]),
    ).toEqual([{ times: 2, flapping: 'Flapping, 2 times' }])
    await backend.sql(`delete from public.tickets where subject ~ 'Cooling'`)
    // The second deletion takes it out of the trash, for good.
    await backend.sql(`delete from public.tickets where subject ~ 'Cooling'`)
  })

  it('opens a ticket with the category and the priority of its monitor, and one ticket for a flapping device', async () => {
    const category = (
      await one<{ id: string }>(
        `insert into public.ticket_categories (company_id, name, position) values ($1, 'Servers', 9999) returning id`,
        company,
      )
    )?.id
    const id = await createMonitor({
      open_ticket: true,
      name: 'Flap',
      severity: 'info',
      cooldown_minutes: 0,
      ticket_category_id: category,
      ticket_priority: 'urgent',
    })
    const tickets = () =>
      backend.sql<{ status: string; priority: string; category_id: string; alert_note: string | null }>(
        `select status, priority, category_id, alert_note from public.tickets where subject ~ '^Flap' order by number`,
      )
    for (let round = 0; round < 20; round++) {
      await checkIn([failing(id)])
      await checkIn([ok(id)])
    }
    expect(await tickets()).toEqual([
      {
        status: 'closed',
        priority: 'urgent',
        category_id: category,
        alert_note: 'Closed with its alert: nobody had changed the ticket.',
      },
    ])
    // Two days later it is another failure.
    await backend.sql(
      `update public.tickets set resolved_at = now() - interval '2 days' where subject ~ '^Flap'`,
    )
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '2 days', resolved_at = resolved_at - interval '2 days' where monitor_id = $1`,
      [id],
    )
    await checkIn([failing(id)])
    expect((await tickets()).map(({ status }) => status)).toContain('new')
    await backend.sql(`delete from public.tickets where subject ~ '^Flap'`)
    // The second deletion takes it out of the trash, for good.
    await backend.sql(`delete from public.tickets where subject ~ '^Flap'`)
  })

  it('answers the form of the category in the ticket of its alert, as long as the form asks that', async () => {
    const [category] = await backend.sql<{ id: string }>(
      `insert into public.ticket_categories (company_id, name, position, fields)
       values ($1, 'Asked', 9998, '[{"key":"room","label":"Room","kind":"enum","options":["A","B"],"required":true}]') returning id`,
      [company],
    )
    const asked = { open_ticket: true, ticket_category_id: category?.id, cooldown_minutes: 0 }
    await expect(
      createMonitor({ ...asked, name: 'Wrong room', ticket_answers: JSON.stringify({ room: 'C' }) }),
    ).rejects.toThrow(/does not take this answer: room/)
    const answersOf = async (name: string) =>
      (
        await backend.sql<{ answers: unknown }>(
          'select answers from public.tickets where starts_with(subject, $1) order by number',
          [name],
        )
      ).map(({ answers }) => answers)
    const answers = JSON.stringify({ room: 'B' })
    const kept = await createMonitor({ ...asked, name: 'Kept room', ticket_answers: answers })
    await checkIn([failing(kept)])
    expect(await answersOf('Kept room')).toEqual([{ room: 'B' }])
    const outdated = await createMonitor({ ...asked, name: 'Outdated room', ticket_answers: answers })
    await backend.sql(`update public.ticket_categories set fields = '[]' where id = $1`, [category?.id])
    await checkIn([failing(outdated)])
    expect(await answersOf('Outdated room')).toEqual([{}])
    await backend.sql(`delete from public.tickets where category_id = $1`, [category?.id])
    // The first deletion moves them to the trash.
    await backend.sql(`delete from public.tickets where category_id = $1`, [category?.id])
    await backend.sql('delete from public.monitors where ticket_category_id = $1', [category?.id])
  })

  it('leaves a ticket open on which somebody wrote, and says so in the ticket and in its activity', async () => {
    const writer = await createAccount(backend, 'Teknik', company)
    const id = await createMonitor({ open_ticket: true, name: 'Written', cooldown_minutes: 0 })
    const ticket = () =>
      one<{ id: string; status: string; alert_note: string | null }>(
        `select id, status, alert_note from public.tickets where subject ~ '^Written'`,
      )
    await checkIn([failing(id)])
    const opened = await ticket()
    const client = await backend.client(writer.email)
    const { error } = await client
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: opened?.id, kind: 'note', body: 'I look at it' })
    expect(error).toBeNull()
    await checkIn([ok(id)])
    expect(await ticket()).toEqual({
      id: opened?.id,
      status: opened?.status,
      alert_note: 'The alert is resolved. The ticket stays open because somebody has changed it.',
    })
    expect(
      await backend.sql(
        `select 1 from public.audit_log where table_name = 'tickets' and row_id = $1 and changes ? 'alert_note'`,
        [opened?.id],
      ),
    ).toHaveLength(1)
    await backend.sql(`delete from public.tickets where subject ~ '^Written'`)
    // The second deletion takes it out of the trash, for good.
    await backend.sql(`delete from public.tickets where subject ~ '^Written'`)
  })

  it('names the alert and the repair in its ticket, and says when the alert was resolved', async () => {
    const procedure = await one<{ id: string }>(
      `insert into public.procedures (company_id, name, type, script) values ($1, 'Restart it', 'Bash', 'true') returning id`,
      company,
    )
    const id = await createMonitor({
      open_ticket: true,
      name: 'Linked',
      procedure_id: procedure?.id,
      cooldown_minutes: 0,
    })
    const ticket = () =>
      one(
        `select t.status, t.alert_id, t.alert_message, t.repair_name, t.alert_resolved_at is null as unresolved,
           r.device_id = t.device_id as repairs from public.tickets t
         left join public.job_runs r on r.id = t.repair_run_id where t.subject ~ '^Linked' order by t.number desc limit 1`,
      )
    await checkIn([failing(id)])
    const [alert] = await alertsOf(id)
    const linked = {
      status: 'new',
      alert_id: alert?.id,
      alert_message: 'cron is not running',
      repair_name: 'Restart it',
      repairs: true,
    }
    expect(await ticket()).toEqual({ ...linked, unresolved: true })
    await checkIn([ok(id)])
    expect(await ticket()).toEqual({ ...linked, status: 'closed', unresolved: false })
    expect(
      await one(
        `select count(*)::int as n from public.audit_log where table_name = 'tickets' and changes ? 'alert_resolved_at' and row_id = (select t.id from public.tickets t where t.subject ~ '^Linked')
           and action = 'edit'`,
      ),
    ).toEqual({ n: 1 })
    await backend.sql(
      "update public.alerts set opened_at = opened_at - interval '1 hour' where monitor_id = $1",
      [id],
    )
    await checkIn([failing(id)])
    const again = (await alertsOf(id)).find(({ status }) => status === 'open')
    expect(await ticket()).toMatchObject({ alert_id: again?.id, unresolved: true })
    await backend.sql("delete from public.tickets where subject ~ '^Linked'")
    // The second deletion takes it out of the trash, for good.
    await backend.sql("delete from public.tickets where subject ~ '^Linked'")
  })

  it('opens a ticket where the monitor says so, and no second one while it is open or within the cooldown', async () => {
    const id = await createMonitor({ open_ticket: true, severity: 'critical', name: 'Backup' })
    const quiet = await createMonitor({ name: 'Quiet' })
    const tickets = () =>
      backend.sql<{ subject: string; priority: string; description: string; status: string }>(
        'select subject, priority, description, status from public.tickets where device_id = $1 order by number',
        [device.device_id],
      )
    await checkIn([failing(id, 'no backup since Monday'), failing(quiet)])
    const expected = {
      subject: 'Backup · pc-1',
      priority: 'urgent',
      description: 'no backup since Monday',
      status: 'new',
    }
    expect(await tickets()).toEqual([expected])
    await checkIn([ok(id)])
    expect(await tickets()).toEqual([{ ...expected, status: 'closed' }])
    await checkIn([failing(id)])
    expect(await tickets()).toEqual([{ ...expected, status: 'closed' }])
    await backend.sql(`update public.tickets set status = 'resolved' where device_id = $1`, [
      device.device_id,
    ])
    await checkIn([ok(id)])
    await checkIn([failing(id)])
    expect(await tickets()).toHaveLength(1)
    await checkIn([ok(id)])
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '61 minutes' where monitor_id = $1`,
      [id],
    )
    await checkIn([failing(id)])
    expect((await tickets()).map(({ status }) => status)).toEqual(['resolved', 'new'])
  })
})
