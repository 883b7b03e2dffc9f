import { Hono } from 'hono'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Backend, Env } from '../../../supabase/embedded/http/context'
import { refusalLog } from '../../../supabase/embedded/http/refusals'
import { writeToken } from '../../../supabase/embedded/http/sessions'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { keepPermissionLines } from '../../support/permission-lines'

let backend: TestBackend
let restoreLines: () => Promise<void>
let company: string
let admin: Account
beforeAll(async () => {
  backend = await sharedBackend()
  restoreLines = await keepPermissionLines(backend)
  company = await createCompany(backend)
  admin = await createAccount(backend, 'Admin', company)
})
afterAll(async () => {
  await restoreLines?.()
  await backend?.stop()
})

interface Entry {
  event: string
  subject: string | null
  actor_email: string | null
  occurrences: number
  details: Record<string, unknown>
}
const entries = (where: string, params: unknown[] = []) =>
  backend.sql<Entry>(
    `select event, subject, actor_email, occurrences, details from public.security_log where ${where} order by at, event`,
    params,
  )

it('records who was given, changed and lost access, and who did it', async () => {
  const boss = await backend.client(admin.email)
  const person = await createAccount(backend, 'Teknik', company)
  const about = () => entries(`subject = $1 and actor_email = $2`, [person.email, admin.email])
  await boss.from('users').update({ role: 'Admin' }).eq('id', person.id)
  await boss.from('users').update({ name: 'No Access Changed' }).eq('id', person.id)
  await boss.rpc('deactivate_users', { ids: [person.id] })
  await boss.rpc('reactivate_users', { ids: [person.id] })
  await boss.from('user_roles').delete().eq('user_id', person.id)
  expect((await about()).map(({ event, details }) => [event, details])).toEqual([
    ['role_changed', { from: 'Teknik', to: 'Admin' }],
    ['account_deactivated', {}],
    ['account_reactivated', {}],
    ['account_removed', { role: 'Admin' }],
  ])
  const { data } = await boss.rpc('create_enrollment_token', { company_id: company, name: 'Lobby' })
  await boss.rpc('revoke_enrollment_token', { id: (data as { id: string }).id })
  expect((await entries(`subject = 'Lobby'`)).map(({ event }) => event)).toEqual([
    'enrollment_token_created',
    'enrollment_token_revoked',
  ])
})

it('says when the permission lines were written', async () => {
  const before = (await entries(`event = 'permissions_changed'`)).length
  await backend.sql(
    `insert into app.policy_rule (ptype, v0, v1, v2, v3) values ('p', 'Teknik', 'devices', 'delete', 'allow')`,
  )
  expect((await entries(`event = 'permissions_changed'`)).length).toBe(before + 1)
})

it('counts failed sign-ins of one account from one address in one row', async () => {
  const client = await backend.client()
  for (let n = 0; n < 3; n++) await client.auth.signInWithPassword({ email: admin.email, password: 'wrong' })
  expect(await entries(`event = 'sign_in_failed' and actor_email = $1`, [admin.email])).toMatchObject([
    { occurrences: 3, details: { reason: 'Invalid login credentials' } },
  ])
})

it('is read by an Admin for the own company and by a Super Admin for all, and written by nobody', async () => {
  const other = await createAccount(backend, 'Admin', await createCompany(backend))
  await backend.client(other.email)
  const platform = await createAccount(backend, 'Super Admin', null)
  const teknik = await createAccount(backend, 'Teknik', company)
  const companies = async ({ email }: Account) => {
    const { data } = await (await backend.client(email)).from('security_log').select('company_id')
    return new Set((data ?? []).map(({ company_id }) => company_id))
  }
  expect(await companies(admin)).toEqual(new Set([company]))
  expect((await companies(platform)).size).toBeGreaterThan(1)
  expect(await companies(teknik)).toEqual(new Set())
  const boss = await backend.client(platform.email)
  for (const write of [
    boss.from('security_log').insert({ event: 'sign_in' }),
    boss.from('security_log').update({ event: 'sign_out' }).eq('event', 'sign_in'),
    boss.from('security_log').delete().eq('event', 'sign_in'),
  ])
    expect((await write).error?.code).toBe('42501')
  expect((await (await backend.client()).from('security_log').select('id')).error?.code).toBe('42501')
})

it('counts refused requests, one row for a caller and a path, however many there are', async () => {
  const account = await createAccount(backend, 'Standard', company)
  const secret = 'a secret of this test'
  const log = refusalLog({
    core: { database: { query: backend.sql } },
    keys: { jwtSecret: secret },
    trustedProxies: 0,
    log: () => undefined,
  } as unknown as Backend)
  const app = new Hono<Env>()
  app.use(log.middleware)
  app.get('/rest/v1/:table', (c) => c.body(null, Number(c.req.query('status')) as 401))
  const ask = (status: number, headers: Record<string, string> = {}) =>
    app.request(`/rest/v1/devices?status=${status}`, { headers }, {
      incoming: { socket: { remoteAddress: '203.0.113.50' }, headers: {} },
    } as never)
  const token = await writeToken({ userId: account.id, sessionId: crypto.randomUUID(), email: '' }, secret)
  for (let n = 0; n < 3; n++) await ask(401)
  for (let n = 0; n < 4; n++) await ask(403, { authorization: `Bearer ${token}` })
  await ask(429)
  await ask(200)
  await log.close()
  expect(
    await entries(`ip_address = '203.0.113.50'`).then((rows) =>
      rows.sort((a, b) => a.occurrences - b.occurrences),
    ),
  ).toMatchObject([
    { event: 'rate_limited', actor_email: null, occurrences: 1, details: { status: 429 } },
    { event: 'request_denied', subject: '/rest/v1/devices', actor_email: null, occurrences: 3 },
    { event: 'request_denied', actor_email: account.email, occurrences: 4, details: { status: 403 } },
  ])
})

it('is removed when it is old: what strangers cause after 90 days, the rest after two years', async () => {
  await backend.sql(
    `insert into public.security_log (event, subject, at) values
       ('sign_in_failed', 'retention', now() - interval '91 days'), ('sign_in', 'retention', now() - interval '91 days'),
       ('sign_in', 'retention', now() - interval '731 days')`,
  )
  await backend.sql('select app.tick()')
  expect(await entries(`subject = 'retention'`)).toMatchObject([{ event: 'sign_in' }])
})
