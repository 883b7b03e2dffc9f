import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openCore } from '../../../supabase/embedded/core'
import { generateKeys } from '../../../supabase/embedded/keys'
import { type TestBackend, type TestBackendOptions, testBackend } from '../../support/backend'

const SCRIPT = `console.log("${'x'.repeat(3000)}")`
const INLINE = 'document.documentElement.dataset.theme = "dark"'

let folder: string
let backend: TestBackend
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'konsol-server-'))
  const dist = join(folder, 'dist')
  mkdirSync(join(dist, 'assets'), { recursive: true })
  writeFileSync(
    join(dist, 'index.html'),
    `<!doctype html><html><head><script>${INLINE}</script></head></html>`,
  )
  writeFileSync(join(dist, 'assets/app-1234.js'), SCRIPT)
  writeFileSync(join(dist, 'assets/app-1234.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(dist, 'assets/app-1234.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(dist, 'assets/rebuilt-1234.js'), '2')
  writeFileSync(join(dist, 'theme.js'), '1')
  writeFileSync(join(folder, 'secret.js'), 'not for you')
  const agentDir = join(folder, 'agent')
  mkdirSync(agentDir)
  writeFileSync(join(agentDir, 'agent.mjs'), '// the agent')
  writeFileSync(join(agentDir, 'install.sh'), "ORIGIN='__KONSOL_ORIGIN__'\nKEY='__KONSOL_KEY__'\n")
  backend = await testBackend({ serveDist: dist, agentDir })
})
afterAll(async () => {
  await backend?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const at = () => new URL(backend.url)

/** A request as written: `fetch` would tidy path and headers, and unpack the answer. */
function raw(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((done, fail) => {
    request({ hostname: at().hostname, port: at().port, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
      .on('error', fail)
      .end()
  })
}

describe('the console', () => {
  it('is one page for every path, with its configuration and a strict policy', async () => {
    for (const path of ['/', '/devices', '/devices/0d9ab4f6-3f0c-4ef5-9d6e-0a86bb1b8a60', '/no/such/page']) {
      const answer = await fetch(backend.url + path)
      expect(answer.status).toBe(200)
      const html = await answer.text()
      expect(html).toContain(`"key":"${backend.publishableKey}"`)
      expect(answer.headers.get('cache-control')).toBe('no-cache')
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/script-src 'self' 'sha256-[A-Za-z0-9+/=]+';/)
      expect(policy).not.toContain('unsafe-eval')
      expect(policy).toContain("frame-ancestors 'none'")
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    }
  })

  it('sends its page compressed to who takes it so', async () => {
    const plain = await raw('/')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const packed = await raw('/devices', { 'accept-encoding': 'gzip, br' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(brotliDecompressSync(packed.body).toString()).toBe(plain.body.toString())
  })

  it('hands out its files compressed and for ever, where their name says what is in them', async () => {
    const packed = await raw('/assets/app-1234.js', { 'accept-encoding': 'gzip, br' })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(packed.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(packed.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(brotliDecompressSync(packed.body).toString()).toBe(SCRIPT)
    const plain = await raw('/assets/app-1234.js', { 'accept-encoding': 'br;q=0' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.body.toString()).toBe(SCRIPT)
    const known = await raw('/assets/app-1234.js', { 'if-none-match': String(plain.headers.etag) })
    expect(known.status).toBe(304)
    expect((await raw('/theme.js')).headers['cache-control']).toBe('no-cache')
  })

  it('says that a file went away in a rebuild, without a stack', async () => {
    rmSync(join(folder, 'dist/assets/rebuilt-1234.js'))
    const answer = await raw('/assets/rebuilt-1234.js')
    expect(answer.status).toBe(503)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body.toString()).toBe('The console was rebuilt. Restart the server to serve the new build.')
  })

  it('never answers a missing file with the page, nor a file that is not its own', async () => {
    expect((await raw('/assets/gone-9999.js')).status).toBe(404)
    for (const ending of ['br', 'gz']) expect((await raw(`/assets/app-1234.js.${ending}`)).status).toBe(404)
    for (const path of [
      '/../secret.js',
      '/%2e%2e/secret.js',
      '/assets/..%2f..%2fsecret.js',
      '/..%5csecret.js',
    ]) {
      const answer = await raw(path)
      expect(answer.body.toString()).not.toContain('not for you')
    }
    for (const path of ['/rest/v1/%2e%2e%2fx', '/_system/config', '/storage/v1/x', '/realtime/v1/websocket'])
      expect((await raw(path)).body.toString()).not.toContain('<html>')
  })

  it('tells how it is and how to reach it', async () => {
    expect(await (await fetch(`${backend.url}/healthz`)).json()).toEqual({ ok: true, database: 'ready' })
    expect(await (await fetch(`${backend.url}/config.json`)).json()).toEqual({
      url: '',
      key: backend.publishableKey,
    })
  })
})

describe('the agent download', () => {
  it('is the program and a script with our own address', async () => {
    expect(await (await fetch(`${backend.url}/agent/agent.mjs`)).text()).toBe('// the agent')
    const script = await (await fetch(`${backend.url}/agent/install.sh`)).text()
    expect(script).toBe(`ORIGIN='${backend.url}'\nKEY='${backend.publishableKey}'\n`)
  })

  it('writes nothing into the script that is not a host', async () => {
    for (const host of ["x'; touch /tmp/x; '", '$(id)', 'a b', 'x"y', '-flag'])
      expect((await raw('/agent/install.sh', { host })).status, host).toBeOneOf([400, 404])
  })

  it('answers agents by their own route, and anything malformed with 4xx', async () => {
    const call = (name: string, body: string, key = backend.publishableKey) =>
      fetch(`${backend.url}/rest/v1/rpc/${name}`, {
        method: 'POST',
        headers: { apikey: key, 'content-type': 'application/json' },
        body,
      })
    for (const body of ['', 'null', '[]', '{}', '{"payload":1}', '{"payload":[]}', 'not json'])
      expect((await call('agent_check_in', body)).status).toBe(400)
    expect((await call('agent_check_in', '{"payload":{}}', 'sb_publishable_wrong')).status).toBe(401)
    const refused = await call(
      'agent_enroll',
      JSON.stringify({ payload: { token: 'wrong', machine_id: 'm' } }),
    )
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.status).toBeLessThan(500)
    expect(await refused.json()).toHaveProperty('code')
    expect((await call('agent_report', `{"payload":{"x":"${'y'.repeat(5_000_000)}"}}`)).status).toBe(413)
  })
})

describe('requests', () => {
  it('takes an in-filter of a thousand ids and does not send it back', async () => {
    const client = await backend.client('admin@acme.test')
    const ids = Array.from({ length: 1000 }, () => crypto.randomUUID())
    const { data, error } = await client.from('devices').select('id').in('id', ids)
    expect(error).toBeNull()
    expect(data).toEqual([])
    const token = (await client.auth.getSession()).data.session?.access_token
    const answer = await raw(`/rest/v1/devices?select=id&id=in.(${ids.join(',')})`, {
      apikey: backend.publishableKey,
      authorization: `Bearer ${token}`,
    })
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('content-location')
  })

  it('is not held up by somebody who sends slowly', async () => {
    const head = `POST /auth/v1/recover HTTP/1.1\r\nHost: x\r\napikey: ${backend.publishableKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
    const slow = connect(Number(at().port), at().hostname, () => slow.write(head))
    slow.on('error', () => undefined)
    await new Promise((done) => slow.once('connect', done))
    const client = await backend.client('admin@acme.test')
    expect((await client.from('devices').select('id').limit(1)).error).toBeNull()
    slow.destroy()
  })

  it('does not mix up transactions under load', async () => {
    const clients = await Promise.all(
      ['admin@acme.test', 'admin@globex.test'].map((email) => backend.client(email)),
    )
    const seen = await Promise.all(
      Array.from({ length: 60 }, (_, n) => clients[n % 2]?.from('companies').select('name')),
    )
    const names = seen.map((answer) => answer?.data?.[0]?.name)
    expect(names).toEqual(seen.map((_, n) => (n % 2 ? 'Globex' : 'Acme')))
  })

  it('refuses what is nested beyond reason, and stays whole', async () => {
    const client = await backend.client('admin@acme.test')
    const { data } = await client.auth.getSession()
    const headers = {
      apikey: backend.publishableKey,
      authorization: `Bearer ${data.session?.access_token}`,
      'content-type': 'application/json',
    }
    const nested = (levels: number) => `${'{"_and":['.repeat(levels)}${']}'.repeat(levels)}`
    const group = (levels: number) => `${'(and'.repeat(levels)}(name.eq.x)${')'.repeat(levels)}`
    const ask = (path: string, body?: string) =>
      fetch(`${backend.url}/rest/v1/${path}`, { method: body ? 'POST' : 'GET', headers, body })
    const filtered = (levels: number) =>
      ask('rpc/matching_ids', `{"resource": "devices", "filter": ${nested(levels)}}`)
    // In one of these the embedded database lost its stack, and answered nobody from then on.
    for (const answer of [
      await filtered(1_000),
      await filtered(100_000),
      await ask('rpc/bulk_act', `{"resource": "devices", "act": "x", "condition": ${nested(20_000)}}`),
      await ask(`rpc/matching_ids?resource=devices&filter=${nested(1_000)}`),
      await ask(`devices?select=id&or=${group(1_000)}`),
      await ask(`devices?select=${'tickets(devices('.repeat(500)}id${'))'.repeat(500)}`),
    ]) {
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({
        code: 'PGRST102',
        message: 'The request is nested too deep',
      })
    }
    expect((await ask(`devices?select=id&limit=1&or=${group(20)}`)).status).toBe(200)
    // Text may hold as many brackets as it likes.
    const subject = '([{"\\'.repeat(30)
    expect((await ask(`devices?select=id&name=eq.${encodeURIComponent('('.repeat(200))}`)).status).toBe(200)
    const found = await ask(
      'rpc/matching_ids',
      JSON.stringify({ resource: 'devices', filter: { name: { _eq: subject } } }),
    )
    expect(await found.json()).toEqual([])
  })

  it('refuses a body beyond its limit', async () => {
    const answer = await fetch(`${backend.url}/auth/v1/recover`, {
      method: 'POST',
      headers: { apikey: backend.publishableKey },
      body: 'x'.repeat(200_000),
    })
    expect(answer.status).toBe(413)
  })
})

describe('the start', () => {
  it('warns of a proxy that nobody told of, and not where somebody did', async () => {
    const said = async (options: TestBackendOptions) => {
      const log = vi.fn()
      await (await testBackend({ demo: false, log, ...options })).stop()
      return log.mock.calls.flat().join('\n')
    }
    const siteUrl = 'https://console.example.com'
    expect(await said({ siteUrl })).toContain('TRUSTED_PROXIES')
    expect(await said({ siteUrl, trustedProxies: 0 })).not.toContain('TRUSTED')
  })
})

describe('a migration that fails', () => {
  it('is named with its line and the database’s own words, and leaves nothing behind', async () => {
    const root = join(folder, 'project')
    const migrations = join(root, 'supabase/migrations')
    mkdirSync(migrations, { recursive: true })
    writeFileSync(join(migrations, '20260101000000_create_one.sql'), 'create table public.one (id int);')
    writeFileSync(
      join(migrations, '20260102000000_create_two.sql'),
      'create table public.two (id int);\ncreate table public.three (id nonsense);\n',
    )
    const options = {
      root,
      pgliteUrl: join(folder, 'database'),
      blank: true,
      demo: false,
      keys: generateKeys(),
      siteUrl: 'http://localhost',
      mail: { send: async () => undefined },
      log: () => undefined,
    }
    await expect(openCore(options)).rejects.toThrow(
      /supabase\/migrations\/20260102000000_create_two\.sql:2 failed: type "nonsense" does not exist \(42704\)/,
    )
    writeFileSync(join(migrations, '20260102000000_create_two.sql'), 'create table public.two (id int);')
    const core = await openCore({ ...options, blank: false })
    expect(core.applied).toEqual(['20260102000000_create_two.sql'])
    const [owner] = await core.database.query(
      `select r.rolname, r.rolsuper from pg_class c join pg_roles r on r.oid = c.relowner where c.relname = 'two'`,
    )
    expect(owner).toEqual({ rolname: 'konsol_owner', rolsuper: false })
    const granted = await core.database.query(
      `select grantee from information_schema.role_table_grants
       where table_name = 'two' and grantee in ('anon', 'authenticated', 'service_role', 'PUBLIC')`,
    )
    expect(granted).toEqual([])
    await core.close()
    rmSync(join(migrations, '20260102000000_create_two.sql'))
    await expect(openCore({ ...options, blank: false })).rejects.toThrow(
      'The database has the migration 20260102000000_create_two, which this version of Konsol does not have.',
    )
  })
})

it('keeps 50 live connections of one address that have not shown a token', async () => {
  const sockets: WebSocket[] = []
  const open = () =>
    new Promise<number>((done) => {
      const url = new URL(`/realtime/v1/websocket?apikey=${backend.publishableKey}`, backend.url)
      const socket = new WebSocket(url)
      sockets.push(socket)
      socket.on('open', () => done(101))
      socket.on('unexpected-response', (_request, response) => done(response.statusCode ?? 0))
      socket.on('error', () => undefined)
    })
  try {
    const answers = await Promise.all(Array.from({ length: 55 }, open))
    expect(answers.filter((status) => status === 101)).toHaveLength(50)
    expect(answers.filter((status) => status === 429)).toHaveLength(5)
  } finally {
    for (const socket of sockets) socket.terminate()
  }
})
