/**
 * How long `/healthz` takes while others work: every 20 ms from a process and over a connection of its own, while each
 * of these loads runs in turn. PGlite, or PostgreSQL with `--postgres`.
 *
 * The last maximum is the processor time of the server's main thread within one sample: what it alone is to blame for,
 * however busy the machine is. Linux only.
 *
 *   npm run bench:health                 all loads
 *   npm run bench:health -- lists 15     those whose name holds one of these words
 */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { seed } from './databases'
import { accounts, DEVICE_SECRET, fleet, ID, PASSWORD } from './fleet'
import { setting } from './setting'
import { table } from './statistics'

/** The first company has 1,000 of them. */
const DEVICES = setting('BENCH_DEVICES', 2500, 200)
const SECONDS = setting('BENCH_SECONDS', 8, 0.2)
const MEGABYTE = 1024 * 1024
const JSON_STEPS = '->a'.repeat(2000)

interface Load {
  name: string
  clients: number
  /** Sends a request of the given client and reads its answer; gives the status. */
  send: (client: number) => Promise<number>
}

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const place = await seed(
  process.argv.includes('--postgres') ? 'PostgreSQL' : 'PGlite',
  DEVICES,
  () => undefined,
  '-health',
)
const [big] = await place.query(`select ${ID('company', '0')} as id`)
const company = String(big?.id)

async function post(path: string, body: string, token = place.key): Promise<Response> {
  return fetch(place.url + path, {
    method: 'POST',
    headers: { apikey: place.key, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  })
}

/** Users of the first company, so that requests of several accounts come in turns. */
async function signIn(number: number): Promise<string> {
  const email = `health-${number}@bench.test`
  const [made] = await place.query('select app.create_auth_user($1, $2, $1) as id', [email, PASSWORD])
  await place.query(`insert into public.user_roles (user_id, role, company_id) values ($1, 'Admin', $2)`, [
    made?.id,
    company,
  ])
  const answer = await post(
    '/auth/v1/token?grant_type=password',
    JSON.stringify({ email, password: PASSWORD }),
  )
  return ((await answer.json()) as { access_token: string }).access_token
}

const tokens = await Promise.all([1, 2, 3, 4].map(signIn))
const tokenOf = (client: number) => tokens[client % tokens.length]

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer
  await response.arrayBuffer()
  return response.status
}

const read = (path: string) => (client: number) =>
  statusOf(
    fetch(`${place.url}/rest/v1/${path}`, {
      headers: { apikey: place.key, authorization: `Bearer ${tokenOf(client)}` },
    }),
  )
const write = (path: string, body: string) => (client: number) =>
  statusOf(post(`/rest/v1/${path}`, body, tokenOf(client)))

/** Rows of tickets of about this many bytes in all. */
const tickets = (bytes: number, row: (subject: string, description: string, n: number) => object) =>
  Array.from({ length: Math.round(bytes / 2_550) }, (_, n) =>
    row(`Measured ${n}`, 'Yazıcı çalışmıyor. '.repeat(100), n),
  )
const importOf = (bytes: number) =>
  JSON.stringify({
    resource: 'tickets',
    company,
    mode: 'insert',
    dry_run: true,
    rows: tickets(bytes, (subject, description, n) => ({ line: n + 2, values: { subject, description } })),
  })
const insertOf = (bytes: number) =>
  JSON.stringify(tickets(bytes, (subject, description) => ({ company_id: company, subject, description })))

const [device] = await place.query(
  'select id, right(name, 6)::int as number from public.devices order by id limit 1',
)
const reportOf = (secret: string) =>
  JSON.stringify({
    payload: {
      device_id: device?.id,
      secret,
      results: Array.from({ length: 60 }, (_, n) => ({
        run_id: `00000000-0000-0000-0000-0000000000${10 + n}`,
        state: 'succeeded',
        output: 'One line of what a script printed.\n'.repeat(1_500),
      })),
    },
  })

/** Connections that send half of a body, kept until the load ends. */
const halves = new Set<ReturnType<typeof connect>>()
const { hostname, port } = new URL(place.url)
const sendHalf = () =>
  new Promise<number>((done) => {
    const socket = connect(Number(port), hostname).on('error', () => done(0))
    halves.add(socket)
    const head = [
      'POST /rest/v1/tickets HTTP/1.1',
      'Host: x',
      `apikey: ${place.key}`,
      `Authorization: Bearer ${tokens[0]}`,
      'Content-Type: application/json',
      `Content-Length: ${MEGABYTE}`,
    ].join('\r\n')
    socket.write(`${head}\r\n\r\n${'x'.repeat(32_000)}`, () => setTimeout(done, 100, 100))
  })

