import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { type Driver, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from './agent-functions-fleet'

export interface Person extends Account {
  client: SupabaseClient
}

export let backend: TestBackend
export let company: string
export let author: Person
export let approver: Person
export let teknik: Person
export let fleet: ReturnType<typeof fleetOf>
export let device: Device
export let script: string
export const person = async (role: string, of = company): Promise<Person> => {
  const account = await createAccount(backend, role, of)
  return { ...account, client: await backend.client(account.email) }
}
export const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
  const names = Object.keys(values)
  const [row] = await backend.sql<{ id: string }>(
    `insert into public.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning *`,
    Object.values(values),
  )
  return String(row?.id ?? '')
}
export const write = async (name = 'S'): Promise<string> => {
  const { data, error } = await author.client
    .from('procedures')
    .insert({ company_id: company, name, type: 'Bash', script: 'id' })
    .select('id')
    .single()
  if (error) throw error
  return data.id
}
export const edit = async (text: string, client = author.client) =>
  expect((await client.from('procedures').update({ script: text }).eq('id', script)).error).toBeNull()
export const queue = async (
  by = teknik,
  on = [device],
  of = script,
  parameters?: Record<string, unknown>,
): Promise<string> => {
  const { data, error } = await by.client.rpc('run_procedure', {
    procedure_id: of,
    device_ids: on.map(({ device_id }) => device_id),
    parameters,
  })
  if (error) throw error
  return String(data)
}
export const runWith = (parameters: Record<string, unknown>, by = teknik) =>
  queue(by, [device], script, parameters)
export const runOf = async (job: string) =>
  (
    await backend.sql<{ status: string; error: string | null; waits_for: string | null }>(
      'select status, error, waits_for from public.job_runs where job_id = $1',
      [job],
    )
  )[0]
export const newest = async () =>
  (
    await backend.sql<{ id: string }>(
      'select id from public.procedure_versions where procedure_id = $1 order by number desc limit 1',
      [script],
    )
  )[0]?.id
export const approve = async (by = approver) =>
  by.client.rpc('approve_procedure', { version_id: await newest() })
export const decline = async (by = approver, reason: string | null = 'Deletes too much', version?: string) =>
  by.client.rpc('decline_procedure', { version_id: version ?? (await newest()), reason })
export const read = async () =>
  (
    await backend.sql<Record<string, unknown>>(
      `select waiting_since is not null as waits, version, approved_name, declined_name, decline_reason from public.procedures where id = $1`,
      [script],
    )
  )[0]
export const told = async (who: Person) =>
  (
    await who.client
      .from('notifications')
      .select('kind,params,link')
      .like('kind', 'script_%')
      .order('created_at')
  ).data ?? []
export const kinds = async (who: Person) => (await told(who)).map(({ kind }) => kind)
export const replaced = { status: 'failed', error: 'replaced', waits_for: 'approval' }
export const declined = { ...replaced, error: 'declined' }

/** Before each test, a company whose policy asks for approval, its people, a device and a script. */
export function openScriptDesk(driver: Driver): void {
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())
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
}
