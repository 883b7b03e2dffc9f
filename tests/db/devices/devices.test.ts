import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser } from '../support/as-user'

type Item = Record<string, unknown>
interface Outcome {
  added: number
  changed: number
  removed: number
}

describe.each(drivers())('devices, software and tokens on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let other: string
  let admin: string
  let teknik: string

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    teknik = (await createAccount(backend, 'Teknik', company)).id
  })
  afterAll(() => backend?.stop())

  async function device(of = company, name = 'PC'): Promise<string> {
    const [row] = await backend.sql<{ id: string }>(
      'insert into public.devices (company_id, name) values ($1, $2) returning id',
      [of, name],
    )
    return row?.id ?? ''
  }
  async function apply(id: string, software: unknown, of = company): Promise<Outcome> {
    const [row] = await backend.sql<{ outcome: Outcome }>(
      'select app.apply_inventory($1, $2, $3::text::jsonb) as outcome',
      [id, of, JSON.stringify(software)],
    )
    return row?.outcome ?? { added: -1, changed: -1, removed: -1 }
  }
  const installed = (id: string) =>
    backend.sql<Item>(
      `select s.name, s.publisher, d.version, d.install_date::text, d.size_mb::float as size_mb
       from public.device_software d join public.software s on s.company_id = d.company_id and s.id = d.software_id
       where d.device_id = $1 order by s.name, s.publisher, d.version`,
      [id],
    )

  describe('inventory', () => {
    it('becomes rows, and only what differs is written again', async () => {
      const id = await device()
      const list = [
        { name: 'Git', version: '2.47', publisher: 'Git', install_date: '2026-03-01', size_mb: 340.456 },
        { name: 'Logo Yazılım', version: '3', publisher: 'Logo' },
      ]
      expect(await apply(id, list)).toEqual({ added: 2, changed: 0, removed: 0 })
      expect(await apply(id, list)).toEqual({ added: 0, changed: 0, removed: 0 })
      const next = [
        { ...list[0], size_mb: 350 },
        { name: 'curl', version: '8' },
      ]
      expect(await apply(id, next)).toEqual({ added: 1, changed: 1, removed: 1 })
      expect(await installed(id)).toEqual([
        { name: 'Git', publisher: 'Git', version: '2.47', install_date: '2026-03-01', size_mb: 350 },
        { name: 'curl', publisher: '', version: '8', install_date: null, size_mb: null },
      ])
      expect(await apply(id, [])).toEqual({ added: 0, changed: 0, removed: 2 })
    })

    it('survives whatever a machine sends', async () => {
      const id = await device()
      const hostile: unknown[] = [
        null, 7, 'text', [], [[]], {}, { name: null }, { name: '' }, { name: '  \t ' }, { name: { deep: true } },
        { name: 'x'.repeat(100_000), version: 'y'.repeat(100_000), publisher: 'z'.repeat(100_000) },
        { name: `a'; drop table public.devices; --`, version: '\\' },
        { name: 'control\u0001\u001f\u007fchars', version: '1\n2' },
        { name: 'dates', install_date: '2026-02-31', size_mb: '1e400' },
        { name: 'dates', version: '2', install_date: 'yesterday', size_mb: -5 },
        { name: 'dates', version: '3', install_date: '0000-00-00', size_mb: 'NaN' },
        { name: 'dates', version: '4', install_date: 20260101, size_mb: 1e308 },
        { name: 'twice', version: '1', size_mb: 1 }, { name: ' twice ', version: '1', size_mb: 2 },
        { name: 'ＦＵＬＬ ﬁ 🙂 İı', version: '١' }, { name: `\u202etxt.exe\u202c Z${'\u0301'.repeat(50)}`, version: '1' },
      ] // biome-ignore format: one line a kind of harm
      await apply(id, hostile)
      const rows = await installed(id)
      expect(rows.map((row) => String(row.name).slice(0, 40)).sort()).toEqual(
        [
          '{"deep": true}', `a'; drop table public.devices; --`, 'control chars', 'dates', 'dates', 'dates', 'dates',
          'twice', 'x'.repeat(40), 'ＦＵＬＬ ﬁ 🙂 İı', 'txt.exe Z\u0301\u0301',
        ].sort(), // biome-ignore format: a list
      )
      expect(rows.find((row) => row.name === 'twice')).toMatchObject({ size_mb: 1 })
      expect(rows.filter((row) => row.name === 'dates').map((row) => row.install_date)).toEqual([
        '2026-03-03', null, null, null,
      ]) // biome-ignore format: a list
      for (const nothing of [null, {}, 'x', 5]) expect(await apply(id, nothing)).toMatchObject({ removed: 0 })
      expect(await installed(id)).toHaveLength(rows.length)
    })

    it('takes 5,000 rows and no more', async () => {
      const id = await device()
      const list = Array.from({ length: 5100 }, (_, i) => ({
        name: `package ${i}`,
        version: `${i}`,
        publisher: 'p',
      }))
      expect(await apply(id, list)).toEqual({ added: 5000, changed: 0, removed: 0 })
      expect(await apply(id, list)).toEqual({ added: 0, changed: 0, removed: 0 })
    })

    it('shares titles inside a company and never across companies', async () => {
      const [first, second, foreign] = [await device(), await device(), await device(other)]
      await apply(first, [{ name: 'Shared', version: '1' }])
      await apply(second, [{ name: 'Shared', version: '2' }])
      await apply(foreign, [{ name: 'Shared', version: '1' }], other)
      const titles = await backend.sql(`select company_id from public.software where name = 'Shared'`)
      expect(titles.map((row) => row.company_id).sort()).toEqual([company, other].sort())
      expect(await apply(foreign, [{ name: 'Forged', version: '1' }], company)).toEqual({
        added: 0,
        changed: 0,
        removed: 0,
      })
    })
  })

  describe('rows', () => {
    it('people change name and notes; what a machine reports is not theirs', async () => {
      const id = await device()
      const set = (what: string) => as(teknik, `update public.devices set ${what} where id = '${id}'`)
      expect(await set(`name = 'Renamed', notes = 'x'`)).toMatchObject({ rows: 1 })
      for (const what of [
        `status = 'online'`,
        'offline_since = null',
        `machine_id = 'm'`,
        `serial = 's'`,
        'version = 1',
        `id = gen_random_uuid()`,
      ])
        expect(await set(what)).toMatchObject({ code: '42501' })
      expect(
        await as(
          admin,
          `insert into public.devices (id, company_id, name) values ('${id}', '${company}', 'Guess')`,
        ),
      ).toMatchObject({ code: '42501' })
    })

    it('count a version for what people edit, not for what machines report', async () => {
      const id = await device()
      const version = async () =>
        (await backend.sql<{ version: number }>('select version from public.devices where id = $1', [id]))[0]
          ?.version
      await backend.sql(
        `update public.devices set os = 'Ubuntu', status = 'online', offline_since = null where id = $1`,
        [id],
      )
      expect(await version()).toBe(1)
      await backend.sql(`update public.devices set name = 'Other' where id = $1`, [id])
      expect(await version()).toBe(2)
    })

    it('go with everything that hangs on them', async () => {
      const id = await device()
      await apply(id, [{ name: 'Git', version: '1' }])
      await backend.sql('insert into public.device_presence (company_id, device_id) values ($1, $2)', [
        company,
        id,
      ])
      await backend.sql(
        `insert into app.device_secrets (company_id, device_id, secret_hash) values ($1, $2, '\\x00')`,
        [company, id],
      )
      expect(await as(teknik, `delete from public.devices where id = '${id}'`)).toMatchObject({
        code: '42501',
        hint: 'role',
      })
      const left = ['device_presence', 'device_software'].map(
        (table) => `select 1 from public.${table} where device_id = '${id}'`,
      )
      const probe = [...left, `select 1 from app.device_secrets where device_id = '${id}'`].join(
        ' union all ',
      )
      expect(await as(admin, `delete from public.devices where id = '${id}'`, probe)).toMatchObject({
        rows: 1,
        probe: [],
      })
    })

    it('are in groups of their own company only, and a foreign group looks missing', async () => {
      const [group] = await backend.sql<{ id: string }>(
        `insert into public.groups (company_id, name) values ($1, 'Group') returning id`,
        [company],
      )
      const put = (deviceId: string) =>
        as(
          teknik,
          `insert into public.group_devices (company_id, group_id, device_id) values ('${company}', '${group?.id}', '${deviceId}')`,
        )
      expect(await put(await device())).toMatchObject({ rows: 1 })
      const foreign = await device(other)
      const missing = '00000000-0000-4000-8000-000000000000'
      const [real, none] = [await put(foreign), await put(missing)]
      expect(real.code).toBe('23503')
      expect(JSON.stringify(real).replaceAll(foreign, missing)).toBe(JSON.stringify(none))
    })
  })

  describe('enrollment tokens', () => {
    const create = (args: string) => `select public.create_enrollment_token(${args}) as made`

    it('are shown once and kept as a hash', async () => {
      const { data, probe } = await as(
        admin,
        create(`'${company}', '  Head office ', null, now() + interval '1 day', 3`),
        `select t.name, t.hint, t.max_uses, t.created_by, s.token_hash from public.enrollment_tokens t join app.enrollment_secrets s on s.token_id = t.id where t.company_id = '${company}'`,
      )
      const made = data?.[0]?.made as { id: string; token: string }
      expect(made.token).toMatch(/^kt_[0-9a-f]{64}$/)
      expect(probe?.[0]).toMatchObject({
        name: 'Head office',
        hint: made.token.slice(-4),
        max_uses: 3,
        created_by: admin,
      })
      expect(JSON.stringify(probe)).not.toContain(made.token.slice(3))
    })

    it('belong to the caller’s company, and a foreign one looks like none', async () => {
      const foreign = await as(admin, create(`'${other}', 'x'`))
      expect(foreign).toMatchObject({ code: '42501' })
      expect(await as(admin, create(`gen_random_uuid(), 'x'`))).toEqual(foreign)
      expect(await as(admin, create(`null, 'x'`))).toEqual(foreign)
      expect(await as(teknik, create(`'${company}', 'x'`))).toMatchObject({ code: '42501', hint: 'role' })
      const [group] = await backend.sql<{ id: string }>(
        `insert into public.groups (company_id, name) values ($1, 'Theirs') returning id`,
        [other],
      )
      expect(await as(admin, create(`'${company}', 'x', '${group?.id}'`))).toMatchObject({ code: '23503' })
      expect(await as(admin, create(`'${company}', 'x', null, now() - interval '1 second'`))).toMatchObject({
        code: '22023',
      })
    })

    it('are revoked for good, by their own company', async () => {
      const [row] = await backend.sql<{ id: string }>(
        `insert into public.enrollment_tokens (company_id, name, hint) values ($1, 'Old', 'abcd') returning id`,
        [company],
      )
      const revoke = `select public.revoke_enrollment_token('${row?.id}')`
      const probe = `select revoked_at is not null as revoked from public.enrollment_tokens where id = '${row?.id}'`
      expect(await as(admin, revoke, probe)).toMatchObject({ probe: [{ revoked: true }] })
      const stranger = (await createAccount(backend, 'Admin', other)).id
      const refused = await as(stranger, revoke, probe)
      expect(refused).toMatchObject({ code: 'PT404', probe: [{ revoked: false }] })
      expect(await as(stranger, 'select public.revoke_enrollment_token(gen_random_uuid())')).toMatchObject({
        code: 'PT404',
      })
      expect(await as(teknik, revoke, probe)).toMatchObject({ code: '42501', probe: [{ revoked: false }] })
    })
  })
})
