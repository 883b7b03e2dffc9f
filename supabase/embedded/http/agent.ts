import { createHash } from 'node:crypto'
import { pipeline, Readable, Transform } from 'node:stream'
import { type Context, Hono } from 'hono'
import type { DeviceBody } from '../database/api-thread'
import { isDatabaseError, isUnavailable } from '../database/errors.mjs'
import { isTooDeep, parseJson, storableJson } from '../database/json-body.mjs'
import { StorageUnavailable } from '../files/file-store'
import { type Backend, bodyOf, type Env, jsonResponse, whenDelivered } from './context'
import { canonicalPath } from './path'
import { RateLimit, TokenBucket } from './rate-limit'

const FUNCTIONS = ['agent_enroll', 'agent_check_in', 'agent_report'] as const
type AgentFunction = (typeof FUNCTIONS)[number]

/** An inventory of thousands of packages, or the outputs of a full batch of runs. */
const BODY_LIMIT = 4 * 1024 * 1024
const ENROLL_BODY_LIMIT = 64 * 1024
/** Beyond this, the credential is checked first: a stranger's megabytes would occupy the database for almost a second. */
const UNCHECKED_BODY = 16 * 1024
/** A hundred bytes each. */
const MAX_KNOWN = 100_000
/** Packages on their way to devices at once; the others ask again. */
const MAX_DOWNLOADS = 64
/** The limit for one device, which runs one installation at a time. */
const MAX_DEVICE_DOWNLOADS = 2
/** The limit for the devices of one company: an installation on a whole fleet leaves places for other companies. */
const MAX_COMPANY_DOWNLOADS = 32
const STALLED_MS = 60_000

/** Ends a download that nobody reads on: its place is for others. Whoever stops it ends the watch as well. */
function endWhenStalled(file: Readable): Transform {
  let read = 0
  let before = -1
  const sent = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      read += chunk.length
      done(null, chunk)
    },
  })
  const watch = setInterval(() => {
    if (read === before) sent.destroy(new Error('The download was not read any further'))
    before = read
  }, STALLED_MS).unref()
  pipeline(file, sent, () => clearInterval(watch))
  return sent
}

const failure = (status: number, code: string, message: string, hint: string | null = null) =>
  jsonResponse({ code, message, details: null, hint }, status, {
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    ...(status === 429 ? { 'retry-after': '60' } : {}),
  })

/** A text beyond the valid length is cut: a text of any length must not be hashed for a stranger. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 257) : '')

interface Sender {
  device_id?: unknown
  secret?: unknown
}

/** The id as limits count it: the database reads one id in upper and in lower case. */
const deviceOf = ({ device_id: device }: Sender): string => textOf(device).slice(0, 64).toLowerCase()

/** Devices whose secret was right when they last asked. A restart forgets them, and the refusals with them. */
class KnownDevices {
  readonly #known = new Set<string>()

  static key(sender: Sender): string {
    return createHash('sha256')
      .update(JSON.stringify([deviceOf(sender), textOf(sender.secret)]))
      .digest('base64')
  }

  has = (key: string): boolean => this.#known.has(key)

