import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installCommands, presenceOf, removalCommands } from '../../agent/tasks/corporate-app'
import { compareVersions, detect, parseRule, registryValues } from '../../agent/tasks/detection'
import { toTask } from '../../agent/tasks/task'
import { until } from './support/machine'
import { backend, company, device, openSite } from './support/site'

describe('a detection rule', () => {
  it.each([
    ['keremtool', { kind: 'package', subject: 'keremtool', atLeast: null }],
    ['keremtool >= 2.0', { kind: 'package', subject: 'keremtool', atLeast: '2.0' }],
    ['C:\\ERP\\erp.exe>=3.1', { kind: 'path', subject: 'C:\\ERP\\erp.exe', atLeast: '3.1' }],
    ['$HOME/tool', { kind: 'path', subject: '$HOME/tool', atLeast: null }],
    ['HKLM\\SOFTWARE\\ERP >= 4', { kind: 'registry', subject: 'HKLM\\SOFTWARE\\ERP', atLeast: '4' }],
    ['  ', null],
  ])('is read from %j', (text, rule) => {
    expect(parseRule(text)).toEqual(rule)
  })

  it.each([
    ['1.0', '2.0'],
    ['1.9', '1.10'],
    ['2.0-rc1', '2.0'],
    ['2.0~beta', '2.0'],
    ['2.0', '2.0-1'],
    ['2.0', '2.0.1'],
    ['1:1.0', '2:0.5'],
    ['v1.4', '1.5'],
  ])('takes %s for older than %s', (older, newer) => {
    expect(compareVersions(older, newer)).toBeLessThan(0)
    expect(compareVersions(newer, older)).toBeGreaterThan(0)
  })
  it.each([
    ['2.0', '2.0.0'],
    ['v2.0', '2.0'],
    ['1:2.0', '2.0'],
    ['02', '2'],
  ])('takes %s for the same as %s', (a, b) => {
    expect(compareVersions(a, b)).toBe(0)
    expect(compareVersions(b, a)).toBe(0)
  })

  it('finds paths, and nothing for a name that would be an option', async () => {
    const found = async (text: string) => {
      const rule = parseRule(text)
      return rule && detect(rule)
    }
    expect(await found('/')).toEqual({ version: null })
    expect(await found('/no/such/file')).toBeNull()
    expect(await found('no-such-package-here')).toBeNull()
    expect(await found('--version')).toBeNull()
  })

  it('reads the values of a registry key', () => {
    const text =
      '\r\nHKEY_LOCAL_MACHINE\\X\r\n    DisplayName    REG_SZ    Kerem Tool\r\n    DisplayVersion    REG_SZ    2.0.1\r\n'
    expect(Object.fromEntries(registryValues(text))).toEqual({
      displayname: 'Kerem Tool',
      displayversion: '2.0.1',
    })
  })

  const app = { package_version: '2.0', sha256: 'b'.repeat(64) }
  const earlier = (sha256: string, found_version: string | null = null) => ({
    sha256,
    package_version: '1.0',
    found_version,
  })
  it.each([
    ['nothing found', 'tool', null, null, null],
    ['an older version', 'tool', { version: '1.0' }, null, null],
    ['this version', 'tool', { version: '2.0-1' }, null, 'current'],
    ['a version older than the rule asks for', 'tool >= 2.5', { version: '2.4' }, null, null],
    ['a version as the rule asks for', 'tool >= 1.5', { version: '1.7' }, null, 'current'],
    ['a path that somebody else made', '/opt/tool', { version: null }, null, 'unknown'],
    ['a path of this file', '/opt/tool', { version: null }, earlier('b'.repeat(64)), 'current'],
    ['a path of an earlier file', '/opt/tool', { version: null }, earlier('a'.repeat(64)), null],
    [
      'this file, which calls itself otherwise',
      'tool',
      { version: '0.9' },
      earlier('b'.repeat(64), '0.9'),
      'current',
    ],
    [
      'a version that was changed by hand since',
      'tool',
      { version: '3.0' },
      earlier('a'.repeat(64), '1.0'),
      'current',
    ],
  ] as const)('decides about %s', (_case, text, found, remembered, presence) => {
    const rule = parseRule(text)
    expect(rule && presenceOf(app, rule, found, remembered)).toBe(presence)
  })

  it('cannot compare a label without a number', () => {
    const rule = parseRule('tool')
    expect(rule && presenceOf({ ...app, package_version: 'latest' }, rule, { version: '1' }, null)).toBe(
      'unknown',
    )
  })

  it('is removed by the system, or not at all by an agent that is too old to know how', async () => {
    expect(
      toTask('{"task": "remove_corporate_app", "app": {"name": "ERP", "detection_rule": "erp"}}'),
    ).toMatchObject({
      task: 'remove_corporate_app',
      app: { detection_rule: 'erp' },
    })
    expect(installCommands('/tmp/a.deb', '', true).at(-1)?.args).toEqual(
      expect.arrayContaining(['--reinstall', '--allow-downgrades']),
    )
    if (existsSync('/usr/bin/apt-get'))
      expect((await removalCommands('erp'))?.at(-1)?.args.slice(-3)).toEqual(['remove', '--', 'erp'])
  })
})

const hasApt = existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg-deb')
if (!hasApt) console.warn('Not tested: versions of DEB packages, because this machine has no APT.')

