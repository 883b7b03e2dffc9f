import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { eventually } from '../../support/eventually'
import { type Ear, heardOf, listen } from '../support/live-ears'

const PEOPLE = 10

describe.each(drivers('sessions', 'listen'))('ten people in one ticket on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let ticket: string
  let people: { client: SupabaseClient; ear: Ear }[] = []

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    company = await createCompany(backend)
    const [row] = await backend.sql<{ id: string }>(
      `insert into public.tickets (company_id, subject) values ($1, 'Talk') returning id`,
      [company],
    )
    ticket = row?.id ?? ''
  })
  afterAll(async () => {
    await Promise.all(people.map(({ client }) => client.removeAllChannels()))
    await backend?.stop()
  })

  it('who write at once hear of every comment, and read all of them in one order', async () => {
    people = await Promise.all(
      Array.from({ length: PEOPLE }, async () => {
        const client = await backend.client((await createAccount(backend, 'Teknik', company)).email)
        await client.realtime.setAuth()
        return { client, ear: await listen(client, `record:tickets:${ticket}`) }
      }),
    )
    expect(people.map(({ ear }) => ear.states[0])).toEqual(people.map(() => 'SUBSCRIBED'))
    const written = await Promise.all(
      people.map(async ({ client }, place) => {
        const { data, error } = await client
          .from('ticket_comments')
          .insert({ company_id: company, ticket_id: ticket, body: `Word ${place}` })
          .select('id')
          .single<{ id: string }>()
        expect(error).toBeNull()
        return data?.id ?? ''
      }),
    )
    await eventually(() => {
      for (const { ear } of people) expect(written.filter((id) => !heardOf(ear, id))).toEqual([])
    })
    const threads = await Promise.all(
      people.map(async ({ client }) => {
        const { data } = await client
          .from('ticket_comments')
          .select('id')
          .eq('ticket_id', ticket)
          .order('created_at')
          .order('id')
        return (data ?? []).map(({ id }) => String(id))
      }),
    )
    expect(threads[0]?.toSorted()).toEqual(written.toSorted())
    for (const thread of threads) expect(thread).toEqual(threads[0])
  })
})
