import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../support/backend'

let backend: TestBackend
beforeAll(async () => {
  backend = await testBackend()
})
afterAll(() => backend?.stop())

/** `fetch` sets the Host itself. */
function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(backend.url)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
      .on('error', reject)
      .end()
  })
}

it('shows mails as a page and as JSON on this machine', async () => {
  const client = await backend.client()
  await client.auth.resetPasswordForEmail('admin@acme.test')
  const page = await get('/mailbox')
  expect(page.status).toBe(200)
  expect(page.body).toContain('admin@acme.test')
  expect(page.body).toContain('/reset-password?token_hash=')
  const json = await get('/mailbox.json')
  expect(JSON.parse(json.body)).toHaveLength(1)
})

it.each([
  ['a proxy', { 'x-forwarded-for': '203.0.113.9' }],
  ['a proxy that names the host', { 'x-forwarded-host': 'console.example' }],
  ['a proxy by the standard header', { forwarded: 'for=203.0.113.9' }],
  ['a proxy that only says so', { via: '1.1 proxy' }],
  ['a name made to point here', { host: 'evil.example' }],
  ['a name that begins like loopback', { host: '127.0.0.1.evil.example' }],
])('hides from %s', async (_who, headers) => {
  for (const path of ['/mailbox', '/mailbox.json']) {
    const answer = await get(path, headers)
    expect(answer.status).toBe(404)
    expect(answer.body).not.toContain('token_hash')
  }
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
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(1)
  const [mail = ''] = received
  expect(mail).toContain('From: Console <console@acme.example>')
  expect(mail).toContain('To: admin@acme.test')
  expect(mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(
    'https://console.acme.example/reset-password?token_hash=',
  )
  expect(await (await fetch(`${own.url}/mailbox.json`)).json()).toEqual([])
  await own.stop()
  smtp.close()
})