// The fleet is loaded without the trigger that counts them.
await place.query(`insert into app.ticket_numbers (company_id, last)
  select company_id, max(number) from public.tickets group by 1
  on conflict (company_id) do update set last = excluded.last`)
await place.query(`create function public.bench_slow(rows int) returns bigint language sql volatile as
  $$ select count(*) from generate_series(1, rows) as a (x), generate_series(1, 1000) as b (y) where (x # y) % 7 = 3 $$`)
await place.query('grant execute on function public.bench_slow to authenticated')
await place.query(`notify pgrst, 'reload schema'`)

const fourMegabytes = importOf(4 * MEGABYTE)
const fifteenMegabytes = importOf(15 * MEGABYTE)
const inserts = insertOf(7.6 * MEGABYTE)
const strangers = reportOf('a wrong secret')
const report = reportOf(DEVICE_SECRET(Number(device?.number)))
const wrong = JSON.stringify({ email: accounts(fleet(DEVICES))[0]?.email, password: 'wrong' })

const LOADS: Load[] = [
  { name: 'nothing', clients: 1, send: () => new Promise((done) => setTimeout(done, 200, 0)) },
  {
    name: 'two embedded lists of 1,000 rows',
    clients: 8,
    send: read('companies?select=*,devices(*),device_software(*)&limit=1'),
  },
  { name: 'a page of an export, 1,000 rows', clients: 8, send: read('devices?select=*&limit=1000') },
  { name: 'imports of 4 MB', clients: 4, send: write('rpc/import_rows', fourMegabytes) },
  { name: 'imports of 15 MB', clients: 4, send: write('rpc/import_rows', fifteenMegabytes) },
  { name: 'four inserts of 7.6 MB', clients: 4, send: write('tickets', inserts) },
  {
    name: 'bodies of strangers, 4 MB',
    clients: 8,
    send: async (client) =>
      statusOf(post(['/rest/v1/rpc/agent_report', '/rest/v1/tickets'][client % 2] ?? '', strangers)),
  },
  {
    name: 'reports of a device, 3 MB',
    clients: 4,
    send: () => statusOf(post('/rest/v1/rpc/agent_report', report)),
  },
  {
    name: 'wrong passwords',
    clients: 16,
    send: () => statusOf(post('/auth/v1/token?grant_type=password', wrong)),
  },
  {
    name: '79 requests of 2,000 JSON steps',
    clients: 79,
    send: read(`procedures?select=id,x:parameters${JSON_STEPS}`),
  },
  { name: 'slow queries, stopped after 8 s', clients: 8, send: read('rpc/bench_slow?rows=200000') },
  { name: 'half-sent bodies', clients: 50, send: sendHalf },
]

interface Sample {
  took: number
  /** The part of it that the server's main thread ran. */
  worked: number
}

const sampler: ChildProcess = fork(
  fileURLToPath(new URL('./support/health-sampler.mjs', import.meta.url)),
  [`${place.url}/healthz`, String(place.pid)],
  { execArgv: [] },
)
const samples = () =>
  new Promise<Sample[]>((resolve) => {
    sampler.once('message', (message) => resolve(message as Sample[]))
    sampler.send('take')
  })

async function run({ name, clients, send }: Load): Promise<string[]> {
  const statuses = new Map<number, number>()
  await samples()
  const until = performance.now() + SECONDS * 1000
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() < until) {
        const status = await send(client).catch(() => 0)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }),
  )
  const taken = await samples()
  const sorted = taken.map(({ took }) => took).sort((a, b) => a - b)
  const worked = Math.max(...taken.map((sample) => sample.worked))
  for (const socket of halves) socket.destroy()
  halves.clear()
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1)
  const answers = [...statuses].map(([status, count]) => `${count} × ${status || 'none'}`).join(', ')
  return [name, at(0.5), at(0.99), at(1), worked.toFixed(1), String(sorted.length), answers]
}

const load = () =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')
const processStatus = () => readFileSync(`/proc/${place.pid}/status`, 'utf8')
console.log(`${place.name}. Load average before: ${load()}. Milliseconds from sending to the last byte.`)
const rows: string[][] = []
for (const item of LOADS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
))
  rows.push(await run(item))
console.log(table(['while there is', 'p50', 'p99', 'max', 'main thread, max', 'samples', 'answers'], rows))
console.log(
  `Peak memory of the server: ${/VmHWM:\s+(\d+ kB)/.exec(processStatus())?.[1]}. Load average after: ${load()}.`,
)
sampler.disconnect()
await place.stop()
process.exit(0)
