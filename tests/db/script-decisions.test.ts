import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../support/backend'
import { type Device, fleetOf, runIds } from './agent-functions-fleet'

interface Person extends Account {
  client: SupabaseClient
}

describe.each(drivers())('what waits for the approval of a script on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let author: Person
  let approver: Person
  let teknik: Person
  let fleet: ReturnType<typeof fleetOf>
  let device: Device
  let script: string
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())

  const person = async (role: string, of = company): Promise<Person> => {
    const account = await createAccount(backend, role, of)
    return { ...account, client: await backend.client(account.email) }
  }
  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const names = Object.keys(values)
    const [row] = await backend.sql<{ id: string }>(
      `insert into public.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning *`,
      Object.values(values),
    )
    return String(row?.id ?? '')
  }
  const write = async (name = 'S'): Promise<string> => {
    const { data, error } = await author.client
      .from('procedures')
      .insert({ company_id: company, name, type: 'Bash', script: 'id' })
      .select('id')
      .single()
    if (error) throw error
    return data.id
  }
  const edit = async (text: string, client = author.client) =>
    expect((await client.from('procedures').update({ script: text }).eq('id', script)).error).toBeNull()
  const queue = async (by = teknik, on = [device], of = script): Promise<string> => {
    const { data, error } = await by.client.rpc('run_procedure', {
      procedure_id: of,
      device_ids: on.map(({ device_id }) => device_id),
    })
    if (error) throw error
    return String(data)
  }
  const runOf = async (job: string) =>
    (
      await backend.sql<{ status: string; error: string | null; waits_for: string | null }>(
        'select status, error, waits_for from public.job_runs where job_id = $1',
        [job],
      )
    )[0]
  const newest = async () =>
    (
      await backend.sql<{ id: string }>(
        'select id from public.procedure_versions where procedure_id = $1 order by number desc limit 1',
        [script],
      )
    )[0]?.id
  const approve = async (by = approver) => by.client.rpc('approve_procedure', { version_id: await newest() })
  const decline = async (by = approver, reason: string | null = 'Deletes too much', version?: string) =>
    by.client.rpc('decline_procedure', { version_id: version ?? (await newest()), reason })
  const read = async () =>
    (
      await backend.sql<Record<string, unknown>>(
        `select waiting_since is not null as waits, version, approved_name, declined_name, decline_reason from public.procedures where id = $1`,
        [script],
      )
    )[0]
  const told = async (who: Person) =>
    (
      await who.client
        .from('notifications')
        .select('kind,params,link')
        .like('kind', 'script_%')
        .order('created_at')
    ).data ?? []
  const kinds = async (who: Person) => (await told(who)).map(({ kind }) => kind)
  const replaced = { status: 'failed', error: 'replaced', waits_for: 'approval' }
  const declined = { ...replaced, error: 'declined' }

  beforeEach(async () => {
    company = await createCompany(backend)
    ;[author, approver, teknik] = (await Promise.all([
      person('Admin'),
      person('Admin'),
      person('Teknik'),
    ])) as [Person, Person, Person]
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
    script = await write()
    await add('policies', {
      company_id: company,
      name: 'Four eyes',
      kind: 'permission',
      needs_approval: true,
    })
  })

  it('ends with an edit, and what a device did not ask for yet, when it asks', async () => {
    const far = await fleet.enroll()
    const job = await queue()
    const later = await queue(teknik, [far])
    await fleet.checkIn(device)
    await edit('id; date')
    expect(await runOf(job)).toEqual(replaced)
    expect(await backend.sql('select status, failed from public.jobs where id = $1', [job])).toEqual([
      { status: 'finished', failed: 1 },
    ])
    expect((await runOf(later))?.status).toBe('queued')
    expect((await approve()).error).toBeNull()
    expect(runIds(await fleet.checkIn(far))).toEqual([])
    expect(await runOf(later)).toEqual({ ...replaced, waits_for: null })
    // It never ran.
    expect(
      await backend.sql('select 1 from public.procedure_stats where procedure_id = $1', [script]),
    ).toEqual([])
  })

  it('goes on where the version was approved before the edit, and where nothing asks for approval', async () => {
    const job = await queue()
    await fleet.checkIn(device)
    await approve()
    expect((await runOf(job))?.waits_for).toBeNull()
    await edit('id; date')
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    const free = await queue()
    await fleet.checkIn(device)
    expect((await read())?.waits).toBe(true)
    await backend.sql('update public.policies set needs_approval = false where company_id = $1', [company])
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
    await edit('id; uptime')
    expect((await runOf(free))?.status).toBe('claimed')
  })

  it('ends for schedules, monitors and automations, whose next step nobody asked for', async () => {
    await add('scheduled_tasks', {
      company_id: company,
      name: 'T',
      procedure_id: script,
      target_kind: 'device',
      device_id: device.device_id,
      frequency: 'once',
      starts_at: new Date(Date.now() - 1000).toISOString(),
    })
    await backend.sql('select app.tick()')
    const monitor = await add('monitors', {
      company_id: company,
      name: 'M',
      type: 'Service',
      service_name: 'x',
      procedure_id: script,
    })
    await backend.sql(`select app.open_alert(m, $2, 'down') from public.monitors m where m.id = $1`, [
      monitor,
      device.device_id,
    ])
    const automation = await add('automations', { company_id: company, name: 'A' })
    const next = await write('Next')
    for (const [position, procedure_id] of [script, next].entries())
      await add('automation_steps', {
        company_id: company,
        automation_id: automation,
        procedure_id,
        position: position + 1,
        on_failure: 'continue',
      })
    await add('automation_devices', {
      company_id: company,
      automation_id: automation,
      device_id: device.device_id,
    })
    expect((await approver.client.rpc('run_automation', { automation_id: automation })).data).toBe(1)
    await fleet.checkIn(device)
    const state = () =>
      backend.sql<{ kind: string; status: string; error: string | null; created_by: string | null }>(
        `select case when j.schedule_id is not null then 'schedule' when r.automation_run_id is not null then 'automation' else 'monitor' end as kind,
           r.status, r.error, j.created_by
         from public.job_runs r join public.jobs j on j.id = r.job_id where r.procedure_id = $1 order by 1`,
        [script],
      )
    expect((await state()).map(({ status }) => status)).toEqual(['queued', 'queued', 'queued'])
    await edit('id; date')
    expect((await state()).map(({ kind, error }) => [kind, error])).toEqual([
      ['automation', 'replaced'],
      ['monitor', 'replaced'],
      ['schedule', 'replaced'],
    ])
    expect(
      await backend.sql(
        `select r.status, j.created_by from public.job_runs r join public.jobs j on j.id = r.job_id where r.procedure_id = $1`,
        [next],
      ),
    ).toEqual([{ status: 'queued', created_by: null }])
  })

  it('is marked on the script while runs wait, without making an open form out of date', async () => {
    const before = (await read())?.version
    const waits = async () => (await read())?.waits
    expect(await waits()).toBe(false)
    const job = await queue()
    expect(await waits()).toBe(false)
    await fleet.checkIn(device)
    expect(await waits()).toBe(true)
    await teknik.client.rpc('cancel_job', { job_id: job })
    expect(await waits()).toBe(false)
    const late = await queue()
    await fleet.checkIn(device)
    await backend.sql(`update public.jobs set expires_at = now() - interval '1 second' where id = $1`, [late])
    await backend.sql('select app.tick()')
    expect([(await runOf(late))?.status, await waits()]).toEqual(['expired', false])
    await queue()
    await fleet.checkIn(device)
    await approve()
    expect([await waits(), (await read())?.version]).toEqual([false, before])
    expect((await read())?.approved_name).toBeTruthy()
    await edit('id; date')
    expect(await read()).toMatchObject({ waits: false, approved_name: null, version: Number(before) + 1 })
    for (const column of ['waiting_since', 'approved_at', 'approved_name', 'declined_at', 'decline_reason'])
      expect(
        (
          await author.client
            .from('procedures')
            .update({ [column]: null })
            .eq('id', script)
        ).error?.code,
      ).toBe('42501')
  })

  it('is told once a version to who else may approve it, and decisions to the author and who asked', async () => {
    const [second, standard, stranger] = (await Promise.all([
      person('Admin'),
      person('Standard'),
      person('Admin', await createCompany(backend)),
    ])) as [Person, Person, Person]
    const other = await fleet.enroll()
    await queue(teknik, [device, other])
    for (const each of [device, other, device]) await fleet.checkIn(each)
    await queue()
    await fleet.checkIn(device)
    for (const who of [approver, second])
      expect(await told(who)).toEqual([
        { kind: 'script_waiting', params: { script: 'S', number: 1 }, link: `/procedures/${script}` },
      ])
    for (const who of [author, teknik, standard, stranger]) expect(await told(who)).toEqual([])
    await approve()
    await approve(second)
    for (const who of [author, teknik])
      expect(await told(who)).toMatchObject([
        { kind: 'script_approved', params: { script: 'S', number: 1 }, link: `/procedures/${script}` },
      ])
    await edit('id; date')
    await queue()
    await fleet.checkIn(device)
    expect(await kinds(second)).toEqual(['script_waiting', 'script_waiting'])
    await decline(approver, '  Deletes too much ')
    for (const who of [author, teknik])
      expect((await told(who))[1]).toMatchObject({
        kind: 'script_declined',
        params: { script: 'S', number: 2, reason: 'Deletes too much' },
      })
    expect([await kinds(standard), await kinds(stranger)]).toEqual([[], []])
  })

  it('never floods anybody: ten unread are enough, of however many scripts', async () => {
    const scripts = await Promise.all(Array.from({ length: 14 }, (_, n) => write(`S${n}`)))
    for (const each of scripts) {
      await queue(teknik, [device], each)
      await fleet.checkIn(device)
    }
    const marked = await backend.sql(
      'select 1 from public.procedures where company_id = $1 and waiting_since is not null',
      [company],
    )
    expect([marked.length, (await kinds(approver)).length]).toEqual([14, 10])
  })

  it('is not told, nor marked, while the license does not hold', async () => {
    await queue()
    await backend.sql('update public.companies set license_end_date = current_date - 1 where id = $1', [
      company,
    ])
    await fleet.checkIn(device)
    expect([(await read())?.waits, await told(approver)]).toEqual([false, []])
  })

  it('ends when somebody declines the version, and its later runs too, until it is approved', async () => {
    const job = await queue()
    await fleet.checkIn(device)
    expect((await decline()).error).toBeNull()
    expect(await runOf(job)).toEqual(declined)
    expect(await read()).toMatchObject({ waits: false, decline_reason: 'Deletes too much' })
    expect((await decline()).error?.hint).toBe('version_decided')
    const next = await queue()
    await fleet.checkIn(device)
    expect(await runOf(next)).toEqual({ ...declined, waits_for: null })
    expect((await approve()).error).toBeNull()
    expect(await read()).toMatchObject({ declined_name: null, decline_reason: null })
    expect((await decline()).error?.hint).toBe('version_decided')
    await queue()
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
  })

  it('is declined by those who may approve, with a reason, unless it was edited since', async () => {
    const seen = await newest()
    const reasons = await Promise.all(
      [null, '   ', 'x'.repeat(501)].map((reason) => decline(approver, reason)),
    )
    expect(reasons.map(({ error }) => error?.hint)).toEqual(Array(3).fill('reason_invalid'))
    const stranger = await person('Admin', await createCompany(backend))
    const refused = [teknik, await person('Standard'), stranger]
    const codes = await Promise.all(refused.map(async (who) => (await decline(who)).error?.code))
    const anonymous = await (await backend.client()).rpc('decline_procedure', {
      version_id: seen,
      reason: 'x',
    })
    expect([...codes, anonymous.error?.code]).toEqual(['42501', '42501', 'PT404', '42501'])
    const own = await decline(author)
    expect([own.error?.code, own.error?.hint]).toEqual(['42501', 'own_version'])
    await edit('id; date')
    expect((await decline(approver, 'x', seen)).error?.hint).toBe('version_replaced')
    await backend.sql('update public.companies set license_end_date = current_date - 1 where id = $1', [
      company,
    ])
    expect((await decline()).error?.code).toBe('42501')
    expect(
      await backend.sql(
        'select 1 from public.procedure_versions where declined_at is not null and company_id = $1',
        [company],
      ),
    ).toEqual([])
  })

  it('is counted on the dashboard for who may approve: without their own versions', async () => {
    const approvals = async (who: Person) => (await who.client.rpc('dashboard')).data?.approvals
    expect(await approvals(approver)).toBe(0)
    await queue()
    await fleet.checkIn(device)
    expect(await Promise.all([approver, author, teknik].map(approvals))).toEqual([1, 0, null])
    expect(await approvals(await person('Admin', await createCompany(backend)))).toBe(0)
    await decline()
    expect(await approvals(approver)).toBe(0)
  })

  it('is counted before a run: by the policy that comes first for each device', async () => {
    const [far, free] = [await fleet.enroll(), await fleet.enroll()]
    const all = [device, far, free].map(({ device_id }) => device_id)
    const group = await add('groups', { company_id: company, name: 'Free' })
    await backend.sql('update public.policies set position = 10 where company_id = $1', [company])
    const exempt = await add('policies', {
      company_id: company,
      name: 'Free',
      kind: 'permission',
      position: 0,
    })
    await add('policy_groups', { company_id: company, policy_id: exempt, group_id: group })
    await add('group_devices', { company_id: company, group_id: group, device_id: free.device_id })
    const preview = async (args: Record<string, unknown>, who = teknik) =>
      who.client.rpc('preview_approval', { procedure_id: script, ...args })
    const [truth] = await backend.sql<{ devices: number }>(
      `select count(*)::int as devices from public.devices d
         cross join lateral app.policy_of(d.company_id, d.id, 'permission') p where d.company_id = $1 and p.needs_approval`,
      [company],
    )
    expect(truth).toEqual({ devices: 2 })
    const expected = { devices: 2, number: 1, declined_by: null }
    expect((await preview({ device_ids: all })).data).toEqual(expected)
    expect((await preview({ target: { kind: 'all', company_id: company } })).data).toEqual(expected)
    expect((await preview({ target: { kind: 'groups', group_ids: [group] } })).data?.devices).toBe(0)
    await decline()
    expect((await preview({ device_ids: all })).data?.declined_by).toBeTruthy()
    await approve()
    expect((await preview({ device_ids: all })).data).toEqual({ ...expected, devices: 0 })
    const [standard, stranger] = await Promise.all([
      person('Standard'),
      person('Admin', await createCompany(backend)),
    ])
    expect((await preview({ device_ids: all }, standard)).error?.code).toBe('42501')
    expect((await preview({ device_ids: all }, stranger)).error?.code).toBe('PT404')
    const anonymous = await (await backend.client()).rpc('preview_approval', { procedure_id: script })
    expect(anonymous.error?.code).toBe('42501')
  })

  it('has as many who may approve as the company has active people with that permission', async () => {
    const approvers = (who: Person, of = company) => who.client.rpc('count_approvers', { company: of })
    expect((await approvers(author)).data).toBe(2)
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [approver.id])
    expect((await approvers(author)).data).toBe(1)
    const stranger = await person('Admin', await createCompany(backend))
    expect((await approvers(stranger)).error?.code).toBe('PT404')
    const standard = await person('Standard')
    expect((await approvers(standard)).error?.code).toBe('42501')
    expect((await (await backend.client()).rpc('count_approvers', { company })).error?.code).toBe('42501')
  })
})
