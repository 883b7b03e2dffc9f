import { inspect } from 'node:util'
import type { SupabaseClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { withBudget } from '../../../supabase/embedded/database/budget.mjs'
import { isUnavailable } from '../../../supabase/embedded/database/errors.mjs'
import { connectPostgres, inSession } from '../../../supabase/embedded/database/postgres-connection.mjs'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, plainClient, type TestBackend, testBackend } from '../../support/backend'

describe.each(drivers('errors'))('errors on %s', (driver) => {
  let own: TestBackend
  let company: string
  let client: SupabaseClient
  beforeAll(async () => {
    own = await testBackend({ driver, demo: false })
    company = await createCompany(own)
    client = await own.client((await createAccount(own, 'Admin', company)).email)
    await own.sql(`create function public.fail_with(kind text, secret text) returns void language plpgsql as $$ begin
      if kind = 'raise' then raise exception 'not today' using hint = 'tomorrow', detail = 'why';
      elsif kind = 'check' then raise check_violation using message = 'too small', constraint = 'c';
      elsif kind = 'deny' then raise insufficient_privilege using message = 'no', hint = 'read-only';
      elsif kind = 'status' then raise sqlstate 'PT418' using message = 'a teapot';
      elsif kind in ('40P01', '40001', '55P03', 'XX000') then raise exception 'deadlock detected' using errcode = kind,
        detail = 'Process 2237 waits for ExclusiveLock on advisory lock [5,1508920002,2818959513,1]', hint = 'See server log for query details.';
      elsif kind = 'divide' then perform 1 / (kind <> 'divide')::int; end if; end $$`)
    await own.sql(`grant execute on function public.fail_with(text, text) to authenticated`)
    await own.sql(`notify pgrst, 'reload schema'`)
  })
  afterAll(() => own?.stop())

  it('come as PostgREST writes them', async () => {
    const fail = (kind: string) => client.rpc('fail_with', { kind, secret: 'TOPSECRET' })
    await expect.poll(async () => (await fail('none')).status).toBe(204)
    expect(await fail('raise')).toMatchObject({
      status: 400,
      error: { code: 'P0001', message: 'not today', hint: 'tomorrow', details: 'why' },
    })
    expect(await fail('check')).toMatchObject({ status: 400, error: { code: '23514', message: 'too small' } })
    expect(await fail('deny')).toMatchObject({ status: 403, error: { code: '42501', hint: 'read-only' } })
    expect(await fail('status')).toMatchObject({ status: 418, error: { message: 'a teapot' } })
    expect(await fail('divide')).toMatchObject({ status: 400, error: { code: '22012' } })
  })

  it('say of the inside of the database no more than its code', async () => {
    // The status of PostgREST; the console repeats a deadlock by its code.
    for (const code of ['40P01', '40001', '55P03', 'XX000'])
      expect(await client.rpc('fail_with', { kind: code, secret: '' })).toMatchObject({
        status: 500,
        error: { code, message: 'deadlock detected', details: null, hint: null },
      })
  })

  it('leave no parameter in the log', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    for (const kind of ['raise', 'check', 'deny', 'status', 'divide'])
      await client.rpc('fail_with', { kind, secret: 'TOPSECRET' })
    const said = logged.mock.calls
      .flat()
      .map((value) => inspect(value, { depth: 9, showHidden: true }))
      .join('\n')
    logged.mockRestore()
    expect(said).not.toContain('TOPSECRET')
  })

  if (driver !== 'postgres') return
  describe('of a PostgreSQL that is gone', () => {
    it('is answered as such, and asked again when it is back', async () => {
      const { data } = await client.auth.getSession()
      const headers = {
        apikey: own.publishableKey,
        authorization: `Bearer ${data.session?.access_token}`,
        'content-type': 'application/json',
      }
      const embed = 'tickets?select=id,devices(id,companies!devices_company_id_fkey(id))'
      const ask = async (path: string, init: RequestInit = {}) =>
        (await fetch(`${own.url}/rest/v1/${path}`, { headers, ...init })).status
      const refuse = async () => {
        await operator`alter database postgres allow_connections false`
        await operator`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'postgres'`
      }
      const all = async () => [
        await ask('devices?select=id'),
        await ask(embed),
        await ask('groups', { method: 'POST', body: '{"name":"never"}' }),
      ]
      const operator = postgres(own.databaseUrl?.replace(/postgres$/, 'template1') ?? '', { max: 1 })
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
      try {
        await refuse()
        expect(await all()).toEqual([503, 503, 503])
        await operator`alter database postgres allow_connections true`
        expect(await ask('devices?select=id')).toBe(200)
        expect(await ask(embed)).toBe(200)

        // Whatever requests were under way: each is answered, and none of them costs a session.
        for (let round = 0; round < 5; round++) {
          const paths = Array.from({ length: 16 }, (_, index) => (index % 2 ? embed : 'devices?select=id'))
          const before = paths.map((path) => ask(path))
          await refuse()
          const during = paths.map((path) => ask(path))
          await operator`alter database postgres allow_connections true`
          for (const status of await Promise.all([...before, ...during])) expect([200, 503]).toContain(status)
          expect(await Promise.all(paths.map((path) => ask(path)))).toEqual(paths.map(() => 200))
        }
      } finally {
        logged.mockRestore()
        await operator.end()
      }
    })

    it('holds up nothing, when it answers no more, for longer than the budget of a statement and some seconds', async () => {
      const connection = connectPostgres(own.databaseUrl ?? '', 1)
      const pidOf = () =>
        inSession(connection, async (session) => (await session.unsafe('select pg_backend_pid()'))[0])
      const first = await pidOf()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const failed = vi.fn<(error: unknown) => void>()
      try {
        const lost = inSession(connection, (session) =>
          withBudget(1_000, () => session.unsafe('select pg_sleep(600)')),
        ).catch(failed)
        await vi.advanceTimersByTimeAsync(5_900)
        expect(failed).not.toHaveBeenCalled()
        await vi.advanceTimersByTimeAsync(200)
        vi.useRealTimers()
        expect(failed).toHaveBeenCalledOnce()
        await lost
        expect(isUnavailable(failed.mock.calls[0]?.[0])).toBe(true)
        // The session is not used again.
        expect(await pidOf()).not.toEqual(first)
      } finally {
        vi.useRealTimers()
        await own.sql('select pg_terminate_backend(pid) from pg_stat_activity where query = $1', [
          'select pg_sleep(600)',
        ])
        await connection.driver.end()
      }
    })

    it('is answered when one session ends under its request, and the next request too', async () => {
      const service = plainClient(own.url, own.serviceKey)
      const seats = (seats: number) =>
        service.from('companies').update({ seats }).eq('id', company).select('seats')
      const holder = postgres(own.databaseUrl ?? '', { max: 1 })
      try {
        // A row that somebody holds: whoever wants to write it waits, and is ended while waiting.
        const answer = await holder.begin(async (held) => {
          await held`select 1 from public.companies where id = ${company} for update`
          const waiting = seats(7).then()
          await expect
            .poll(() =>
              own.sql(
                `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`,
              ),
            )
            .toHaveLength(1)
          return waiting
        })
        expect(answer.status).toBeGreaterThanOrEqual(500)
        expect(await seats(8)).toMatchObject({ status: 200, data: [{ seats: 8 }] })
      } finally {
        await holder.end()
      }
    })
  })
})
