import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

describe.each(drivers())('a policy that denies monitors to start services, on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let fleet: ReturnType<typeof fleetOf>
  let admin: SupabaseClient
  let denied: Device
  let free: Device
  let group: string
  let monitor: string
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())

  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { company_id: company, name: `N ${randomUUID()}`, ...values }
    const names = Object.keys(row)
    const [made] = await backend.sql<{ id: string }>(
      `insert into public.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning id`,
      Object.values(row),
    )
    return made?.id ?? ''
  }
  const member = (device: Device) =>
    backend.sql('insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)', [
      company,
      group,
      device.device_id,
    ])
  /** An agent that keeps the list it got, and is told of another one alone. */
  const agentOf = (device: Device) => {
    let hash: unknown = null
    let restarts: boolean[] = []
    return async () => {
      const { body } = await fleet.checkIn(device, { monitors_hash: hash })
      if (Array.isArray(body.monitors)) {
        hash = body.monitors_hash
        restarts = (body.monitors as { restart?: boolean }[]).map(({ restart }) => restart === true)
      }
      return restarts
    }
  }

  beforeEach(async () => {
    company = await createCompany(backend)
    fleet = fleetOf(backend, company)
    denied = await fleet.enroll()
    free = await fleet.enroll()
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    group = await add('groups', {})
    await member(denied)
    monitor = await add('monitors', { type: 'Service', service_name: 'ssh', restart: true })
  })

  it('takes it from the monitors of its devices at the next check-in, and gives it back with the policy', async () => {
    const [first, second] = [agentOf(denied), agentOf(free)]
    expect([await first(), await second()]).toEqual([[true], [true]])
    const made = await admin
      .from('policies')
      .insert({ company_id: company, name: 'P', kind: 'permission', denied: ['service'] })
      .select('id')
      .single()
    const policy = String(made.data?.id)
    expect([await first(), await second()]).toEqual([[false], [false]])
    await admin.from('policy_groups').insert({ company_id: company, policy_id: policy, group_id: group })
    expect([await first(), await second()]).toEqual([[false], [true]])
    await member(free)
    expect(await second()).toEqual([false])
    await backend.sql('delete from public.group_devices where group_id = $1 and device_id = $2', [
      group,
      denied.device_id,
    ])
    expect([await first(), await second()]).toEqual([[true], [false]])
    await admin
      .from('policies')
      .update({ denied: ['command'] })
      .eq('id', policy)
    expect(await second()).toEqual([true])
    await admin
      .from('policies')
      .update({ denied: ['command', 'service'] })
      .eq('id', policy)
    expect(await second()).toEqual([false])
    await admin.from('policies').update({ enabled: false }).eq('id', policy)
    expect(await second()).toEqual([true])
  })

  it('is asked for the test of the monitor too', async () => {
    await add('policies', { kind: 'permission', denied: ['service'] })
    const test = await admin.rpc('test_monitor', { monitor_id: monitor, device_ids: [denied.device_id] })
    expect(test.error).toBeNull()
    expect((await fleet.checkIn(denied)).body.runs).toEqual([])
    expect(
      await backend.sql('select status, error from public.job_runs where job_id = $1', [test.data]),
    ).toEqual([{ status: 'failed', error: 'denied' }])
    const watching = await add('monitors', { type: 'Service', service_name: 'ssh', restart: false })
    await admin.rpc('test_monitor', { monitor_id: watching, device_ids: [denied.device_id] })
    expect((await fleet.checkIn(denied)).body.runs).toHaveLength(1)
  })

  it('leaves the alert: a stopped service is told all the same', async () => {
    await add('policies', { kind: 'permission', denied: ['service'] })
    await fleet.checkIn(denied, {
      monitors_hash: null,
      monitor_states: [{ monitor_id: monitor, state: 'failing', message: 'The service ssh is stopped' }],
    })
    expect(await backend.sql('select status from public.alerts where monitor_id = $1', [monitor])).toEqual([
      { status: 'open' },
    ])
  })
})
