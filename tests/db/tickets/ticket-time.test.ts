import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { insertInto } from '../support/as-user'
import { type DeskStage, deskStage } from './desk-stage'

describe.each(drivers('locks'))('a timer on %s', (driver) => {
  let { as, backend, bells, company, read, ticket } = {} as DeskStage
  let { desk: teknik, admin, requester: standard, stranger } = {} as DeskStage['people']
  beforeAll(async () => {
    const stage = await deskStage(driver)
    ;({ as, backend, bells, company, read, ticket } = stage)
    ;({ desk: teknik, admin, requester: standard, stranger } = stage.people)
  })
  afterAll(() => backend?.stop())

  const start = (id: string, account = teknik) => as(account).rpc('start_timer', { ticket_id: id })
  const stop = (args: Record<string, unknown> = {}, account = teknik) => as(account).rpc('stop_timer', args)
  const running = () =>
    backend.sql<{ ticket_id: string }>(
      'select ticket_id from public.time_entries where user_id = $1 and ended_at is null',
      [teknik.id],
    )

  it('runs once a person: a second start stops the first one, and saves its time', async () => {
    const [first, second] = [await ticket(), await ticket()]
    const { data: entry } = await start(first)
    expect((await start(first)).data).toBe(entry)
    expect(await read(first)).toMatchObject({ timer_started_at: expect.anything() })
    expect((await start(second)).error).toBeNull()
    expect(await running()).toEqual([{ ticket_id: second }])
    expect(await read(String(entry), 'time_entries')).toMatchObject({ seconds: expect.any(Number) })
    expect(await read(first)).toMatchObject({ timer_started_at: null })
    expect((await stop({ note: 'Looked' })).error).toBeNull()
    expect(await running()).toEqual([])
    expect((await stop()).error).toMatchObject({ code: 'PT404', hint: 'timer_none' })
  })

  it('started on three tickets at once runs on one of them', async () => {
    const ids = [await ticket(), await ticket(), await ticket()]
    const answers = await Promise.all(ids.map((id) => start(id)))
    expect(answers.map(({ error }) => error)).toEqual([null, null, null])
    expect(await running()).toHaveLength(1)
    await stop()
  })

  it('that runs for more than 12 hours is marked and asked about, and ends when its person says', async () => {
    const [id, next] = [await ticket(), await ticket()]
    const { data: entry } = await start(id)
    await backend.sql(
      `update public.time_entries set started_at = now() - interval '13 hours', is_long = false where id = $1`,
      [entry],
    )
    await backend.sql('update public.time_entries set is_long = false where id = $1', [entry])
    await backend.sql('select app.ask_about_timers()')
    expect(await read(String(entry), 'time_entries')).toMatchObject({ is_long: true, ended_at: null })
    expect(await bells(teknik, 'timer_long')).toBe(1)
    await backend.sql('select app.ask_about_timers()')
    expect(await bells(teknik, 'timer_long')).toBe(1)
    expect((await start(next)).error).toMatchObject({ hint: 'timer_long' })
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    expect((await stop({ ended_at: at(20) })).error).toMatchObject({ hint: 'timer_end' })
    expect((await stop({ ended_at: at(11) })).error).toBeNull()
    expect(await read(String(entry), 'time_entries')).toMatchObject({ is_long: false })
    const { seconds } = await read<{ seconds: number }>(String(entry), 'time_entries')
    expect(Math.round(seconds / 60)).toBe(120)
  })

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  /** A timer as it was before the database refused such a start, or after the server was off for weeks. */
  const age = (entry: unknown, startedAt: string) =>
    backend.sql(`do $$ begin
      alter table public.time_entries disable trigger time_entries_stamp;
      update public.time_entries set started_at = '${startedAt}' where id = '${entry}';
      alter table public.time_entries enable trigger time_entries_stamp;
    end $$`)

  it('is entered for less than 31 days, running or ended', async () => {
    const id = await ticket()
    const insert = (started_at: string, ended_at: string | null = null) =>
      as(teknik).from('time_entries').insert({ company_id: company, ticket_id: id, started_at, ended_at })
    const tooLong = { code: '23514', hint: 'time_too_long' }
    for (const start of [daysAgo(40), '0001-01-01', '0044-03-15 BC', '-infinity']) {
      expect((await insert(start)).error).toMatchObject(tooLong)
      expect((await insert(start, daysAgo(0))).error).toMatchObject(tooLong)
    }
    expect((await insert(daysAgo(30), daysAgo(0))).error).toBeNull()
  })

  it.each([['40 days ago', daysAgo(40)] as const, ['in the year 1', '0001-01-01'] as const])(
    'that began %s is asked about, and keeps no ticket from being deleted',
    async (_when, began) => {
      const [id, next] = [await ticket(), await ticket()]
      const { data: entry } = await start(id)
      await age(entry, began)
      await backend.sql('update public.time_entries set is_long = false where id = $1', [entry])
      expect((await stop()).error).toMatchObject({ code: '23514', hint: 'timer_long' })
      expect((await start(next)).error).toMatchObject({ code: '23514', hint: 'timer_long' })
      expect((await as(admin).from('tickets').delete().eq('id', id)).error).toBeNull()
      expect(await running()).toEqual([])
      expect(await read(String(entry), 'time_entries')).toMatchObject({ seconds: 31 * 86_400 - 1 })
    },
  )

  it('runs for the person who writes it: an administrator enters time of others with its end', async () => {
    const id = await ticket()
    const values = { company_id: company, ticket_id: id, user_id: teknik.id, started_at: daysAgo(0.5) }
    const insert = (more: Record<string, unknown>) =>
      as(admin)
        .from('time_entries')
        .insert({ ...values, ...more })
    const own = { code: '23514', hint: 'timer_own' }
    expect((await insert({})).error).toMatchObject(own)
    await start(await ticket())
    expect((await insert({})).error).toMatchObject(own)
    expect((await insert({ ended_at: daysAgo(0.1) })).error).toBeNull()
    const update = (changes: Record<string, unknown>, account = admin) =>
      as(account).from('time_entries').update(changes).eq('ticket_id', id).select('id')
    expect((await update({ ended_at: null })).error).toMatchObject(own)
    expect((await stop()).error).toBeNull()
    expect((await update({ ended_at: null }, teknik)).data).toHaveLength(1)
    expect((await update({ started_at: daysAgo(0.6) })).error).toMatchObject(own)
    expect((await update({ note: 'Seen' })).data).toHaveLength(1)
    expect((await update({ ended_at: daysAgo(0) })).data).toHaveLength(1)
    const boss = await createAccount(backend, 'Super Admin', null)
    const bossClient = await backend.client(boss.email)
    const ofBoss = { ...values, user_id: boss.id, ended_at: daysAgo(0.1) }
    expect((await as(admin).from('time_entries').insert(ofBoss)).error).toMatchObject({ code: '23503' })
    expect((await bossClient.from('time_entries').insert(ofBoss)).error).toBeNull()
  })

  it('ends when its person is deactivated or goes to another company', async () => {
    const changed = async (change: string) => {
      const [id, { id: person }] = [await ticket(), await createAccount(backend, 'Teknik', company)]
      const row = { company_id: company, ticket_id: id, user_id: person, started_at: new Date() }
      await backend.sql(insertInto('time_entries', row))
      expect(await read(id)).toMatchObject({ timer_started_at: expect.any(String) })
      await backend.sql(`update public.user_roles set ${change} where user_id = $1`, [person])
      return read(id)
    }
    expect(await changed('deactivated_at = now()')).toMatchObject({ timer_started_at: null })
    const other = await createCompany(backend)
    expect(await changed(`company_id = '${other}'`)).toMatchObject({ timer_started_at: null })
    // Another role in the same company keeps it.
    expect(await changed(`role = 'Admin'`)).toMatchObject({ timer_started_at: expect.any(String) })
  })

  it('is for the desk: a person reads and writes their own time, an administrator everybody’s', async () => {
    const id = await ticket()
    expect((await start(id, standard)).error).toMatchObject({ code: '42501' })
    expect((await start(id, stranger)).error).toMatchObject({ code: 'PT404' })
    const values = {
      company_id: company,
      ticket_id: id,
      started_at: '2026-01-02T08:00:00Z',
      ended_at: '2026-01-02T09:30:00Z',
    }
    expect(
      (
        await as(teknik)
          .from('time_entries')
          .insert({ ...values, user_id: admin.id })
      ).error,
    ).toMatchObject({
      code: '42501',
    })
    expect(
      (
        await as(admin)
          .from('time_entries')
          .insert({ ...values, user_id: admin.id })
      ).error,
    ).toBeNull()
    expect((await as(teknik).from('time_entries').insert(values)).error).toBeNull()
    const seen = async (account: Account) =>
      (await as(account).from('time_entries').select('user_id,seconds').eq('ticket_id', id)).data
    expect(await seen(teknik)).toEqual([{ user_id: teknik.id, seconds: 5400 }])
    expect(await seen(admin)).toHaveLength(2)
    expect(await seen(stranger)).toEqual([])
    expect(await seen(standard)).toEqual([])
    const future = new Date(Date.now() + 3_600_000).toISOString()
    expect(
      (
        await as(teknik)
          .from('time_entries')
          .insert({ ...values, started_at: future, ended_at: null })
      ).error,
    ).toMatchObject({ hint: 'time_in_future' })
  })
})
