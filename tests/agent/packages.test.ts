import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from './support/machine'
import { backend, company, device, openSite } from './support/site'

const DPKG_DEB = '/usr/bin/dpkg-deb'
const hasApt = existsSync('/usr/bin/apt-get') && existsSync(DPKG_DEB)
if (!hasApt) console.warn('Not tested: APT packages and updates, because this machine has no APT.')

/** APT and dpkg of this machine, on a root and a repository in a scratch folder: nothing of the machine is changed. */
class ScratchRoot {
  readonly folder = mkdtempSync(join(tmpdir(), 'konsol-apt-'))
  private readonly repository = join(this.folder, 'repository')
  private readonly root = join(this.folder, 'root')
  private readonly published: string[] = []

  constructor() {
    const make = (path: string) => mkdirSync(join(this.folder, path), { recursive: true })
    for (const path of [
      'repository',
      'apt/sources.list.d',
      'apt/preferences.d',
      'apt/apt.conf.d',
      'state/lists/partial',
      'cache/archives/partial',
      'root/var/lib/dpkg/info',
      'root/var/lib/dpkg/updates',
      'root/var/log',
    ])
      make(path)
    writeFileSync(join(this.root, 'var/lib/dpkg/status'), '')
    writeFileSync(join(this.folder, 'apt/sources.list'), `deb [trusted=yes] file:${this.repository} ./\n`)
    writeFileSync(
      join(this.folder, 'apt.conf'),
      [
        `Dir::Etc "${this.folder}/apt";`,
        `Dir::State "${this.folder}/state";`,
        `Dir::State::status "${this.root}/var/lib/dpkg/status";`,
        `Dir::Cache "${this.folder}/cache";`,
        `Dir::Log "${this.root}/var/log";`,
        `Dpkg::Options { "--root=${this.root}"; "--force-not-root"; "--force-bad-path"; "--log=/dev/null"; };`,
        'APT::Sandbox::User "root";',
        'APT::Install-Recommends "false";',
      ].join('\n'),
    )
  }

  get env(): NodeJS.ProcessEnv {
    return {
      APT_CONFIG: join(this.folder, 'apt.conf'),
      DPKG_ROOT: this.root,
      DPKG_ADMINDIR: join(this.root, 'var/lib/dpkg'),
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
    }
  }

  /** Makes a package with one file, and offers it. */
  publish(name: string, version: string): void {
    const source = join(this.folder, `${name}-${version}`)
    mkdirSync(join(source, 'DEBIAN'), { recursive: true })
    mkdirSync(join(source, 'opt'), { recursive: true })
    const control = `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: Konsol <konsol@example.test>\nDescription: Test\n`
    writeFileSync(join(source, 'DEBIAN/control'), control)
    writeFileSync(join(source, `opt/${name}`), version)
    const file = `${name}_${version}_all.deb`
    const path = join(this.repository, file)
    execFileSync(DPKG_DEB, ['--root-owner-group', '--build', source, path])
    this.published.push(
      `${control}Filename: ./${file}\nSize: ${statSync(path).size}\nSHA256: ${createHash('sha256').update(readFileSync(path)).digest('hex')}\n`,
    )
    writeFileSync(join(this.repository, 'Packages'), this.published.join('\n'))
  }

  /** The content of the package's only file; null when the package is not installed. */
  installed(name: string): string | null {
    const path = join(this.root, 'opt', name)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
}

describe.skipIf(!hasApt)('packages of a device', () => {
  openSite()
  let apt: ScratchRoot
  beforeAll(() => {
    apt = new ScratchRoot()
  })
  afterAll(() => rmSync(apt.folder, { recursive: true, force: true }))

  const one = async <R = Record<string, unknown>>(query: string, params: unknown[]): Promise<R | undefined> =>
    (await backend.sql<R & Record<string, unknown>>(query, params))[0]
  const run = async (deviceId: string, task: unknown): Promise<{ status: string; output: string }> => {
    const made = await one<{ job: string }>(
      `select app.queue_task($1, 'Task', $2::jsonb, array[$3]::uuid[], 300, now() + interval '1 hour') as job`,
      [company, JSON.stringify(task), deviceId],
    )
    return until('the run has ended', () =>
      one<{ status: string; output: string }>(
        'select status, output from public.job_runs where job_id = $1 and reported_at is not null',
        [made?.job],
      ),
    )
  }
  const app = (act: string) => ({ task: 'app', act, name: 'Tool', ids: { apt: 'konsol-tool' } })

  it('are installed, updated after approval, and removed, with the real APT', async () => {
    apt.publish('konsol-tool', '1.0')
    const { machine, id } = await device()
    await machine.start([], apt.env)

    const first = await run(id, app('install'))
    expect([first.status, apt.installed('konsol-tool')], first.output).toEqual(['succeeded', '1.0'])
    await until('the inventory has it', () =>
      one('select 1 as there from public.device_software where device_id = $1', [id]),
    )

    apt.publish('konsol-tool', '2.0')
    expect((await run(id, { task: 'scan_patches' })).output).toContain('1 missing update.')
    const patch = () =>
      one<{ id: string; patch_id: string; status: string; name: string }>(
        `select t.id, t.patch_id, t.status, p.title || ' ' || p.kb_number as name
         from public.device_patches t join public.patches p on p.id = t.patch_id where t.device_id = $1`,
        [id],
      )
    const missing = await until('it is listed as missing', patch)
    expect(missing).toMatchObject({ name: 'konsol-tool 2.0', status: 'missing' })

    await backend.sql(`update public.patches set approval = 'approved' where id = $1`, [missing.patch_id])
    const queued = await one<{ job: string }>(
      `select app.queue_patches($1, 'Updates', array[$2]::uuid[], now() + interval '1 hour') as job`,
      [company, missing.id],
    )
    await until('the run has ended', () =>
      one(`select 1 as there from public.job_runs where job_id = $1 and status = 'succeeded'`, [queued?.job]),
    )
    expect(apt.installed('konsol-tool')).toBe('2.0')
    await until('it is recorded as installed', async () => (await patch())?.status === 'installed')

    const removed = await run(id, app('remove'))
    expect([removed.status, apt.installed('konsol-tool')], removed.output).toEqual(['succeeded', null])
    const unknown = await run(id, {
      task: 'app',
      act: 'install',
      name: 'Nothing',
      ids: { apt: 'no-such-tool' },
    })
    expect(unknown.status).toBe('failed')
    expect(unknown.output).toContain('Unable to locate package no-such-tool')
  })
})
