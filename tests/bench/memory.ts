/**
 * The memory of the built server, as an operator's machine counts it: resident, after the start, after mixed requests
 * and after an idle minute.
 *
 *   npm run build && npm run bench:memory           3,000 requests
 *   npm run bench:memory -- 20000
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { plainClient } from '../support/backend'

const ROOT = resolve(import.meta.dirname, '../..')
const SERVER = join(ROOT, 'dist-server/bin/serve.mjs')
/** What `npm start` gives Node. */
const FLAGS = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
).scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'))
const BUDGET_MB = 400
const CLIENTS = 8
const IDLE_SECONDS = 60

interface Started {
  child: ChildProcess
  url: string
  key: string
}

function start(dataDir: string): Promise<Started> {
  const child = spawn(process.execPath, [...FLAGS, SERVER], {
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

/** What a console and its agents ask, in turn. */
async function mixedRequests({ url, key }: Started, count: number): Promise<void> {
  const client = plainClient(url, key)
  await client.auth.signInWithPassword({ email: 'admin@acme.test', password: 'Demo-Console-2026' })
  const { data: device } = await client.from('devices').select('id, company_id').limit(1).single()
  const kinds = [
    () => client.from('devices').select('*', { count: 'exact' }).order('name').limit(50),
    () => client.from('device_software').select('*, devices(name)').limit(100),
    () => client.from('tickets').insert({ company_id: device?.company_id, subject: 'A measured ticket' }),
    () => client.from('devices').update({ notes: 'Measured' }).eq('id', device?.id),
    () => client.rpc('my_policy'),
    () => client.rpc('agent_check_in', { payload: { device_id: device?.id, secret: 'wrong' } }),
    () => fetch(`${url}/login`).then((answer) => answer.text()),
    () => client.from('audit_log').select('*').order('created_at', { ascending: false }).limit(200),
  ]
  let next = 0
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < count) await kinds[next++ % kinds.length]?.()
    }),
  )
}

if (!existsSync(SERVER) || !existsSync('/proc/self/status')) {
  console.error('Run `npm run build` first, on Linux.')
  process.exit(2)
}
const count = Number(process.argv[2] ?? 3_000)
const folder = mkdtempSync(join(tmpdir(), 'konsol-memory-'))
// The first start makes the database; those after it are what runs for months.
const first = await start(folder)
print('first start', first.child)
first.child.kill('SIGTERM')
await new Promise((ended) => first.child.once('exit', ended))
const server = await start(folder)
try {
  print('start', server.child)
  for (const part of [1, 2, 3]) {
    await mixedRequests(server, Math.round(count / 3))
    print(`${Math.round((count / 3) * part)} requests`, server.child)
  }
  await wait(IDLE_SECONDS * 1000)
  print(`${IDLE_SECONDS} s idle`, server.child)
} finally {
  server.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
