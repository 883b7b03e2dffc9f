import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { closeHttp, listen } from '../../../supabase/embedded/http/listener'

let http: Server
const starting = () => undefined
afterEach(() => closeHttp(http))

it('closes a connection whose headers take too long, also when the client keeps its side open', async () => {
  ;({ http } = await listen(0, '127.0.0.1', starting))
  http.headersTimeout = 0
  http.requestTimeout = 0
  const connected = new Promise<Socket>((done) => void http.once('connection', done))
  const { port } = http.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
  client.write('GET / HTTP/1.1\r\n')
  const answer = new Promise<string>((got) => void client.once('data', (data) => got(String(data))))
  const socket = await connected
  const closed = new Promise<void>((done) => void socket.once('close', () => done()))
  // As Node does once the time is over.
  http.emit('clientError', new Error('Request timeout'), socket)
  await closed
  expect(await answer).toContain('400 Bad Request')
  client.destroy()
})

it.each([
  ['sends nothing', ''],
  ['sends half a request line', 'GET /he'],
  ['sends half a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: b'],
])('cuts off a client that %s', async (_what, text) => {
  ;({ http } = await listen(0, '127.0.0.1', starting, { idle: 60_000, headers: 40, check: 10 }))
  const { port } = http.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
  let answer = ''
  client.on('data', (data) => {
    answer += String(data)
  })
  client.write(text)
  await new Promise((closed) => client.once('close', closed))
  expect(answer).toContain('408 Request Timeout')
})

it('cuts off a client that does not read its answer', async () => {
  const listening = await listen(0, '127.0.0.1', starting, { idle: 40, headers: 60_000, check: 60_000 })
  http = listening.http
  listening.use((_request, response) => void response.write('x'.repeat(100)))
  const { port } = http.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
  client.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await new Promise<void>((closed) => void http.once('connection', (socket) => socket.once('close', closed)))
  client.destroy()
})
