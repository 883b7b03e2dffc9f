import type { SupabaseClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { expect } from 'vitest'
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

/** A company with an admin, two technicians and two requesters, and the admin of another one. */
export async function deskStage(driver: Driver) {
  const backend = await sharedBackend(driver)
  const company = await createCompany(backend)
  const other = await createCompany(backend)
  const people = {
    admin: await createAccount(backend, 'Admin', company),
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
  const clients = new Map<string, SupabaseClient>()
  for (const { id, email } of Object.values(people)) clients.set(id, await backend.client(email))
  const as = ({ id }: { id: string }) => clients.get(id) as SupabaseClient
  const desk = as(people.desk)
  return {
    backend,
    company,
    other,
    people,
    as,
    desk,
    colleague: as(people.colleague),
    requester: as(people.requester),
    stranger: as(people.stranger),
    deskId: people.desk.id,
    requesterId: people.requester.id,
    secondId: people.second.id,
    one,
    add,
    ticket: (values: Record<string, unknown> = {}) =>
      add('tickets', { subject: 'Ticket', requester_id: people.requester.id, ...values }),
    read: <Row = Ticket>(id: string, table = 'tickets') =>
      one<Row>(`select * from public.${table} where id = $1`, [id]),
    bells: async ({ id }: { id: string }, kind: string) =>
      (await backend.sql('select 1 from public.notifications where user_id = $1 and kind = $2', [id, kind]))
        .length,
    merge: (ids: string[], target: string, client: SupabaseClient = desk) =>
      client.rpc('merge_tickets', { ids, target_id: target }),
    hint: async (answer: PromiseLike<{ error: { hint?: string; code?: string } | null }>) =>
      (await answer).error?.hint,
  }
}

/**
 * Gives the answer of `call`, which waits for the lock of ticket work until `change` has been written. Only PostgreSQL has a second session that
 * could wait.
 */
export async function afterWaiting<Answer>(
  { backend, company }: DeskStage,
  call: () => PromiseLike<Answer>,
  change: (sql: postgres.TransactionSql) => PromiseLike<unknown>,
): Promise<Answer> {
  const other = postgres(backend.databaseUrl ?? '', { max: 1 })
  try {
    const called = await other.begin(async (sql) => {
      await sql`select app.lock_ticket_work(${company})`
      const answer = Promise.resolve(call())
      await expect
        .poll(() => backend.sql(`select 1 from pg_locks where not granted and locktype = 'advisory'`))
        .toHaveLength(1)
      await change(sql)
      return { answer }
    })
    return await called.answer
  } finally {
    await other.end()
  }
}
