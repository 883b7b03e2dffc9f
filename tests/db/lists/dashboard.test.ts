import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser } from '../support/as-user'

interface Figures {
  online: number
  offline: number
  procedures: number
  alerts: number
  systems: { os: string; count: number }[]
  recent: { id: string; procedure_name: string; status: string; executed_at: string }[]
  updated_at: string
}

describe('dashboard()', () => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let other: string
  let admin: string
  let superAdmin: string

  beforeAll(async () => {
    backend = await sharedBackend()
    as = await asUser(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    superAdmin = (await createAccount(backend, 'Super Admin', null)).id
    // More than the 1,000 rows that an API answers at most.
    await backend.sql(
      `insert into public.devices (company_id, name, os, status, offline_since)
       select case when n <= 1200 then $1::uuid else $2::uuid end, 'pc-' || n,
         (array['Windows 11', 'Ubuntu', null])[1 + n % 3],
         case when n % 4 = 0 then 'offline' else 'online' end, case when n % 4 = 0 then now() end
       from generate_series(1, 1300) n`,
      [company, other],
    )
    await backend.sql(
      `insert into public.procedures (company_id, name, type, script)
       select $1, 'Script ' || n, 'Bash', 'true' from generate_series(1, 7) n`,
      [company],
    )
    await backend.sql(
      `insert into public.procedure_logs (company_id, procedure_name, device_name, executed_at, status)
       select case when n = 3 then $2::uuid else $1::uuid end, 'Script ' || n, 'pc', now() + make_interval(mins => 10 - n), 'success'
       from generate_series(1, 9) n`,
      [company, other],
    )
    await backend.sql(
      `with m as (insert into public.monitors (company_id, name, type, service_name) select $1, 'Monitor ' || n, 'Service', 'spooler' from generate_series(1, 3) n returning id, name)
       insert into public.alerts (company_id, monitor_id, device_id)
       select $1, m.id, (select id from public.devices where company_id = $1 limit 1) from m where m.name <> 'Monitor 3'`,
      [company],
    )
  })
  afterAll(() => backend?.stop())

  const dashboard = (who: string | null, argument = '') =>
    as(who, `select public.dashboard(${argument}) as figures`)
  const figuresOf = async (who: string, argument = '') =>
    (await dashboard(who, argument)).data?.[0]?.figures as Figures

  it('counts everything of the company, whatever the size of the table', async () => {
    expect(await figuresOf(admin)).toMatchObject({
      online: 900,
      offline: 300,
      procedures: 7,
      alerts: 2,
      systems: [
        { os: '', count: 400 },
        { os: 'Ubuntu', count: 400 },
        { os: 'Windows 11', count: 400 },
      ],
    })
  })

  it('gives the four newest runs, newest first, of the own company', async () => {
    const { recent } = await figuresOf(admin)
    expect(recent.map((run) => run.procedure_name)).toEqual(['Script 1', 'Script 2', 'Script 4', 'Script 5'])
  })

  it('gives a Super Admin all companies, or one', async () => {
    // Other files leave devices of theirs.
    const [all] = await backend.sql<{ online: number; offline: number }>(
      `select count(*) filter (where status = 'online')::int as online, count(*) filter (where status = 'offline')::int as offline
       from public.devices`,
    )
    expect(all?.online).toBeGreaterThanOrEqual(975)
    const figures = await figuresOf(superAdmin)
    expect(figures).toMatchObject({ ...all })
    expect(figures.recent.map((run) => run.procedure_name)).toContain('Script 3')
    expect(await figuresOf(superAdmin, `'${other}'`)).toMatchObject({
      online: 75,
      offline: 25,
      procedures: 0,
      alerts: 0,
    })
  })

  it('tells nothing of another company, not even whether it exists', async () => {
    const foreign = await dashboard(admin, `'${other}'`)
    expect(foreign.code).toBe('42501')
    expect(await dashboard(admin, 'gen_random_uuid()')).toEqual(foreign)
    expect(await figuresOf(admin, `'${company}'`)).toMatchObject({ online: 900 })
  })

  it('is refused without the permission', async () => {
    const standard = (await createAccount(backend, 'Standard', company)).id
    expect(await dashboard(standard)).toMatchObject({ code: '42501', hint: 'role' })
    expect(await dashboard(null)).toMatchObject({ code: '42501' })
    expect(await dashboard((await createAccount(backend, null, null)).id)).toMatchObject({ code: '42501' })
  })

  it('follows alerts as they open and close', async () => {
    const active = async () => (await figuresOf(admin)).alerts
    await backend.sql(`update public.alerts set status = 'acknowledged' where company_id = $1`, [company])
    expect(await active()).toBe(2)
    await backend.sql(`update public.alerts set status = 'resolved' where company_id = $1`, [company])
    expect(await active()).toBe(0)
    await backend.sql(`delete from public.alerts where company_id = $1`, [company])
    expect(await active()).toBe(0)
  })
})
