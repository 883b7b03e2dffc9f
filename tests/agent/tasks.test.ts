import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAptUpgrades } from '../../agent/patches/apt-patches'
import { parseSoftwareUpdates } from '../../agent/patches/software-update'
import { INSTALL_SCRIPT, parseWindowsUpdates } from '../../agent/patches/windows-update'
import { expanded, installCommands, isDetected, splitArguments } from '../../agent/tasks/corporate-app'
import { apt, brew, choco, winget } from '../../agent/tasks/package-managers'
import { toTask } from '../../agent/tasks/task'
import { createAccount } from '../support/accounts'
import { type Machine, until } from './support/machine'
import { backend, company, device, openSite } from './support/site'

describe('updates', () => {
  it('are read from apt, with their sizes and without new packages', () => {
    const simulated = [
      'NOTE: This is only a simulation!',
      'Inst base-files [12.4+deb12u11] (12.4+deb12u15 Debian:12.15/oldstable [amd64])',
      'Inst linux-image-6.1.0-40-amd64 (6.1.153-1 Debian-Security:12/oldstable-security [amd64])',
      'Inst linux-image-amd64 [6.1.140-1] (6.1.153-1 Debian-Security:12/oldstable-security [amd64])',
      'Inst libssl3:i386 [3.0.16-1] (3.0.17-1 Debian-Security:12/oldstable-security [i386]) []',
      'Conf base-files (12.4+deb12u15 Debian:12.15/oldstable [amd64])',
    ].join('\n')
    const uris = [
      "'http://deb.debian.org/debian/pool/main/b/base-files/base-files_12.4+deb12u15_amd64.deb' base-files_12.4+deb12u15_amd64.deb 70884 SHA256:1",
      "'http://deb.debian.org/debian/pool/x_1%3a2.deb' other_1%3a2_amd64.deb 10 MD5Sum:2",
    ].join('\n')
    expect(parseAptUpgrades(simulated, uris)).toEqual([
      expect.objectContaining({
        title: 'base-files',
        kb_number: '12.4+deb12u15',
        category: 'application',
        severity: 'unspecified',
        size_mb: 0.07,
        reboot_required: false,
      }),
      expect.objectContaining({
        title: 'libssl3',
        category: 'security',
        severity: 'important',
        size_mb: null,
        reboot_required: false,
      }),
      expect.objectContaining({ title: 'linux-image-amd64', kb_number: '6.1.153-1', reboot_required: true }),
    ])
    expect(parseAptUpgrades('', '')).toEqual([])
  })

  it('are read from Windows Update, missing and installed', () => {
    const entries = [
      {
        title: '2026-11 Cumulative Update for Windows 11 (KB5046617)',
        kb: ['5046617'],
        installed: false,
        severity: 'Critical',
        categories: ['0FA1201D-4330-4FA8-8AE9-B877473B6441'],
        size: 734_003_200,
        date: '2026-11-10',
        reboot: true,
      },
      {
        title: 'Printer driver',
        kb: [],
        installed: false,
        severity: '',
        categories: [],
        size: 0,
        date: '',
        reboot: false,
      },
      { title: 'Old', kb: '123', installed: true },
    ]
    expect(parseWindowsUpdates(`\uFEFF${JSON.stringify(entries)}\r\n`)).toEqual({
      missing: [
        {
          title: '2026-11 Cumulative Update for Windows 11 (KB5046617)',
          kb_number: 'KB5046617',
          category: 'security',
          severity: 'critical',
          size_mb: 700,
          release_date: '2026-11-10',
          reboot_required: true,
        },
        {
          title: 'Printer driver',
          kb_number: '',
          category: 'other',
          severity: 'unspecified',
          size_mb: null,
          release_date: null,
          reboot_required: false,
        },
      ],
      installed: [{ title: 'Old', kb_number: 'KB123' }],
    })
    // PowerShell prints a list of one as the one, and of none as nothing.
    expect(parseWindowsUpdates(JSON.stringify(entries[2]))).toEqual({
      missing: [],
      installed: [{ title: 'Old', kb_number: 'KB123' }],
    })
    expect(parseWindowsUpdates('')).toEqual({ missing: [], installed: [] })
    expect(parseWindowsUpdates('Exception calling "Search"')).toBeNull()
    expect(INSTALL_SCRIPT).toContain('$env:PARAM_PATCHES')
  })

  it('are read from softwareupdate, old and new', () => {
    const output = `Software Update Tool

Finding available software
Software Update found the following new or updated software:
* Label: Safari17.1VenturaAuto-17.1
	Title: Safari, Version: 17.1, Size: 148284KiB, Recommended: YES, 
* Label: macOS Sonoma 14.1-23B74
	Title: macOS Sonoma 14.1, Version: 14.1, Size: 6113871K, Recommended: YES, Action: restart, 
`
    expect(parseSoftwareUpdates(output)).toEqual([
      expect.objectContaining({
        label: 'Safari17.1VenturaAuto-17.1',
        title: 'Safari',
        kb_number: '17.1',
        size_mb: 144.81,
        reboot_required: false,
      }),
      expect.objectContaining({ title: 'macOS Sonoma 14.1', category: 'feature', reboot_required: true }),
    ])
    expect(parseSoftwareUpdates('No new software available.\n')).toEqual([])
  })
})

