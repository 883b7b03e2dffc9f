import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../support/accounts'
import { drivers } from '../../support/backend'
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
