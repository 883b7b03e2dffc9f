import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { processExists, until } from './support/machine'
import { agentFolder } from './support/program'
import { type StubServer, stubServer } from './support/stub-server'

let files: Server
let origin: string
let console_: StubServer
let script: string
let home: string
const started: ChildProcess[] = []

beforeAll(async () => {
  const folder = await agentFolder()
  console_ = await stubServer({})
  files = createServer((request, response) => {
    if (request.url === '/agent/agent.mjs') return response.end(readFileSync(join(folder, 'agent.mjs')))
    if (request.url === `/agent/${PROGRAM}`) return response.end(executable)
    response.writeHead(404)
    response.end('<html>not here</html>')
  })
  await new Promise<void>((done) => files.listen(0, '127.0.0.1', done))
  const address = files.address()
  origin = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  script = readFileSync(join(folder, 'install.sh'), 'utf8')
    .replaceAll('__KONSOL_ORIGIN__', origin)
    .replaceAll('__KONSOL_KEY__', 'a-key')
    .replaceAll('__KONSOL_SIGNING_KEY__', SIGNING_KEY)
    .replaceAll('__KONSOL_SHA256__', sha256(readFileSync(join(folder, 'agent.mjs'))))
    .replaceAll('__KONSOL_PROGRAMS__', '')
  home = mkdtempSync(join(tmpdir(), 'konsol install '))
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGTERM')
})
afterAll(async () => {
  await console_.stop()
  await new Promise((done) => files.close(done))
  rmSync(home, { recursive: true, force: true })
})

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

