import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { type Inbound, MAX_MAIL_BYTES } from '../mail/inbound'
import { BodyBudget, BodyTooLarge, readBody } from './body'
import { type Env, leaseUntilAnswered } from './context'
import { RateLimit } from './rate-limit'

/** Seconds that a signature is good for. */
const MAX_AGE = 300
const MAX_PER_MINUTE = 600
const MAX_REFUSED_PER_MINUTE = 30

const answer = (c: Context<Env>, status: 202 | 400 | 401 | 409 | 413 | 429, code: string, message: string) =>
  c.json({ code, message }, status, {
    'cache-control': 'no-store',
    ...(status === 413 ? { connection: 'close' } : {}),
  })

/** `HMAC-SHA256(secret, "<timestamp>." + body)` in hexadecimal digits. */
export const signatureOf = (secret: string, timestamp: string, body: Uint8Array): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')

function isSigned(secret: string, timestamp: string, given: string, body: Uint8Array): boolean {
  const expected = Buffer.from(signatureOf(secret, timestamp, body), 'hex')
  const signature = Buffer.from(/^(?:sha256=)?([0-9a-f]{64})$/i.exec(given)?.[1] ?? '', 'hex')
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

/** Takes raw messages of a mail server that signs them. */
export function mailInboundRoutes(inbound: Inbound, secret: string, rateLimitFactor: number): Hono<Env> {
  const app = new Hono<Env>()
  const limit = new RateLimit(MAX_PER_MINUTE * rateLimitFactor, 60)
  const refused = new RateLimit(MAX_REFUSED_PER_MINUTE * rateLimitFactor, 60)
  const bodies = new BodyBudget(3 * MAX_MAIL_BYTES, 2 * MAX_MAIL_BYTES)
  /** Signatures of the last minutes: each is good once. */
  const seen = new Map<string, number>()

  app.post('/mail/v1/inbound', async (c) => {
    const { address } = c.var
    if (refused.isFull(address)) return answer(c, 429, 'rate', 'Too many requests. Try again in a minute.')
    const timestamp = c.req.header('x-konsol-timestamp') ?? ''
    const given = c.req.header('x-konsol-signature') ?? ''
    const now = Date.now() / 1000
    if (!/^\d{9,11}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > MAX_AGE || given === '') {
      refused.take(address)
      return answer(
        c,
        401,
        'signature',
        'The signature is missing, or its timestamp is more than 5 minutes off.',
      )
    }
    let body: Uint8Array<ArrayBuffer> | null
    try {
      body = await readBody(c.req.raw, MAX_MAIL_BYTES, leaseUntilAnswered(c, bodies, address))
    } catch (error) {
      if (!(error instanceof BodyTooLarge)) throw error
      return answer(c, 413, 'too_large', 'The message is larger than 30 MB.')
    }
    if (!isSigned(secret, timestamp, given, body ?? new Uint8Array())) {
      refused.take(address)
      return answer(c, 401, 'signature', 'The signature does not fit the message.')
    }
    // Counted behind the signature: strangers must not use up the limit of the mail server.
    if (!limit.take('all')) return answer(c, 429, 'rate', 'Too many requests. Try again in a minute.')
    for (const [signature, at] of seen) if (at < now - 2 * MAX_AGE) seen.delete(signature)
    const key = given.toLowerCase().replace(/^sha256=/, '')
    if (seen.has(key)) return answer(c, 409, 'replay', 'This request has been taken before.')
    if (!body?.length) return answer(c, 400, 'empty', 'The request has no message.')
    seen.set(key, now)
    const isNew = await inbound.take(body, 'webhook').catch((error: unknown) => {
      // The mail server may send it again.
      seen.delete(key)
      throw error
    })
    void inbound.drain()
    return answer(
      c,
      202,
      isNew ? 'taken' : 'known',
      isNew ? 'The message was taken.' : 'The message has arrived before.',
    )
  })
  return app
}
