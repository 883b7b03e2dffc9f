import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

type Done = Record<
  'gap' | 'presence' | 'licenses' | 'tokens' | 'runs' | 'notifications' | 'retention',
  number | null
>

describe.each(drivers('locks'))('app.tick() on %s', (driver) => {
  let backend: TestBackend
  let company: string

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    // As if it had ticked all along.
    await backend.sql(
      `update app.tick_state set last_tick_at = now(), gap_ended_at = now() - interval '1 day', retained_at = now() where only_row`,
    )
  })
  afterEach(async () => {
    await backend.sql('delete from public.devices where true')
    await backend.sql('delete from app.tick_log where true')
  })

  const tick = async (): Promise<Done> => {
    const [row] = await backend.sql<{ done: Done }>('select app.tick() as done')
    if (!row) throw new Error('no tick')
    return row.done
  }
  /** Devices that were heard of so long ago; each checks in every minute. */
  const heardOf = (silence: string, count = 1) =>
    backend.sql(
      `with made as (insert into public.devices (company_id, name, status, offline_since)
         select $1, 'pc-' || n, 'online', null from generate_series(1, $3::int) n returning id)
       insert into public.device_presence (company_id, device_id, online, last_seen_at, interval_seconds)
       select $1, id, true, now() - $2::text::interval, 60 from made`,
      [company, silence, count],
    )
  const states = () =>
    backend.sql<{ status: string; online: boolean; same: boolean | null }>(
      `select d.status, p.online, d.offline_since = p.last_seen_at as same from public.devices d
       join public.device_presence p on p.device_id = d.id where d.company_id = $1`,
      [company],
    )

  it('turns a device offline after three missed check-ins and a minute, as of when it was last heard', async () => {
    await heardOf('3 minutes 55 seconds')
    expect((await tick()).presence).toBe(0)
    await heardOf('4 minutes 5 seconds')
    expect((await tick()).presence).toBe(1)
    expect(await states()).toEqual(
      expect.arrayContaining([
        { status: 'online', online: true, same: null },
        { status: 'offline', online: false, same: true },
      ]),
    )
    expect((await tick()).presence).toBe(0)
  })

  it('counts silence from the end of an outage of ours', async () => {
    await heardOf('1 hour', 3)
    await backend.sql(`update app.tick_state set last_tick_at = now() - interval '50 minutes' where only_row`)
    expect((await tick()).presence).toBe(0)
    expect((await tick()).presence).toBe(0)
    await backend.sql(`update app.tick_state set gap_ended_at = now() - interval '5 minutes' where only_row`)
    expect((await tick()).presence).toBe(3)
  })

  it('expires a license that has ended, and only that', async () => {
    const ended = await createCompany(backend, { endsIn: '-1 second' })
    const running = await createCompany(backend, { endsIn: '1 day' })
    expect((await tick()).licenses).toBe(1)
    const rows = await backend.sql(`select id, status from public.companies where id in ($1, $2, $3)`, [
      ended,
      running,
      company,
    ])
    const status = Object.fromEntries(rows.map((row) => [row.id, row.status]))
    expect(status).toEqual({ [ended]: 'Expired', [running]: 'Active', [company]: 'Active' })
    expect((await tick()).licenses).toBe(0)
  })

  it('tells admins once that the license ends and once that it has ended, and again after a renewal', async () => {
    const ending = await createCompany(backend, { endsIn: '20 days' })
    const { id } = await createAccount(backend, 'Admin', ending)
    const kinds = async () =>
      (
        await backend.sql<{ kind: string }>(
          'select kind from public.notifications where user_id = $1 order by created_at, kind',
          [id],
        )
      ).map((row) => row.kind)
    await createAccount(backend, 'Teknik', ending)
    expect((await tick()).notifications).toBe(1)
    expect((await tick()).notifications).toBe(0)
    expect(await kinds()).toEqual(['license_expiring'])
    await backend.sql(
      `update public.companies set license_end_date = now() - interval '1 hour' where id = $1`,
      [ending],
    )
    expect((await tick()).notifications).toBe(1)
    expect(await kinds()).toEqual(['license_expiring', 'license_expired'])
    await backend.sql(
      `update public.companies set status = 'Active', license_end_date = now() + interval '3 days' where id = $1`,
      [ending],
    )
    await tick()
    expect(await kinds()).toHaveLength(3)
  })

  it('forgets the hash of tokens that cannot be used any more', async () => {
    const token = (set: string) =>
      backend.sql(
        `with made as (insert into public.enrollment_tokens (company_id, name, hint, expires_at, max_uses, used_count, revoked_at)
           values ($1, 'Token', 'abcd', ${set}) returning id)
         insert into app.enrollment_secrets (token_id, token_hash) select id, uuid_send(gen_random_uuid()) from made`,
        [company],
      )
    for (const set of [
      `now() - interval '1 second', null, 0, null`,
      'null, 3, 3, null',
      'null, null, 0, now()',
    ])
      await token(set)
    await token(`now() + interval '1 day', 3, 2, null`)
    expect((await tick()).tokens).toBe(3)
    expect(await backend.sql('select 1 from app.enrollment_secrets')).toHaveLength(1)
  })

  it('removes old rows once an hour', async () => {
    await backend.sql(
      `insert into public.failed_login_attempts (user_email, created_at) values ('old@example.test', now() - interval '91 days'), ('new@example.test', now())`,
    )
    expect((await tick()).retention).toBe(0)
    await backend.sql(`update app.tick_state set retained_at = now() - interval '2 hours' where only_row`)
    await backend.sql(
      `insert into public.procedure_logs (company_id, procedure_name, device_name, executed_at, status)
       select $1, 'Script', 'PC', now() - make_interval(days => n), 'success' from unnest(array[1, 366]) n`,
      [company],
    )
    expect((await tick()).retention).toBe(2)
    expect(await backend.sql(`select 1 from public.audit_log where table_name = 'procedure_logs'`)).toEqual(
      [],
    )
    expect((await tick()).retention).toBe(0)
    expect(await backend.sql('select 1 from public.procedure_logs')).toHaveLength(1)
    expect(
      await backend.sql(`select 1 from public.failed_login_attempts where user_email = 'new@example.test'`),
    ).toHaveLength(1)
  })

  it('goes on when a step fails, and keeps the error', async () => {
    const [source] = await backend.sql<{ text: string }>(
      `select pg_get_functiondef('app.expire_licenses()'::regprocedure) as text`,
    )
    await backend.sql(
      `create or replace function app.expire_licenses() returns integer language plpgsql as $$ begin raise exception 'broken on purpose'; end $$`,
    )
    await heardOf('1 hour')
    const done = await tick()
    // The steps before it and after it in the walk have run.
    expect(done).toMatchObject({ presence: 1, licenses: null, runs: 0, retention: 0 })
    expect(await backend.sql('select step, error from app.tick_log')).toEqual([
      { step: 'licenses', error: 'P0001 broken on purpose' },
    ])
    await backend.sql(source?.text ?? '')
    expect((await tick()).licenses).toBe(0)
  })

  it('runs a step that a row adds, where it stands', async () => {
    await backend.sql(
      `create function app.tried_step() returns integer language sql as 'select count(*)::integer from public.devices where status = ''offline'''`,
    )
    const adds = `insert into app.tick_step (position, name, function) values`
    await backend.sql(
      `${adds} (15, 'before', 'tried_step'), (25, 'after', 'tried_step'), (35, 'missing', 'no_such_step')`,
    )
    await heardOf('1 hour', 2)
    expect(await tick()).toMatchObject({ before: 0, presence: 2, after: 2, missing: null, retention: 0 })
    expect(await backend.sql('select step, left(error, 5) as state from app.tick_log')).toEqual([
      { step: 'missing', state: '42883' },
    ])
    await backend.sql(`delete from app.tick_step where name in ('before', 'after', 'missing')`)
    await backend.sql('drop function app.tried_step()')
    expect(Object.keys(await tick())).not.toContain('before')
  })

  it('may be called by eight at once: everything is done, and once, at most 1,000 devices a tick', async () => {
    await heardOf('1 hour', 1100)
    const ending = await createCompany(backend, { endsIn: '5 days' })
    const admins = [
      await createAccount(backend, 'Admin', ending),
      await createAccount(backend, 'Admin', ending),
    ]
    const done = (await Promise.all(Array.from({ length: 8 }, tick))).concat(await tick(), await tick())
    const flipped = done.map(({ presence }) => presence ?? 0)
    expect(Math.max(...flipped)).toBe(1000)
    expect(flipped.reduce((sum, count) => sum + count, 0)).toBe(1100)
    expect(await backend.sql('select step, error from app.tick_log')).toEqual([])
    const told = await backend.sql('select 1 from public.notifications where user_id = any ($1::uuid[])', [
      `{${admins.map(({ id }) => id).join(',')}}`,
    ])
    expect(told).toHaveLength(2)
    expect((await states()).every((state) => state.status === 'offline' && !state.online)).toBe(true)
  })
})
