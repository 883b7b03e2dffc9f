/**
 * The memory of the built server, as an operator's machine counts it: resident, after the start, after mixed requests
 * and after an idle minute.
 *
 *   npm run build && npm run bench:memory           3,000 requests
 *   npm run bench:memory -- 20000
 *   BENCH_MINUTES=55 npm run bench:memory           2 requests a second for 55 minutes
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { plainClient } from '../support/backend'
import { START } from '../support/program'
import { setting } from './setting'

const ROOT = resolve(import.meta.dirname, '../..')
const SERVER = join(ROOT, 'dist-server/bin/serve.mjs')
const BUDGET_MB = 400
const CLIENTS = 8
const IDLE_SECONDS = setting('BENCH_IDLE_SECONDS', 60, 1)
const PASSWORD = 'Demo-Console-2026'
/** The pace of the run that BENCH_MINUTES names: a small company's console and agents. */
const PACE_MS = 500
const PRINT_MINUTES = 5

/** A request, answered with what went wrong, if anything. */
type Kind = () => PromiseLike<{ error?: { message: string } | null }>

interface Started {
  child: ChildProcess
  url: string
  key: string
}

function start(dataDir: string): Promise<Started> {
  const child = spawn(process.execPath, [...START, SERVER], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, RATE_LIMIT_FACTOR: '1000000' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return new Promise((done, fail) => {
    let said = ''
    child.once('exit', (code) => fail(new Error(`The server ended with ${code}:\n${said}`)))
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
      const [, url = '', key = ''] =
        /Console\s+(\S+)[\s\S]*Publishable key\s+(\S+)[\s\S]*Ctrl\+C/.exec(said) ?? []
      if (url) done({ child, url, key })
    })
  })
}

/** Resident megabytes now, and the most there ever were. */
function memoryOf({ pid }: ChildProcess): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

function print(moment: string, child: ChildProcess): void {
  const { now, peak } = memoryOf(child)
  const verdict = now <= BUDGET_MB ? '' : `  over ${BUDGET_MB} MB`
  console.log(
    `${moment.padEnd(28)} ${String(now).padStart(5)} MB   peak ${String(peak).padStart(5)} MB${verdict}`,
  )
}

/** The requests of a console and its agents, with sign-ins and live connections, each as one function. */
async function requestKinds({ url, key }: Started): Promise<Kind[]> {
  const client = plainClient(url, key)
  await client.auth.signInWithPassword({ email: 'admin@acme.test', password: PASSWORD })
  const { data: device } = await client.from('devices').select('id, company_id').limit(1).single()
  const { data: token, error } = await client.rpc('create_enrollment_token', {
    company_id: device?.company_id,
    name: 'Measured',
  })
  if (error) throw new Error(error.message)
  const agent = plainClient(url, key)
  const machine = { token: (token as { token: string }).token, secret: randomBytes(32).toString('hex') }
  const { data: enrolled, error: refused } = await agent.rpc('agent_enroll', {
    payload: {
      ...machine,
      machine_id: randomUUID(),
      hostname: 'measured',
      platform: 'linux',
      agent_version: '1.0',
    },
  })
  if (refused) throw new Error(refused.message)
  const checkIn = (secret: string) =>
    agent.rpc('agent_check_in', {
      payload: {
        device_id: (enrolled as { device_id: string }).device_id,
        secret,
        metrics: { cpu: Math.round(Math.random() * 100) },
        inventory_hash: 'measured',
        running: [],
        agent_version: '1.0',
      },
    })
  const words = ['printer', 'acme', 'sql', 'nothing to find', 'pc', 'update']
  let round = 0
  const word = () => words[round++ % words.length]

  const signIn = async () => {
    const visitor = plainClient(url, key)
    const { error } = await visitor.auth.signInWithPassword({ email: 'teknik@acme.test', password: PASSWORD })
    await visitor.rpc('my_policy')
    await visitor.auth.signOut({ scope: 'local' })
    return { error }
  }
  const listenForAMoment = async () => {
    // A connection of its own: two that share one would close each other's channel.
    const listener = plainClient(url, key)
    await listener.realtime.setAuth((await client.auth.getSession()).data.session?.access_token)
    const channel = listener.channel(`company:${device?.company_id}`, { config: { private: true } })
    const state = await new Promise<string>((done) => void channel.subscribe((now) => done(now)))
    await listener.removeAllChannels()
    return { error: state === 'SUBSCRIBED' ? null : { message: state } }
  }
  const isRefused = async () => {
    const { error } = await checkIn('wrong')
    return { error: error ? null : { message: 'A wrong secret was accepted' } }
  }
  const openPage = async () => {
    const page = await fetch(`${url}/login`)
    await page.text()
    return { error: page.ok ? null : { message: `${page.status}` } }
  }
  const { company_id, id } = device ?? {}
  return [
    () => client.from('devices').select('*', { count: 'exact' }).order('name').limit(50),
    () => checkIn(machine.secret),
    () => client.from('device_software').select('*, devices(name)').limit(100),
    () => client.rpc('search_devices', { q: word() }).limit(50),
    () => client.from('tickets').insert({ company_id, subject: 'A measured ticket' }),
    () =>
      client
        .from('devices')
        .update({ notes: `Measured ${round}` })
        .eq('id', id),
    () => client.from('devices').select('*').eq('id', id).single(),
    () => client.rpc('my_policy'),
    isRefused,
    listenForAMoment,
    openPage,
    () => client.from('audit_log').select('*').order('at', { ascending: false }).limit(200),
    () => client.rpc('matching_ids', { resource: 'devices', filter: { name: { _contains: word() } } }),
    signIn,
  ]
}

