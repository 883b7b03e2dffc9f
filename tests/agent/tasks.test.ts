import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installCommands, splitArguments } from '../../agent/tasks/corporate-app'
import { expanded } from '../../agent/tasks/detection'
import { toTask } from '../../agent/tasks/task'
import { backend, company, device, openSite, outcomeOf } from './support/site'

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

    expect(await outcomeOf(jobs.reboot)).toMatchObject({
      status: 'succeeded',
      output: expect.stringContaining('This device restarts in one minute.'),
    })
    expect(await outcomeOf(jobs.app)).toMatchObject({ status: 'succeeded', exit_code: 0 })
    const called = readFileSync(join(folder, 'called'), 'utf8')
    expect(called).toMatch(/^shutdown -r \+1 /m)
    expect(called).toMatch(/^apt-get .*install --no-install-recommends -- git$/m)
    expect(await outcomeOf(jobs.nowhere)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('has no package of it for apt'),
    })
    expect(await outcomeOf(jobs.newer)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('Update the agent'),
    })
    expect(await outcomeOf(jobs.forged)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('has another checksum, so it was not installed'),
    })
    expect(existsSync(done)).toBe(false)

    const installed = await outcomeOf(await queue(id, corporate(right)))
    expect(installed).toMatchObject({ status: 'succeeded', exit_code: 0 })
    expect(installed.output).toContain('installing for Acme Inc\n')
    expect(installed.output).toContain('A restart is required.')
    expect((await outcomeOf(await queue(id, corporate(right)))).output).toContain('is installed already')
  })
})
