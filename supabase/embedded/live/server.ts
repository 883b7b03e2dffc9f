import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { clientAddress, limitKey } from '../http/address'
import type { Backend } from '../http/context'
import { refuse } from '../http/listener'
import { serveConnection } from './connection'
import { Hub } from './hub'
import { ACCESS_CHANNEL, LIVE_CHANNEL, watchAccess } from './notices'

const PATH = '/realtime/v1/websocket'
const MAX_CONNECTIONS = 5_000
/** Connections that have not shown a token yet: of one address, and altogether. */
const MAX_UNAUTHENTICATED = { perAddress: 50, total: 2_000 }
const PING_MS = 30_000

export interface LiveServer {
  /** Listens to the core's database; again after the core was replaced. */
  attach: () => Promise<void>
  /** Tells open pages that a definition or a text has changed. */
  announceConsole: () => void
  close: () => void
}

/** How many connections of each address have not shown a token yet. */
export class Strangers {
  readonly #byAddress = new Map<string, number>()
  #total = 0

  isFull(address: string): boolean {
    return (
      this.#total >= MAX_UNAUTHENTICATED.total ||
      (this.#byAddress.get(address) ?? 0) >= MAX_UNAUTHENTICATED.perAddress
    )
  }

  /** @returns what to call when the connection has shown a token or is gone. */
  add(address: string): () => void {
    this.#total++
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1)
    return () => {
      this.#total--
      const left = (this.#byAddress.get(address) ?? 1) - 1
      if (left > 0) this.#byAddress.set(address, left)
      else this.#byAddress.delete(address)
    }
  }
}

/** The URL of the request line; null for a request line of which no URL can be made. */
function target(request: IncomingMessage): URL | null {
  try {
    return new URL(request.url ?? '', 'http://localhost')
  } catch {
    return null
  }
}

/**
 * The part of Supabase Realtime's private broadcast that the console uses. `passOn` gets other upgrades, such
 * as those of the development server.
 */
export function startLive(
  http: Server,
  backend: Backend,
  passOn?: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean,
): LiveServer {
  const hub = new Hub(
    () => backend.core.database,
    backend.log,
    () => backend.definitions?.current().versions ?? null,
  )
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 })
  const strangers = new Strangers()
  sockets.on('error', () => undefined)
  sockets.on('wsClientError', (_error, socket) => refuse(socket, '400 Bad Request'))

  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined)
    const url = target(request)
    if (url?.pathname !== PATH) {
      if (!passOn?.(request, socket, head)) refuse(socket, '404 Not Found')
      return
    }
    const key = url.searchParams.get('apikey')
    if (key !== backend.keys.publishableKey && key !== backend.keys.secretKey)
      return refuse(socket, '401 Unauthorized')
    if (sockets.clients.size >= MAX_CONNECTIONS) return refuse(socket, '503 Service Unavailable')
    const address = limitKey(clientAddress(request, backend.trustedProxies))
    if (strangers.isFull(address)) return refuse(socket, '429 Too Many Requests')
    const vsn2 = (url.searchParams.get('vsn') ?? '1.0.0') !== '1.0.0'
    sockets.handleUpgrade(request, socket, head, (client) => {
      const onSettled = strangers.add(address)
      serveConnection(client, { vsn2, hub, jwtSecret: backend.keys.jwtSecret, onSettled })
    })
  })

  const silent = new WeakSet<object>()
  const pulse = setInterval(() => {
    hub.expire()
    for (const client of sockets.clients) {
      if (silent.has(client)) {
        silent.delete(client)
        client.terminate()
        continue
      }
      silent.add(client)
      client.once('pong', () => silent.delete(client))
      client.ping()
    }
  }, PING_MS)
  pulse.unref()

  return {
    announceConsole: () => hub.greetAll(),
    attach: async () => {
      const { database } = backend.core
      await watchAccess(database)
      // A disconnected client reconnects and reads everything again.
      const onGap = () => hub.dismissAll('Messages may have been missed')
      await database.listen(LIVE_CHANNEL, (message) => hub.deliver(message), onGap)
      await database.listen(ACCESS_CHANNEL, () => hub.check(), onGap)
      onGap()
    },
    close: () => {
      clearInterval(pulse)
      for (const client of sockets.clients) client.terminate()
      sockets.close()
    },
  }
}
