import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
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
    response.writeHead(404)
    response.end('<html>not here</html>')
  })
  await new Promise<void>((done) => files.listen(0, '127.0.0.1', done))
  const address = files.address()
  origin = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  script = readFileSync(join(folder, 'install.sh'), 'utf8')
    .replaceAll('__KONSOL_ORIGIN__', origin)
    .replaceAll('__KONSOL_KEY__', 'a-key')
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

/** What the installer may start, `systemctl` apart. */
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
  'uname',
  'env',
]

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
    const bin = join(home, 'bin')
    mkdirSync(bin, { recursive: true })
    for (const name of NEEDED) {
      const program = findProgram(name)
      if (program) symlinkSync(program, join(bin, name))
    }
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
    for (const name of ['sh', 'id', 'mkdir', 'cat', 'sed'])
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

  it('does not take a web page for the agent', async () => {
    const elsewhere = script.replaceAll('/agent/agent.mjs', '/agent/other.mjs')
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
