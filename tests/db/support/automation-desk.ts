import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { type Driver, sharedBackend, type TestBackend } from '../../support/backend'
import { keepPermissionLines } from '../../support/permission-lines'
import { type Device, fleetOf, result, runIds } from './agent-functions-fleet'

interface Run {
  id: string
  device_id: string
  status: string
  trigger: string
  step: number
  failed_steps: number
  error: string | null
}

export let backend: TestBackend
export let company: string
export let other: string
export let fleet: ReturnType<typeof fleetOf>
export let device: Device
export let admin: SupabaseClient
export let standard: SupabaseClient
export let stranger: SupabaseClient
let restoreLines: () => Promise<void>
let count = 0

/** A company with a device and its people, and a stranger, for the tests of a file. */
export function openDesk(driver: Driver): void {
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    restoreLines = await keepPermissionLines(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
    const signIn = async (role: string, of: string) =>
      backend.client((await createAccount(backend, role, of)).email)
    admin = await signIn('Admin', company)
    standard = await signIn('Standard', company)
    stranger = await signIn('Admin', other)
  })
  afterAll(async () => {
    await restoreLines?.()
    await backend?.stop()
  })
}

export const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
  const names = Object.keys(values)
  const [row] = await backend.sql<{ id: string }>(
    `insert into public.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning *`,
    Object.values(values),
  )
  return String(row?.id ?? '')
}
export const addProcedure = (parameters: unknown[] = []) =>
  add('procedures', {
    company_id: company,
    name: `Step ${++count}`,
    type: 'Bash',
    script: 'true',
    parameters: JSON.stringify(parameters),
  })
/** An automation with one step for each word. */
export const automationOf = async (
  values: Record<string, unknown> = {},
  steps: readonly string[] = ['stop'],
): Promise<string> => {
  const id = await add('automations', { company_id: company, name: `Automation ${++count}`, ...values })
  for (const on_failure of steps)
    await add('automation_steps', {
      company_id: company,
      automation_id: id,
      procedure_id: await addProcedure(),
      on_failure,
    })
  return id
}
export const target = (id: string, deviceId = device.device_id) =>
  add('automation_devices', { company_id: company, automation_id: id, device_id: deviceId })
export const addGroup = () => add('groups', { company_id: company, name: `Group ${++count}` })
export const linkGroup = (id: string, group: string) =>
  add('automation_groups', { company_id: company, automation_id: id, group_id: group })
export const join = (group: string, deviceId = device.device_id) =>
  add('group_devices', { company_id: company, group_id: group, device_id: deviceId })
export const runsOf = (id: string) =>
  backend.sql<Run & Record<string, unknown>>(
    `select id, device_id, status, trigger, step, failed_steps, error from public.automation_runs
     where automation_id = $1 order by started_at, id`,
    [id],
  )
export const start = (id: string, client = admin, device_ids: string[] | null = null) =>
  client.rpc('run_automation', { automation_id: id, device_ids })
/** The device claims its queued runs and reports their results. */
export const finish = async (of = device, more: Record<string, unknown> = {}): Promise<number> => {
  const ids = runIds(await fleet.checkIn(of))
  if (ids.length > 0)
    expect(
      (
        await fleet.report(
          of,
          ids.map((id) => result(id, more)),
        )
      ).status,
    ).toBe(200)
  return ids.length
}
export const failed = { state: 'failed', exit_code: 1 }
export const monitorFor = async (id: string): Promise<string> => {
  const monitor = await add('monitors', {
    company_id: company,
    name: `M ${++count}`,
    type: 'Process',
    process_name: 'cron',
  })
  await add('automation_monitors', { company_id: company, automation_id: id, monitor_id: monitor })
  return monitor
}
export const setState = (monitor: string, state: string, of = device) =>
  fleet.checkIn(of, { monitors_hash: null, monitor_states: [{ monitor_id: monitor, state, message: 'x' }] })