const failures = new Map<string, number>()

async function send(kind: Kind | undefined): Promise<void> {
  const { error } = (await kind?.()) ?? {}
  if (error) failures.set(error.message, (failures.get(error.message) ?? 0) + 1)
}

/** As fast as the server answers. */
async function manyRequests(kinds: Kind[], count: number): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < count) await send(kinds[next++ % kinds.length])
    }),
  )
}

/** At a steady pace, printing now and then. */
async function requestsFor(minutes: number, kinds: Kind[], child: ChildProcess): Promise<void> {
  const started = performance.now()
  let printed = 0
  for (let next = 0; performance.now() - started < minutes * 60_000; next++) {
    await send(kinds[next % kinds.length])
    const passed = (performance.now() - started) / 60_000
    if (Math.floor(passed / PRINT_MINUTES) > printed) {
      printed = Math.floor(passed / PRINT_MINUTES)
      print(`${printed * PRINT_MINUTES} min, ${next + 1} requests`, child)
    }
    await wait(Math.max(0, (next + 1) * PACE_MS - (performance.now() - started)))
  }
}

if (!existsSync(SERVER) || !existsSync('/proc/self/status')) {
  console.error('Run `npm run build` first, on Linux.')
  process.exit(2)
}
const count = Number(process.argv[2] ?? setting('BENCH_REQUESTS', 3_000, 120))
const minutes = Number(process.env.BENCH_MINUTES ?? 0)
const folder = mkdtempSync(join(tmpdir(), 'konsol-memory-'))
// The first start makes the database; those after it are what runs for months.
const first = await start(folder)
print('first start', first.child)
first.child.kill('SIGTERM')
await new Promise((ended) => first.child.once('exit', ended))
const server = await start(folder)
try {
  print('start', server.child)
  const kinds = await requestKinds(server)
  if (minutes > 0) await requestsFor(minutes, kinds, server.child)
  else
    for (const part of [1, 2, 3]) {
      await manyRequests(kinds, Math.round(count / 3))
      print(`${Math.round((count / 3) * part)} requests`, server.child)
    }
  await wait(IDLE_SECONDS * 1000)
  print(`${IDLE_SECONDS} s idle`, server.child)
  for (const [message, times] of failures) console.log(`failed ${times} times: ${message}`)
} finally {
  server.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
