import { afterAll, afterEach, beforeAll } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { type Driver, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, type Values } from './as-user'

export let backend: TestBackend
export let as: AsUser
export let company: string
export let admin: string
export let group: string
export let device: string
export let procedure: string
export let asking: string

export const one = async (sql: string): Promise<string> => {
  const [row] = await backend.sql<{ id: string }>(sql)
  if (!row) throw new Error('no row')
  return row.id
}
export const add = (table: string, values: Values) =>
  one(`${insertInto(table, { company_id: company, ...values })} returning id`)
export const schedule = (values: Values = {}) =>
  add('scheduled_tasks', {
    name: 'Nightly',
    procedure_id: procedure,
    target_kind: 'all',
    frequency: 'every',
    every_minutes: 60,
    ...values,
  })
/** As if its time had come so long ago. */
export const makeDue = (id: string, ago: string) =>
  backend.sql('update public.scheduled_tasks set next_run_at = now() - $2::text::interval where id = $1', [
    id,
    ago,
  ])
export const jobsOf = (id: string) =>
  backend.sql<{ total: number; runs: number; created_by: string | null }>(
    `select j.total, (select count(*)::int from public.job_runs r where r.job_id = j.id) as runs, j.created_by
     from public.jobs j where j.schedule_id = $1`,
    [id],
  )
export const task = async (id: string) => {
  const [row] = await backend.sql<{ ahead: boolean | null; ran: boolean; last_error: string | null }>(
    `select next_run_at > now() as ahead, last_run_at is not null as ran, last_error from public.scheduled_tasks where id = $1`,
    [id],
  )
  if (!row) throw new Error('no task')
  return row
}
export const tick = () => backend.sql('select app.tick()')

/** A company with scripts, a group and two devices for the tests of a file; each test begins without schedules. */
export function openScheduleDesk(driver: Driver): void {
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    const script = { type: 'Bash', script: 'hostname' }
    procedure = await add('procedures', { name: 'Hostname', ...script })
    asking = await add('procedures', {
      name: 'Restart',
      ...script,
      parameters: [{ name: 'service', kind: 'text', label: 'Service', required: true }],
    })
    group = await add('groups', { name: 'Servers' })
    device = await add('devices', { name: 'SRV-1' })
    await add('devices', { name: 'SRV-2' })
    await backend.sql(
      insertInto('group_devices', { company_id: company, group_id: group, device_id: device }),
    )
  })
  afterAll(() => backend?.stop())
  afterEach(async () => {
    await backend.sql('delete from public.scheduled_tasks where company_id = $1', [company])
    await backend.sql('delete from public.jobs where company_id = $1', [company])
    await backend.sql('delete from app.tick_log where true')
  })
}
