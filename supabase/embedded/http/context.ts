import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Core } from '../core'
import type { DefinitionStore } from '../definitions/store'
import type { Files } from '../files/files'
import type { Keys } from '../keys'
import { clientAddress, limitKey } from './address'
import { type BodyBudget, type BodyLease, readBody } from './body'
import type { DeviceSignals } from './device-signals'

/** The context of every route. `core` changes when the demo data is put back while the server runs. */
export interface Backend {
  core: Core
  /** Settled while `core` serves; pending while it is replaced. */
  ready: Promise<unknown>
  keys: Keys
  files: Files
  deviceSignals: DeviceSignals
  siteUrl: string
  /** Null for a server without a console. */
  definitions: DefinitionStore | null
  rateLimitFactor: number
  trustedProxies: number
  /** How long a session lasts, however often it is renewed. */
  sessionMaxSeconds: number
  /** Mails go to a mail server or into the local mailbox; else nobody gets one. */
  takesMail: boolean
  /** Waits until asked-for mails are in the local mailbox; does not wait for a mail server. */
  settleMails: () => Promise<void>
  log: (line: string) => void
}

export type Env = {
  Bindings: HttpBindings
  Variables: {
    /** The client's, as limits count it. */
    address: string
    /** For the bodies of those who have not signed in. */
    bodies: BodyBudget
  }
}

export const addressOf = (c: Context<Env>, backend: Backend): string =>
  limitKey(clientAddress(c.env.incoming, backend.trustedProxies))

/** The request under its canonical path with its body already here. */
export function forwarded(
  c: Context<Env>,
  path: string,
  body: Uint8Array<ArrayBuffer> | null,
  change?: (headers: Headers) => void,
): Request {
  const url = new URL(c.req.url)
  url.pathname = path
  const headers = new Headers(c.req.raw.headers)
  headers.delete('content-length')
  headers.delete('transfer-encoding')
  change?.(headers)
  const bodiless = c.req.method === 'GET' || c.req.method === 'HEAD'
  return new Request(url, {
    method: c.req.method,
    headers,
    body: bodiless ? null : body,
    signal: c.req.raw.signal,
  })
}

/** With its length, by which a short answer is known not to be worth compressing. */
export function jsonResponse(value: unknown, status: number, headers: Record<string, string>): Response {
  const body = new TextEncoder().encode(JSON.stringify(value))
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
  })
}

/** Queues a request for the core; `first` may answer instead, in the same turn. */
export function inTurn(
  backend: Backend,
  signal: AbortSignal,
  first: () => Promise<Response | undefined>,
  answer: (core: Core) => Promise<Response>,
): Promise<Response> {
  return backend.core.database.exclusive(async () => {
    // The client has disconnected, so no work is started.
    if (signal.aborted) return new Response(null, { status: 503 })
    // The core is read here, not before: the queue may have waited for a new one.
    return (await first()) ?? answer(backend.core)
  })
}

/** GoTrue's answer. */
export const ask = (
  backend: Backend,
  request: Request,
  first: () => Promise<Response | undefined> = async () => undefined,
): Promise<Response> =>
  inTurn(backend, request.signal, first, ({ api }) => api.fetch(request, { peerAddress: null }))

/** Runs once the client has the whole answer, or is gone. */
export function whenDelivered(c: Context<Env>, work: () => void): void {
  const { outgoing } = c.env
  if (outgoing.closed) work()
  else outgoing.once('close', work)
}

/** Holds the memory of a body until its request is answered. */
export function leaseUntilAnswered(c: Context<Env>, budget: BodyBudget, sender: string): BodyLease {
  const lease = budget.lease(sender)
  whenDelivered(c, lease.release)
  return lease
}

/** The body of an anonymous request; counts for the address. */
export const bodyOf = (c: Context<Env>, limit: number) =>
  readBody(c.req.raw, limit, leaseUntilAnswered(c, c.var.bodies, c.var.address))
