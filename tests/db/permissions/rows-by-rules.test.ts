import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type AsUser, asUser, literal } from '../support/as-user'

/** More than a search looks up by their ids. */
const MANY = 620

const PLAN = `
create function test.plan_of(query text) returns setof text language plpgsql as $$
begin
  return query execute 'explain (costs off) ' || query;
end $$`

describe.each(drivers('plans'))('the rows that a rule names, on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let asker: string
  let watcher: string
  let desk: string
  let stranger: string
  const ids = { asked: [] as string[], watched: '', decided: '' }

  const read = async (who: string, statement: string) => {
    const { data, message } = await as(who, statement)
    expect(message).toBeUndefined()
    return data ?? []
  }
  const idsOf = async (who: string, from: string) =>
    (await read(who, `select id from ${from} order by id`)).map(({ id }) => String(id))
  const own = async (who: string) =>
    (await read(who, `select app.own_ids('tickets') as ids`))[0]?.ids as string[] | null

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    as = await asUser(backend)
    await backend.sql(PLAN)
    await backend.sql('grant usage on schema test to authenticated')
    company = await createCompany(backend)
    const other = await createCompany(backend)
    asker = (await createAccount(backend, 'Standard', company)).id
    watcher = (await createAccount(backend, 'Standard', company)).id
    desk = (await createAccount(backend, 'Teknik', company)).id
    stranger = (await createAccount(backend, 'Standard', other)).id
    const rows = await backend.sql<{ id: string; number: number }>(
      `insert into public.tickets (company_id, subject, requester_id)
       select $1, 'Printer ' || n, case when n <= 3 then $2::uuid end from generate_series(1, ${MANY}) n returning id, number`,
      [company, asker],
    )
    const byNumber = new Map(rows.map(({ id, number }) => [number, id]))
    ids.asked = [1, 2, 3].map((number) => byNumber.get(number) ?? '').sort()
    ids.watched = byNumber.get(4) ?? ''
    ids.decided = byNumber.get(5) ?? ''
    await backend.sql(
      'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
      [company, ids.watched, watcher],
    )
    await backend.sql(
      'insert into public.ticket_approvers (company_id, ticket_id, user_id) values ($1, $2, $3)',
      [company, ids.decided, watcher],
    )
    await backend.sql('analyze public.tickets')
  })
  afterAll(() => backend?.stop())

  it('are the rows that row-level security shows', async () => {
    expect((await own(asker))?.toSorted()).toEqual(ids.asked)
    expect((await own(watcher))?.toSorted()).toEqual([ids.watched, ids.decided].sort())
    expect(await own(stranger)).toEqual([])
    for (const who of [asker, watcher, stranger])
      expect(await idsOf(who, `public.search_tickets('')`)).toEqual(await idsOf(who, 'public.tickets'))
  })

  it('are null for whoever lists all rows, and lists, counts and searches show all', async () => {
    expect(await own(desk)).toBeNull()
    expect(await idsOf(desk, `public.search_tickets('')`)).toHaveLength(MANY)
    expect(await idsOf(desk, `public.search_tickets('printer')`)).toHaveLength(MANY)
  })

  it('are found by their ids, whatever the order of the list', async () => {
    const query = `select t.* from public.search_tickets('') t where company_id = '${company}' order by created_at desc, id desc limit 51`
    const plan = (await read(asker, `select * from test.plan_of(${literal(query)}) as line`)).map(
      ({ line }) => String(line),
    )
    expect(plan.join('\n')).toMatch(/Index Cond: .*id = ANY/)
    expect(plan.join('\n')).not.toMatch(/Seq Scan on tickets/)
  })

  it('are searched among themselves: a word of all tickets finds them all', async () => {
    expect(await idsOf(asker, `public.search_tickets('printer')`)).toEqual(ids.asked)
    expect(await idsOf(watcher, `public.search_tickets('printer 4')`)).toEqual([ids.watched])
    expect(await idsOf(stranger, `public.search_tickets('printer')`)).toEqual([])
  })

  it('are what choices and figures count', async () => {
    expect(await read(asker, `select * from public.facet_counts('tickets', 'status', '{}')`)).toEqual([
      { value: 'new', count: 3 },
    ])
    const figures = `select public.list_figures('tickets', '{"all": {"show": "number"}}', '{}') as f`
    expect((await read(asker, figures))[0]?.f).toEqual({ all: { value: 3 } })
    expect((await read(desk, figures))[0]?.f).toEqual({ all: { value: MANY } })
  })

  it('are read as before where they are more than a search looks up', async () => {
    await backend.sql('update public.tickets set requester_id = $2 where company_id = $1', [company, watcher])
    expect(await own(watcher)).toBeNull()
    expect(await idsOf(watcher, `public.search_tickets('')`)).toHaveLength(MANY)
  })
})
