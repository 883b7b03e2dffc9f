import { createServer as createHttpServer, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasMailbox } from '../../../supabase/embedded/http/mailbox'
import { type TestBackend, testBackend } from '../../support/backend'

let backend: TestBackend
beforeAll(async () => {
  // The mailbox of the embedded database; on PostgreSQL there is none.
  backend = await testBackend({ driver: 'pglite' })
})
afterAll(() => backend?.stop())

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** `fetch` sets the Host itself. */
function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { hostname, port } = new URL(backend.url)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
      .on('error', reject)
      .end()
  })
}

const keyed = () => new URL(backend.mailboxUrl ?? '')
const JSON_PAGE = () => `/mailbox.json${keyed().search}`

it('shows mails to whoever has the key that the start printed, and takes the key out of the address', async () => {
  const client = await backend.client()
  await client.auth.resetPasswordForEmail('admin@acme.test')
  const first = await get(`/mailbox${keyed().search}`)
  expect([first.status, first.headers.location]).toEqual([303, '/mailbox'])
  const [cookie = ''] = first.headers['set-cookie'] ?? []
  expect(cookie).toMatch(/; HttpOnly/)
  expect(cookie).toMatch(/; SameSite=Strict/)
  const page = await get('/mailbox', { cookie: cookie.split(';')[0] ?? '' })
  expect(page.status).toBe(200)
  expect(page.body).toContain('admin@acme.test')
  expect(page.body).toContain('/reset-password?token_hash=')
  expect(JSON.parse((await get(JSON_PAGE())).body)).toHaveLength(1)
})

it.each([
  ['nobody', ''],
  ['an empty key', '?key='],
  ['a wrong key', '?key=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
])('hides from %s', async (_who, search) => {
  for (const path of ['/mailbox', '/mailbox.json']) {
    const answer = await get(`${path}${search}`)
    expect([answer.status, answer.body]).toEqual([404, 'Not found'])
  }
  expect((await get('/mailbox', { cookie: 'mailbox=x; mailbox_00000000=x' })).status).toBe(404)
})

it.each([
  ['a proxy', { 'x-forwarded-for': '203.0.113.9' }],
  ['a proxy that names the host', { 'x-forwarded-host': 'console.example' }],
  ['a proxy by the standard header', { forwarded: 'for=203.0.113.9' }],
  ['a proxy that only says so', { via: '1.1 proxy' }],
  ['a name made to point here', { host: 'evil.example' }],
  ['a name that begins like loopback', { host: '127.0.0.1.evil.example' }],
])('hides from %s, with the key even', async (_who, headers) => {
  for (const path of [`/mailbox${keyed().search}`, JSON_PAGE()]) {
    const answer = await get(path, headers)
    expect(answer.status).toBe(404)
    expect(answer.body).not.toContain('token_hash')
  }
})

it('tells a stranger nothing behind a proxy on this machine with the headers nginx sends by itself', async () => {
  const { hostname, port } = new URL(backend.url)
  const proxy = createHttpServer(({ method, url, headers }, response) => {
    // `proxy_pass` alone: the Host of the upstream, HTTP/1.0 manners, and not a word of whom it asks for.
    const passed = { ...headers, host: `${hostname}:${port}`, connection: 'close' }
    request({ hostname, port, path: url, method, headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }).end()
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const outside = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  for (const path of ['/mailbox', '/mailbox.json', '/mailbox/', '/mailbox?key=', '/mailbox.json?key=x'])
    expect((await fetch(outside + path)).status).toBe(404)
  proxy.close()
})

describe('there is no mailbox', () => {
  const here = { host: '127.0.0.1' }
  it('but on a console that only this machine uses', () => {
    expect(hasMailbox(here)).toBe(true)
    expect(hasMailbox({ host: 'localhost', siteUrl: 'http://localhost:3000' })).toBe(true)
    for (const place of [
      { host: '0.0.0.0' },
      { host: '::' },
      { ...here, siteUrl: 'https://console.example.com' },
      { ...here, databaseUrl: 'postgres://db.example/konsol' },
      { ...here, smtpUrl: 'smtp://mail.example' },
      { ...here, isProduction: true },
    ])
      expect(hasMailbox(place)).toBe(false)
  })
})

it('sends mails by SMTP where a server is named, and keeps none', async () => {
  const received: string[] = []
  const smtp = createServer((socket) => {
    let isData = false
    let text = ''
    socket.write('220 test\r\n')
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      text += String(chunk)
      if (isData) {
        if (!text.endsWith('\r\n.\r\n')) return
        received.push(text)
        isData = false
      } else if (/^DATA/i.test(text)) {
        isData = true
        socket.write('354 go on\r\n')
        text = ''
        return
      }
      socket.write(/^QUIT/i.test(text) ? '221 bye\r\n' : '250 ok\r\n')
      text = ''
    })
  })
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
  const own = await testBackend({
    smtpUrl: `smtp://127.0.0.1:${(smtp.address() as AddressInfo).port}`,
    mailFrom: 'Console <console@acme.example>',
    siteUrl: 'https://console.acme.example/',
  })
  const client = await own.client()
  expect((await client.auth.resetPasswordForEmail('admin@acme.test')).error).toBeNull()
  await expect.poll(() => received.length).toBe(1)
  const [mail = ''] = received
  expect(mail).toContain('From: Console <console@acme.example>')
  expect(mail).toContain('To: admin@acme.test')
  expect(mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(
    'https://console.acme.example/reset-password?token_hash=',
  )
  expect(own.mails()).toEqual([])
  expect(own.mailboxUrl).toBeNull()
  expect((await fetch(`${own.url}/mailbox`)).status).toBe(404)
  await own.stop()
  smtp.close()
})
