import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Call = 'agent_check_in' | 'agent_report'
type Body = Record<string, unknown>

interface Hold {
  call: Call
  /** Holds the request before the server has it, or the server's response before the device has it. */
  part: 'request' | 'response'
  isMeant: (sent: Body, received: Body) => boolean
  reached: () => void
}

/** A proxy between one device and the server that stops at a chosen call. */
export interface Gate {
  url: string
  /** Resolves when the call has been stopped; all that the device asks from then on waits too. */
  hold: (call: Call, part: Hold['part'], isMeant?: Hold['isMeant']) => Promise<void>
  /** Drops what is held and lets everything through again. */
  open: () => void
  close: () => Promise<void>
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const json = (text: string): Body => {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {}
  }
}

export async function createGate(target: () => string): Promise<Gate> {
  let hold: Hold | null = null
  let isShut = false

  const stops = (part: Hold['part'], call: string, sent: Body, received: Body = {}): boolean => {
    if (isShut) return true
    if (hold?.part !== part || !call.endsWith(hold.call) || !hold.isMeant(sent, received)) return false
    isShut = true
    hold.reached()
    return true
  }

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const sent = await bodyOf(request)
    const call = request.url ?? ''
    if (stops('request', call, json(sent.toString()))) return
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
    ) as [string, string][]
    const answer = await fetch(target() + call, {
      method: request.method ?? 'GET',
      headers,
      ...(sent.length > 0 ? { body: sent.toString() } : {}),
    })
    const text = await answer.text()
    if (stops('response', call, json(sent.toString()), json(text))) return
    response
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      .end(text)
  }

  const server = createServer((request, response) => {
    // A server that is down is a connection that breaks.
    pass(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    hold: (call, part, isMeant = () => true) =>
      new Promise((reached) => {
        hold = { call, part, isMeant, reached }
      }),
    open: () => {
      hold = null
      isShut = false
      server.closeAllConnections()
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