  note(key: string, isRight: boolean): void {
    this.#known.delete(key)
    if (isRight) this.#known.add(key)
    const [oldest] = this.#known
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}

interface PackageFile {
  path: string
  size_bytes: number
  company: string
}

function count(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + change
  if (next > 0) counts.set(key, next)
  else counts.delete(key)
}

/** As PostgREST answers the anonymous role. */
function statusOf(code: string): number {
  const own = /^PT(\d{3})$/.exec(code)
  if (own) return Number(own[1])
  if (code === '42501') return 401
  if (code.startsWith('28')) return 403
  if (code === '23503' || code === '23505') return 409
  return /^(P0001|2[123]|42)/.test(code) ? 400 : 500
}

/** Whether the device has nothing to do by this answer to its check-in. */
const isIdle = ({ runs, cancel, ...more }: Record<string, unknown>): boolean =>
  [runs, cancel].every((list) => Array.isArray(list) && list.length === 0) &&
  !('monitors' in more || 'update' in more || 'send_inventory' in more)

const checkInAnswer = (answer: Record<string, unknown>, held: boolean): Response =>
  jsonResponse({ ...answer, held }, 200, { 'cache-control': 'no-store' })

/** Whether the response suggests a guessed secret. */
const isGuess = ({ status }: Response): boolean => status === 401 || status === 403

/**
 * The three calls of agents, with the requests and answers they would have through PostgREST, in one statement
 * instead of eight: check-ins are most of what a fleet asks.
 */
export function agentRoutes(backend: Backend): Hono<Env> {
  const factor = backend.rateLimitFactor
  const enrollments = new RateLimit(600, 300, factor)
  const refusedEnrollments = new RateLimit(30, 300, factor)
  // Refusals count by device as well as by address: one machine with a lost secret must not silence its whole site.
  const refusedDevices = new RateLimit(60, 300, factor)
  const refusedAddresses = new RateLimit(1_000, 300, factor)
  // Successes count by device alone: a site of thousands has one address.
  const known = new KnownDevices()
  const byDevice = new TokenBucket(600, 2, factor)
  /** An inventory of invented names takes the embedded database seconds. One of a real device changes a few times an hour. */
  const inventories = new TokenBucket(12, 1 / 300, factor)
  const packagesByDevice = new RateLimit(60, 3600, factor)
  /** How many packages each device, and each company, is receiving. */
  const downloads = new Map<string, number>()
  const companyDownloads = new Map<string, number>()
  const limited = () => failure(429, 'PT429', 'Too many requests', 'Wait a few minutes, then try again.')

  // The functions are security definers granted to anon: the role calling changes nothing they do.
  const call = (name: AgentFunction, payload: unknown) =>
    select(name, `public.${name}($1::jsonb)`, [storableJson(JSON.stringify(payload))])

  async function credentialRefusal(sender: Sender): Promise<Response | undefined> {
    const credential = [textOf(sender.device_id), textOf(sender.secret)]
    const response = await select('agent_company', 'app.agent_company(app.lenient_uuid($1), $2)', credential)
    return response.ok ? undefined : response
  }

  function failed(name: string, error: unknown): Response {
    if (!isDatabaseError(error) || isUnavailable(error)) throw error
    const status = statusOf(error.code)
    if (status < 500) return failure(status, error.code, error.message, error.hint ?? null)
    backend.log(`${name}: ${error.code} ${error.message}`)
    return failure(500, error.code, 'The request could not be answered')
  }

  async function select(name: string, expression: string, params: readonly string[]): Promise<Response> {
    try {
      const [row] = await backend.core.database.query<{ answer: unknown }>(
        `select ${expression} as answer`,
        params,
      )
      return jsonResponse(row?.answer ?? null, 200, { 'cache-control': 'no-store' })
    } catch (error) {
      return failed(name, error)
    }
  }

  async function enroll(address: string, payload: Record<string, unknown>): Promise<Response> {
    const cancel = refusedEnrollments.take(address)
    if (!cancel) return limited()
    const response = await call('agent_enroll', payload)
    if (!isGuess(response)) cancel()
    return response
  }

  async function fromDevice(
    address: string,
    sender: Sender,
    /** A costly body of an unknown sender is processed only after a check of the secret. */
    isCostly: boolean,
    report: () => Promise<Response>,
  ): Promise<Response> {
    const key = KnownDevices.key(sender)
    const device = deviceOf(sender)
    const isKnown = known.has(key)
    if (isKnown) {
      if (byDevice.take(device) > 0) return limited()
    } else if (refusedAddresses.isFull(address)) return limited()
    const cancel = refusedDevices.take(`${address} ${device}`)
    if (!cancel) return limited()
    const refusal = isCostly && !isKnown ? await credentialRefusal(sender) : undefined
    const response = refusal ?? (await report())
    if (isGuess(response)) refusedAddresses.take(address)
    else cancel()
    // Neither a busy database nor a malformed report says anything about the secret.
    if (response.ok || isGuess(response)) known.note(key, response.ok)
    return response
  }

  /** No agent sends such a thing: it counts as guessing does. */
  const tooDeep = (address: string) =>
    refusedAddresses.take(address) ? failure(400, 'PGRST102', 'The request is nested too deep') : limited()
  const noPayload = () => failure(400, 'PGRST102', 'The body must be {"payload": {…}}')

  /** Megabytes of JSON are read in the API's thread and by the database, never here. */
  async function large(
    name: AgentFunction,
    address: string,
    raw: Uint8Array<ArrayBuffer>,
  ): Promise<Response> {
    let sent: DeviceBody
    try {
      sent = await backend.core.database.api.readDevice(raw)
    } catch (error) {
      return failed(name, error)
    }
    if (sent.isTooDeep) return tooDeep(address)
    if (!sent.sender) return noPayload()
    const { sender } = sent
    return fromDevice(address, sender, true, async () => {
      const payload = `($1::jsonb -> 'payload')${isLeftOut(name, sender) ? ` - 'inventory'` : ''}`
      return select(name, `public.${name}(${payload})`, [new TextDecoder().decode(sent.body)])
    })
  }

  /**
   * Whether the inventory of a check-in is left out, because the device sent too many: the rest of it is answered, and
   * the device sends its inventory again later. Asked once the secret is known to be right: nobody uses up the
   * inventories of another device.
   */
  const isLeftOut = (name: AgentFunction, sender: Sender): boolean =>
    name === 'agent_check_in' && inventories.take(deviceOf(sender)) > 0

  /**
   * A check-in of a device whose terminal somebody has open: answered when there is something to do, or after five
   * seconds. `held` tells the agent to ask again at once.
   */
  async function waitingCheckIn(c: Context<Env>, payload: Record<string, unknown>): Promise<Response> {
    const wait = backend.deviceSignals.wait(deviceOf(payload))
    whenDelivered(c, () => wait?.stop())
    try {
      const response = await call('agent_check_in', payload)
      if (!response.ok || wait === null) return response
      const answer = (await response.json()) as Record<string, unknown>
      if (answer.terminal !== true || !isIdle(answer)) return checkInAnswer(answer, false)
      // A device that is gone must not be given the run that it would never hear of.
      if (!(await wait.told)) return checkInAnswer(answer, false)
      const later = await call('agent_check_in', { ...payload, monitor_states: [], samples: [] })
      return later.ok ? checkInAnswer((await later.json()) as Record<string, unknown>, true) : later
    } finally {
      wait?.stop()
    }
  }

  const hasKey = (c: Context<Env>) =>
    (c.req.header('apikey') ?? c.req.query('apikey')) === backend.keys.publishableKey

  /** The bytes of an uploaded package, for the device and the run that it was addressed to. */
  async function sendPackage(c: Context<Env>, sender: Sender & { run_id?: unknown }): Promise<Response> {
    const asked = [textOf(sender.device_id), textOf(sender.secret), textOf(sender.run_id)]
    const found = await select(
      'agent_package',
      `app.agent_package(app.lenient_uuid($1), $2, app.lenient_uuid($3))
        || jsonb_build_object('company', app.agent_company(app.lenient_uuid($1), $2))`,
      asked,
    )
    if (!found.ok) return found
    const { path, size_bytes: size, company } = (await found.json()) as PackageFile
    const device = deviceOf(sender)
    // From here to the count nothing is awaited: requests at the same moment would all find room.
    const all = [...downloads.values()].reduce((sum, count) => sum + count, 0)
    if (
      (downloads.get(device) ?? 0) >= MAX_DEVICE_DOWNLOADS ||
      (companyDownloads.get(company) ?? 0) >= MAX_COMPANY_DOWNLOADS ||
      all >= MAX_DOWNLOADS ||
      !packagesByDevice.take(device)
    )
      return limited()
    count(downloads, device, 1)
    count(companyDownloads, company, 1)
    const giveBack = () => {
      count(downloads, device, -1)
      count(companyDownloads, company, -1)
    }
    let file: Readable | null
    try {
      file = await backend.files.read(path)
    } catch (error) {
      giveBack()
      if (!(error instanceof StorageUnavailable)) throw error
      backend.log(`The storage of files: ${error.message}`)
      // An agent asks again.
      return failure(503, 'PT503', 'The storage of files does not answer.')
    }
    if (!file) {
      giveBack()
      return failure(410, 'PT410', 'The console does not have the file. Upload it again.')
    }
    const sent = endWhenStalled(file)
    whenDelivered(c, () => {
      giveBack()
      sent.destroy()
    })
    return new Response(Readable.toWeb(sent) as ReadableStream<Uint8Array>, {
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'cache-control': 'no-store',
      },
    })
  }

