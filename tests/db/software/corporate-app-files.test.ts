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
  const draft = { resource: 'corporate_app_files', field: 'file_id' }
  /** Announces an upload of a package. */
  const begin = (user: string | null, name = 'erp.msi', size = 10) =>
    as(user, insertInto('files', { company_id: company, ...draft, name, size }))
  /** An upload of the person that the server has received and hashed. */
  const uploaded = async (user = admin, name = 'erp.msi', size = 10, type = 'application/x-msi') => {
    const [row] = await backend.sql<{ id: string; path: string }>(
      `${insertInto('files', { company_id: company, ...draft, name, size, type, created_by: user })} returning id, path`,
    )
    await backend.sql('update public.files set uploaded_at = now() where id = $1', [row?.id])
    await backend.sql(
      `insert into storage.objects (bucket_id, name, metadata) values ('files', $1, jsonb_build_object('size', $2::integer, 'sha256', $3::text))`,
      [row?.path, size, SHA],
    )
    return row?.id ?? ''
  }
  const added = (user: string | null, file: string, version: string, probe?: string, makeCurrent = true) =>
    as(
      user,
      `select public.add_package_version(${literal(app)}, ${literal(version)}, ${literal(file)}, ${makeCurrent}) as id`,
      probe,
    )
  const file = async (version: string, size = 10, isCurrent = false): Promise<string> => {
    const id = await uploaded(admin, 'erp.msi', size)
    const [row] = await backend.sql<{ id: string }>(
      `${insertInto('corporate_app_files', {
        id,
        file_id: id,
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
    ['../../etc/passwd', 'passwd'],
    ['C:\\erp.msi', 'erp.msi'],
    ['erp\n.msi', 'erp .msi'],
    [' ', 'file'],
    ['Kurulum dosyası (x64)_v2.msi', 'Kurulum dosyası (x64)_v2.msi'],
  ])('keep of the file name %j: %s', async (name, kept) => {
    const values = { company_id: company, ...draft, name, size: 10 }
    const probe = `select name from public.files where company_id = ${literal(company)}`
    expect((await as(admin, insertInto('files', values), probe)).probe).toEqual([{ name: kept }])
  })

  it.each([
    ['.hidden', 'upload_name'],
    ['a;reboot.msi', 'upload_name'],
    ['$(id).msi', 'upload_name'],
    [`${'a'.repeat(117)}.msi`, 'upload_name_long'],
  ])('refuse the file name %j: %s', async (name, hint) => {
    expect((await begin(admin, name)).hint).toBe(hint)
  })

  it('hold their limits, in a room of their own', async () => {
    expect((await begin(admin, 'a.msi', 2 * MB)).code).toBeUndefined()
    expect((await begin(admin, 'a.msi', 2 * MB + 1)).hint).toBe('file_size')
    expect((await begin(admin, 'a.msi', 0)).code).toBe('23514')
    const version2 = await file('2', 2 * MB)
    expect((await begin(admin, 'a.msi', 2 * MB)).hint).toBe('upload_room')
    const use = `select bytes::integer, package_bytes::integer from app.file_use where company_id = ${literal(company)}`
    expect(await backend.sql(use)).toEqual([{ bytes: 0, package_bytes: 2 * MB }])
    const limits = await as(admin, `select public.package_limits(${literal(app)}) as limits`)
    expect(limits.data).toEqual([{ limits: { max_file_mb: 2, max_company_mb: 3, used_mb: 2 } }])
    // The room for files of records is another.
    const ofDevice = { company_id: company, resource: 'devices', name: 'a.pdf', size: 20 * MB }
    expect((await as(admin, insertInto('files', ofDevice))).code).toBeUndefined()
    expect((await added(admin, await uploaded(), '  ')).hint).toBe('upload_version')
    expect((await added(admin, await uploaded(), '2')).hint).toBe('upload_version_exists')
    for (const version of ['2\u202e0.1', '2\r\n3', '3\u200b'])
      expect((await added(admin, await uploaded(), version)).hint).toBe('unclean_line')
    for (let n = 3; n <= 21; n++) await file(String(n))
    expect((await added(admin, await uploaded(), '22')).hint).toBe('upload_versions')
    await backend.sql('delete from public.corporate_app_files where id = $1', [version2])
    expect((await added(admin, await uploaded(), '22')).code).toBeUndefined()
    await backend.sql('delete from public.files where company_id = $1 and record_id is null', [company])
    expect(await backend.sql(use)).toEqual([{ bytes: 0, package_bytes: 190 }])
  })

  it.each([
    ['windows', 'erp.msi', 'application/x-msi', undefined],
    ['windows', 'ERP.EXE', 'application/vnd.microsoft.portable-executable', undefined],
    ['windows', 'erp.ps1', 'text/x-powershell', undefined],
    ['windows', 'erp.deb', 'application/vnd.debian.binary-package', 'upload_type'],
    ['windows', 'setup', 'application/vnd.microsoft.portable-executable', 'upload_type'],
    ['windows', 'erp.msi', 'application/vnd.microsoft.portable-executable', 'upload_content'],
    ['linux', 'erp.deb', 'application/vnd.debian.binary-package', undefined],
    ['linux', 'erp.rpm', 'application/x-rpm', undefined],
    ['linux', 'setup.sh', 'text/x-shellscript', undefined],
    ['linux', 'Tool.AppImage', 'application/x-executable', undefined],
    ['linux', 'installer', 'application/x-mach-binary', 'upload_type'],
    ['linux', 'erp.msi', 'application/x-msi', 'upload_type'],
    ['macos', 'erp.pkg', 'application/x-xar', undefined],
    ['macos', 'setup.sh', 'text/x-shellscript', undefined],
    ['macos', 'installer', 'application/x-mach-binary', undefined],
    ['macos', 'erp.rpm', 'application/x-rpm', 'upload_type'],
  ])('on %s, %s of the type %s: %s', async (platform, name, type, hint) => {
    await backend.sql(updateOf('corporate_apps', { platform }, { id: app }))
    expect((await added(admin, await uploaded(admin, name, 10, type), '2')).hint).toBe(hint)
  })

  it('are programs, which no other field takes', async () => {
    const ofTicket = { company_id: company, resource: 'tickets', name: 'erp.msi', size: 10 }
    expect((await as(admin, insertInto('files', ofTicket))).hint).toBe('file_program')
    expect((await begin(admin, 'erp.msi')).code).toBeUndefined()
  })

  it('become the current version only when that is asked for', async () => {
    await file('1', 10, true)
    const done = await added(
      admin,
      await uploaded(),
      '2',
      `select package_version, is_current from public.corporate_app_files where corporate_app_id = ${literal(app)} order by 1`,
      false,
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

  it('are closed without the console’s own server, a license or the permission', async () => {
    const other = await createCompany(backend)
    const stranger = (await createAccount(backend, 'Admin', other)).id
    const standard = (await createAccount(backend, 'Standard', company)).id
    const teknik = (await createAccount(backend, 'Teknik', company)).id
    for (const user of [null, standard, stranger]) expect((await begin(user)).code).toBe('42501')
    expect((await begin(teknik)).code).toBeUndefined()
    const mine = await uploaded()
    expect((await added(null, mine, '2')).code).toBe('42501')
    expect((await added(standard, mine, '2')).code).toBe('42501')
    expect((await added(stranger, mine, '2')).code).toBe('PT404')
    // A colleague's upload is nobody else's.
    expect((await added(teknik, mine, '2')).code).toBe('PT404')
    const [store] = await backend.sql<Record<string, number>>('delete from app.file_store returning *')
    expect((await begin(admin)).hint).toBe('upload_unavailable')
    const limits = await as(admin, `select public.package_limits(${literal(app)}) as limits`)
    expect(limits.data).toEqual([{ limits: null }])
    await backend.sql(insertInto('file_store', store ?? {}).replace('public.', 'app.'))
    await backend.sql(`update public.companies set status = 'Expired' where id = $1`, [company])
    expect(await begin(admin)).toMatchObject({ code: '42501', hint: 'read-only' })
    expect(await added(admin, mine, '2')).toMatchObject({ code: '42501', hint: 'read-only' })
  })

  it('are taken with the checksum of the server, and are in the audit log', async () => {
    const upload = await uploaded()
    const unfinished = await begin(admin)
    expect(unfinished.code).toBeUndefined()
    const done = await added(
      admin,
      upload,
      '2',
      `select action, row_name, actor_id from public.audit_log where row_id = ${literal(upload)} and table_name = 'corporate_app_files'`,
    )
    expect(done.data).toEqual([{ id: upload }])
    expect(done.probe).toEqual([{ action: 'create', row_name: 'ERP 2', actor_id: admin }])
    await backend.sql(`update storage.objects set metadata = metadata - 'sha256' where name like '%' || $1`, [
      upload,
    ])
    expect((await added(admin, upload, '2')).hint).toBe('upload_unavailable')
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
    expect(await backend.sql('select 1 from public.files where id = $1', [id])).toEqual([])
    expect(
      await backend.sql('select 1 from app.file_removals where path = $1', [`${company}/${id}`]),
    ).toHaveLength(1)
  })
})
