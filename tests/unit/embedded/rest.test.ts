import { setImmediate as nextRound } from 'node:timers/promises'
import { SignJWT } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { createQueue } from '../../../supabase/embedded/database/queue'
import { eventually } from '../../support/eventually'
import { httpServer, keys } from '../../support/http-server'

const token = (user = crypto.randomUUID()) =>
  new SignJWT({ session_id: crypto.randomUUID(), role: 'authenticated' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(user)
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(keys.jwtSecret))

const apikey = keys.publishableKey
const chain = '->a'.repeat(2000)

describe('the API', () => {
  it('answers a stranger without asking the database or reading the body', async () => {
    const { ask, asked } = httpServer()
    const read = vi.fn()
    const body = () =>
      new ReadableStream(
        {
          pull: (controller) => {
            read()
            controller.enqueue(new Uint8Array(1000))
          },
        },
        { highWaterMark: 0 },
      )
    const post = (headers: Record<string, string>) => ({
      method: 'POST',
      body: body(),
      headers,
      duplex: 'half',
    })
    const answers = await Promise.all([
      ask(`/rest/v1/procedures?select=id,x:parameters${chain}`, { headers: { apikey } }),
      ask(`/rest/v1/failed_login_attempts?order=user_email${chain}`, { headers: { apikey } }),
      ask('/rest/v1/', { headers: { apikey } }),
      ask('/rest/v1/rpc/my_policy', { headers: { apikey } }),
      ask('/rest/v1/companies', post({ apikey })),
      ask('/rest/v1/companies', post({})),
      ask('/rest/v1/companies', post({ apikey: 'sb_publishable_wrong' })),
      ask('/rest/v1/companies', post({ apikey, authorization: 'Bearer a.b.c' })),
      ask('/rest/v1/companies', post({ apikey, authorization: `Bearer ${keys.publishableKey}` })),
      ask('/rest/v1/failed_login_attempts', { method: 'DELETE', headers: { apikey } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(401))
    expect(asked).not.toHaveBeenCalled()
    expect(read).not.toHaveBeenCalled()
  })

  it('does not read a large body of a session that has ended', async () => {
    const { ask, asked } = httpServer()
    const read = vi.fn()
    const body = new ReadableStream({ pull: read }, { highWaterMark: 0 })
    const headers = { apikey, authorization: `Bearer ${await token()}` }
    const answer = await ask('/rest/v1/companies', {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(401)
    expect(asked).toHaveBeenCalledOnce()
    expect(read).not.toHaveBeenCalled()
  })

  it('gives each account and each address its share, and says when to come back', async () => {
    const { ask, startSession } = httpServer({ rateLimitFactor: 0.003 })
    startSession()
    const authorization = `Bearer ${await token()}`
    const as = (bearer: string, from: string) =>
      ask('/rest/v1/devices', { headers: { apikey, authorization: bearer }, from })
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await as(authorization, '10.0.0.1')).status)
    expect(statuses).toEqual([200, 200, 200])
    const limited = await as(authorization, '10.0.0.2')
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await limited.json()).toMatchObject({ code: 'PT429' })
    // Another account at the same address goes on.
    expect((await as(`Bearer ${await token()}`, '10.0.0.1')).status).toBe(200)
    for (let n = 0; n < 30; n++) await ask('/rest/v1/devices', { headers: { apikey }, from: '10.0.0.3' })
    expect((await as(`Bearer ${await token()}`, '10.0.0.3')).status).toBe(429)
    expect((await as(`Bearer ${await token()}`, '10.0.0.4')).status).toBe(200)
  })
})

it('one account has a few dozen requests on their way at once', async () => {
  let open = () => undefined as unknown
  const opened = new Promise<void>((done) => {
    open = done
  })
  const { ask, asked, startSession } = httpServer({ opened })
  startSession()
  const as = async (authorization: string) =>
    (await ask('/rest/v1/devices', { headers: { apikey, authorization } })).status
  const one = `Bearer ${await token()}`
  const statuses = Array.from({ length: 70 }, () => as(one))
  const other = as(`Bearer ${await token()}`)
  await eventually(() => expect(asked).toHaveBeenCalledTimes(61))
  open()
  expect((await Promise.all(statuses)).filter((status) => status === 429)).toHaveLength(10)
  expect([await other, await as(one)]).toEqual([200, 200])
})

it('counts answers that their client does not read among them', async () => {
  const { ask, startSession } = httpServer()
  startSession()
  const headers = { apikey, authorization: `Bearer ${await token()}` }
  for (let i = 0; i < 60; i++) await ask('/rest/v1/devices', { headers, unread: true })
  expect((await ask('/rest/v1/devices', { headers })).status).toBe(429)
})

it('many requests of one account do not delay the one of another, and a timeout ends those that wait', async () => {
  const served: string[] = []
  const answer = async (request: Request) => {
    const table = new URL(request.url).pathname.split('/').at(-1) ?? ''
    served.push(table)
    return table === 'slow' && served.length > 3
      ? Response.json({ code: '57014', message: 'statement timeout' }, { status: 500 })
      : Response.json([])
  }
  let open = () => undefined as unknown
  const opened = new Promise<void>((done) => {
    open = done
  })
  const { ask, asked, startSession } = httpServer({ exclusive: createQueue(), answer, opened })
  startSession()
  const as = async (authorization: string, table: string) =>
    (await ask(`/rest/v1/${table}`, { headers: { apikey, authorization } })).status
  const [greedy, other] = [`Bearer ${await token()}`, `Bearer ${await token()}`]
  const slow = Array.from({ length: 20 }, () => as(greedy, 'slow'))
  await eventually(() => expect(asked).toHaveBeenCalledTimes(20))
  const read = as(other, 'read')
  await eventually(() => expect(asked).toHaveBeenCalledTimes(21))
  open()
  expect(await read).toBe(200)
  const statuses = await Promise.all(slow)
  expect(served.indexOf('read')).toBeLessThan(3)
  // The one that timed out is the last to run.
  expect(served).toHaveLength(4)
  expect(statuses.filter((status) => status === 429)).toHaveLength(17)
  // A single request at a time is still served.
  expect(await as(greedy, 'read')).toBe(200)
})

it('rewrites a preference wherever it stands', async () => {
  const seen: (string | null)[] = []
  const { ask, startSession } = httpServer({
    answer: async (request) => {
      seen.push(request.headers.get('prefer'))
      return Response.json([])
    },
  })
  startSession()
  const authorization = `Bearer ${await token()}`
  for (const prefer of ['foo=1;count=planned', 'count=estimated; tx=rollback, return=minimal'])
    await ask('/rest/v1/devices', { headers: { apikey, authorization, prefer } })
  expect(seen).toEqual(['foo=1,count=exact', 'count=exact,return=minimal'])
})

it('answers JSON nested by the thousand with 400, and logs nothing', async () => {
  const { ask, log } = httpServer()
  const deep = `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`
  const post = (path: string, body: string) =>
    ask(path, { method: 'POST', body, headers: { apikey, 'content-type': 'application/json' } })
  for (const path of ['token?grant_type=password', 'recover', 'verify', 'logout'])
    expect((await post(`/auth/v1/${path}`, deep)).status, path).toBe(400)
  for (const name of ['agent_enroll', 'agent_check_in', 'agent_report'])
    expect((await post(`/rest/v1/rpc/${name}`, `{"payload":${deep}}`)).status, name).toBe(400)
  expect(log).not.toHaveBeenCalled()
})

describe('behind a proxy nobody told of', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9' }

  it('the log says so, once', async () => {
    const { ask, log } = httpServer()
    await ask('/config.json')
    expect(log).not.toHaveBeenCalled()
    await ask('/config.json', { headers: forwarded })
    await ask('/config.json', { headers: forwarded })
    expect(log).toHaveBeenCalledOnce()
    expect(log.mock.calls[0]?.[0]).toContain('TRUSTED_PROXIES')
  })

  it('a proxy of ours is no surprise', async () => {
    const { ask, log } = httpServer({ trustedProxies: 1 })
    await ask('/config.json', { headers: forwarded })
    expect(log).not.toHaveBeenCalled()
  })
})

it('begins one request of the API in each round of the event loop, however many arrive at once', async () => {
  const { ask } = httpServer()
  const statuses: number[] = []
  const asked = Array.from({ length: 20 }, () =>
    ask('/rest/v1/devices').then(({ status }) => statuses.push(status)),
  )
  await nextRound()
  expect(statuses.length).toBeLessThan(5)
  await Promise.all(asked)
  expect(statuses).toEqual(Array(20).fill(401))
})
