import { randomBytes, randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Answer, fleetOf, runIds } from '../support/agent-functions-fleet'

const newSecret = () => randomBytes(32).toString('hex')

describe.each(drivers())('enrollment on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let stranger: SupabaseClient
  let fleet: ReturnType<typeof fleetOf>
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    const signedIn = async (owner: string, role: string) =>
      backend.client((await createAccount(backend, role, owner)).email)
    admin = await signedIn(company, 'Admin')
    stranger = await signedIn(await createCompany(backend), 'Admin')
    fleet = fleetOf(backend, company)
  })
  afterAll(() => backend?.stop())

  const join = async (more: Record<string, unknown> = {}): Promise<Answer> =>
    fleet.call('agent_enroll', {
      token: await fleet.createToken(),
      machine_id: randomUUID(),
      hostname: 'pc-1',
      platform: 'linux',
      agent_version: '1.0',
      secret: newSecret(),
      ...more,
    })

  /** A device with a queued run, and somebody else with a valid token who claims to be the same machine. */
  const takeover = async () => {
    const machine = randomUUID()
    const device = await fleet.enroll(company, { machine_id: machine })
    const runId = await fleet.queueRun(company, device.device_id, 'echo secret')
    const secret = newSecret()
    const asked = await join({ machine_id: machine, secret })
    const [request] = await backend.sql<{ id: string; device_id: string | null }>(
      'select id, device_id from public.enrollment_requests where machine_id = $1',
      [machine],
    )
    if (!request) throw new Error('No request')
    const ask = () => fleet.call('agent_enroll', { machine_id: machine, secret })
    return { machine, device, runId, secret, asked, request, ask }
  }

  const approve = (client: SupabaseClient, id: string, deviceId: string | null) =>
    client.rpc('approve_enrollment', { id, device_id: deviceId })

  it('gives nothing of a known device to whoever holds a token', async () => {
    const { device, runId, secret, asked, ask } = await takeover()
    expect(asked).toEqual({ status: 200, body: { status: 'pending', secret, interval: 5 } })
    expect(JSON.stringify((await ask()).body)).not.toContain(device.device_id)
    // Not even for somebody who knows the device's id.
    const guessed = { device_id: device.device_id, secret }
    expect((await fleet.checkIn(guessed)).status).toBe(401)
    expect((await fleet.report(guessed, [])).status).toBe(401)
    // The real agent works on, and gets its run.
    expect(runIds(await fleet.checkIn(device))).toEqual([runId])
    expect(
      await backend.sql('select hostname, clone_suspected from public.devices where id = $1', [
        device.device_id,
      ]),
    ).toEqual([{ hostname: 'pc-1', clone_suspected: false }])
  })

  it('hands the device over once it is approved: the old secret ends, and taken runs are not started again', async () => {
    const { device, runId, secret, request, ask } = await takeover()
    await fleet.checkIn(device)
    expect(request.device_id).toBe(device.device_id)
    expect((await approve(admin, request.id, device.device_id)).data).toBe(device.device_id)
    expect((await ask()).body).toMatchObject({ device_id: device.device_id, secret })
    expect((await fleet.checkIn(device)).status).toBe(401)
    const successor = { device_id: device.device_id, secret }
    expect(runIds(await fleet.checkIn(successor))).toEqual([])
    expect(await fleet.run(runId)).toMatchObject({ status: 'failed', error: 'interrupted' })
    const audit = await backend.sql<{ table_name: string; has_actor: boolean }>(
      `select table_name, actor_id is not null as has_actor from public.audit_log
       where row_id = any ($1) and action = 'edit' order by table_name`,
      [[request.id, device.device_id]],
    )
    expect(audit).toEqual([
      { table_name: 'devices', has_actor: true },
      { table_name: 'enrollment_requests', has_actor: true },
    ])
  })

  it('refuses the machine once it is rejected, and the known device stays as it is', async () => {
    const { device, request, ask } = await takeover()
    expect((await admin.rpc('reject_enrollments', { ids: [request.id] })).data).toBe(1)
    expect(await ask()).toMatchObject({ status: 403, body: { message: 'The request to join was rejected.' } })
    expect((await fleet.checkIn(device)).status).toBe(200)
    expect((await approve(admin, request.id, device.device_id)).error?.code).toBe('PT404')
  })

  it('is decided by an admin of the company and by nobody else', async () => {
    const { device, request } = await takeover()
    const technician = await backend.client((await createAccount(backend, 'Teknik', company)).email)
    const anonymous = await backend.client()
    expect(await approve(stranger, request.id, device.device_id)).toMatchObject({
      status: 404,
      error: { code: 'PT404' },
    })
    expect((await stranger.rpc('reject_enrollments', { ids: [request.id] })).data).toBe(0)
    for (const client of [technician, anonymous]) {
      expect((await approve(client, request.id, device.device_id)).error?.code).toBe('42501')
      expect((await client.rpc('reject_enrollments', { ids: [request.id] })).error?.code).toBe('42501')
    }
    for (const client of [stranger, technician, anonymous])
      expect((await client.from('enrollment_requests').select('id')).data ?? []).toEqual([])
    expect((await admin.from('enrollment_requests').select('status').eq('id', request.id)).data).toEqual([
      { status: 'pending' },
    ])
    const write = await admin.from('enrollment_requests').update({ status: 'approved' }).eq('id', request.id)
    expect(write.error?.code).toBe('42501')
  })

  it('does not replace another device than the one the approver saw', async () => {
    const { device, request } = await takeover()
    expect((await approve(admin, request.id, null)).error?.code).toBe('PT409')
    await backend.sql('delete from public.devices where id = $1', [device.device_id])
    expect((await approve(admin, request.id, device.device_id)).error?.code).toBe('PT409')
    expect((await approve(admin, request.id, null)).data).toEqual(expect.any(String))
  })

  it('answers a repeated request with the same device, uses no token for it, and asks no approval', async () => {
    const payload = {
      token: await fleet.createToken(company, 1),
      machine_id: randomUUID(),
      hostname: 'pc-2',
      platform: 'linux',
      secret: newSecret(),
    }
    const first = await fleet.call('agent_enroll', payload)
    // The first answer was lost on the way.
    const second = await fleet.call('agent_enroll', payload)
    expect(second.body.device_id).toBe(first.body.device_id)
    const elsewhere = await fleet.call('agent_enroll', { ...payload, machine_id: randomUUID() })
    expect(elsewhere.status).toBe(401)
    expect((await fleet.call('agent_enroll', { ...payload, secret: 'weak' })).status).toBe(400)
  })

  it('links machines of two companies by nothing', async () => {
    const { machine, device } = await takeover()
    const other = await createCompany(backend)
    const theirs = await fleet.enroll(other, { machine_id: machine })
    expect(theirs.device_id).not.toBe(device.device_id)
    expect(
      await backend.sql('select 1 from public.enrollment_requests where company_id = $1', [other]),
    ).toEqual([])
    expect((await fleet.checkIn(device)).status).toBe(200)
  })

  it('waits for approval with every device of a token that asks for it', async () => {
    const group = await admin
      .from('groups')
      .insert({ company_id: company, name: 'Checked' })
      .select('id')
      .single()
    const made = await admin.rpc('create_enrollment_token', {
      company_id: company,
      name: 'Checked',
      group_id: group.data?.id,
      requires_approval: true,
    })
    const machine = randomUUID()
    const secret = newSecret()
    const asked = await join({ token: made.data.token, machine_id: machine, secret, address: '203.0.113.9' })
    expect(asked.body).toEqual({ status: 'pending', secret, interval: 5 })
    expect(await backend.sql('select 1 from public.devices where machine_id = $1', [machine])).toEqual([])
    const [request] = (
      await admin
        .from('enrollment_requests')
        .select('id,device_id,token_id,ip_address')
        .eq('machine_id', machine)
    ).data as { id: string }[]
    // Whatever address the agent names, the server writes the one it saw.
    expect(request).toMatchObject({ device_id: null, token_id: made.data.id, ip_address: '127.0.0.1' })
    expect(
      await backend.sql(
        `select params from public.notifications where kind = 'enrollment_waiting' and company_id = $1
        and once_key like $2`,
        [company, `%${made.data.id}%`],
      ),
    ).toEqual([{ params: { hostname: 'pc-1' } }])

    const { data: device } = await approve(admin, String(request?.id), null)
    expect((await fleet.checkIn({ device_id: device, secret })).status).toBe(200)
    expect(
      await backend.sql(
        `select d.enrollment_token_id, g.device_count, m.device_id from public.devices d, public.groups g
           join public.group_devices m on m.group_id = g.id where d.id = $1 and g.id = $2`,
        [device, group.data?.id],
      ),
    ).toEqual([{ enrollment_token_id: made.data.id, device_count: 1, device_id: device }])
  })

  it('keeps the last five requests of a token for one machine, and lets no token displace those of another', async () => {
    const { machine, request, ask } = await takeover()
    const token = await fleet.createToken()
    const secrets = Array.from({ length: 7 }, newSecret)
    for (const secret of secrets)
      expect((await join({ token, machine_id: machine, secret })).status).toBe(200)
    const again = []
    for (const secret of secrets)
      again.push((await fleet.call('agent_enroll', { machine_id: machine, secret })).status)
    expect(again).toEqual([401, 401, 200, 200, 200, 200, 200])
    expect((await ask()).status).toBe(200)
    expect(
      await backend.sql(
        `select count(*)::int as pending, bool_or(id = $2) as has_first from public.enrollment_requests
         where machine_id = $1 and status = 'pending'`,
        [machine, request.id],
      ),
    ).toEqual([{ pending: 6, has_first: true }])
  })

  it('takes the secret of one machine for no other: the request stays approvable', async () => {
    const { device, secret, request, ask } = await takeover()
    const badToken = await join({ token: 'kt_0000000000000000' })
    for (const used of [secret, String(device.secret)])
      expect(await join({ machine_id: randomUUID(), secret: used })).toEqual(badToken)
    const { data, error } = await approve(admin, request.id, device.device_id)
    expect({ data, error }).toEqual({ data: device.device_id, error: null })
    expect((await ask()).body).toMatchObject({ device_id: device.device_id, secret })
  })

  it('names no hash when a request cannot be approved', async () => {
    const { device, request } = await takeover()
    await backend.sql(
      `update app.enrollment_request_secrets set secret_hash = (select s.secret_hash from app.device_secrets s
       where s.device_id = $2) where request_id = $1`,
      [request.id, (await fleet.enroll(company)).device_id],
    )
    const clash = await approve(admin, request.id, device.device_id)
    expect(clash.error).toMatchObject({ code: 'PT409', details: null })
    await backend.sql('delete from app.enrollment_request_secrets where request_id = $1', [request.id])
    const missing = await approve(admin, request.id, device.device_id)
    expect(missing.error).toMatchObject({ code: 'PT409', details: null })
  })

  it('forgets a request nobody decided on', async () => {
    const { request, ask } = await takeover()
    await backend.sql(
      `update public.enrollment_requests set created_at = now() - interval '15 days' where id = $1`,
      [request.id],
    )
    await backend.sql('select app.tick()')
    expect((await ask()).status).toBe(401)
    expect(
      await backend.sql('select status from public.enrollment_requests where id = $1', [request.id]),
    ).toEqual([{ status: 'expired' }])
  })
})
