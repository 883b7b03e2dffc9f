import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'
import { insertInto } from '../support/as-user'

describe.each(drivers())('updates of agents on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let fleet: ReturnType<typeof fleetOf>
  let pilot: Device
  let other: Device
  let group: string
  let release = 0

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false, agentDir: '/nowhere' })
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    fleet = fleetOf(backend, company)
    pilot = await fleet.enroll()
    other = await fleet.enroll()
    group = await add('groups', { name: 'Pilot' })
    await backend.sql(
      insertInto('group_devices', { company_id: company, group_id: group, device_id: pilot.device_id }),
    )
  })

  const add = async (table: string, values: Record<string, unknown>): Promise<string> =>
    (
      await backend.sql<{ id: string }>(
        `${insertInto(table, { company_id: company, ...values })} returning id`,
      )
    )[0]?.id ?? ''
  const publish = async (version = `2.0+${++release}`): Promise<string> => {
    await backend.sql('select app.publish_agent($1)', [version])
    return version
  }
  /** Two rings: the pilot group at once, all others after so many days. */
  const rings = async (days = 3) => {
    const id = await add('policies', {
      name: 'Pilot',
      kind: 'agent',
      position: 1,
      agent_updates: 'automatic',
      agent_update_days: 0,
    })
    await backend.sql(insertInto('policy_groups', { company_id: company, policy_id: id, group_id: group }))
    await add('policies', {
      name: 'All',
      kind: 'agent',
      position: 2,
      agent_updates: 'automatic',
      agent_update_days: days,
    })
  }
  const tick = async () => {
    await backend.sql('select app.apply_policies()')
    await backend.sql('select app.roll_out_agents()')
  }
  const age = async (days: number) => {
    await backend.sql(
      `update app.agent_releases set published_at = published_at - make_interval(days => ${days})`,
    )
    await backend.sql(`update app.agent_rollouts set due_at = due_at - make_interval(days => ${days})`)
  }
  const offered = async (device: Device, more: Record<string, unknown> = {}) =>
    (await fleet.checkIn(device, { agent_version: '1.0+a', ...more })).body.update
  const row = async (device: Device) =>
    (
      await backend.sql<Record<string, unknown>>(
        `select agent_version, agent_update_state, agent_update_version, agent_update_reason, version
         from public.devices where id = $1`,
        [device.device_id],
      )
    )[0]
  const status = async (client = admin) => client.rpc('rollout_status', { company })

  it('go to nobody without a policy that says so', async () => {
    await publish()
    await add('policies', { name: 'Off', kind: 'agent', check_in_seconds: 30 })
    await tick()
    expect([await offered(pilot), await offered(other)]).toEqual([undefined, undefined])
    expect((await status()).data).toMatchObject({ outdated: 2, updating: 0, failed: 0, automatic: false })
  })

  it('go to the pilot group first, and to the rest after days', async () => {
    await rings()
    const version = await publish()
    await tick()
    expect([await offered(pilot), await offered(other)]).toEqual([version, undefined])
    expect(await offered(pilot, { agent_version: version })).toBeUndefined()
    // This agent is from before agents could update themselves.
    expect(await offered(pilot, { agent_version: '1.0' })).toBeUndefined()
    expect(await offered(pilot, { agent_version: version })).toBeUndefined()
    expect((await status()).data).toMatchObject({ version, outdated: 1, automatic: true })
    await age(2)
    await tick()
    expect(await offered(other)).toBeUndefined()
    await age(2)
    await tick()
    expect(await offered(other)).toBe(version)
    // All was given: nothing is left to do for the tick.
    const [left] = await backend.sql<{ n: number }>(
      'select count(*)::int as n from app.agent_rollouts where company_id = $1',
      [company],
    )
    expect(left?.n).toBe(0)
  })

  it('stop for all others when one fails, and go on for those that somebody asks to update', async () => {
    await rings(0)
    const version = await publish()
    await tick()
    expect(await offered(other)).toBe(version)
    const failure = { update: { state: 'failed', version, reason: 'no_check_in' } }
    // The device itself is not asked again, either.
    expect(await offered(pilot, failure)).toBeUndefined()
    expect(await row(pilot)).toMatchObject({
      agent_update_state: 'failed',
      agent_update_version: version,
      agent_update_reason: 'no_check_in',
    })
    expect(await offered(other)).toBeUndefined()
    expect((await status()).data).toMatchObject({ failed: 1 })
    const asked = await admin.rpc('run_task', { task: 'update_agent', device_ids: [other.device_id] })
    expect(asked.error).toBeNull()
    const answer = await fleet.checkIn(other, { agent_version: '1.0+a' })
    expect(answer.body.update).toBe(version)
    const [run] = answer.body.runs as { type: string; script: string }[]
    expect([run?.type, JSON.parse(run?.script ?? '')]).toEqual(['Agent', { task: 'update_agent', version }])
    // Another version is another matter.
    const next = await publish()
    await tick()
    expect(await offered(pilot, failure)).toBe(next)
  })

  it('write the device when something changed, and only then', async () => {
    const version = await publish()
    const updating = { update: { state: 'updating', version } }
    await fleet.checkIn(pilot, updating)
    const before = await row(pilot)
    await fleet.checkIn(pilot, updating)
    expect(await row(pilot)).toEqual(before)
    await fleet.checkIn(pilot, { agent_version: version })
    expect(await row(pilot)).toMatchObject({ agent_version: version, agent_update_state: null })
  })

  it('take from a device what it may say of itself, and nothing else', async () => {
    const version = await publish()
    for (const update of [
      { state: 'released', version },
      { state: 'failed', version: { deep: true } },
      'failed',
      ['failed'],
      { state: 'failed', version: '<b>'.repeat(50), reason: '<script>' },
    ])
      expect((await fleet.checkIn(pilot, { update })).status).toBe(200)
    const { agent_update_reason, agent_update_version } = (await row(pilot)) ?? {}
    expect(agent_update_reason).toBe('other')
    expect(String(agent_update_version ?? '').length).toBeLessThanOrEqual(40)
    // Another company's rollout does not care.
    const elsewhere = await createCompany(backend)
    const stranger = await fleetOf(backend, elsewhere).enroll()
    await fleet.checkIn(stranger, { update: { state: 'failed', version, reason: 'ended' } })
    await rings(0)
    await tick()
    expect(await offered(other)).toBe(version)
  })

  it('are asked for by those who may act on devices of their company, and published by nobody but the server', async () => {
    await publish()
    const ask = async (client: SupabaseClient) =>
      (await client.rpc('run_task', { task: 'update_agent', device_ids: [pilot.device_id] })).error?.code
    const account = async (role: string, owner: string | null) =>
      backend.client((await createAccount(backend, role, owner)).email)
    const strangers = [
      await backend.client(),
      await account('Standard', company),
      await account('Admin', await createCompany(backend)),
      await account('Admin', await createCompany(backend, { status: 'Expired' })),
    ]
    for (const client of strangers) {
      expect(['42501', 'PT404']).toContain(await ask(client))
      expect(['42501', 'PT404']).toContain((await status(client)).error?.code)
      const { error } = await client.rpc('publish_agent' as never, { release: 'evil' } as never)
      expect(error).not.toBeNull()
    }
    expect(await offered(pilot)).toBeUndefined()
    expect(await ask(await account('Teknik', company))).toBeUndefined()
    const written = await admin
      .from('devices')
      .update({ agent_update_state: 'failed' } as never)
      .eq('id', pilot.device_id)
    expect(written.error?.code).toBe('42501')
  })

  it('are held while the license of the company does not hold', async () => {
    await rings(0)
    const version = await publish()
    await tick()
    await backend.sql(`update public.companies set status = 'Expired' where id = $1`, [company])
    expect(await offered(other)).toBeUndefined()
    await backend.sql(`update public.companies set status = 'Active' where id = $1`, [company])
    expect(await offered(other)).toBe(version)
  })
})
