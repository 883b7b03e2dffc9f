import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { createCompany } from '../../support/accounts'
import { type Driver, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

export let backend: TestBackend
export let company: string
export let fleet: ReturnType<typeof fleetOf>
export let device: Device

export const one = async <R = Record<string, unknown>>(
  query: string,
  ...params: unknown[]
): Promise<R | undefined> => (await backend.sql<R & Record<string, unknown>>(query, params))[0]
export const createMonitor = async (
  values: Record<string, unknown> = {},
  owner = company,
): Promise<string> => {
  const row = {
    type: 'Process',
    process_name: 'cron',
    name: `M ${randomUUID()}`,
    company_id: owner,
    ...values,
  }
  const names = Object.keys(row)
  const made = await one<{ id: string }>(
    `insert into public.monitors (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning id`,
    ...Object.values(row),
  )
  return made?.id ?? ''
}
export const checkIn = (states: readonly unknown[] = [], more: Record<string, unknown> = {}) =>
  fleet.checkIn(device, { monitors_hash: null, monitor_states: states, ...more })
export const failing = (id: string, message = 'cron is not running') => ({
  monitor_id: id,
  state: 'failing',
  message,
})
export const ok = (id: string) => ({ monitor_id: id, state: 'ok', message: '' })
export const alertsOf = (id: string) =>
  backend.sql<{ id: string; status: string; message: string; severity: string }>(
    'select id, status, message, severity from public.alerts where monitor_id = $1 order by opened_at, id',
    [id],
  )

/** A company of its own with one device. */
export function openMonitors(driver: Driver): void {
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
  })
  afterAll(() => backend?.stop())
}
