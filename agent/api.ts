import { storableJson } from './clean-text'
import { isRecord } from './files'

/** The server, or a proxy before it (413), answered and said no. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** No answer that could be meant for us: no network, server down or starting, a proxy's error page. */
export class Unreachable extends Error {}

type AgentFunction = 'agent_enroll' | 'agent_check_in' | 'agent_report'

export interface Api {
  call(name: AgentFunction, payload: unknown): Promise<Record<string, unknown>>
}

interface Answer {
  status: number
  isOk: boolean
  body: unknown
}

const PATIENCE_MS = 30_000
/** A line of 10 kB/s brings a megabyte of output in 105 s. */
const PATIENCE_MS_PER_BYTE = 0.1
/** A gateway's message when it refuses the publishable key rather than the device's secret. */
const KEY_REFUSED = /api ?key/i

/**
 * Each call is one POST with credentials in the body only. The publishable key is not a secret: unless given, it
 * is read from the console, and read again when it has changed.
 * @throws Refused for a 4xx with a JSON body, Unreachable for every failure worth a retry
 */
export function createApi(url: string, givenKey: string | null): Api {
  let key = givenKey

  const discover = () => publishedKey(url)

  const post = (name: AgentFunction, payload: unknown): Promise<Answer> =>
    exchange(`${url}/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { apikey: key } : {}) },
      body: storableJson({ payload }),
    })

  const isKeyRefusal = ({ status, body }: Answer): boolean =>
    status === 401 && isRecord(body) && typeof body.message === 'string' && KEY_REFUSED.test(body.message)

  return {
    async call(name, payload) {
      key ??= await discover()
      let answer = await post(name, payload)
      if (isKeyRefusal(answer)) {
        key = (await discover()) ?? key
        answer = await post(name, payload)
        if (isKeyRefusal(answer)) throw new Unreachable('the server does not accept the publishable key')
      }
      const { status, body } = answer
      if (answer.isOk && isRecord(body)) return body
      const message = isRecord(body) && typeof body.message === 'string' ? body.message : null
      // A 413 may come from a proxy, which speaks no JSON: the same request will never get through.
      if (status === 413) throw new Refused(status, message ?? 'the request is too large')
      // 408, 425 and 429 mean later; a 404 comes from a proxy or a server that is being updated.
      if ([400, 401, 403, 422].includes(status) && message !== null) throw new Refused(status, message)
      throw new Unreachable(`the server answered ${status}${message ? `: ${message}` : ''}`)
    },
  }
}

/** The publishable key, as the console gives it to everybody. @throws Unreachable */
export async function publishedKey(url: string): Promise<string | null> {
  const { isOk, body } = await exchange(`${url}/config.json`, { method: 'GET' })
  return isOk && isRecord(body) && typeof body.key === 'string' ? body.key : null
}

/** @throws Unreachable */
async function exchange(address: string, request: RequestInit & { body?: string }): Promise<Answer> {
  const patienceMs = Math.round(PATIENCE_MS + (request.body?.length ?? 0) * PATIENCE_MS_PER_BYTE)
  try {
    const response = await fetch(address, {
      ...request,
      // A redirect would carry the secret to an address nobody chose.
      redirect: 'error',
      signal: AbortSignal.timeout(patienceMs),
    })
    return { status: response.status, isOk: response.ok, body: parsed(await response.text()) }
  } catch (error) {
    throw new Unreachable(reasonOf(error, patienceMs))
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function reasonOf(error: unknown, patienceMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${Math.round(patienceMs / 1000)} seconds`
  const cause = error.cause as (Error & { code?: string }) | undefined
  return cause?.code ?? cause?.message ?? error.message
}
