import { isRecord } from './files'

/** The server answered, and said no. */
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

export interface Api {
  call(
    name: 'agent_enroll' | 'agent_check_in' | 'agent_report',
    payload: unknown,
  ): Promise<Record<string, unknown>>
}

const PATIENCE_MS = 30_000

/**
 * One POST a call, credentials in the body and nowhere else.
 * @throws Refused for a 4xx that speaks JSON, Unreachable for everything worth trying again
 */
export function createApi(url: string, key: string | null): Api {
  return {
    async call(name, payload) {
      let response: Response
      let text: string
      try {
        response = await fetch(`${url}/rest/v1/rpc/${name}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            ...(key ? { apikey: key } : {}),
          },
          body: JSON.stringify({ payload }),
          // A redirect would carry the secret to an address nobody chose.
          redirect: 'error',
          signal: AbortSignal.timeout(PATIENCE_MS),
        })
        text = await response.text()
      } catch (error) {
        throw new Unreachable(reasonOf(error))
      }
      const body = parsed(text)
      if (response.ok && isRecord(body)) return body
      const message = isRecord(body) && typeof body.message === 'string' ? body.message : null
      // 408, 425 and 429 mean later; a 404 comes from a proxy or a server that is being updated.
      const isFinal = [400, 401, 403, 413, 422].includes(response.status) && message !== null
      if (isFinal) throw new Refused(response.status, message)
      throw new Unreachable(`the server answered ${response.status}${message ? `: ${message}` : ''}`)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1000} seconds`
  const cause = error.cause as (Error & { code?: string }) | undefined
  return cause?.code ?? cause?.message ?? error.message
}
