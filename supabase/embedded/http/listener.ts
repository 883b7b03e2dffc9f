import { createServer, type RequestListener, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { StartError } from '../start-error'

interface Bounds {
  /** A client that neither sends nor reads for as long is cut off: the answer it does not read stays in memory. */
  idle: number
  /** The time a connection has to send its first headers, even if it sends nothing. */
  headers: number
  /** How often connections are checked for that. */
  check: number
}

const BOUNDS: Bounds = { idle: 120_000, headers: 10_000, check: 5_000 }

/** Answers without a body and closes the connection, also when the client leaves its own side open. */
export function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => undefined)
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}

/** Listens before anything slow happens; `starting` answers until another listener takes over by `use`. */
export async function listen(
  port: number,
  host: string,
  starting: RequestListener,
  { idle, headers, check }: Bounds = BOUNDS,
): Promise<{ http: Server; use: (l: RequestListener) => void }> {
  let listener = starting
  const http = createServer(
    // Longer than clients and proxies keep an idle connection. The client must close it, or a request could
    // reach a socket that is being closed.
    {
      maxHeaderSize: 64 * 1024,
      headersTimeout: headers,
      requestTimeout: 60_000,
      connectionsCheckingInterval: check,
      keepAliveTimeout: 65_000,
    },
    (request, response) => listener(request, response),
  )
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Browsers connect ahead of use: on the answer to their silence, 408, they repeat a request that crossed it.
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (socket.writable) refuse(socket, isLate ? '408 Request Timeout' : '400 Bad Request')
    else socket.destroy()
  })
  http.setTimeout(idle)
  await new Promise<void>((done, fail) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: `Port ${port} of ${host} is taken. Stop what listens there, or set PORT to another.`,
        EACCES: `Port ${port} may not be used by this user. Set PORT to one above 1023.`,
        EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to one it has.`,
        ENOTFOUND: `HOST ${host} is not known.`,
      }
      fail(
        new StartError(
          reasons[error.code ?? ''] ?? `The server cannot listen on ${host}:${port}: ${error.message}`,
        ),
      )
    })
    http.listen(port, host, done)
  })
  return {
    http,
    use: (next) => {
      listener = next
    },
  }
}

const PATIENCE_MS = 800

/** Lets requests under way end, for a few seconds. */
export async function closeHttp(http: Server): Promise<void> {
  const closed = new Promise((done) => http.close(done))
  http.closeIdleConnections()
  const impatience = setTimeout(() => http.closeAllConnections(), PATIENCE_MS)
  await closed
  clearTimeout(impatience)
}
