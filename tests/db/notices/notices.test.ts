import { describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import {
  admin,
  backend,
  bells,
  company,
  createMonitor,
  device,
  mailsTo,
  newCompany,
  openNoticeDesk,
  report,
  rows,
  standard,
  teknik,
} from '../support/notice-desk'

describe.each(drivers())('what people are told of alerts and tickets, on %s', (driver) => {
  openNoticeDesk(driver)

  it('alerts of a device within five minutes are one bell and one mail, in the language of the person', async () => {
    await newCompany()
    const client = await backend.client(teknik.email)
    expect((await client.rpc('remember_language', { language: 'tr' })).error).toBeNull()
    await (await backend.client(admin.email)).rpc('remember_language', { language: 'en' })
    const first = await createMonitor({ name: 'Cron', severity: 'warning' })
    const second = await createMonitor({ name: 'Disk' })
    await report(first, 'failing')
    expect(await bells(teknik)).toEqual([
      {
        kind: 'alert_opened',
        params: {
          monitor: expect.stringMatching(/^Cron · /),
          message: 'cron is not running',
          severity: 'warning',
        },
        link: expect.stringMatching(/^\/alerts\/[0-9a-f-]{36}$/),
      },
    ])
    await report(second, 'failing', 'System disk at 97 %, above 90 %')
    for (const person of [admin, teknik])
      expect(await bells(person)).toMatchObject([
        {
          kind: 'alerts_opened',
          params: { count: 2, severity: 'critical' },
          link: `/alerts?device_id=${device.device_id}&status=open`,
        },
      ])
    expect(await bells(standard)).toEqual([])
    const [turkish, ...noMore] = await mailsTo(teknik)
    expect(noMore).toEqual([])
    expect(turkish?.subject).toMatch(/: 2 alarm$/)
    expect(turkish?.text).toContain('Kritik · Disk: Sistem diski')
    expect(turkish?.link).toMatch(/\/alerts\?device_id=/)
    const [english] = await mailsTo(admin)
    expect(english?.subject).toMatch(/: 2 alerts on /)
    expect(english?.text.indexOf('Critical · Disk: System disk at 97 %')).toBeLessThan(
      english?.text.indexOf('Warning · Cron: cron is not running') ?? 0,
    )
    expect(await mailsTo(standard)).toEqual([])
  })

  it('an alert that was resolved in the meantime sends no mail, and one of severity info none at all', async () => {
    await newCompany()
    const brief = await createMonitor()
    const info = await createMonitor({ severity: 'info' })
    await report(brief, 'failing')
    await report(brief, 'ok')
    expect(await bells(admin)).toHaveLength(1)
    expect(await mailsTo(admin)).toEqual([])
    await report(info, 'failing')
    expect(await bells(admin)).toHaveLength(2)
    expect(await mailsTo(admin)).toEqual([])
  })

  it('a monitor names the role that is told; without people in it everybody who may list alerts is', async () => {
    await newCompany()
    const forTeknik = await createMonitor({ notify_role: 'Teknik' })
    await report(forTeknik, 'failing')
    expect([await bells(teknik), await bells(admin)]).toMatchObject([[{ kind: 'alert_opened' }], []])
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [teknik.id])
    await report(await createMonitor({ notify_role: 'Teknik' }), 'failing')
    expect(await bells(admin)).toMatchObject([{ kind: 'alert_opened' }])
    // The mail of whoever was deactivated since is not sent.
    expect(await mailsTo(teknik)).toEqual([])
  })

  it('a role that may not list alerts is refused, as is an assignee outside the desk', async () => {
    await newCompany()
    const client = await backend.client(admin.email)
    const monitor = await createMonitor()
    const change = (values: Record<string, unknown>) =>
      client.from('monitors').update(values).eq('id', monitor).select('id')
    expect((await change({ notify_role: 'Standard' })).error).toMatchObject({
      code: '23514',
      hint: 'role_without_alerts',
    })
    expect((await change({ notify_role: 'Nobody' })).error?.code).toBe('23514')
    const stranger = await createAccount(backend, 'Admin', await createCompany(backend))
    for (const person of [standard, stranger])
      expect((await change({ ticket_assignee_id: person.id })).error?.code).toBe('23503')
    expect((await change({ notify_role: 'Teknik', ticket_assignee_id: teknik.id })).data).toHaveLength(1)
    // A deactivated account is given nothing more; a monitor that names it can still be changed.
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [teknik.id])
    const given = await createMonitor()
    expect((await change({ notify_role: 'Admin' })).data).toHaveLength(1)
    expect(
      (await client.from('monitors').update({ ticket_assignee_id: teknik.id }).eq('id', given)).error,
    ).toMatchObject({ code: '23514', hint: 'person_deactivated' })
    await backend.sql('update public.user_roles set deactivated_at = null where user_id = $1', [teknik.id])
    // A role that lost its permission gets nothing, whatever the monitor says.
    await backend.sql(`update public.monitors set notify_role = 'Standard' where id = $1`, [monitor])
    await report(monitor, 'failing')
    expect(await bells(standard)).toEqual([])
    expect(await bells(teknik)).toHaveLength(1)
  })

  it('a new ticket tells the desk, and not the person who opened it', async () => {
    await newCompany()
    const client = await backend.client(standard.email)
    const create = (subject: string) =>
      client.from('tickets').insert({ company_id: company, subject }).select('id').single()
    const first = await create('My screen is black')
    for (const person of [admin, teknik])
      expect(await bells(person)).toEqual([
        {
          kind: 'ticket_opened',
          params: { number: '1', subject: 'My screen is black', requester: expect.any(String) },
          link: `/tickets/${first.data?.id}`,
        },
      ])
    expect(await bells(standard)).toEqual([])
    await create('And now it is blue')
    expect(await bells(admin)).toMatchObject([{ kind: 'tickets_opened', params: { count: 2 } }])
    const [mail, ...noMore] = await mailsTo(admin)
    expect(noMore).toEqual([])
    expect(mail?.text).toContain('#1 My screen is black')
    expect(mail?.text).toContain('#2 And now it is blue')
    const desk = await backend.client(teknik.email)
    await desk.from('tickets').insert({ company_id: company, subject: 'Mine', assignee_id: admin.id })
    expect(await bells(teknik)).toHaveLength(1)
    expect(await bells(admin)).toMatchObject([{}, { kind: 'ticket_opened' }])
  })

  const ticketOf = async (monitor: string) =>
    (
      await rows<{
        id: string
        status: string
        assignee_id: string
        category_id: string
        device_id: string
        alert_note: string
      }>(
        `select t.id, t.status, t.assignee_id, t.category_id, t.device_id, t.alert_note from public.tickets t
           join app.alert_tickets x on x.ticket_id = t.id where x.monitor_id = $1`,
        monitor,
      )
    )[0]

  it('the ticket of a monitor has a category, an assignee and the device, and closes with its alert', async () => {
    await newCompany()
    const category = async (name: string, position: number) =>
      (
        await rows<{ id: string }>(
          'insert into public.ticket_categories (company_id, name, position) values ($1, $2, $3) returning id',
          company,
          name,
          position,
        )
      )[0]?.id
    const second = await category('Servers', 2)
    const first = await category('Hardware', 1)
    const named = await createMonitor({
      open_ticket: true,
      ticket_category_id: second,
      ticket_assignee_id: teknik.id,
    })
    await report(named, 'failing')
    expect(await ticketOf(named)).toMatchObject({
      status: 'new',
      category_id: second,
      assignee_id: teknik.id,
      device_id: device.device_id,
    })
    const free = await createMonitor({ open_ticket: true })
    await report(free, 'failing')
    // Teknik has one open ticket already.
    expect(await ticketOf(free)).toMatchObject({ category_id: first, assignee_id: admin.id })
    await report(named, 'ok')
    expect(await ticketOf(named)).toMatchObject({
      status: 'closed',
      alert_note: 'Closed with its alert: nobody had changed the ticket.',
    })
  })

  it('a ticket that somebody changed stays open after its alert, and says so', async () => {
    await newCompany()
    const monitor = await createMonitor({ open_ticket: true })
    await report(monitor, 'failing')
    const ticket = await ticketOf(monitor)
    const client = await backend.client(teknik.email)
    const changed = await client
      .from('tickets')
      .update({ description: 'A disk is on its way.' })
      .eq('id', ticket?.id ?? '')
      .select('id')
    expect(changed.data).toHaveLength(1)
    await report(monitor, 'ok')
    expect(await ticketOf(monitor)).toMatchObject({
      status: 'new',
      alert_note: 'The alert is resolved. The ticket stays open because somebody has changed it.',
    })
  })

  it('a ticket closes when a person resolves its alert, which is no change of the ticket', async () => {
    await newCompany()
    const monitor = await createMonitor({ open_ticket: true })
    await report(monitor, 'failing')
    const client = await backend.client(teknik.email)
    const [alert] = await rows<{ id: string }>('select id from public.alerts where monitor_id = $1', monitor)
    expect((await client.rpc('decide_alerts', { ids: [alert?.id], status: 'resolved' })).data).toBe(1)
    expect(await ticketOf(monitor)).toMatchObject({ status: 'closed' })
  })

  it('a monitor that flaps writes one alert a cooldown, one bell, one ticket and no row of the audit log each time', async () => {
    await newCompany()
    const monitor = await createMonitor({ open_ticket: true, cooldown_minutes: 60 })
    for (let round = 0; round < 10; round += 1) {
      await report(monitor, 'failing')
      await report(monitor, 'ok')
    }
    await report(monitor, 'failing')
    const alerts = () =>
      rows(
        'select status, times, flapping, in_cooldown from public.alerts where monitor_id = $1 order by opened_at',
        monitor,
      )
    expect(await alerts()).toEqual([
      { status: 'open', times: 11, flapping: 'Flapping, 11 times', in_cooldown: true },
    ])
    expect(await bells(admin)).toHaveLength(2)
    expect(await rows('select status from public.tickets where company_id = $1', company)).toEqual([
      { status: 'closed' },
    ])
    const audited = await rows<{ n: number }>(
      `select count(*)::int as n from public.audit_log where company_id = $1 and table_name in ('alerts', 'tickets')`,
      company,
    )
    expect(audited[0]?.n).toBeLessThanOrEqual(4)
    await report(monitor, 'ok')
    await backend.sql(
      `update public.alerts set opened_at = opened_at - interval '61 minutes' where monitor_id = $1`,
      [monitor],
    )
    await report(monitor, 'failing')
    expect(await alerts()).toMatchObject([
      { status: 'resolved', times: 11 },
      { status: 'open', times: 1, flapping: null },
    ])
  })

  it('what fails every few seconds is one alert without a cooldown too', async () => {
    await newCompany()
    const monitor = await createMonitor({ cooldown_minutes: 0 })
    for (let round = 0; round < 3; round += 1) {
      await report(monitor, 'failing')
      await report(monitor, 'ok')
    }
    expect(await rows('select times from public.alerts where monitor_id = $1', monitor)).toEqual([
      { times: 3 },
    ])
  })

  it('the language is one’s own, and of two', async () => {
    const stranger = await backend.client()
    expect((await stranger.rpc('remember_language', { language: 'tr' })).error?.code).toBe('42501')
    const client = await backend.client(standard.email)
    expect((await client.rpc('remember_language', { language: 'de' })).error?.code).toBe('22023')
    expect((await client.from('user_languages').select('*')).error).not.toBeNull()
  })
})
