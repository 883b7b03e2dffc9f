import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, literal, updateOf } from '../support/as-user'

describe.each(drivers())('patches on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: { id: string; email: string }
  let teknik: { id: string }
  let patch: string
  let device: string
  let client: SupabaseClient

  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(`${insertInto(table, values)} returning id`)
    return row?.id ?? ''
  }
  const decide = (approval: string, until: string | null = null, ids: string[] = [patch]) =>
    `select public.decide_patches(array[${ids.map(literal).join(',')}]::uuid[], ${literal(approval)}, ${literal(until)}) as decided`
  const approvals = () =>
    `select approval, deferred_until::text from public.patches where company_id = ${literal(company)} order by title_key`

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = await createAccount(backend, 'Admin', company)
    teknik = await createAccount(backend, 'Teknik', company)
    client = await backend.client(admin.email)
    device = await add('devices', { company_id: company, name: 'ışık-masaüstü' })
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    await backend.sql('delete from public.patches where company_id = $1', [company])
    patch = await add('patches', {
      company_id: company,
      title: 'Windows 11 güncellemesi',
      kb_number: 'KB5046617',
      severity: 'critical',
    })
  })

  it('are decided about by who may approve, one or many', async () => {
    const second = await add('patches', { company_id: company, title: 'Zweites', kb_number: 'KB2' })
    const answer = await as(admin.id, decide('approved', null, [patch, second]), approvals())
    expect(answer.data).toEqual([{ decided: 2 }])
    expect(answer.probe).toEqual([
      { approval: 'approved', deferred_until: null },
      { approval: 'approved', deferred_until: null },
    ])
    const deferred = await as(admin.id, decide('deferred', '2100-01-01'), approvals())
    expect(deferred.probe?.[0]).toEqual({ approval: 'deferred', deferred_until: '2100-01-01' })
    expect(await as(admin.id, decide('deferred'))).toMatchObject({
      code: '23514',
      constraint: 'patches_deferred_until_check',
    })
    expect((await as(admin.id, decide('deferred', '2020-01-01'))).code).toBe('23514')
    expect((await as(admin.id, decide('maybe'))).code).toBe('23514')
  })

  it('are edited, but not decided about, by who may only edit', async () => {
    expect((await as(teknik.id, updateOf('patches', { notes: 'Sorun çıkardı' }, { id: patch }))).rows).toBe(1)
    expect(await as(teknik.id, updateOf('patches', { approval: 'approved' }, { id: patch }))).toMatchObject({
      code: '42501',
      hint: 'role',
    })
    expect(await as(teknik.id, decide('approved'))).toMatchObject({ code: '42501', hint: 'role' })
    // The same decision again is no decision.
    expect((await as(teknik.id, updateOf('patches', { approval: 'pending' }, { id: patch }))).rows).toBe(1)
  })

  it('take back the date when they are no longer deferred', async () => {
    await client
      .rpc('decide_patches', { ids: [patch], approval: 'deferred', until: '2100-01-01' })
      .throwOnError()
    await client.from('patches').update({ approval: 'denied' }).eq('id', patch).throwOnError()
    const { data } = await client.from('patches').select('approval,deferred_until').single()
    expect(data).toEqual({ approval: 'denied', deferred_until: null })
  })

  it('of another company are not there', async () => {
    const other = await createCompany(backend)
    const foreign = await add('patches', { company_id: other, title: 'Foreign' })
    expect((await as(admin.id, decide('approved', null, [foreign]))).code).toBe('PT404')
    expect((await as(admin.id, insertInto('patches', { company_id: company, title: 'Tried' }))).code).toBe(
      '42501',
    )
  })

  it('are closed without Pro', async () => {
    const basic = await createCompany(backend, { licenseType: 'Basic' })
    const { id } = await createAccount(backend, 'Admin', basic)
    expect(await as(id, decide('approved'))).toMatchObject({ code: '42501', hint: 'without-pro' })
    expect((await as(id, 'select 1 from public.device_patches')).rows).toBe(0)
  })

  it('of a device sort and filter as their update and their device do, also after a change of either', async () => {
    await add('device_patches', { company_id: company, device_id: device, patch_id: patch })
    const keys = async () =>
      await backend.sql(
        `select x.title_key = app.sort_key(p.title) as title, x.device_key = app.sort_key(d.name) as device, x.severity
         from public.device_patches x join public.patches p on p.id = x.patch_id join public.devices d on d.id = x.device_id
         where x.company_id = $1`,
        [company],
      )
    expect(await keys()).toEqual([{ title: true, device: true, severity: 'critical' }])
    await client.from('devices').update({ name: 'Şube 2' }).eq('id', device).throwOnError()
    await backend.sql(`update public.patches set title = 'Renamed', severity = 'low' where id = $1`, [patch])
    expect(await keys()).toEqual([{ title: true, device: true, severity: 'low' }])
    await client.from('devices').update({ name: 'ışık-masaüstü' }).eq('id', device).throwOnError()
  })

  it('of a device are found by the words of the update or of the device', async () => {
    await add('device_patches', { company_id: company, device_id: device, patch_id: patch })
    const found = async (q: string) =>
      (await client.rpc('search_device_patches', { q }, { get: true }).select('status,patches(title)')).data
    const row = { status: 'missing', patches: { title: 'Windows 11 güncellemesi' } }
    expect(await found('GUNCELLEMESI')).toEqual([row])
    expect(await found('kb5046617')).toEqual([row])
    expect(await found('isik')).toEqual([row])
    expect(await found('')).toEqual([row])
    expect(await found('nothing of the kind')).toEqual([])
  })

  it('of one device stay within 3,000, and those it has are still followed', async () => {
    await backend.sql(
      `with made as (
         insert into public.patches (company_id, title, kb_number) select $1, 'Invented', n from generate_series(1, 3000) n
         returning id
       )
       insert into public.device_patches (company_id, device_id, patch_id, status, installed_at) select $1, $2, id, 'installed', now()
       from made`,
      [company, device],
    )
    const report = (titles: string[][]) =>
      backend.sql('select app.match_patches($1, $2, $3)', [
        company,
        device,
        JSON.stringify({ missing: titles.map(([title, kb_number]) => ({ title, kb_number })) }),
      ])
    const rows = () =>
      backend.sql(
        `select status, count(*)::int as n from public.device_patches where device_id = $1 group by status order by status`,
        [device],
      )
    await report([
      ['One more', '1'],
      ['Invented', '7'],
    ])
    expect(await rows()).toEqual([
      { status: 'installed', n: 2999 },
      { status: 'missing', n: 1 },
    ])
    expect(await backend.sql(`select 1 from public.patches where title = 'One more'`)).toEqual([])
  })

  describe('that a device reports', () => {
    const report = (on: string, titles: string[][], installed?: string[][]) => {
      const named = (list: string[][]) => list.map(([title, kb_number = '']) => ({ title, kb_number }))
      return backend.sql('select app.record_patches($1, $2, $3)', [
        company,
        on,
        JSON.stringify({ missing: named(titles), ...(installed ? { installed: named(installed) } : {}) }),
      ])
    }
    const count = async (sql: string) => (await backend.sql<{ n: number }>(sql, [company]))[0]?.n

    it('are at most 2,000 new ones a day, and what is left out makes it unknown, not up to date', async () => {
      await backend.sql(
        `insert into public.patches (company_id, title, reported_by)
         select $1, 'Invented ' || n, $2 from generate_series(1, 1999) n`,
        [company, device],
      )
      const known = () => backend.sql('select updates_known from public.devices where id = $1', [device])
      await report(device, [['Invented last']], [])
      expect(await known()).toEqual([{ updates_known: true }])
      await report(device, [['Invented last'], ['Invented too many']], [])
      expect(
        await count(
          `select count(*)::int as n from public.patches where company_id = $1 and title like 'Inv%'`,
        ),
      ).toBe(2000)
      expect(await known()).toEqual([{ updates_known: false }])
      // Another device's are taken.
      const honest = await add('devices', { company_id: company, name: 'dürüst' })
      await report(honest, [['Real', 'KB1']])
      expect(await backend.sql('select updates_known from public.devices where id = $1', [honest])).toEqual([
        { updates_known: true },
      ])
      expect(
        await backend.sql(`select status from public.device_patches where device_id = $1`, [honest]),
      ).toEqual([{ status: 'missing' }])
    })

    it('are forgotten when no device has them and nobody decided about them', async () => {
      await report(
        device,
        [
          ['Gone', '1'],
          ['Decided', '1'],
          ['Kept', '1'],
        ],
        [],
      )
      await backend.sql(`update public.patches set approval = 'denied' where title = 'Decided'`)
      await report(device, [['Kept', '1']], [])
      await backend.sql(`update public.patches set created_at = now() - interval '1 hour'`)
      await backend.sql('select app.forget_patches()')
      expect(
        await backend.sql(`select title from public.patches where reported_by = $1 order by title_key`, [
          device,
        ]),
      ).toEqual([{ title: 'Decided' }, { title: 'Kept' }])
    })

    it('supersede none that another device still lacks, however early they are reported', async () => {
      const honest = await add('devices', { company_id: company, name: 'geç kalan' })
      await report(device, [['Cumulative Update', 'KB5099']])
      await report(device, [['Cumulative Update', 'KB-none']])
      const superseded = () =>
        backend.sql(`select superseded from public.patches where company_id = $1 and kb_number = 'KB5099'`, [
          company,
        ])
      expect(await superseded()).toEqual([{ superseded: true }])
      await report(honest, [['Cumulative Update', 'KB5099']])
      expect(await superseded()).toEqual([{ superseded: false }])
    })
  })

  it('are installed exactly when it is known since when', async () => {
    const values = { company_id: company, device_id: device, patch_id: patch, status: 'installed' }
    await expect(add('device_patches', values)).rejects.toThrow()
    await expect(add('device_patches', { ...values, installed_at: '2026-01-01' })).resolves.not.toBe('')
  })
})
