import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

const folder = fileURLToPath(new URL('../../../supabase/seed', import.meta.url))

describe.each(drivers())('the demo data on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({ driver })
  })
  afterAll(() => backend?.stop())

  it('is five companies in the states that matter', async () => {
    const rows = await backend.sql(
      `select c.name, c.status, c.license_type, round(extract(epoch from c.license_end_date - now()) / 86400)::int as days,
         (select count(*)::int from public.devices d where d.company_id = c.id) as devices
       from public.companies c order by devices desc`,
    )
    expect(rows).toMatchObject([
      { name: 'Acme', status: 'Active', license_type: 'Pro', devices: 180 },
      { name: 'Globex', status: 'Active', license_type: 'Pro', days: 12, devices: 80 },
      { name: 'Initech', status: 'Expired', devices: 30 },
      { name: 'Hooli', status: 'Active', license_type: 'Basic', devices: 25 },
      { name: 'Umbra', status: 'Suspended', devices: 5 },
    ])
    expect(rows[0]?.days).toBeGreaterThan(360)
  })

  it('gives a ticket that waits for an approval no status that names the requester', async () => {
    const defaults = await backend.sql(
      `select c.name as company, s.name from public.ticket_statuses s join public.companies c on c.id = s.company_id
       where s.kind = 'waiting' and s.is_default and c.name in ('Acme', 'Globex') order by 1`,
    )
    expect(defaults).toEqual([
      { company: 'Acme', name: 'Beklemede' },
      { company: 'Globex', name: 'Waiting' },
    ])
    const others = await backend.sql<{ name: string; tickets: number }>(
      `select s.name, count(t.id)::int as tickets from public.ticket_statuses s left join public.tickets t on t.status_id = s.id
       where s.kind = 'waiting' and s.name in ('Talep eden bekleniyor', 'Waiting for requester') group by 1 order by 1`,
    )
    expect(others.map(({ name }) => name)).toEqual(['Talep eden bekleniyor', 'Waiting for requester'])
    expect(others.every(({ tickets }) => tickets > 0)).toBe(true)
  })

  it('has waiting tickets whose clocks stood still before it was loaded', async () => {
    const waiting = await backend.sql(
      `select count(*)::int as tickets, count(*) filter (where paused_at < created_at + interval '1 day')::int as paused
       from public.tickets where status = 'waiting' and due_at is null and created_at < now() - interval '2 days'`,
    )
    expect(waiting).toEqual([{ tickets: expect.any(Number), paused: waiting[0]?.tickets }])
    expect(waiting[0]?.tickets).toBeGreaterThan(0)
  })

  it('has scripts that were approved, and one that was declined, of which the author knows', async () => {
    const told = await backend.sql(
      `select n.kind, count(*)::int as n from public.notifications n join public.profiles p on p.id = n.user_id
       where p.email = 'admin@acme.test' and n.kind like 'script_%' and n.read_at > n.created_at group by 1 order by 1`,
    )
    expect(told).toEqual([
      { kind: 'script_approved', n: 3 },
      { kind: 'script_declined', n: 1 },
    ])
  })

  it('is six accounts that sign in, each with two unread notifications', async () => {
    const rows = await backend.sql(
      `select p.email, r.role, (select count(*)::int from public.notifications n where n.user_id = p.id and n.read_at is null) as unread
       from public.profiles p join public.user_roles r on r.user_id = p.id where p.email like '%.test' order by p.email`,
    )
    expect(rows).toEqual([
      { email: 'admin@acme.test', role: 'Admin', unread: 2 },
      { email: 'admin@globex.test', role: 'Admin', unread: 2 },
      { email: 'admin@initech.test', role: 'Admin', unread: 2 },
      { email: 'standard@acme.test', role: 'Standard', unread: 2 },
      { email: 'super@demo.test', role: 'Super Admin', unread: 2 },
      { email: 'teknik@acme.test', role: 'Teknik', unread: 2 },
    ])
    await backend.client('admin@acme.test')
  })

  it('is believable: presence, software, scripts of every type, monitors of every type, runs that failed', async () => {
    const [facts] = await backend.sql(
      `select (select count(*)::int from public.devices d join public.device_presence p on p.device_id = d.id and p.online = (d.status = 'online')) as present,
        (select count(distinct name)::int from public.software) as titles,
        (select count(*)::int from public.device_software) as installed,
        (select count(distinct type)::int from public.procedures) as script_types,
        (select min(n)::int from (select count(*) as n from public.procedures p join public.companies c on c.id = p.company_id
          where c.name in ('Acme', 'Globex') group by c.id) x) as scripts,
        (select count(distinct type)::int from public.monitors) as monitor_types,
        (select count(*)::int from public.monitors where not is_active) as failing,
        (select count(distinct status)::int from public.procedure_logs) as log_states,
        (select count(distinct outcome)::int from public.jobs) as outcomes,
        (select count(*)::int from public.devices where search like '%isik%') as turkish`,
    )
    expect(facts).toMatchObject({
      present: 320,
      script_types: 4,
      monitor_types: 5,
      log_states: 2,
      outcomes: 4,
    })
    expect(facts?.titles).toBeGreaterThanOrEqual(60)
    expect(facts?.installed).toBeGreaterThan(3000)
    expect(facts?.scripts).toBeGreaterThanOrEqual(12)
    expect(facts?.failing).toBeGreaterThan(3)
    expect(facts?.turkish).toBeGreaterThan(3)
  })

  it.each([
    [
      'devices boot and enroll before they were last seen, and are offline since then',
      `select d.name from public.devices d join public.device_presence p on p.device_id = d.id
       where d.boot_time > p.last_seen_at or d.enrolled_at > d.boot_time or d.offline_since <> p.last_seen_at
         or (d.status = 'online') <> (d.offline_since is null)`,
    ],
    [
      'runs are in order of time, on devices that were there',
      `select r.id from public.job_runs r join public.devices d on d.id = r.device_id
       where r.started_at < r.queued_at or r.finished_at < r.started_at or r.finished_at > now()
         or r.finished_at > d.offline_since or r.queued_at < d.enrolled_at or r.company_id <> d.company_id`,
    ],
    [
      'a monitor is failing exactly while one of its alerts is unresolved, and a disabled one has no news',
      `select m.name from public.monitors m
       where m.is_active = exists (select 1 from public.alerts a where a.monitor_id = m.id and a.status <> 'resolved')
         or (not m.enabled and m.last_check_at > now() - interval '1 day')`,
    ],
    [
      'unresolved alerts are of devices that are online, and full disks are full',
      `select a.message from public.alerts a join public.devices d on d.id = a.device_id
         join public.monitors m on m.id = a.monitor_id join public.device_presence p on p.device_id = d.id
       where d.status <> 'online' or a.company_id <> d.company_id or a.resolved_at < a.opened_at
         or (m.settings ->> 'metric' = 'disk' and a.message not like 'System disk at ' || round(p.disk_percent) || ' %')
         or (m.settings ->> 'metric' = 'disk' and p.disk_percent <= 90)`,
    ],
    [
      'a token for an office fills the group of that office',
      `select t.name from public.enrollment_tokens t join public.groups g on g.id = t.group_id
       where t.company_id <> g.company_id or (t.name like '%ofisi' and g.name <> t.name)`,
    ],
    [
      'a token is used as often as it may be, after it was made',
      `select name from public.enrollment_tokens where used_count > max_uses or created_at > now() or revoked_at < created_at
         or expires_at < created_at`,
    ],
    [
      'updates are installed after their release and before the device was last seen',
      `select u.id from public.device_patches u join public.devices d on d.id = u.device_id join public.patches p on p.id = u.patch_id
       where u.installed_at::date < p.release_date - 1 or u.installed_at > now() or u.installed_at > d.offline_since
         or p.release_date > d.offline_since + interval '1 day'`,
    ],
    [
      'software is installed before the device was last seen',
      `select s.id from public.device_software s join public.devices d on d.id = s.device_id where s.install_date > d.offline_since`,
    ],
    [
      'notifications tell of alerts in their words, and are read after they came',
      `select n.id from public.notifications n where n.read_at < n.created_at or n.kind = 'alert_opened' and not exists (
         select 1 from public.alerts a where a.company_id = n.company_id and a.message = n.params ->> 'message')`,
    ],
    [
      'notifications of alerts and finished jobs lead to them',
      `select n.link from public.notifications n where n.kind in ('alert_opened', 'job_finished') and not exists (
         select 1 from public.alerts a where a.company_id = n.company_id and n.link = '/alerts/' || a.id
         union all
         select 1 from public.jobs j where j.company_id = n.company_id and n.link = '/tasks/' || j.id)`,
    ],
    [
      'scripts are decided by another person than their author, as their versions say',
      `select v.id from public.procedure_versions v join public.procedures p on p.id = v.procedure_id and p.revision = v.number
       where coalesce(v.approved_by, v.declined_by) = v.created_by
         or (v.approved_at, v.approved_name, v.declined_at, v.declined_name, v.decline_reason)
           is distinct from (p.approved_at, p.approved_name, p.declined_at, p.declined_name, p.decline_reason)`,
    ],
    [
      'tickets are resolved after they were opened',
      'select number from public.tickets where resolved_at < created_at or updated_at < created_at',
    ],
  ])('is consistent: %s', async (_rule, query) => {
    expect(await backend.sql(query)).toEqual([])
  })

  it('has every alert that its list names', async () => {
    expect(await backend.sql('select count(*)::int as n from public.alerts')).toEqual([{ n: 12 }])
  })

  it('keeps its counters true', async () => {
    const wrong = await backend.sql(
      `select j.id from public.jobs j join public.job_runs r on r.job_id = j.id group by j.id
       having j.total <> count(*) or j.succeeded <> count(*) filter (where r.status = 'succeeded')
         or j.failed <> count(*) filter (where r.status in ('failed', 'timed_out')) or j.canceled <> count(*) filter (where r.status = 'cancelled')`,
    )
    expect(wrong).toEqual([])
  })

  it('stays as it is when it is loaded again, and when time ticks', async () => {
    const tables = await backend.sql<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'device_presence'`,
    )
    const content = async () => {
      const found: Record<string, string> = {}
      for (const { name } of tables) {
        const [row] = await backend.sql<{ sum: string }>(
          `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum from public.${name} t`,
        )
        found[name] = row?.sum ?? ''
      }
      return found
    }
    // Schedules that are due at this time of the day run, and are not what this test is about.
    for (const table of ['scheduled_tasks', 'automations'])
      await backend.sql(
        `update public.${table} set next_run_at = next_run_at + interval '1 day' where next_run_at < now() + interval '1 hour'`,
      )
    const before = await content()
    // Each call runs one statement, and no transaction is around them: as careless a loader as there is.
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .sort())
      for (const statement of statementsOf(readFileSync(join(folder, file), 'utf8')))
        await backend.sql(statement)
    expect(await content()).toEqual(before)
    const [tick] = await backend.sql<{ done: Record<string, number | null> }>('select app.tick() as done')
    expect(Object.values(tick?.done ?? {})).not.toContain(null)
    expect(await content()).toEqual(before)
  })

  it('has waiting machines that can be approved and rejected', async () => {
    const admin = await backend.client('admin@acme.test')
    const waiting = await admin
      .from('enrollment_requests')
      .select('id,device_id')
      .eq('status', 'pending')
      .order('hostname')
    const [approved, rejected] = waiting.data ?? []
    const answer = await admin.rpc('approve_enrollment', {
      id: approved?.id,
      device_id: approved?.device_id,
    })
    expect(answer).toMatchObject({ error: null, data: expect.any(String) })
    expect(await admin.rpc('reject_enrollments', { ids: [rejected?.id] })).toMatchObject({
      error: null,
      data: 1,
    })
  })
})

/** Splits at the semicolons that end a statement: those outside quotes and dollar quotes. */
function statementsOf(sql: string): string[] {
  const token = /--[^\n]*|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|;/g
  const statements: string[] = []
  let start = 0
  for (const match of sql.matchAll(token)) {
    if (match[0] !== ';') continue
    statements.push(sql.slice(start, match.index))
    start = match.index + 1
  }
  return statements.filter((statement) => statement.replace(/--[^\n]*/g, '').trim())
}