  async function answer(c: Context<Env>, name: AgentFunction): Promise<Response> {
    if (!hasKey(c)) return failure(401, 'PGRST301', 'Invalid API key')
    const { address } = c.var
    const raw = await bodyOf(c, name === 'agent_enroll' ? ENROLL_BODY_LIMIT : BODY_LIMIT)
    if (raw && raw.length > UNCHECKED_BODY && name !== 'agent_enroll') return large(name, address, raw)
    if (raw && isTooDeep(raw)) return tooDeep(address)
    const sent = parseJson(raw)?.payload
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return noPayload()
    const payload = sent as Record<string, unknown>
    if (name !== 'agent_enroll') {
      const bringsInventory = typeof payload.inventory === 'object' && payload.inventory !== null
      if (name === 'agent_check_in' && payload.wait === true && !bringsInventory)
        return fromDevice(address, payload, false, () => waitingCheckIn(c, payload))
      return fromDevice(address, payload, bringsInventory, () =>
        call(name, bringsInventory && isLeftOut(name, payload) ? { ...payload, inventory: null } : payload),
      )
    }
    // A device that waits for approval asks again without a token, every few seconds.
    if ('token' in payload && !enrollments.take(address)) return limited()
    // The address an approver sees is the one we saw, whatever the agent says.
    return enroll(address, { ...payload, address })
  }

  const app = new Hono<Env>()
  app.use('/rest/v1/rpc/*', async (c, next) => {
    const path = canonicalPath(new URL(c.req.url).pathname)
    const name = FUNCTIONS.find((candidate) => path === `/rest/v1/rpc/${candidate}`)
    if (!name || c.req.method === 'OPTIONS') return next()
    if (c.req.method !== 'POST') return failure(405, 'PGRST117', 'Unsupported HTTP method')
    return answer(c, name)
  })
  app.post('/agent/package', async (c) => {
    if (!hasKey(c)) return failure(401, 'PGRST301', 'Invalid API key')
    const raw = await bodyOf(c, UNCHECKED_BODY)
    if (raw && isTooDeep(raw)) return tooDeep(c.var.address)
    const sent = parseJson(raw)?.payload
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return noPayload()
    return fromDevice(c.var.address, sent, false, () => sendPackage(c, sent))
  })
  return app
}
