import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createCompany } from '../support/accounts'
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

/** Serves another version, as after an update of the console; returns its name. */
async function serve(change: (code: string) => string = (code) => code): Promise<string> {
  const next = `0.1.0+${String(++count).padStart(12, '0')}`
  writeFileSync(join(folder, 'agent.mjs'), change(bundle.replaceAll(version, next)))
  await fetch(`${backend.url}/agent/release.json`)
  return next
}

/** The console goes back to the version that the machines start with. */
const serveFirst = async () => {
  writeFileSync(join(folder, 'agent.mjs'), bundle)
  await fetch(`${backend.url}/agent/release.json`)
}

interface Installed {
  id: string
  program: string
  agent: RunningAgent
  machine: Machine
}

/** An agent that runs from its data directory, as the installer leaves it. */
async function install(more: readonly string[] = []): Promise<Installed> {
  const machine = new Machine()
  const program = join(machine.dataDir, 'agent.mjs')
  copyFileSync(join(await agentFolder(), 'agent.mjs'), program)
  const options = ['--url', backend.url, '--trial-seconds', '4', ...more]
  const agent = await machine.start(
    options,
    { KONSOL_TOKEN: await createToken(backend, company) },
    null,
    program,
  )
  const { id } = await until('it is enrolled', async () => {
    const [row] = await backend.sql<{ id: string }>(
      `select id from public.devices where enrolled_at is not null and machine_id is not null and company_id = $1
       and agent_version = $2 and id not in (select unnest($3::uuid[]))`,
      [company, version, known],
    )
    return row
  })
  known.push(id)
  return { id, program, agent, machine }
}
const known: string[] = []

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

const known_ = (id: string) =>
  one<Known>(
    backend,
    'select agent_version, agent_update_state, agent_update_version, agent_update_reason from public.devices where id = $1',
    [id],
  )

const runs = (id: string, wanted: string) => async () => (await known_(id)).agent_version === wanted

it('updates itself twice, with a run under way that survives, and starts with the new version from then on', async () => {
  const { id, program, agent, machine } = await install()
  const run = await queueRun(backend, company, id, {
    type: 'Bash',
    text: 'echo begun; sleep 8; echo survived',
  })
  await until('the run has begun', async () => (await readRun(backend, run)).status === 'running')
  const second = await serve()
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
  expect(await known_(id)).toMatchObject({ agent_update_state: null, agent_update_version: null })
  await agent.kill('SIGTERM')
  expect(await agent.ended).toBe(0)
  expect(existsSync(join(machine.dataDir, 'lock'))).toBe(false)
})

it('puts the old version back when the new one never checks in, says so, and does not try it again', async () => {
  await serveFirst()
  const { id, program, agent } = await install()
  const silent = await serve((code) =>
    code.replace('async cycle() {', 'async cycle() { await new Promise((done) => setTimeout(done, 1e9));'),
  )
  await ask(id, silent)
  await until('it is put back', async () => (await known_(id)).agent_update_state === 'failed')
  expect(await known_(id)).toEqual({
    agent_version: version,
    agent_update_state: 'failed',
    agent_update_version: silent,
    agent_update_reason: 'no_check_in',
  })
  expect(versionOf(program)).toBe(version)
  const broken = await serve(() => 'this is no program')
  // It names no version, so its content does.
  const { version: unnamed } = (await (await fetch(`${backend.url}/agent/release.json`)).json()) as {
    version: string
  }
  expect(broken).not.toBe(unnamed)
  await ask(id, unnamed)
  await until('the broken one is put back', async () => (await known_(id)).agent_update_version === unnamed)
  await until('it has failed', async () => (await known_(id)).agent_update_reason === 'ended')
  // The silent one is served and asked for once more.
  writeFileSync(join(folder, 'agent.mjs'), bundle.replaceAll(version, silent))
  await fetch(`${backend.url}/agent/release.json`)
  await ask(id, silent)
  const tries = () => agent.log().match(/Trying version/g)?.length
  await until('it has been offered', async () => {
    const seen = await one<{ at: string }>(
      backend,
      'select last_seen_at::text as at from public.device_presence where device_id = $1',
      [id],
    )
    return Date.parse(seen.at) > Date.now() - 1_000
  })
  expect(tries()).toBe(2)
  const good = await serve()
  await ask(id, good)
  await until('a good one still comes', runs(id, good))
})

it('refuses what the key of its installation has not signed, and a bundle that was changed on the way', async () => {
  await serveFirst()
  const { generateKeyPairSync } = await import('node:crypto')
  const other = generateKeyPairSync('ed25519')
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64')
  const { id, program } = await install(['--signing-key', other])
  const next = await serve()
  await ask(id, next)
  await until('it is refused', async () => (await known_(id)).agent_update_state === 'failed')
  expect(await known_(id)).toMatchObject({
    agent_version: version,
    agent_update_version: next,
    agent_update_reason: 'signature',
  })
  expect(versionOf(program)).toBe(version)
})

it('as a service leaves the start of the new version to what starts it', async () => {
  await serveFirst()
  const { id, program, agent } = await install(['--service'])
  const next = await serve()
  await ask(id, next)
  expect(await agent.ended).toBe(0)
  expect((await known_(id)).agent_version).toBe(next)
  expect(versionOf(program)).toBe(next)
})
