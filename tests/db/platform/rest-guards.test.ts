import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { containsOperation } from '../../../src/data/postgrest'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type Asked, ask, backend, openRest, tokens } from './rest-requests'

openRest()

const chain = (steps: number) => '->a'.repeat(steps)

describe('a stranger', () => {
  const attempt = { user_email: 'a@b.test', ip_address: 'browser', user_agent: 'x', failure_reason: 'wrong' }

  it('may record a failed sign-in, in 16 kB', async () => {
    expect((await ask('failed_login_attempts', { body: JSON.stringify(attempt) })).status).toBe(201)
    const large = await ask('failed_login_attempts', { body: JSON.stringify(Array(200).fill(attempt)) })
    expect(large.status).toBe(413)
    expect((await ask(`failed_login_attempts?select=id${chain(9)}`, { body: '{}' })).status).toBe(400)
  })

  it('is answered before a body is sent, and cut off with it half sent', async () => {
    const { port, hostname } = new URL(backend.url)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const key = n % 2 ? `apikey: ${backend.publishableKey}\r\n` : ''
        return new Promise<string>((done) => {
          let said = ''
          const socket = connect(Number(port), hostname, () =>
            socket.write(
              `POST /rest/v1/devices HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nContent-Length: 15000000\r\n\r\n[`,
            ),
          )
          socket.on('data', (chunk) => {
            said += String(chunk)
          })
          socket.on('error', () => undefined)
          socket.on('close', () => done(said.slice(0, 12)))
        })
      }),
    )
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 401']))
  })

  it('learns which methods there are, from any origin', async () => {
    const preflight = await ask('devices?select=id', {
      method: 'OPTIONS',
      headers: { 'access-control-request-headers': 'apikey,prefer', origin: 'https://console.example' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('apikey,prefer')
    expect((await ask('devices', { method: 'PUT', body: '{}' })).status).toBe(405)
    expect((await ask('rpc/my_policy', { method: 'DELETE' })).status).toBe(405)
  })
})

describe('a signed-in user', () => {
  const as = 'admin@acme.test'

  it('is refused chains, patterns, plans and the schema of everything', async () => {
    expect((await ask(`procedures?select=id,x:parameters${chain(9)}`, { as })).status).toBe(400)
    expect((await ask(`procedures?select=id,x:parameters${chain(8)}`, { as })).status).toBe(200)
    const pattern = await ask('devices?select=id&name=match.(a%2B)%2B$', { as })
    expect(pattern.status).toBe(400)
    expect(JSON.parse(pattern.text).message).toBe('Regular expressions are not supported')
    for (const accept of ['application/vnd.pgrst.plan', 'application/json, application/vnd.pgrst.plan+json'])
      expect((await ask('devices?select=id', { as, headers: { accept } })).status).toBe(406)
    expect((await ask('', { as })).status).toBe(404)
  })

  it('still finds a text with signs that patterns know, as the console asks for it', async () => {
    await backend.sql(`update public.devices set name = 'room (4), left' where id in (select id from
      public.devices where company_id = (select id from public.companies where name = 'Acme') order by id limit 1)`)
    const { operator, value } = containsOperation('(4), LEFT')
    expect(operator).toBe('imatch')
    const found = await ask(`devices?select=id&name=${operator}.${encodeURIComponent(value)}`, { as })
    expect(found.status).toBe(200)
    expect(JSON.parse(found.text)).toHaveLength(1)
  })

  it('may not read a list inside of what the rows share', async () => {
    const company = 'companies!devices_company_id_fkey'
    for (const select of [
      `id,${company}(devices!devices_company_id_fkey(id))`,
      'id,company_id(groups(id))',
      'id,tickets(devices(tickets(id)))',
    ]) {
      const answer = await ask(`devices?select=${select}`, { as })
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'PGRST102'])
    }
  })

  it('has no half of a character taken for a text', async () => {
    for (const title of ['\\ud800', 'a\\udc00b']) {
      const body = `{"subject":"${title}","description":"x"}`
      expect((await ask('tickets', { as, body })).status).toBe(400)
      expect((await ask('rpc/find_records', { as, body: `{"q":"${title}"}` })).status).toBe(400)
    }
    const bytes = await fetch(`${backend.url}/rest/v1/tickets`, {
      method: 'POST',
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${tokens.get(as)}`,
        'content-type': 'application/json',
      },
      body: Buffer.from([...Buffer.from('{"subject":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
    })
    expect(bytes.status).toBe(400)
  })

  it('may not write more values at once than a statement or the thread can hold', async () => {
    const named = JSON.stringify(Array.from({ length: 33_000 }, (_, n) => ({ name: `at once ${n}` })))
    const calls = `{"q":[${'[],'.repeat(1_000_000)}[]]}`
    for (const [path, body] of [
      ['groups', named],
      ['groups', `[${'{},'.repeat(32_000)}{}]`],
      ['rpc/find_records', calls],
    ] as const) {
      const { status, text } = await ask(path, { as, body })
      expect([path, status, JSON.parse(text).code]).toEqual([path, 413, 'PGRST102'])
    }
    const quoted = JSON.stringify({ name: `${',"\\'.repeat(20_000)}`, company_id: null })
    expect((await ask('groups', { as, body: quoted })).status).not.toBe(413)
  })

  it('gets no 500 for anything malformed', async () => {
    const requests: [string, Asked?][] = [
      ['devices', { body: '' }],
      ['devices', { body: '{' }],
      ['devices', { body: 'null' }],
      ['devices', { body: '1' }],
      ['devices', { body: '"x"' }],
      ['devices', { body: '[1,null,"x",[]]' }],
      ['devices', { body: '[{"name":"a"},{"nope":1}]' }],
      ['devices', { body: '{"name":"\\u0000"}' }],
      ['devices', { body: '{"name":{"a":[1]}}' }],
      ['devices', { body: '{"__proto__":{"x":1},"constructor":1}' }],
      ['devices', { body: 'a,b\n1,2', headers: { 'content-type': 'text/csv' } }],
      ['devices', { body: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
      ['devices', { body: '{}', headers: { 'content-type': 'application/octet-stream' } }],
      ['devices?id=eq.1', { method: 'PATCH', body: '[]' }],
      ['devices?id=eq.1', { method: 'PATCH', body: 'null' }],
      ['devices?id=eq.1', { method: 'DELETE' }],
      ['devices?id=eq.%00', {}],
      ['devices?name=eq.%00', {}],
      ['devices?na%00me=eq.1', {}],
      ['devices?or=(na%00me.eq.1)', {}],
      ['devices?name=eq.%ED%A0%80', {}],
      ['devices?select=%00', {}],
      ['devices?select=(', {}],
      ['devices?select=id,,', {}],
      ['devices?select="', {}],
      ['devices?select=id::nothing', {}],
      ['devices?select=count()', {}],
      ['devices?select=...companies', {}],
      ['devices?select=companies(', {}],
      ['devices?limit=abc&offset=-1', {}],
      ['devices?limit=99999999999999999999', {}],
      ['devices?offset=99999999999999999999', {}],
      ['devices?limit=1e400', {}],
      ['devices?order=', {}],
      ['devices?order=id.up', {}],
      ['devices?order=nothing', {}],
      ['devices?id=in.(', {}],
      ['devices?id=in.()', {}],
      ['devices?id=is.5', {}],
      ['devices?name=fts(nope).a', {}],
      ['devices?name=wfts.%27', {}],
      ['devices?name=cs.{', {}],
      ['devices?name=sl.[1,2', {}],
      ['devices?or=()', {}],
      ['devices?or=(a)', {}],
      ['devices?or=(id.eq.1', {}],
      ['devices?=eq.1', {}],
      ['devices?id', {}],
      ['devices?not.or=(id.eq.1)', {}],
      ['devices?nothing.id=eq.1', {}],
      ['devices?on_conflict=', { body: '{"name":"x"}', headers: { prefer: 'resolution=merge-duplicates' } }],
      ['devices?columns=,', { body: '[{}]' }],
      ['devices?select=id', { headers: { prefer: 'count=' } }],
      [
        'devices?select=id',
        { headers: { prefer: 'handling=strict,nonsense=1,max-affected=x,timezone=Nowhere' } },
      ],
      ['devices?select=id', { headers: { range: 'items=5-1' } }],
      ['devices?select=id', { headers: { 'accept-profile': 'auth' } }],
      ['devices?select=id', { headers: { accept: 'image/png' } }],
      ['devices?select=id', { headers: { accept: 'application/vnd.pgrst.object+json' } }],
      ['rpc/find_records', { body: '[]' }],
      ['rpc/find_records', { body: '{"q":null}' }],
      ['rpc/find_records', { body: '{"q":"\\u0000"}' }],
      ['rpc/find_records', { body: '{"nope":1}' }],
      ['rpc/matching_ids', { body: '{"resource":null,"filter":1}' }],
      ['rpc/matching_ids', { body: '{"resource":"devices","filter":{"name":{"_eq":"\\u0000"}}}' }],
      ['rpc/matching_ids', { body: '{"resource":"devices","filter":{"id":{"_eq":"x"}}}' }],
      ['rpc/search_devices?q=%00', {}],
      ['rpc/search_devices?q=match.x', {}],
      ['rpc/search_devices', {}],
    ]
    const wrong: unknown[] = []
    // lite logs what it cannot parse.
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    for (const [path, asked] of requests) {
      const { status, text } = await ask(path, { as, ...asked })
      if (status >= 500) wrong.push([path, asked?.body, asked?.headers, status, text.slice(0, 200)])
    }
    logged.mockRestore()
    expect(wrong).toEqual([])
  })
})

describe.each(drivers('timeouts', 'plans'))('a count on %s', (driver) => {
  let own: TestBackend
  beforeAll(async () => {
    own = driver === 'pglite' ? backend : await testBackend({ driver })
    // PostgreSQL needs statistics to have something to tell.
    await own.sql('analyze public.devices')
  })
  afterAll(async () => {
    if (own !== backend) await own?.stop()
  })

  it('reads no row in the words of a refusal, of a function that writes for its caller neither', async () => {
    const tickets = await ask('tickets?select=id&limit=1&status=eq.new', { as: 'admin@acme.test' })
    const [{ id }] = JSON.parse(tickets.text)
    const asked = { ids: [id], approver_role: 'Admin', question: 'x'.repeat(5000) }
    const refused = await ask('rpc/request_approval', { as: 'admin@acme.test', body: JSON.stringify(asked) })
    expect(JSON.parse(refused.text)).toMatchObject({ code: '23514', details: null })
    expect(refused.text).not.toContain('Failing row')
  })

  it('does not tell what other companies have', async () => {
    for (const email of ['admin@acme.test', 'admin@globex.test']) {
      const { data } = await (await own.client(email)).auth.getSession()
      const count = async (prefer: string) => {
        const headers = {
          apikey: own.publishableKey,
          authorization: `Bearer ${data.session?.access_token}`,
          prefer,
        }
        const answer = await fetch(`${own.url}/rest/v1/devices?select=id&limit=1`, { headers })
        await answer.text()
        return answer.headers.get('content-range')?.split('/')[1]
      }
      const exact = await count('count=exact')
      expect(Number(exact)).toBeGreaterThan(0)
      for (const way of ['planned', 'estimated', 'Planned'])
        for (const prefer of [`count=${way}`, `return=minimal , count = ${way}`])
          expect(await count(prefer)).toBe(exact)
      for (const prefer of ['count="planned"', 'count=planned;x', 'Count=planned'])
        expect([exact, '*']).toContain(await count(prefer))
    }
  })
})

describe('the secret key', () => {
  it('asks without a session, within the same bounds', async () => {
    const headers = { apikey: backend.serviceKey }
    expect((await ask('companies?select=id&limit=1', { headers })).status).toBe(200)
    expect((await ask('', { headers })).status).toBe(200)
    expect((await ask(`procedures?select=x:parameters${chain(9)}`, { headers })).status).toBe(400)
  })
})
