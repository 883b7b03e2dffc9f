import type { SupabaseClient } from '@supabase/supabase-js'
import { createAccount, createCompany } from '../../support/accounts'
import { type Driver, sharedBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

interface Ticket {
  id: string
  number: number
  status: string
  merged_into_id: string | null
  parent_id: string | null
  subticket_count: number
  first_responded_at: string | null
}

export type DeskStage = Awaited<ReturnType<typeof deskStage>>

/** A company with two technicians and two requesters, and the admin of another one. */
export async function deskStage(driver: Driver) {
  const backend = await sharedBackend(driver)
  const company = await createCompany(backend)
  const other = await createCompany(backend)
  const people = {
    desk: await createAccount(backend, 'Teknik', company),
    colleague: await createAccount(backend, 'Teknik', company),
    requester: await createAccount(backend, 'Standard', company),
    second: await createAccount(backend, 'Standard', company),
    stranger: await createAccount(backend, 'Admin', other),
  }
  const one = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row> => {
    const [row] = await backend.sql<Row>(sql, params)
    if (!row) throw new Error('no row')
    return row
  }
  const add = async (table: string, values: Record<string, unknown>) =>
    (await one<{ id: string }>(`${insertInto(table, { company_id: company, ...values })} returning id`)).id
  const desk = await backend.client(people.desk.email)
  return {
    backend,
    company,
    other,
    desk,
    colleague: await backend.client(people.colleague.email),
    requester: await backend.client(people.requester.email),
    stranger: await backend.client(people.stranger.email),
    deskId: people.desk.id,
    requesterId: people.requester.id,
    secondId: people.second.id,
    one,
    add,
    ticket: (values: Record<string, unknown> = {}) =>
      add('tickets', { subject: 'Ticket', requester_id: people.requester.id, ...values }),
    read: (id: string) => one<Ticket>('select * from public.tickets where id = $1', [id]),
    merge: (ids: string[], target: string, client: SupabaseClient = desk) =>
      client.rpc('merge_tickets', { ids, target_id: target }),
    hint: async (answer: PromiseLike<{ error: { hint?: string; code?: string } | null }>) =>
      (await answer).error?.hint,
  }
}
