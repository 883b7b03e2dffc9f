import type { SupabaseClient } from '@supabase/supabase-js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'

const NAMES = [
  'ışık-01',
  'IŞIK-02',
  'Işık 03',
  'İSTANBUL-PC',
  'istanbul-pc-2',
  'Çağrı Merkezi',
  'kâğıt',
  '100%_sure\\n',
]
/** More than a search looks up one by one: the common word takes the other way through the plan. */
const COMMON = 620

describe.each(drivers('collations'))('search and sorting on %s', (driver) => {
  let backend: TestBackend
  let admin: SupabaseClient
  let company: string
  /** Other files leave devices of theirs, which a Super Admin finds too. */
  let companies: string[]

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    const other = await createCompany(backend)
    companies = [company, other]
    for (const name of NAMES)
      await backend.sql('insert into public.devices (company_id, name) values ($1, $2)', [company, name])
    await backend.sql(
      `insert into public.devices (company_id, name, os, status, offline_since)
       select $1, 'ortak-' || n, case when n % 4 = 0 then 'Ubuntu' end, 'online', null from generate_series(1, ${COMMON}) n`,
      [company],
    )
    await backend.sql(
      `insert into public.devices (company_id, name) values ($1, 'ışık of another company')`,
      [other],
    )
    await backend.sql('analyze public.devices')
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
  })
  afterAll(() => backend?.stop())

  const search = async (q: string, from: SupabaseClient = admin) => {
    const { data, error, count } = await from
      .rpc('search_devices', { q }, { get: true, count: 'exact' })
      .select('name')
      .in('company_id', companies)
      .order('name_key')
      .order('id')
      .limit(1000)
    expect(error).toBeNull()
    const names = ((data ?? []) as { name: string }[]).map(({ name }) => name)
    expect(count).toBe(names.length)
    return names
  }

  it.each(['ışık', 'IŞIK', 'isik', 'Işık', 'İŞİK', 'ışi'])(
    'finds every spelling of ışık by %s',
    async (word) => {
      expect((await search(word)).sort()).toEqual(['ışık-01', 'IŞIK-02', 'Işık 03'].sort())
    },
  )

  it.each(['istanbul', 'İSTANBUL', 'ISTANBUL', 'i\u0307stanbul'])(
    'finds every spelling of istanbul by %s',
    async (word) => {
      expect(await search(word)).toHaveLength(2)
    },
  )

  it('finds words in any order, all of them', async () => {
    expect(await search('merkez çağrı')).toEqual(['Çağrı Merkezi'])
    expect(await search('merkez ışık')).toEqual([])
    expect(await search('kagit')).toEqual(['kâğıt'])
  })

  it('takes what means something in a pattern as text', async () => {
    expect(await search('100%_')).toEqual(['100%_sure\\n'])
    expect(await search('%')).toEqual(['100%_sure\\n'])
    expect(await search('\\')).toEqual(['100%_sure\\n'])
    expect(await search(`'; select 1; --`)).toEqual([])
    expect(await search('x'.repeat(5000))).toEqual([])
  })

  it('finds everything for nothing', async () => {
    expect(await search('')).toHaveLength(NAMES.length + COMMON)
    expect(await search('   ')).toHaveLength(NAMES.length + COMMON)
  })

  it('finds a common word as surely as a rare one, filtered, ordered and paged like the table', async () => {
    expect(await search('ortak')).toHaveLength(COMMON)
    const { data, count } = await admin
      .rpc('search_devices', { q: 'ORTAK' }, { get: true, count: 'exact' })
      .select('name, companies!devices_company_id_fkey(id)')
      .eq('os', 'Ubuntu')
      .order('name_key', { ascending: false })
      .order('id', { ascending: false })
      .range(1, 2)
    expect(count).toBe(Math.floor(COMMON / 4))
    expect(data).toEqual([
      { name: `ortak-${COMMON - 4}`, companies: { id: company } },
      { name: `ortak-${COMMON - 8}`, companies: { id: company } },
    ])
  })

  it('searches groups and procedures alike', async () => {
    await backend.sql(`insert into public.groups (company_id, name) values ($1, 'Muhasebe IŞIK')`, [company])
    await backend.sql(
      `insert into public.procedures (company_id, name, type, script) values ($1, 'Işıkları söndür', 'Bash', 'true')`,
      [company],
    )
    for (const table of ['groups', 'procedures']) {
      const { data } = await admin.rpc(`search_${table}`, { q: 'isik' }, { get: true }).select('company_id')
      expect(data).toEqual([{ company_id: company }])
    }
  })

  it('searches every list there is alike, and each in its own company', async () => {
    const other = await createCompany(backend)
    for (const id of [company, other])
      await backend.sql(
        `with device as (insert into public.devices (company_id, name) values ($1, 'Depo') returning id),
           monitor as (insert into public.monitors (company_id, name, type) values ($1, 'Işık ölçümü', 'Performance') returning id),
           title as (insert into public.software (company_id, name, publisher) values ($1, 'Büro', 'IŞIK Yazılım') returning id),
           alert as (insert into public.alerts (company_id, monitor_id, device_id, message)
             select $1, m.id, d.id, 'Işık kesildi' from monitor m, device d returning id),
           job as (insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds, expires_at)
             values ($1, 'command', 'ışıkları söndür', 'Bash', 'true', repeat('0', 64), 60, '2100-01-01') returning id),
           automation as (insert into public.automations (company_id, name) values ($1, 'Gece ışığı, ışık') returning id),
           license as (insert into public.software_licenses (company_id, name, publisher) values ($1, 'Büro', 'Işık') returning id),
           patch as (insert into public.patches (company_id, title) values ($1, 'IŞIK sürücüsü') returning id),
           policy as (insert into public.policies (company_id, name, description) values ($1, 'Gece', 'ışıklar kapalı') returning id)
         insert into public.enrollment_tokens (company_id, name, hint) values ($1, 'Işık Atölyesi', 'abcd')`,
        [id],
      )
    const tables = [
      'monitors',
      'software',
      'alerts',
      'jobs',
      'automations',
      'software_licenses',
      'patches',
      'policies',
    ]
    for (const table of [...tables, 'enrollment_tokens']) {
      const found = async (q: string) =>
        (await admin.rpc(`search_${table}`, { q }, { get: true }).select('company_id')).data
      expect(await found('isik'), table).toEqual([{ company_id: company }])
      expect(await found('isik nowhere'), table).toEqual([])
    }
  })

  it('finds companies among those the caller may see', async () => {
    await backend.sql(`update public.companies set name = 'Işık A.Ş.' where id = $1`, [company])
    const found = async (q: string) =>
      (await admin.rpc('search_companies', { q }, { get: true }).select('id')).data
    expect(await found('isik')).toEqual([{ id: company }])
    expect(await found('test')).toEqual([])
  })

  it('finds inventory by its title or its device, sorted as both do, also when the device is renamed', async () => {
    const [device] = await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) values ($1, 'Zümrüt') returning id`,
      [company],
    )
    await backend.sql('select app.apply_inventory($1, $2, $3::text::jsonb)', [
      device?.id,
      company,
      JSON.stringify([{ name: 'Şablon' }, { name: 'Sözlük' }, { name: 'Zebra' }]),
    ])
    const found = async (q: string) => {
      const { data, error } = await admin
        .rpc('search_device_software', { q }, { get: true })
        .select('software(name)')
        .order('title_key')
        .order('id')
      expect(error).toBeNull()
      return (data as unknown as { software: { name: string } }[]).map(({ software }) => software.name)
    }
    expect(await found('zumrut')).toEqual(['Sözlük', 'Şablon', 'Zebra'])
    expect(await found('sablon')).toEqual(['Şablon'])
    await admin.from('devices').update({ name: 'Kâğıthane' }).eq('id', device?.id).throwOnError()
    expect(await found('zumrut')).toEqual([])
    const [stale] = await backend.sql(
      `select count(*)::int as count from public.device_software x join public.devices d on d.id = x.device_id
       where x.device_key is distinct from d.name_key`,
    )
    expect(stale).toEqual({ count: 0 })
  })

  it('sorts inventory by version as numbers, by publisher and by size', async () => {
    const [device] = await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) values ($1, 'Sorted') returning id`,
      [company],
    )
    await backend.sql('select app.apply_inventory($1, $2, $3::text::jsonb)', [
      device?.id,
      company,
      JSON.stringify([
        { name: 'one', version: '10.1', publisher: 'Şirket', size_mb: 9.5 },
        { name: 'two', version: '9.2', publisher: 'Sanal', size_mb: 120 },
        { name: 'three', version: '9.10', publisher: 'Zirve', size_mb: 9.25 },
      ]),
    ])
    const sorted = async (column: string) => {
      const { data } = await admin
        .from('device_software')
        .select('software(name)')
        .eq('device_id', device?.id)
        .order(column)
        .throwOnError()
      return (data as unknown as { software: { name: string } }[]).map(({ software }) => software.name)
    }
    expect(await sorted('version_key')).toEqual(['two', 'three', 'one'])
    expect(await sorted('publisher_key')).toEqual(['two', 'one', 'three'])
    expect(await sorted('size_key')).toEqual(['three', 'one', 'two'])
  })

  it('finds runs by their script or device, of the own company only, and follows a rename', async () => {
    const [device] = await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) values ($1, 'Gürgen-7') returning id`,
      [company],
    )
    const { data: script } = await admin
      .from('procedures')
      .insert({ company_id: company, name: 'Önbelleği temizle', type: 'Bash', script: 'true' })
      .select('id')
      .single()
      .throwOnError()
    await admin.rpc('run_procedure', { procedure_id: script?.id, device_ids: [device?.id] }).throwOnError()
    const found = async (q: string, client = admin) =>
      (await client.rpc('search_job_runs', { q }, { get: true }).select('device_key')).data
    expect(await found('onbellegi')).toEqual([{ device_key: 'gu~rgen-00000007' }])
    expect(await found('gurgen')).toHaveLength(1)
    expect(await found('temizle gurgen')).toEqual([])
    await admin.from('devices').update({ name: 'Ladin' }).eq('id', device?.id).throwOnError()
    expect(await found('gurgen')).toEqual([])
    expect(await found('ladin')).toEqual([{ device_key: 'ladin' }])

    const other = await createCompany(backend)
    expect(
      await found('ladin', await backend.client((await createAccount(backend, 'Admin', other)).email)),
    ).toEqual([])
    const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
    for (const stranger of [standard, await backend.client()])
      expect(
        (await stranger.rpc('search_job_runs', { q: 'ladin' }, { get: true }).select('id')).error?.code,
      ).toBe('42501')
  })

  it('is refused to those who may not list', async () => {
    const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
    expect((await standard.rpc('search_devices', { q: 'ışık' }, { get: true })).error).toMatchObject({
      code: '42501',
      hint: 'role',
    })
    expect(
      (await (await backend.client()).rpc('search_devices', { q: 'ışık' }, { get: true })).error?.code,
    ).toBe('42501')
  })

  it('a Super Admin searches all companies', async () => {
    const all = await backend.client((await createAccount(backend, 'Super Admin', null)).email)
    expect(await search('ışık', all)).toHaveLength(4)
    expect(await search('ortak', all)).toHaveLength(COMMON)
  })

  it('sorts as Turkish does, numbers by value, whatever the database’s collation', async () => {
    const collator = new Intl.Collator('tr', { numeric: true, sensitivity: 'accent' })
    const letters = fc.constantFrom(...'abcçdefgğhıijklmnoöprsştuüvyzABCÇDEFGĞHIİJKLMNOÖPRSŞTUÜVYZ')
    const word = fc
      .tuple(fc.string({ unit: letters, minLength: 1, maxLength: 8 }), fc.nat(12345))
      .map(([a, n]) => a + n)
    const words = fc.sample(word, { numRuns: 400, seed: 7 })
    const rows = await backend.sql<{ word: string }>(
      `select word from jsonb_array_elements_text($1::text::jsonb) as w (word) order by app.sort_key(word) collate "C"`,
      [JSON.stringify(words)],
    )
    const sorted = rows.map((row) => row.word)
    const unordered = sorted.filter((next, i) => i > 0 && collator.compare(sorted[i - 1] ?? '', next) > 0)
    expect(unordered).toEqual([])
  })
})
