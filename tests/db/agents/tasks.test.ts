import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

interface Offer {
  run_id: string
  type: string
  script: string
  parameters: Record<string, string>
}

const update = (title: string, version = '1.0', more: Record<string, unknown> = {}) => ({
  title,
  kb_number: version,
  category: 'security',
  severity: 'important',
  size_mb: 1.5,
  release_date: '2026-11-01',
  reboot_required: false,
  ...more,
})

describe.each(drivers())('tasks of the agent on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let globex: string
  let fleet: ReturnType<typeof fleetOf>
  let device: Device
  let admin: SupabaseClient
  let teknik: SupabaseClient
  let refused: [string, SupabaseClient][]
  let app: string
  let corporateApp: string

  const signedIn = async (role: string, owner: string | null) =>
    backend.client((await createAccount(backend, role, owner)).email)

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    globex = await createCompany(backend)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
    admin = await signedIn('Admin', company)
    teknik = await signedIn('Teknik', company)
    refused = [
      ['a stranger', await backend.client()],
      ['Standard', await signedIn('Standard', company)],
      ['an expired company', await signedIn('Admin', await createCompany(backend, { status: 'Expired' }))],
      ['another company', await signedIn('Admin', globex)],
    ]
    app = await id(
      `insert into public.apps (name, apt_id, winget_id) values ('Git', 'git', 'Git.Git') returning id`,
    )
    corporateApp = await id(
      `insert into public.corporate_apps (company_id, name, package_version, platform, source_url, sha256)
       values ($1, 'ERP', '2.1', 'linux', 'https://example.test/erp.deb', $2) returning id`,
      [company, 'a'.repeat(64)],
    )
  })
  afterAll(() => backend?.stop())

  const id = async (query: string, params: readonly unknown[] = []): Promise<string> =>
    (await backend.sql<{ id: string }>(query, params))[0]?.id ?? ''
  const calls = (on: string): [string, Record<string, unknown>][] => [
    ...['reboot', 'shut_down', 'inventory', 'scan_patches'].map((task): [string, Record<string, unknown>] => [
      'run_task',
      { task, device_ids: [on] },
    ]),
    ['run_app', { app_id: app, act: 'install', device_ids: [on] }],
    ['run_corporate_app', { corporate_app_id: corporateApp, device_ids: [on] }],
  ]
  /** The device's work at its next check-in, with one report of how it went. */
  const doWork = async (state: 'succeeded' | 'failed', output = 'done', on = device): Promise<Offer[]> => {
    const { body } = await fleet.checkIn(on, {})
    const offers = body.runs as Offer[]
    for (const { run_id } of offers) {
      await fleet.report(on, [{ run_id, attempt: 1, state: 'running' }])
      await fleet.report(on, [{ run_id, attempt: 1, state, exit_code: state === 'failed' ? 100 : 0, output }])
    }
    return offers
  }
  const report = (patches: unknown, on = device) =>
    fleet.checkIn(on, {
      inventory_hash: `${Math.random()}`,
      inventory: { hostname: on.device_id.slice(0, 8), patches },
    })
  const patchesOf = async (on = device) =>
    Object.fromEntries(
      (
        await backend.sql<{ name: string; status: string }>(
          `select p.title || ' ' || p.kb_number as name, t.status from public.device_patches t
           join public.patches p on p.id = t.patch_id where t.device_id = $1 order by 1`,
          [on.device_id],
        )
      ).map(({ name, status }) => [name, status]),
    )
  const approve = (title: string) =>
    backend.sql(`update public.patches set approval = 'approved' where company_id = $1 and title = $2`, [
      company,
      title,
    ])

  it('become jobs whose script the agent carries out', async () => {
    for (const [rpc, args] of calls(device.device_id)) {
      const { data, error } = await teknik.rpc(rpc, { ...args, name: 'Asked' })
      expect([rpc, error]).toEqual([rpc, null])
      const [job] = await backend.sql(
        `select kind, name, script_type, total, script_sha256 = encode(sha256(convert_to(script, 'UTF8')), 'hex') as hashed
         from public.jobs where id = $1`,
        [data],
      )
      expect(job).toEqual({ kind: 'task', name: 'Asked', script_type: 'Agent', total: 1, hashed: true })
    }
    const offers = [...(await doWork('succeeded')), ...(await doWork('succeeded'))]
    expect(offers.map(({ script }) => JSON.parse(script) as Record<string, unknown>)).toEqual([
      { task: 'reboot' },
      { task: 'shut_down' },
      { task: 'inventory' },
      { task: 'scan_patches' },
      {
        task: 'app',
        act: 'install',
        app_id: expect.any(String),
        name: 'Git',
        ids: { apt: 'git', winget: 'Git.Git' },
      },
      {
        task: 'corporate_app',
        is_forced: false,
        app: expect.objectContaining({ platform: 'linux', sha256: 'a'.repeat(64), success_codes: '0' }),
      },
    ])
  })

  it('are refused to all who may not run them, and write nothing', async () => {
    const count = () => backend.sql('select count(*)::int as jobs from public.jobs')
    const before = await count()
    for (const [who, client] of refused)
      for (const [rpc, args] of calls(device.device_id)) {
        const { error } = await client.rpc(rpc, args)
        expect([who, rpc, ['42501', 'PT404'].includes(error?.code ?? '')]).toEqual([who, rpc, true])
      }
    const theirs = await id(
      `insert into public.devices (company_id, name) values ($1, 'Theirs') returning id`,
      [globex],
    )
    for (const [rpc, args] of calls(theirs)) {
      const { error } = await admin.rpc(rpc, args)
      expect([rpc, error?.code]).toEqual([rpc, 'PT404'])
    }
    for (const [rpc, args, hint] of [
      ['run_task', { task: 'format_disk', device_ids: [device.device_id] }, 'task_unknown'],
      ['run_task', { task: null, device_ids: [device.device_id] }, 'task_unknown'],
      ['run_task', { task: 'reboot', device_ids: [] }, 'devices_none'],
      ['run_app', { app_id: app, act: 'explode', device_ids: [device.device_id] }, 'task_unknown'],
      ['run_task', { task: 'install_patches', device_ids: [device.device_id] }, 'patches_none'],
    ] as const)
      expect((await admin.rpc(rpc, args)).error?.hint).toBe(hint)
    expect(await count()).toEqual(before)
  })

  it('restart a device soon or never', async () => {
    const { data } = await admin.rpc('run_task', { task: 'reboot', device_ids: [device.device_id] })
    expect(
      await backend.sql(
        `select name, expires_at - created_at <= interval '15 minutes' as soon from public.jobs where id = $1`,
        [data],
      ),
    ).toEqual([{ name: 'Restart', soon: true }])
    await admin.rpc('cancel_job', { job_id: data })
  })

  it('say which version an update would replace, as long as it is missing', async () => {
    const versions = async () =>
      (
        await backend.sql<{ installed_version: string | null }>(
          `select t.installed_version from public.device_patches t join public.patches p on p.id = t.patch_id
           where t.device_id = $1 and p.title = 'nginx'`,
          [device.device_id],
        )
      ).map(({ installed_version }) => installed_version)
    const nginx = (installed_version: unknown) => ({ ...update('nginx', '1.26'), installed_version })
    await report({ missing: [nginx('1.22')], installed: null })
    expect(await versions()).toEqual(['1.22'])
    await report({ missing: [nginx('1.24')], installed: null })
    expect(await versions()).toEqual(['1.24'])
    // An older agent says nothing, a strange one too much.
    await report({ missing: [update('nginx', '1.26')], installed: null })
    expect(await versions()).toEqual([null])
    await report({ missing: [nginx('9'.repeat(300))], installed: null })
    expect(await versions()).toEqual(['9'.repeat(40)])
    await report({ missing: [nginx({ version: 1 })], installed: null })
    expect(await versions()).toEqual([null])
    await report({ missing: [], installed: [] })
  })

  it('bring a device’s missing updates, its newer ones, and those that are there', async () => {
    await report({
      missing: [update('openssl', '1'), update('curl', '7'), update('openssl', '1')],
      installed: null,
    })
    expect(await patchesOf()).toEqual({ 'curl 7': 'missing', 'openssl 1': 'missing' })
    // A newer openssl replaces the one before, curl was installed by hand.
    await report({ missing: [update('openssl', '2')], installed: null })
    expect(await patchesOf()).toEqual({ 'curl 7': 'installed', 'openssl 2': 'missing' })
    expect(
      await backend.sql(
        `select kb_number, superseded from public.patches where title = 'openssl' order by 1`,
      ),
    ).toEqual([
      { kb_number: '1', superseded: true },
      { kb_number: '2', superseded: false },
    ])
    // And was removed again.
    await report({ missing: [update('openssl', '2'), update('curl', '7')], installed: null })
    expect((await patchesOf())['curl 7']).toBe('missing')
    // Where the system knows what is installed, an update that is no longer offered is not taken for it.
    await report({ missing: [], installed: [{ title: 'curl', kb_number: '7' }] })
    expect(await patchesOf()).toEqual({ 'curl 7': 'installed' })
  })

  it('take hostile reports of updates for what they are', async () => {
    const before = await patchesOf()
    await report('everything')
    await report({ missing: 'all' })
    expect(await patchesOf()).toEqual(before)
    await report({
      missing: [
        null,
        7,
        { title: ' ' },
        { title: { a: 1 } },
        update('<img src=x onerror=alert(1)>', 'x'.repeat(500), {
          category: 'nonsense',
          severity: 'extreme',
          size_mb: -1e99,
          release_date: '2026-99-99',
          reboot_required: 'yes',
        }),
      ],
      installed: [null, 'x'],
    })
    expect(
      await backend.sql(
        `select category, severity, size_mb, release_date, length(kb_number) as length from public.patches where title like '<img%'`,
      ),
    ).toEqual([{ category: 'other', severity: 'unspecified', size_mb: null, release_date: null, length: 40 }])
    const taken = await patchesOf()
    const { status } = await report({ missing: Array.from({ length: 1_001 }, (_, n) => update(`p${n}`)) })
    // The check-in goes on; the device says that its report was refused.
    expect(status).toBe(200)
    expect(await patchesOf()).toEqual(taken)
    const [refused] = await backend.sql('select inventory_refused from public.devices where id = $1', [
      device.device_id,
    ])
    expect(String(refused?.inventory_refused)).toMatch(/updates|patches/i)
  })

  it('install approved updates only, each device its own, and follow the run', async () => {
    const second = await fleet.enroll()
    await report({ missing: [update('bash'), update('sed'), update('tar')], installed: null })
    await report({ missing: [update('bash'), update('zip')], installed: null }, second)
    for (const title of ['bash', 'sed', 'zip']) await approve(title)

    const { data, error } = await admin.rpc('run_task', {
      task: 'install_patches',
      device_ids: [device.device_id, second.device_id],
      name: 'Updates',
    })
    expect(error).toBeNull()
    expect(await patchesOf()).toMatchObject({
      'bash 1.0': 'queued',
      'sed 1.0': 'queued',
      'tar 1.0': 'missing',
    })
    const [offer] = (await fleet.checkIn(device, {})).body.runs as Offer[]
    expect(JSON.parse(offer?.parameters.patches ?? '')).toEqual([
      { title: 'bash', kb_number: '1.0' },
      { title: 'sed', kb_number: '1.0' },
    ])
    const run = { run_id: offer?.run_id, attempt: 1 }
    await fleet.report(device, [{ ...run, state: 'running' }])
    expect((await patchesOf())['bash 1.0']).toBe('installing')
    await fleet.report(device, [{ ...run, state: 'succeeded', exit_code: 0, output: 'done' }])
    expect((await patchesOf())['bash 1.0']).toBe('installing')
    await report({ missing: [update('sed'), update('tar')], installed: null })
    expect(await patchesOf()).toMatchObject({ 'bash 1.0': 'installed', 'sed 1.0': 'installing' })
    // Long after its run it is still missing.
    await backend.sql(
      `update public.job_runs set finished_at = now() - interval '10 minutes' where id = $1`,
      [run.run_id],
    )
    await report({ missing: [update('sed'), update('tar')], installed: null })
    expect((await patchesOf())['sed 1.0']).toBe('failed')

    await doWork('failed', 'Reading…\nE: Unable to lock\n', second)
    expect(
      await backend.sql(
        `select distinct status, error from public.device_patches where device_id = $1 and run_id is not null`,
        [second.device_id],
      ),
    ).toEqual([{ status: 'failed', error: 'E: Unable to lock' }])
    const again = await admin.rpc('retry_job', { job_id: data })
    expect(again.error).toBeNull()
    expect(await patchesOf(second)).toEqual({ 'bash 1.0': 'queued', 'zip 1.0': 'queued' })
    await admin.rpc('cancel_job', { job_id: again.data })
    expect(await patchesOf(second)).toEqual({ 'bash 1.0': 'missing', 'zip 1.0': 'missing' })
  })

  it('are not installed when the approval is taken back before the device begins', async () => {
    const own = await fleet.enroll()
    await report({ missing: [update('kept'), update('recalled')], installed: null }, own)
    for (const title of ['kept', 'recalled']) await approve(title)
    await admin.rpc('run_task', { task: 'install_patches', device_ids: [own.device_id] })
    await backend.sql(
      `update public.patches set approval = 'denied' where company_id = $1 and title = 'recalled'`,
      [company],
    )
    expect(await patchesOf(own)).toEqual({ 'kept 1.0': 'queued', 'recalled 1.0': 'missing' })
    const [offer] = (await fleet.checkIn(own, {})).body.runs as Offer[]
    expect(JSON.parse(offer?.parameters.patches ?? '')).toEqual([{ title: 'kept', kb_number: '1.0' }])
  })

  it('install chosen updates, none that nobody approved, none of another company', async () => {
    const rows = await backend.sql<{ id: string; title: string }>(
      `select t.id, p.title from public.device_patches t join public.patches p on p.id = t.patch_id
       where t.device_id = $1 and t.status in ('missing', 'failed')`,
      [device.device_id],
    )
    const idOf = (title: string) => rows.find((row) => row.title === title)?.id
    expect((await admin.rpc('install_patches', { ids: [idOf('tar')] })).error?.hint).toBe('patches_none')
    for (const [who, client] of refused) {
      const { error } = await client.rpc('install_patches', { ids: [idOf('sed')] })
      expect([who, ['42501', 'PT404'].includes(error?.code ?? '')]).toEqual([who, true])
    }
    const { data, error } = await teknik.rpc('install_patches', { ids: [idOf('sed'), idOf('tar')] })
    expect([typeof data, error]).toEqual(['string', null])
    expect(await patchesOf()).toMatchObject({ 'sed 1.0': 'queued', 'tar 1.0': 'missing' })
  })
})
