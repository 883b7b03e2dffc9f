import { createHash, generateKeyPairSync } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createApi } from '../../agent/api'
import { enroll } from '../../agent/enroll'
import { buildExecutable, executableName } from '../../agent/executable'
import { createAccount, createCompany } from '../support/accounts'
import { type TestBackend, testBackend } from '../support/backend'
import { createToken, endOf, one, queueRun, readRun } from './support/console'
import { Machine, type RunningAgent, stopMachines, until } from './support/machine'
import { agentFolder } from './support/program'

let folder: string
let bundle: string
let version: string
let backend: TestBackend
let company: string

beforeAll(async () => {
  bundle = readFileSync(join(await agentFolder(), 'agent.mjs'), 'utf8')
  version = versionOf(join(await agentFolder(), 'agent.mjs')) ?? ''
  folder = mkdtempSync(join(tmpdir(), 'konsol-agent-served-'))
  writeFileSync(join(folder, 'agent.mjs'), bundle)
  backend = await testBackend({ demo: false, agentDir: folder })
  company = await createCompany(backend)
})
afterEach(stopMachines)
afterAll(async () => {
  await backend.stop()
  rmSync(folder, { recursive: true, force: true })
})

const versionOf = (file: string) => /^\/\/ konsol-agent (\S+)/.exec(readFileSync(file, 'utf8'))?.[1]

let count = 0

async function serveText(code: string): Promise<void> {
  writeFileSync(join(folder, 'agent.mjs'), code)
  await fetch(`${backend.url}/agent/release.json`)
}

/** Serves another version, as after an update of the console; returns its name. */
async function serve(change: (code: string) => string = (code) => code): Promise<string> {
  const next = `0.1.0+${String(++count).padStart(12, '0')}`
  await serveText(change(bundle.replaceAll(version, next)))
  return next
}

interface Installed {
  id: string
  machine: Machine
  /** The program that starts with the machine. */
  program: string
  start: (more?: readonly string[]) => Promise<RunningAgent>
}

/** A device whose agent runs from its data directory, as the installer leaves it, and was not started yet. */
async function install(): Promise<Installed> {
  const machine = new Machine()
  const program = join(machine.dataDir, 'agent.mjs')
  writeFileSync(program, bundle)
  const { deviceId: id } = await enroll({
    api: createApi(backend.url, null),
    url: backend.url,
    key: null,
    dataDir: machine.dataDir,
    machineId: machine.id,
    platform: 'linux',
    token: await createToken(backend, company),
  })
  const start = (more: readonly string[] = []) => machine.start(more, {}, null, [process.execPath, program])
  return { id, machine, program, start }
}

/** Somebody in the console asks for it: what run_task() writes. */
const ask = (id: string, target: string) =>
  backend.sql(
    'update public.device_presence set agent_target = $2, agent_target_asked = true where device_id = $1',
    [id, target],
  )

interface Known {
  agent_version: string
  agent_update_state: string | null
  agent_update_version: string | null
  agent_update_reason: string | null
}

const updateOf = (id: string) =>
  one<Known>(
    backend,
    'select agent_version, agent_update_state, agent_update_version, agent_update_reason from public.devices where id = $1',
    [id],
  )

const runs = (id: string, wanted: string) => async () => (await updateOf(id)).agent_version === wanted

it('updates itself twice, with a run under way that survives, and starts with the new version from then on', async () => {
  const { id, program, machine, start } = await install()
  const run = await queueRun(backend, company, id, {
    type: 'Bash',
    text: 'echo begun; sleep 8; echo survived',
  })
  const second = await serve()
  const agent = await start()
  await until('the run has begun', async () => (await readRun(backend, run)).status === 'running')
  await ask(id, second)
  await until('the second version checks in', runs(id, second))
  await until('it starts with the machine', () => versionOf(program) === second)
  expect(versionOf(join(machine.dataDir, 'agent.previous.mjs'))).toBe(version)
  const third = await serve()
  await ask(id, third)
  await until('the third version checks in', runs(id, third))
  const ended = await until('the run ends', endOf(backend, run))
  expect(ended).toMatchObject({ status: 'succeeded', exit_code: 0, output: 'begun\nsurvived\n' })
  await until('the file of the second is gone', () => {
    const files = readdirSync(machine.dataDir).filter((name) => /^agent-/.test(name))
    return files.length === 1 && files[0]?.includes(third.slice(-12))
  })
  expect(await updateOf(id)).toEqual({
    agent_version: third,
    agent_update_state: null,
    agent_update_version: null,
    agent_update_reason: null,
  })
  await agent.kill('SIGTERM')
  expect(await agent.ended).toBe(0)
  expect(existsSync(join(machine.dataDir, 'lock'))).toBe(false)
})

