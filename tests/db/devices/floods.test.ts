import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

describe.each(drivers())('bounds of what one sender can fill, on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await sharedBackend(driver)
  })
  afterAll(() => backend?.stop())

  const rows = <R = Record<string, unknown>>(query: string, ...params: unknown[]) =>
    backend.sql<R & Record<string, unknown>>(query, params)
  /** Requests as agent_enroll() writes them, of machines that the sender makes up. */
  const flood = (company: string, token: string, address: string, count: number) =>
    backend.sql(
      `insert into public.enrollment_requests (company_id, token_id, machine_id, hostname, platform, agent_version, ip_address, created_at)
       select $1, $2, gen_random_uuid()::text, 'pc', 'linux', '1', $3, clock_timestamp() from generate_series(1, $4::integer)`,
      [company, token, address, count],
    )
  const waiting = (company: string) =>
    rows<{ address: string; count: number }>(
      `select ip_address as address, count(*)::int as count from public.enrollment_requests
       where company_id = $1 and status = 'pending' group by 1 order by 1`,
      company,
    )

  it('one token holds 200 places of the approval queue, and a new machine still gets one', async () => {
    const company = await createCompany(backend)
    const admin = await createAccount(backend, 'Admin', company)
    const standard = await createAccount(backend, 'Standard', company)
    const [token] = await rows<{ id: string }>(
      `insert into public.enrollment_tokens (company_id, name, hint, requires_approval) values ($1, 'Posters', 'test', true) returning id`,
      company,
    )
    const secret = `${randomUUID()}${randomUUID()}`
    await backend.sql('insert into app.enrollment_secrets values ($1, app.hash_secret($2))', [
      token?.id,
      secret,
    ])
    const call = async () => {
      const response = await fetch(`${backend.url}/rest/v1/rpc/agent_enroll`, {
        method: 'POST',
        headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          payload: {
            token: secret,
            machine_id: randomUUID(),
            hostname: 'honest',
            platform: 'linux',
            agent_version: '1',
          },
        }),
      })
      return (await response.json()) as Record<string, unknown>
    }
    expect(await call()).toMatchObject({ status: 'pending' })
    for (let address = 1; address <= 12; address += 1)
      await flood(company, token?.id ?? '', `203.0.113.${address}`, address === 1 ? 150 : 90)
    const held = await waiting(company)
    expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(200)
    // The one of another address stays: whoever floods displaces their own.
    expect(
      await rows(
        `select status from public.enrollment_requests where company_id = $1 and hostname = 'honest'`,
        company,
      ),
    ).toEqual([{ status: 'pending' }])
    expect(await call()).toMatchObject({ status: 'pending' })
    expect(
      await rows(
        `select 1 from public.enrollment_requests where company_id = $1 and hostname = 'honest' and status = 'pending'`,
        company,
      ),
    ).toHaveLength(2)
    const told = (user: string) =>
      rows(`select params from public.notifications where user_id = $1 and kind = 'enrollment_flood'`, user)
    expect(await told(admin.id)).toEqual([{ params: { token: 'Posters', max: 200, address: 100 } }])
    expect(await told(standard.id)).toEqual([])
  })

  it('one address holds 100 of them', async () => {
    const company = await createCompany(backend)
    const [token] = await rows<{ id: string }>(
      `insert into public.enrollment_tokens (company_id, name, hint, requires_approval) values ($1, 'T', 'test', true) returning id`,
      company,
    )
    await flood(company, token?.id ?? '', '203.0.113.7', 130)
    expect(await waiting(company)).toEqual([{ address: '203.0.113.7', count: 100 }])
    expect(
      await rows(
        `select count(*)::int as n from public.enrollment_requests a where a.company_id = $1 and a.status = 'expired' and exists (
           select 1 from public.enrollment_requests b where b.company_id = $1 and b.status = 'pending' and b.created_at < a.created_at)`,
        company,
      ),
    ).toEqual([{ n: 0 }])
  })

  it('a person keeps 200 views and settings of lists, and is told what to do', async () => {
    const company = await createCompany(backend)
    const client = await backend.client((await createAccount(backend, 'Standard', company)).email)
    const views = Array.from({ length: 200 }, (_, n) => ({ resource: 'tickets', name: `V ${n}`, state: {} }))
    expect((await client.from('saved_views').insert(views)).error).toBeNull()
    const more = await client.from('saved_views').insert({ resource: 'tickets', name: 'One more', state: {} })
    expect(more.error).toMatchObject({ code: '23514', hint: 'views_too_many' })
    expect((await client.from('saved_views').update({ name: 'Renamed' }).eq('name', 'V 1')).error).toBeNull()
    await client.from('saved_views').delete().eq('name', 'V 2')
    expect(
      (await client.from('saved_views').insert({ resource: 'tickets', name: 'Again', state: {} })).error,
    ).toBeNull()

    const preferences = Array.from({ length: 200 }, (_, n) => ({ resource: `r${n}`, density: 'compact' }))
    expect((await client.from('list_preferences').insert(preferences)).error).toBeNull()
    const setting = await client.from('list_preferences').insert({ resource: 'r200', density: 'compact' })
    expect(setting.error).toMatchObject({ code: '23514', hint: 'settings_too_many' })
    expect(
      (await client.from('list_preferences').upsert({ resource: 'r7', density: 'comfortable' })).error,
    ).toBeNull()
  })

  it('a view and the settings of a list have a size, and a colleague has bounds of their own', async () => {
    const company = await createCompany(backend)
    const client = await backend.client((await createAccount(backend, 'Standard', company)).email)
    const large = { query: 'x'.repeat(9000) }
    const view = await client.from('saved_views').insert({ resource: 'tickets', name: 'Large', state: large })
    expect(view.error).toMatchObject({ code: '23514', hint: 'settings_too_large' })
    const setting = await client
      .from('list_preferences')
      .insert({ resource: 'tickets', columns: [{ field: 'x'.repeat(9000) }] })
    expect(setting.error).toMatchObject({ code: '23514', hint: 'settings_too_large' })
    expect(
      (await client.from('saved_views').insert({ resource: 'tickets', name: 'Small', state: {} })).error,
    ).toBeNull()
  })
})