describe.skipIf(!hasApt)('a new version of a corporate app', () => {
  openSite()
  let folder: string
  let server: Server
  let url: string
  const root = () => join(folder, 'root')
  const packages = new Map<string, Buffer>()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-rollout-'))
    for (const path of [
      'apt/sources.list.d',
      'apt/preferences.d',
      'apt/apt.conf.d',
      'state/lists/partial',
      'cache/archives/partial',
      'root/var/lib/dpkg/info',
      'root/var/lib/dpkg/updates',
      'root/var/log',
    ])
      mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(root(), 'var/lib/dpkg/status'), '')
    writeFileSync(join(folder, 'apt/sources.list'), '')
    writeFileSync(
      join(folder, 'apt.conf'),
      [
        `Dir::Etc "${folder}/apt";`,
        `Dir::State "${folder}/state";`,
        `Dir::State::status "${root()}/var/lib/dpkg/status";`,
        `Dir::Cache "${folder}/cache";`,
        `Dir::Log "${root()}/var/log";`,
        `Dpkg::Options { "--root=${root()}"; "--force-not-root"; "--force-bad-path"; "--log=/dev/null"; };`,
        'APT::Sandbox::User "root";',
      ].join('\n'),
    )
    for (const version of ['1.0', '2.0']) {
      const source = join(folder, `source-${version}`)
      mkdirSync(join(source, 'DEBIAN'), { recursive: true })
      mkdirSync(join(source, 'opt'), { recursive: true })
      writeFileSync(
        join(source, 'DEBIAN/control'),
        `Package: keremtool\nVersion: ${version}\nArchitecture: all\nMaintainer: K <k@example.test>\nDescription: Test\n`,
      )
      writeFileSync(join(source, 'opt/keremtool'), version)
      const file = join(folder, `${version}.deb`)
      execFileSync('/usr/bin/dpkg-deb', ['--root-owner-group', '--build', source, file])
      packages.set(version, readFileSync(file))
    }
    server = createServer((request, response) => {
      const bytes = packages.get(request.url?.replace(/^\/|\.deb$/g, '') ?? '')
      if (bytes) response.end(bytes)
      else response.writeHead(404).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const app = (version: string, detection_rule = 'keremtool') => ({
    name: 'Kerem Tool',
    package_version: version,
    source_url: `${url}/${version}.deb`,
    sha256: createHash('sha256')
      .update(packages.get(version) ?? '')
      .digest('hex'),
    detection_rule,
    success_codes: '0',
  })
  const run = async (deviceId: string, task: unknown) => {
    const [made] = await backend.sql<{ job: string }>(
      `select app.queue_task($1, 'Task', $2::jsonb, array[$3]::uuid[], 120, now() + interval '1 hour') as job`,
      [company, JSON.stringify(task), deviceId],
    )
    return until('the run has ended', async () => {
      const [ended] = await backend.sql<{ status: string; error: string | null; output: string }>(
        'select status, error, output from public.job_runs where job_id = $1 and reported_at is not null',
        [made?.job],
      )
      return ended
    })
  }
  const installed = () => {
    const path = join(root(), 'opt/keremtool')
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }

  it('replaces the old one, is not installed twice, goes back when that is forced, and is removed', async () => {
    const { machine, id } = await device()
    await machine.start([], {
      APT_CONFIG: join(folder, 'apt.conf'),
      DPKG_ROOT: root(),
      DPKG_ADMINDIR: join(root(), 'var/lib/dpkg'),
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
    })
    const install = (version: string, more = {}) =>
      run(id, { task: 'corporate_app', app: app(version), ...more })

    const first = await install('1.0')
    expect([first.status, installed()], first.output).toEqual(['succeeded', '1.0'])
    const second = await install('2.0')
    expect([second.status, installed()], second.output).toEqual(['succeeded', '2.0'])
    expect(second.output).toContain('Installed is 1.0; asked for is 2.0.')
    const again = await install('2.0')
    expect(again.output).toBe('Nothing to do: version 2.0 of Kerem Tool is installed already.\n')

    expect((await install('1.0')).output).toContain('version 2.0 of Kerem Tool is installed already')
    const back = await install('1.0', { is_forced: true })
    expect([back.status, installed()], back.output).toEqual(['succeeded', '1.0'])

    const wrong = await run(id, { task: 'corporate_app', app: app('2.0', 'keremtool >= 3') })
    expect(wrong.status).toBe('failed')
    expect(wrong.output).toContain('the device has version 2.0, not 3')

    const removed = await run(id, { task: 'remove_corporate_app', app: app('2.0') })
    expect([removed.status, installed()], removed.output).toEqual(['succeeded', null])

    // Somebody else's file at the path: nobody can tell its version.
    const path = join(folder, 'by-hand')
    writeFileSync(path, '')
    const unknown = await run(id, { task: 'corporate_app', app: app('2.0', path) })
    expect(unknown).toMatchObject({ status: 'failed', error: 'already_installed' })
    expect(unknown.output).toContain('Choose "Install anyway"')
    expect(installed()).toBeNull()
    const forced = await run(id, { task: 'corporate_app', app: app('2.0', path), is_forced: true })
    expect([forced.status, installed()], forced.output).toEqual(['succeeded', '2.0'])
    const kept = await run(id, { task: 'remove_corporate_app', app: app('2.0', path) })
    expect([kept.status, installed()]).toEqual(['failed', '2.0'])
  })
})