it('puts the old version back when the new one never checks in, says so, and does not try it again', async () => {
  const { id, program, start } = await install()
  const silent = await serve((code) =>
    code.replace('async cycle() {', 'async cycle() { await new Promise((done) => setTimeout(done, 1e9));'),
  )
  await ask(id, silent)
  const agent = await start(['--trial-seconds', '2'])
  await until('it is put back', async () => (await updateOf(id)).agent_update_state === 'failed')
  expect(await updateOf(id)).toEqual({
    agent_version: version,
    agent_update_state: 'failed',
    agent_update_version: silent,
    agent_update_reason: 'no_check_in',
  })
  expect(versionOf(program)).toBe(version)
  const broken = await serve((code) => `${code}\nthrow new Error('broken')`)
  await ask(id, broken)
  await until('the broken one is put back', async () => (await updateOf(id)).agent_update_reason === 'ended')
  // The silent one is served and asked for once more.
  await serveText(bundle.replaceAll(version, silent))
  await ask(id, silent)
  await until('it was offered', async () => {
    const { isOffered } = await one<{ isOffered: boolean }>(
      backend,
      `select last_seen_at > clock_timestamp() - interval '0.2 s' as "isOffered" from public.device_presence where device_id = $1`,
      [id],
    )
    return isOffered
  })
  await new Promise((done) => setTimeout(done, 500))
  expect(agent.log().match(/Trying version/g)).toHaveLength(2)
  expect((await updateOf(id)).agent_version).toBe(version)
})

it('refuses what is not signed by the key of its installation', async () => {
  const { id, program, start } = await install()
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' })
  const next = await serve()
  await ask(id, next)
  const agent = await start(['--signing-key', other.toString('base64')])
  await until('it is refused', async () => (await updateOf(id)).agent_update_state === 'failed')
  expect(await updateOf(id)).toMatchObject({
    agent_version: version,
    agent_update_version: next,
    agent_update_reason: 'signature',
  })
  expect(versionOf(program)).toBe(version)
  expect(agent.log()).not.toContain('Trying version')
})

it('as a service leaves the start of the new version to what starts it', async () => {
  const { id, program, start } = await install()
  const next = await serve()
  await ask(id, next)
  const agent = await start(['--service'])
  expect(await agent.ended).toBe(0)
  expect((await updateOf(id)).agent_version).toBe(next)
  expect(versionOf(program)).toBe(next)
})

const hasPostject = (() => {
  try {
    return Boolean(createRequire(import.meta.url).resolve('postject/dist/cli.js'))
  } catch {
    return false
  }
})()
if (!hasPostject) console.warn('Not tested: the executable, because postject is not installed. Run npm ci.')

it.skipIf(!hasPostject)(
  'as an executable without Node runs scripts and tasks, and updates itself',
  async () => {
    const { id, machine } = await install()
    rmSync(join(machine.dataDir, 'agent.mjs'))
    const built = mkdtempSync(join(tmpdir(), 'konsol-agent-executable-'))
    try {
      writeFileSync(join(built, 'agent.mjs'), bundle)
      const file = buildExecutable(built)
      // The build blocked this process, so open connections have timed out.
      await until('the console answers', () =>
        fetch(`${backend.url}/agent/release.json`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
      expect(readFileSync(join(built, 'programs.sha256'), 'utf8')).toBe(`${sum}  ${executableName()}\n`)
      // On its own: it brings its agent along.
      const executable = join(machine.dataDir, 'konsol-agent')
      copyFileSync(file, executable)
      const bin = join(built, 'bin')
      mkdirSync(bin)
      for (const name of ['bash', 'sleep']) symlinkSync(join('/bin', name), join(bin, name))
      const next = await serve()
      const script = await queueRun(backend, company, id, {
        type: 'Bash',
        text: 'sleep 2; command -v node || echo "no node"',
      })
      const admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
      const asked = await admin.rpc('run_task', { task: 'update_agent', device_ids: [id] })
      const { id: task } = await one<{ id: string }>(
        backend,
        'select id from public.job_runs where job_id = $1',
        [asked.data],
      )
      const agent = await machine.start([], { PATH: bin }, null, [executable])
      await until('it has updated itself', runs(id, next))
      expect(await until('the task ends', endOf(backend, task))).toMatchObject({
        status: 'succeeded',
        output: expect.stringContaining(`Updated to ${next}.`),
      })
      expect(await until('the script ends', endOf(backend, script))).toMatchObject({
        status: 'succeeded',
        output: 'no node\n',
      })
      expect(versionOf(join(machine.dataDir, 'agent.mjs'))).toBe(next)
      await agent.kill('SIGTERM')
    } finally {
      rmSync(built, { recursive: true, force: true })
    }
  },
)
