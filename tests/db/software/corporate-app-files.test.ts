import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, literal, updateOf } from '../support/as-user'

const SHA = 'a'.repeat(64)

describe.each(drivers())('uploaded packages on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: string
  let app: string

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false, packageMaxMb: 2, packageCompanyMb: 3 })
    as = await asUser(backend)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    const [row] = await backend.sql<{ id: string }>(
      `${insertInto('corporate_apps', { company_id: company, name: 'ERP', package_version: '1' })} returning id`,
    )
    app = row?.id ?? ''
  })

  const MB = 1024 * 1024
  const begin = (user: string | null, version = '2', name = 'erp.msi', size = 10) =>
    as(
      user,
      `select public.begin_package_upload(${literal(app)}, ${literal(version)}, ${literal(name)}, ${size}) as id`,
    )
  const file = async (version: string, size = 10, isCurrent = false): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(
      `${insertInto('corporate_app_files', {
        id: crypto.randomUUID(),
        company_id: company,
        corporate_app_id: app,
        package_version: version,
        file_name: 'erp.msi',
        size_bytes: size,
        sha256: SHA,
        is_current: isCurrent,
      })} returning id`,
    )
    return row?.id ?? ''
  }
  const appRow = async () =>
    (
      await backend.sql(
        'select source_url, sha256, package_version from public.corporate_apps where id = $1',
        [app],
      )
    )[0]
  const current = async () =>
    (
      await backend.sql<{ package_version: string }>(
        'select package_version from public.corporate_app_files where corporate_app_id = $1 and is_current',
        [app],
      )
    ).map(({ package_version }) => package_version)

  it('keep a checksum in lower case, as Windows does not print it', async () => {
    const row = { source_url: 'https://example.test/a.msi', sha256: 'AB'.repeat(32) }
    await backend.sql(updateOf('corporate_apps', row, { id: app }))
    expect(await appRow()).toMatchObject({ sha256: 'ab'.repeat(32) })
  })

  it.each([
    ['../../etc/passwd', 'upload_name'],
    ['C:\\erp.msi', 'upload_name'],
    ['.hidden', 'upload_name'],
    ['erp\n.msi', 'upload_name'],
    [' ', 'upload_name'],
    [`${'a'.repeat(117)}.msi`, 'upload_name_long'],
    ['Kurulum dosyası (x64)_v2.msi', undefined],
  ])('takes the file name %j: %s', async (name, hint) => {
    expect((await begin(admin, '2', name)).hint).toBe(hint)
  })

  it('hold their limits', async () => {
    expect((await begin(admin, '2', 'a.msi', 2 * MB)).code).toBeUndefined()
    expect((await begin(admin, '2', 'a.msi', 2 * MB + 1)).hint).toBe('upload_size')
    expect((await begin(admin, '2', 'a.msi', 0)).hint).toBe('upload_size')
    expect((await begin(admin, '  ')).hint).toBe('upload_version')
    await file('2', 2 * MB)
    expect((await begin(admin, '2')).hint).toBe('upload_version_exists')
    expect((await begin(admin, '3', 'a.msi', 2 * MB)).hint).toBe('upload_room')
    for (let n = 3; n <= 21; n++) await file(String(n))
    expect((await begin(admin, '22')).hint).toBe('upload_versions')
  })

  it('count what was received for as long as it stays, and give it up when that is asked for', async () => {
    const [upload] = await backend.sql<{ id: string }>(
      `insert into app.package_uploads (company_id, corporate_app_id, user_id, package_version, file_name, size_bytes, sha256, created_at)
       values ($1, $2, $3, '9', 'erp.msi', $4, $5, now() - interval '5 hours') returning id`,
      [company, app, admin, 2 * MB, SHA],
    )
    await backend.sql(
      `insert into app.package_file_removals (id, remove_after) values ($1, now() + interval '19 hours')`,
      [upload?.id],
    )
    expect((await begin(admin, '3', 'a.msi', 2 * MB)).hint).toBe('upload_room')
    await backend.sql('select app.give_up_package_upload($1, $2)', [upload?.id, crypto.randomUUID()])
    expect((await begin(admin, '3', 'a.msi', 2 * MB)).hint).toBe('upload_room')
    await backend.sql('select app.give_up_package_upload($1, $2)', [upload?.id, admin])
    expect((await begin(admin, '3', 'a.msi', 2 * MB)).code).toBeUndefined()
    expect((await as(admin, `select public.finish_package_upload(${literal(upload?.id)})`)).code).toBe(
      'PT404',
    )
    const due = await backend.sql(
      'select 1 from app.package_file_removals where id = $1 and remove_after <= now()',
      [upload?.id],
    )
    expect(due).toHaveLength(1)
  })

  it('become the current version only when that is asked for', async () => {
    await file('1', 10, true)
    const [upload] = await backend.sql<{ id: string }>(
      `insert into app.package_uploads (company_id, corporate_app_id, user_id, package_version, file_name, size_bytes, sha256)
       values ($1, $2, $3, '2', 'erp.msi', 10, $4) returning id`,
      [company, app, admin, SHA],
    )
    const done = await as(
      admin,
      `select public.finish_package_upload(${literal(upload?.id)}, false)`,
      `select package_version, is_current from public.corporate_app_files where corporate_app_id = ${literal(app)} order by 1`,
    )
    expect(done.probe).toEqual([
      { package_version: '1', is_current: true },
      { package_version: '2', is_current: false },
    ])
  })

  it('are removed by their detection rule where it names a package', async () => {
    const [device] = await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) values ($1, 'PC') returning id`,
      [company],
    )
    const act = (act: string, user = admin) =>
      as(
        user,
        `select public.run_corporate_app(${literal(app)}, array[${literal(device?.id)}]::uuid[], act => ${literal(act)}) as job`,
        `select script::jsonb ->> 'task' as task from public.jobs where company_id = ${literal(company)}`,
      )
    const rule = (text: string | null) =>
      backend.sql('update public.corporate_apps set detection_rule = $2 where id = $1', [app, text])
    for (const text of [
      null,
      ' ',
      'C:\\ERP\\erp.exe',
      '%ProgramFiles%\\ERP',
      '/opt/erp',
      'HKLM\\SOFTWARE\\ERP',
      '$HOME/x',
    ]) {
      await rule(text)
      expect((await act('remove')).hint).toBe('app_not_removable')
    }
    await rule('erp >= 2.0')
    expect((await act('remove')).probe).toEqual([{ task: 'remove_corporate_app' }])
    expect((await act('explode')).hint).toBe('app_act')
    expect((await act('reinstall')).hint).toBe('package_missing')
    const standard = (await createAccount(backend, 'Standard', company)).id
    expect((await act('remove', standard)).code).toBe('42501')
  })

  it('hold them when they end, too, however many began before', async () => {
    const begun = async (version: string, bytes: number) => {
      const [upload] = await backend.sql<{ id: string }>(
        `insert into app.package_uploads (company_id, corporate_app_id, user_id, package_version, file_name, size_bytes, sha256)
         values ($1, $2, $3, $4, 'erp.msi', $5, $6) returning id`,
        [company, app, admin, version, bytes, SHA],
      )
      return (await as(admin, `select public.finish_package_upload(${literal(upload?.id)})`)).hint
    }
    await file('2', 2 * MB)
    expect(await begun('2', 1)).toBe('upload_version_exists')
    expect(await begun('3', 2 * MB)).toBe('upload_room')
    for (let n = 3; n <= 21; n++) await file(String(n))
    expect(await begun('22', 1)).toBe('upload_versions')
  })

  it('are closed without the console’s own server, a license or the permission', async () => {
    const other = await createCompany(backend)
    expect((await begin((await createAccount(backend, 'Admin', other)).id)).code).toBe('PT404')
    for (const user of [null, (await createAccount(backend, 'Standard', company)).id])
      expect((await begin(user)).code).toBe('42501')
    expect((await begin((await createAccount(backend, 'Teknik', company)).id)).code).toBeUndefined()
    const [store] = await backend.sql<{ max_file_mb: number; max_company_mb: number }>(
      'delete from app.package_store returning max_file_mb, max_company_mb',
    )
    expect((await begin(admin)).hint).toBe('upload_unavailable')
    const limits = await as(admin, `select public.package_limits(${literal(app)}) as limits`)
    expect(limits.data).toEqual([{ limits: null }])
    await backend.sql('insert into app.package_store (max_file_mb, max_company_mb) values ($1, $2)', [
      store?.max_file_mb,
      store?.max_company_mb,
    ])
    await backend.sql(`update public.companies set status = 'Expired' where id = $1`, [company])
    expect(await begin(admin)).toMatchObject({ code: '42501', hint: 'read-only' })
  })

  it('are finished by their uploader alone, once the server has hashed them', async () => {
    const colleague = (await createAccount(backend, 'Admin', company)).id
    const [upload] = await backend.sql<{ id: string }>(
      `insert into app.package_uploads (company_id, corporate_app_id, user_id, package_version, file_name, size_bytes)
       values ($1, $2, $3, '2', 'erp.msi', 10) returning id`,
      [company, app, admin],
    )
    const finish = (user: string) =>
      as(
        user,
        `select public.finish_package_upload(${literal(upload?.id)}) as id`,
        `select action, row_name, actor_id from public.audit_log where row_id = ${literal(upload?.id)}`,
      )
    expect((await finish(admin)).code).toBe('PT404')
    await backend.sql('update app.package_uploads set sha256 = $2 where id = $1', [upload?.id, SHA])
    expect((await finish(colleague)).code).toBe('PT404')
    const done = await finish(admin)
    expect(done.data).toEqual([{ id: upload?.id }])
    expect(done.probe).toEqual([{ action: 'create', row_name: 'ERP 2', actor_id: admin }])
  })

  it('replace the address, and are replaced by one; the checksum is never the browser’s', async () => {
    const old = await file('2')
    const used = await as(admin, `select public.use_package_file(${literal(old)})`)
    expect(used.code).toBeUndefined()
    await backend.sql(`update public.corporate_app_files set is_current = true where id = $1`, [old])
    await backend.sql(updateOf('corporate_apps', { sha256: 'b'.repeat(64) }, { id: app }))
    expect(await appRow()).toMatchObject({ source_url: null, sha256: SHA })
    await backend.sql(updateOf('corporate_apps', { package_version: '2.1' }, { id: app }))
    expect(await current()).toEqual(['2.1'])
    const address = { source_url: 'https://packages.example.test/erp.msi', sha256: 'c'.repeat(64) }
    await backend.sql(updateOf('corporate_apps', address, { id: app }))
    expect(await current()).toEqual([])
    expect(await appRow()).toMatchObject(address)
    const without = await as(admin, updateOf('corporate_apps', { sha256: null }, { id: app }))
    expect(without.code).toBe('23514')
  })

  it('cannot be installed while there is none, and leave the disk with their row', async () => {
    const [device] = await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) values ($1, 'PC') returning id`,
      [company],
    )
    const run = () =>
      as(
        admin,
        `select public.run_corporate_app(${literal(app)}, array[${literal(device?.id)}]::uuid[]) as job`,
      )
    expect((await run()).hint).toBe('package_missing')
    const id = await file('2', 10, true)
    expect((await run()).code).toBeUndefined()
    const teknik = (await createAccount(backend, 'Teknik', company)).id
    const remove = `delete from public.corporate_app_files where id = ${literal(id)}`
    expect((await as(teknik, remove)).code).toBe('42501')
    expect((await as(admin, remove)).rows).toBe(1)
    await backend.sql('delete from public.corporate_apps where id = $1', [app])
    const removals = await backend.sql('select 1 from app.package_file_removals where id = $1', [id])
    expect(removals).toHaveLength(1)
  })
})
