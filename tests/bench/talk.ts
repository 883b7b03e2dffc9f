/**
 * Ten people with one ticket open, who all write: how long until a comment is read by each of the others, from the
 * moment its author sends it. Like the console, each hears of it on the topic of the record and then reads the row.
 *
 *   npm run bench:talk [postgres|pglite]
 */
import type { SupabaseClient } from '@supabase/supabase-js'
import { createAccount, createCompany } from '../support/accounts'
import { type Driver, testBackend } from '../support/backend'
import { whyNoPostgres } from '../support/postgres'
import { setting } from './setting'
import { showTimes, table, times } from './statistics'

const PEOPLE = setting('TALK_PEOPLE', 10, 3)
const EACH = setting('TALK_EACH', 5, 2)
const PAUSE = setting('TALK_PAUSE', 6000, 10)
const BUDGET = 1000
const PATIENCE = 30_000

interface Person {
  client: SupabaseClient
  /** When the person had read each comment, by its id. */
  read: Map<string, number>
}

async function enter(client: SupabaseClient, ticket: string): Promise<Person> {
  const read = new Map<string, number>()
  await client.realtime.setAuth()
  await new Promise<void>((joined, failed) => {
    client
      .channel(`record:tickets:${ticket}`, { config: { private: true } })
      .on('broadcast', { event: 'change' }, async ({ payload }) => {
        const change = payload as { table: string; op: string; ids: string[] }
        if (change.table !== 'ticket_comments' || change.op !== 'insert') return
        const { data } = await client
          .from('ticket_comments')
          .select('id,body,author_name')
          .in('id', change.ids)
        for (const { id } of data ?? []) if (!read.has(id)) read.set(id, performance.now())
      })
      .subscribe((state) =>
        state === 'SUBSCRIBED' ? joined() : failed(new Error(`The topic answered ${state}.`)),
      )
  })
  return { client, read }
}

async function measure(driver: Driver): Promise<string[]> {
  const backend = await testBackend({ driver, demo: false })
  try {
    const company = await createCompany(backend)
    const [ticket] = await backend.sql<{ id: string }>(
      `insert into public.tickets (company_id, subject) values ($1, 'Talk') returning id`,
      [company],
    )
    const id = ticket?.id ?? ''
    const people = await Promise.all(
      Array.from({ length: PEOPLE }, async () =>
        enter(await backend.client((await createAccount(backend, 'Teknik', company)).email), id),
      ),
    )
    const sent = new Map<string, { by: Person; at: number; written: number }>()
    await Promise.all(
      people.map(async (person, place) => {
        for (let round = 0; round < EACH; round += 1) {
          await new Promise((resolve) => setTimeout(resolve, (PAUSE * (place + 1)) / PEOPLE))
          const at = performance.now()
          const { data, error } = await person.client
            .from('ticket_comments')
            .insert({ company_id: company, ticket_id: id, body: `Round ${round} of ${place}` })
            .select('id')
            .single<{ id: string }>()
          if (error) throw new Error(error.message)
          sent.set(data.id, { by: person, at, written: performance.now() - at })
          await new Promise((resolve) => setTimeout(resolve, PAUSE))
        }
      }),
    )
    const begun = performance.now()
    const isRead = () => people.every(({ read }) => read.size === sent.size)
    while (!isRead() && performance.now() - begun < PATIENCE)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const delays = [...sent].flatMap(([comment, { by, at }]) =>
      people.flatMap((person) => {
        const read = person.read.get(comment)
        return person === by || read === undefined ? [] : [read - at]
      }),
    )
    const expected = sent.size * (PEOPLE - 1)
    const delay = times(delays)
    return [
      driver === 'pglite' ? 'PGlite' : 'PostgreSQL',
      `${PEOPLE} × ${EACH}`,
      showTimes(times([...sent.values()].map(({ written }) => written))),
      showTimes(delay),
      Math.max(...delays).toFixed(0),
      `${delays.length} of ${expected}`,
      delays.length === expected && delay.p95 < BUDGET ? 'kept' : 'OVER',
    ]
  } finally {
    await backend.stop()
  }
}

const wanted = process.argv[2]
const rows: string[][] = []
const why = whyNoPostgres()
if (why) console.log(`Not measured on PostgreSQL: ${why}.`)
else if (wanted !== 'pglite') rows.push(await measure('postgres'))
if (wanted !== 'postgres') rows.push(await measure('pglite'))
console.log('least / p50 / p95 in ms')
console.log(
  table(
    ['database', 'people × comments', 'written', 'read by the others', 'longest', 'read', `p95 ${BUDGET} ms`],
    rows,
  ),
)
process.exit(0)