const SIGNING_KEY = generateKeyPairSync('ed25519')
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64')
const PROGRAM = `konsol-agent-linux-${process.arch}`
/** As `tests/agent/executable.test.ts` tries a real one: it starts a program as Node does. */
const executable = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`

/** The programs that the installer may start, `systemctl` apart. */
const NEEDED = [
  'sh',
  'id',
  'curl',
  'mkdir',
  'mv',
  'cat',
  'ps',
  'tr',
  'sleep',
  'nohup',
  'tail',
  'rm',
  'printf',
  'sed',
  'kill',
  'chmod',
  'sha256sum',
  'uname',
  'env',
]

/** A PATH of these programs alone. */
function folderOf(names: readonly string[]): string {
  const bin = mkdtempSync(join(home, 'bin '))
  for (const name of names) {
    const program = findProgram(name)
    if (program) symlinkSync(program, join(bin, name))
  }
  return bin
}

const findProgram = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

interface Outcome {
  code: number | null
  text: string
}

const token = 'x'.repeat(64)

/** As `{ echo KONSOL_TOKEN=…; curl … install.sh; } | sh -s -- …` runs it. */
function install(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  text = `KONSOL_TOKEN=${token}\n${script}`,
): { child: ChildProcess; outcome: Promise<Outcome>; said: () => string } {
  const child = spawn('/bin/sh', ['-s', '--', ...args], {
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  started.push(child)
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk
  })
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(text)
  return {
    child,
    said: () => said,
    // exit, not close: an agent in the background may keep the pipes.
    outcome: new Promise((done) =>
      child.once('exit', (code) => setTimeout(() => done({ code, text: said }), 100)),
    ),
  }
}

const sawAnotherCheckIn = () => {
  const seen = console_.checkIns.length
  return () => console_.checkIns.length > seen + 1
}

describe('the installer', () => {
  it('runs the agent in the foreground, in a folder whose name has a space', async () => {
    const dataDir = join(home, 'fore ground')
    const { child, outcome, said } = install(['--foreground', '--url', console_.url, '--data-dir', dataDir])
    await until('the agent runs', () => said().includes('runs for'))
    await until('it checks in', () => console_.checkIns.length > 0)
    child.kill('SIGTERM')
    expect((await outcome).code).toBe(0)
    expect(existsSync(join(dataDir, 'device.json'))).toBe(true)
    expect(said()).not.toContain(token)
  })

  it('without systemd starts it in the background, and a second time replaces it', async () => {
    // Whatever this machine has: the installer finds no systemctl on this PATH.
    const bin = folderOf(NEEDED)
    symlinkSync(process.execPath, join(bin, 'node'))
    const pidFile = join(home, '.konsol-agent', 'agent.pid')
    const pid = () => Number(readFileSync(pidFile, 'utf8'))
    try {
      const first = await install(['--url', console_.url], { PATH: bin }).outcome
      expect(first.text).toContain('runs in the background')
      expect(first.code).toBe(0)
      const before = pid()
      expect(processExists(before)).toBe(true)
      await until('it checks in', sawAnotherCheckIn())
      // The terminal it was started from is closed.
      process.kill(before, 'SIGHUP')
      await until('it checks in again', sawAnotherCheckIn())
      expect(processExists(before)).toBe(true)
      const second = await install(['--url', console_.url], { PATH: bin }).outcome
      expect(second.text).toContain('enrolled already')
      expect(second.code).toBe(0)
      expect(pid()).not.toBe(before)
      await until('the first is gone', () => !processExists(before))
      expect(processExists(pid())).toBe(true)
    } finally {
      if (existsSync(pidFile)) process.kill(pid(), 'SIGTERM')
    }
  })

  it.each([
    ['no Node', null],
    ['a Node that is too old', '18.19.0'],
  ])('on a machine with %s says what to do, and leaves nothing', async (_what, version) => {
    const bin = mkdtempSync(join(home, 'old-'))
    for (const name of ['sh', 'id', 'mkdir', 'cat', 'sed', 'uname'])
      for (const folder of ['/bin', '/usr/bin'])
        if (existsSync(join(folder, name)) && !existsSync(join(bin, name)))
          symlinkSync(join(folder, name), join(bin, name))
    // A Node of the system itself would be found where systems put it.
    const node = join(bin, 'node')
    writeFileSync(node, version ? `#!/bin/sh\necho ${version}\n` : '#!/bin/sh\nexit 127\n')
    chmodSync(node, 0o755)
    const dataDir = join(home, 'never')
    const { code, text } = await install(['--data-dir', dataDir], { PATH: bin }).outcome
    expect(code).toBe(1)
    expect(text).toContain('needs Node.js 20 or newer')
    if (version) expect(text).toContain(version)
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each([
    ['no token', [], 'enrollment token is required'],
    ['a token as an argument', ['--token', token], '--token is refused'],
    ['an unknown argument', ['--tokn', 'x'], 'Unknown argument'],
    ['a value missing', ['--url'], 'needs a value'],
  ])('with %s says so', async (_what, args, words) => {
    const { code, text } = await install(
      [...args, ...(args.length ? [] : ['--data-dir', join(home, 'none')])],
      {},
      script,
    ).outcome
    expect(code).toBe(1)
    expect(text).toContain(words)
    expect(text).not.toContain(token)
  })

  it.skipIf(process.platform !== 'linux')(
    'shows the token in no command line and no environment, from its first program to the running agent',
    async () => {
      const bin = mkdtempSync(join(home, 'watched '))
      const seen = join(home, 'seen')
      // Each program on this PATH notes its command line and environment, then becomes what it stands for.
      for (const name of [...NEEDED, 'node']) {
        const real = name === 'node' ? process.execPath : findProgram(name)
        if (!real) continue
        const stub = join(bin, name)
        writeFileSync(
          stub,
          `#!/bin/sh\n/bin/cat "/proc/$$/cmdline" "/proc/$$/environ" >>'${seen}'\nexec '${real}' "$@"\n`,
        )
        chmodSync(stub, 0o755)
      }
      const dataDir = join(home, 'watched data')
      const exported = { PATH: bin, KONSOL_TOKEN: token }
      for (const [env, text] of [
        [{ PATH: bin }, undefined],
        [exported, script],
      ] as const) {
        rmSync(dataDir, { recursive: true, force: true })
        const run = install(['--foreground', '--url', console_.url, '--data-dir', dataDir], env, text)
        await until('the agent runs', () => run.said().includes('runs for'))
        // The shell has become the agent.
        const agent = readFileSync(`/proc/${run.child.pid}/cmdline`, 'utf8')
        expect(agent).toContain('agent.mjs')
        expect(agent).not.toContain(token)
        run.child.kill('SIGTERM')
        await run.outcome
      }
      const noted = readFileSync(seen, 'utf8')
      expect(noted).toContain('--token-file')
      expect(noted).not.toContain(token)
    },
  )

  it('takes the executable of the console where there is no Node, after its checksum', async () => {
    const bin = folderOf(NEEDED)
    // That of the machine itself would be found where systems put it.
    writeFileSync(join(bin, 'node'), '#!/bin/sh\nexit 127\n', { mode: 0o755 })
    const dataDir = join(home, 'without node')
    const programs = (sum: string) => script.replace("PROGRAMS=''", `PROGRAMS='${sum}  ${PROGRAM}'`)
    const args = ['--foreground', '--url', console_.url, '--data-dir', dataDir]
    const wrong = await install(args, { PATH: bin }, `KONSOL_TOKEN=${token}\n${programs(sha256('other'))}`)
      .outcome
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining('has another checksum')])
    const run = install(args, { PATH: bin }, `KONSOL_TOKEN=${token}\n${programs(sha256(executable))}`)
    await until('it checks in', sawAnotherCheckIn())
    run.child.kill('SIGTERM')
    expect((await run.outcome).code).toBe(0)
    expect(readFileSync(join(dataDir, 'konsol-agent'), 'utf8')).toBe(executable)
    expect(JSON.parse(readFileSync(join(dataDir, 'device.json'), 'utf8'))).toMatchObject({
      signingKey: SIGNING_KEY,
    })
  })

  it('installs nothing whose checksum is another, and leaves what is there running', async () => {
    const dataDir = join(home, 'changed')
    const changed = script.replace(/AGENT_SHA256='\w+'/, `AGENT_SHA256='${sha256('other')}'`)
    const { code, text } = await install(['--data-dir', dataDir], {}, `KONSOL_TOKEN=${token}\n${changed}`)
      .outcome
    expect([code, text]).toEqual([1, expect.stringContaining('has another checksum')])
    expect(readdirSync(dataDir)).toEqual([])
  })

  describe.each([
    { system: 'Linux', manager: 'systemctl', unit: 'konsol-agent.service' },
    { system: 'Darwin', manager: 'launchctl', unit: 'com.konsol.agent.plist' },
  ])('as root on $system', ({ system, manager, unit }) => {
    /** A machine in a folder: its service manager notes what it is asked. */
    const machine = () => {
      const root = mkdtempSync(join(home, 'root '))
      const bin = folderOf(NEEDED.filter((name) => name !== 'id' && name !== 'uname'))
      const asked = join(root, 'asked')
      const stub = (name: string, lines: string) =>
        writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
      stub('id', 'echo 0')
      stub('uname', `echo ${system}`)
      stub('node', `exec '${process.execPath}' "$@"`)
      stub(manager, `echo "$@" >>'${asked}'`)
      mkdirSync(join(root, 'systemd'))
      const adapted = script
        .replace('/etc/systemd/system/konsol-agent.service', join(root, 'konsol-agent.service'))
        .replace('/Library/LaunchDaemons/com.konsol.agent.plist', join(root, 'com.konsol.agent.plist'))
        .replace(/^(UNIT|PLIST)=(.*)$/gm, "$1='$2'")
        .replaceAll('/run/systemd/system', `"${system === 'Linux' ? join(root, 'systemd') : '/nowhere'}"`)
      const dataDir = join(root, 'da<ta & 100%')
      const run = (args: readonly string[]) =>
        install(['--data-dir', dataDir, ...args], { PATH: bin }, `KONSOL_TOKEN=${token}\n${adapted}`).outcome
      return { run, dataDir, unit: join(root, unit), asked: () => readFileSync(asked, 'utf8').split('\n') }
    }

    it('becomes a service that starts it again, and is removed without a trace but its identity', async () => {
      const { run, dataDir, unit: file, asked } = machine()
      expect(await run(['--url', console_.url])).toMatchObject({ code: 0 })
      const text = readFileSync(file, 'utf8')
      expect(text).toContain('--service')
      expect(text).toContain(SIGNING_KEY)
      expect(text).not.toContain(token)
      if (system === 'Linux') {
        expect(text).toContain('da<ta & 100%%/agent.mjs" run "--url"')
        expect(text).toContain('Restart=always')
        expect(asked()).toContain('restart konsol-agent')
      } else {
        expect(text).toContain(
          'da&lt;ta &amp; 100%/agent.mjs</string>\n    <string>run</string>\n    <string>--url</string>',
        )
        expect(text).toContain('<key>KeepAlive</key>\n  <true/>')
        expect(asked()).toContain(`bootstrap system ${file}`)
      }
      const gone = await run(['--uninstall'])
      expect(gone).toMatchObject({ code: 0, text: expect.stringContaining('as the same device') })
      expect(existsSync(file)).toBe(false)
      expect(readdirSync(dataDir)).toContain('device.json')
      expect(readdirSync(dataDir)).not.toContain('agent.mjs')
      expect(asked()).toContain(
        system === 'Linux' ? 'disable --quiet konsol-agent' : 'bootout system/com.konsol.agent',
      )
      expect((await run(['--uninstall', '--purge'])).code).toBe(0)
      expect(existsSync(dataDir)).toBe(false)
    })
  })

  it('removes no folder that is not an agent’s', async () => {
    const dataDir = mkdtempSync(join(home, 'precious '))
    writeFileSync(join(dataDir, 'letter'), 'dear')
    const { code, text } = await install(['--uninstall', '--purge', '--data-dir', dataDir]).outcome
    expect([code, text]).toEqual([1, expect.stringContaining('holds no agent')])
    expect(readdirSync(dataDir)).toEqual(['letter'])
    const alone = await install(['--purge', '--data-dir', dataDir]).outcome
    expect([alone.code, alone.text]).toEqual([1, expect.stringContaining('belongs to --uninstall')])
  })

  it('does not take a web page for the agent', async () => {
    const elsewhere = script.replace('download agent.mjs', 'download other.mjs')
    const { code, text } = await install(['--data-dir', join(home, 'page')], {}, elsewhere).outcome
    expect(code).toBe(1)
    expect(text).toContain('could not be downloaded')
  })

  it('cut off in the middle of its own download does nothing', async () => {
    const { text } = await install([], {}, script.slice(0, script.lastIndexOf('main "$@"'))).outcome
    expect(text).toBe('')
  })

  it('is written for every POSIX shell', () => {
    expect(script).not.toMatch(/\[\[|\blocal |\bfunction |<<<|\$'/)
  })
})
