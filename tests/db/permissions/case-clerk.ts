import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll } from 'vitest'
import { policiesOf } from '../../support/added-roles'
import { type Driver, type TestBackend, testBackend } from '../../support/backend'

export const COST = 987654.32
export const SIDE = 'software_licenses_hidden_cost'
export const SUBJECT = 'Kestrel-4711'

/** Somebody who reads the audit log, and of licenses and tickets less than all. */
const CLERK = `
p, Case Clerk, tickets, list, allow, own
p, Case Clerk, tickets, show, allow
p, Case Clerk, tickets, edit, allow, own
p, Case Clerk, tickets, assign, allow, own
p, Case Clerk, software_licenses, list, allow
p, Case Clerk, software_licenses, create, allow
p, Case Clerk, software_licenses, edit, allow
p, Case Clerk, software_licenses, import, allow
p, Case Clerk, devices, list, allow
p, Case Clerk, audit_log, list, allow
p, Case Clerk, audit_log, show, allow`

export type Attempt = readonly [how: string, ask: (client: SupabaseClient) => PromiseLike<unknown>]

export let backend: TestBackend
export let clerk: SupabaseClient
export let admin: SupabaseClient
export let company: string
export let license: string
export let ticket: string
export let own: string
export let device: string

/** How many ways a file has tried. */
export const tries = { count: 0 }

const one = async (sql: string, params: readonly unknown[] = []) => {
  const [row] = await backend.sql<{ id: string }>(sql, params)
  if (!row) throw new Error(`no row: ${sql}`)
  return row.id
}

/** The answers that hold one of the words. */
export async function leaks(attempts: readonly Attempt[], words: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const [how, ask] of attempts) {
    tries.count += 1
    const answer = JSON.stringify(await ask(clerk))
    if (words.some((word) => answer.includes(word))) found.push(`${how}: ${answer.slice(0, 300)}`)
  }
  return found
}
export const rpc = (name: string, args: Record<string, unknown>) => (client: SupabaseClient) =>
  client.rpc(name, args)
export const filterOn = (path: string, condition: Record<string, unknown>) => ({ [path]: condition })

/** Demo data with a Case Clerk, a license whose cost they may not read, and a ticket outside their row rule. */
export function openCaseClerk(driver: Driver, about: string): void {
  beforeAll(async () => {
    tries.count = 0
    backend = await testBackend({ driver })
    await policiesOf(backend)({ 'case-clerk.csv': CLERK })
    company = await one(`select id from public.companies where name = 'Acme'`)
    const person = await one(`select id from public.profiles where email = 'standard@acme.test'`)
    const other = await one(`select id from public.profiles where email = 'teknik@acme.test'`)
    await backend.sql(`update public.user_roles set role = 'Case Clerk' where user_id = $1`, [person])
    ;[clerk, admin] = [await backend.client('standard@acme.test'), await backend.client('admin@acme.test')]
    const { data, error } = await admin
      .from('software_licenses')
      .insert({ company_id: company, name: 'Merlin suite', cost: COST })
      .select('id')
      .single()
    if (error) throw new Error(error.message)
    license = data.id
    device = await one(`select id from public.devices where company_id = $1 limit 1`, [company])
    const add = (requester: string, subject: string) =>
      one(
        `insert into public.tickets (company_id, subject, requester_id, device_id) values ($1, $2, $3, $4) returning id`,
        [company, subject, requester, device],
      )
    ticket = await add(other, SUBJECT)
    own = await add(person, 'My own request')
    // The log has what people changed.
    await admin
      .from('tickets')
      .update({ description: `${SUBJECT} again` })
      .eq('id', ticket)
    await admin
      .from('software_licenses')
      .update({ cost: COST + 1 })
      .eq('id', license)
    await admin.from('software_licenses').update({ cost: COST }).eq('id', license)
  })
  afterAll(async () => {
    console.log(`${about} on ${driver}: ${tries.count} attempts`)
    await backend?.stop()
  })
}