const APT = 'apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold'
const WINGET = '--id some-app --exact --silent --disable-interactivity --accept-source-agreements'
const CHOCO = 'some-app --yes --no-progress --limit-output'

describe('package managers', () => {
  it.each([
    [
      apt,
      [
        `${APT} install --no-install-recommends -- some-app`,
        `${APT} install --only-upgrade -- some-app`,
        `${APT} remove -- some-app`,
      ],
    ],
    [
      winget('winget.exe'),
      [
        `winget.exe install ${WINGET} --accept-package-agreements --scope machine`,
        `winget.exe upgrade ${WINGET} --accept-package-agreements`,
        `winget.exe uninstall ${WINGET}`,
      ],
    ],
    [choco('choco'), [`choco install ${CHOCO}`, `choco upgrade ${CHOCO}`, `choco uninstall ${CHOCO}`]],
    [
      brew('/bin/brew', null),
      ['install', 'upgrade', 'uninstall'].map((verb) => `/bin/brew ${verb} some-app`),
    ],
    [
      brew('/bin/brew', 501),
      ['install', 'upgrade', 'uninstall'].map((verb) => `sudo -n -H -u #501 /bin/brew ${verb} some-app`),
    ],
  ])('ask nothing: $name', (manager, lines) => {
    const last = (['install', 'update', 'remove'] as const).map((act) => manager[act]('some-app').at(-1))
    expect(last.map((command) => [command?.file, ...(command?.args ?? [])].join(' '))).toEqual(lines)
  })

  it('mend a dpkg that was interrupted before they use it', () => {
    for (const act of ['install', 'update', 'remove'] as const)
      expect(apt[act]('some-app').at(-2)).toMatchObject({
        file: 'dpkg',
        args: ['--configure', '-a', '--force-confold'],
      })
  })
})

describe('a task', () => {
  it.each([
    ['{"task": "reboot"}', { task: 'reboot' }],
    ['{"task": "format"}', null],
    ['[]', null],
    ['no JSON', null],
    ['{"task": "app", "act": "explode", "ids": {"apt": "git"}}', null],
    [
      '{"task": "app", "act": "install", "name": "Git", "ids": {"apt": "git", "winget": "--force", "yum": "git"}}',
      { task: 'app', act: 'install', name: 'Git', ids: { apt: 'git' } },
    ],
    ['{"task": "corporate_app", "app": {"source_url": "file:///etc/passwd"}}', null],
  ])('is read from %s', (script, task) => {
    expect(toTask(script)).toEqual(task)
  })

  it('installs a package by its kind, with its arguments as words', () => {
    expect(splitArguments(`/S /D="C:\\Program Files\\ERP" --name='a b' x`)).toEqual([
      '/S',
      '/D=C:\\Program Files\\ERP',
      '--name=a b',
      'x',
    ])
    expect(installCommands('/tmp/erp.msi', 'LICENSE=1')).toEqual([
      { file: 'msiexec', args: ['/i', '/tmp/erp.msi', '/qn', '/norestart', 'LICENSE=1'] },
    ])
    expect(installCommands('/tmp/setup.EXE', '/S')).toEqual([{ file: '/tmp/setup.EXE', args: ['/S'] }])
    expect(expanded('%ProgramFiles%\\ERP', { ProgramFiles: 'C:\\PF' })).toBe('C:\\PF\\ERP')
    expect(expanded('$HOME/x $UNKNOWN', { HOME: '/root' })).toBe('/root/x $UNKNOWN')
  })

  it('knows whether an app is there', async () => {
    expect(await isDetected(' ')).toBeNull()
    expect(await isDetected('/')).toBe(true)
    expect(await isDetected('/no/such/file')).toBe(false)
    expect(await isDetected('no-such-package-here')).toBe(false)
  })
})

describe.skipIf(process.platform !== 'linux')('on a device', () => {
  openSite()
  let folder: string
  let server: Server
  let url: string
  const installer = `#!/bin/bash\necho "installing for $1"\ntouch "$2"\nexit 42\n`

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-tasks-'))
    // In place of the machine's own, which would end this test.
    for (const name of ['shutdown', 'apt-get', 'dpkg']) {
      writeFileSync(
        join(folder, name),
        `#!/bin/sh\necho "${name} $*" >> ${folder}/called\necho "${name} was here"\n`,
      )
      chmodSync(join(folder, name), 0o755)
    }
    server = createServer((request, response) => {
      if (request.url === '/erp.sh') response.end(installer)
      else response.writeHead(404).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const queue = async (deviceId: string, task: unknown) =>
    (
      await backend.sql<{ job: string }>(
        `select app.queue_task($1, 'Task', $2::jsonb, array[$3]::uuid[], 60, now() + interval '1 hour') as job`,
        [company, JSON.stringify(task), deviceId],
      )
    )[0]?.job ?? ''
  const outcome = (job: string) =>
    until('the run has ended', async () => {
      const [run] = await backend.sql<{ status: string; exit_code: number; output: string }>(
        'select status, exit_code, output from public.job_runs where job_id = $1 and reported_at is not null',
        [job],
      )
      return run
    })

  it('restarts, installs an app, checks what it downloads, and says what it cannot do', async () => {
    const { machine, id } = await device()
    const done = join(folder, 'erp-is-there')
    const corporate = (sha256: string) => ({
      task: 'corporate_app',
      app: {
        name: 'ERP',
        package_version: '2',
        source_url: `${url}/erp.sh`,
        sha256,
        install_arguments: `'Acme Inc' ${done}`,
        detection_rule: done,
        success_codes: '0',
        reboot_codes: '42, 1641',
      },
    })
    const right = createHash('sha256').update(installer).digest('hex')
    const jobs = {
      reboot: await queue(id, { task: 'reboot' }),
      app: await queue(id, { task: 'app', act: 'install', name: 'Git', ids: { apt: 'git' } }),
      nowhere: await queue(id, { task: 'app', act: 'install', name: 'Notes', ids: { winget: 'Notes' } }),
      newer: await queue(id, { task: 'teleport' }),
      forged: await queue(id, corporate('0'.repeat(64))),
    }
    await machine.start([], { PATH: `${folder}:${process.env.PATH}` })

    expect(await outcome(jobs.reboot)).toMatchObject({
      status: 'succeeded',
      output: expect.stringContaining('This device restarts in one minute.'),
    })
    expect(await outcome(jobs.app)).toMatchObject({ status: 'succeeded', exit_code: 0 })
    const called = readFileSync(join(folder, 'called'), 'utf8')
    expect(called).toMatch(/^shutdown -r \+1 /m)
    expect(called).toMatch(/^apt-get .*install --no-install-recommends -- git$/m)
    expect(await outcome(jobs.nowhere)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('has no package of it for apt'),
    })
    expect(await outcome(jobs.newer)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('Update the agent'),
    })
    expect(await outcome(jobs.forged)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('has another checksum, so it was not installed'),
    })
    expect(existsSync(done)).toBe(false)

    const installed = await outcome(await queue(id, corporate(right)))
    expect(installed).toMatchObject({ status: 'succeeded', exit_code: 0 })
    expect(installed.output).toContain('installing for Acme Inc\n')
    expect(installed.output).toContain('A restart is required.')
    expect((await outcome(await queue(id, corporate(right)))).output).toContain('is installed already')
  })

  it('installs a package that was uploaded, which the console gives to no other run or device', async () => {
    const admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const { data: app } = await admin
      .from('corporate_apps')
      .insert({ company_id: company, name: 'Uploaded', package_version: '1', platform: 'linux' })
      .select('id')
      .single()
      .throwOnError()
    const done = join(folder, 'uploaded-is-there')
    const text = `#!/bin/bash\ntouch ${done}\n# ${'x'.repeat(300_000)}\n`
    const bytes = Buffer.from(text)
    const { data: upload } = await admin
      .rpc('begin_package_upload', {
        corporate_app_id: app.id,
        package_version: '2',
        file_name: 'setup.sh',
        size_bytes: bytes.length,
      })
      .throwOnError()
    const token = (await admin.auth.getSession()).data.session?.access_token
    const headers = { apikey: backend.publishableKey, authorization: `Bearer ${token}` }
    const put = (offset: number, part: Buffer) =>
      fetch(`${backend.url}/packages/v1/${upload}?offset=${offset}`, {
        method: 'PUT',
        headers,
        body: new Uint8Array(part),
      })
    expect(await (await put(0, bytes.subarray(0, 200_000))).json()).toEqual({
      received: 200_000,
      sha256: null,
    })
    // Not in the middle, not twice, not more than announced, and not by somebody else.
    expect((await put(0, bytes.subarray(0, 10))).status).toBe(409)
    expect((await put(200_000, Buffer.alloc(bytes.length))).status).toBe(413)
    const other = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const theirs = (await other.auth.getSession()).data.session?.access_token
    const foreign = await fetch(`${backend.url}/packages/v1/${upload}?offset=200000`, {
      method: 'PUT',
      headers: { ...headers, authorization: `Bearer ${theirs}` },
      body: 'x',
    })
    expect(foreign.status).toBe(404)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(await (await put(200_000, bytes.subarray(200_000))).json()).toEqual({
      received: bytes.length,
      sha256,
    })
    expect((await other.rpc('finish_package_upload', { upload_id: upload })).error?.code).toBe('PT404')
    await admin.rpc('finish_package_upload', { upload_id: upload }).throwOnError()

    const { machine, id } = await device()
    const bystander = await device()
    const { data: job } = await admin
      .rpc('run_corporate_app', { corporate_app_id: app.id, device_ids: [id] })
      .throwOnError()
    const [run] = await backend.sql<{ id: string }>('select id from public.job_runs where job_id = $1', [job])
    const download = async (of: Machine, runId: string, change = {}) => {
      const { deviceId, secret } = JSON.parse(readFileSync(join(of.dataDir, 'device.json'), 'utf8'))
      const response = await fetch(`${backend.url}/agent/package`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', apikey: backend.publishableKey },
        body: JSON.stringify({ payload: { device_id: deviceId, secret, run_id: runId, ...change } }),
      })
      return [response.status, ((await response.json()) as { message: string }).message]
    }
    const refused = [401, 'The device credentials are not valid.']
    const runId = run?.id ?? ''
    expect(await download(bystander.machine, runId)).toEqual(refused)
    expect(await download(machine, randomUUID())).toEqual(refused)
    expect(await download(machine, runId, { secret: 'f'.repeat(64) })).toEqual(refused)
    // Queued, and not claimed yet.
    expect(await download(machine, runId)).toEqual(refused)

    await machine.start([])
    const ended = await outcome(job)
    expect(ended.output).toContain(`Downloaded ${bytes.length} bytes; the checksum is right.`)
    expect([ended.status, existsSync(done)]).toEqual(['succeeded', true])
    expect(await download(machine, runId)).toEqual(refused)

    // The bytes on the disk of the console are others than were uploaded.
    await backend.sql('update public.corporate_app_files set sha256 = $2 where id = $1', [
      upload,
      '0'.repeat(64),
    ])
    rmSync(done)
    const { data: forged } = await admin
      .rpc('run_corporate_app', { corporate_app_id: app.id, device_ids: [id] })
      .throwOnError()
    expect(await outcome(forged)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('has another checksum, so it was not installed'),
    })
    expect(existsSync(done)).toBe(false)

    const { data: late } = await admin
      .rpc('run_corporate_app', { corporate_app_id: app.id, device_ids: [bystander.id] })
      .throwOnError()
    await admin.from('corporate_app_files').delete().eq('id', upload).throwOnError()
    await bystander.machine.start([])
    expect(await outcome(late)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('The console does not have the file any more'),
    })
  })
})
