import { afterAll, expect, it } from 'vitest'
import { createAccount, createCompany } from '../support/accounts'
import { DEMO_PASSWORD, type TestBackend, testBackend } from '../support/backend'

let backend: TestBackend
afterAll(() => backend.stop())

async function restart(rateLimitFactor: number): Promise<void> {
  await backend?.stop()
  backend = await testBackend({ demo: false, rateLimitFactor })
}
const admin = async () => (await createAccount(backend, 'Admin', await createCompany(backend))).email

async function attempts(count: number, email: (n: number) => string, password: string): Promise<string[]> {
  const client = await backend.client()
  const outcomes = await Promise.all(
    Array.from({ length: count }, (_, n) => client.auth.signInWithPassword({ email: email(n), password })),
  )
  return outcomes.map(({ error }) => error?.code ?? 'in')
}

const count = (codes: string[], code: string) => codes.filter((other) => other === code).length

it('stops guessing at one account after 20 wrong passwords, though all are sent at once', async () => {
  await restart(1)
  const email = await admin()
  const other = await admin()
  const codes = await attempts(30, () => email.toUpperCase(), 'wrong')
  expect(count(codes, 'invalid_credentials')).toBe(20)
  expect(count(codes, 'over_request_rate_limit')).toBe(10)
  expect(await attempts(1, () => email, DEMO_PASSWORD)).toEqual(['over_request_rate_limit'])
  // Others sign in meanwhile.
  expect(await attempts(1, () => other, DEMO_PASSWORD)).toEqual(['in'])
})

it('does not count sign-ins that succeed', async () => {
  await restart(0.1)
  const email = await admin()
  for (let n = 0; n < 8; n++) expect(await attempts(1, () => email, DEMO_PASSWORD)).toEqual(['in'])
})

// On the backend before: nothing was counted of the address until now.
it('stops one address from trying many accounts', async () => {
  const codes = await attempts(10, (n) => `user${n}@acme.test`, 'wrong')
  expect(count(codes, 'invalid_credentials')).toBe(6)
  expect(count(codes, 'over_request_rate_limit')).toBe(4)
})

const agent = async (name: string, payload: Record<string, unknown>): Promise<number> => {
  const answer = await fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ payload }),
  })
  return answer.status
}

it('stops guessing at agent secrets without silencing the other machines of a site', async () => {
  const lost = { device_id: crypto.randomUUID(), secret: 'x'.repeat(43) }
  const statuses: number[] = []
  for (let n = 0; n < 7; n++) statuses.push(await agent('agent_check_in', lost))
  expect(new Set(statuses.slice(0, 6))).toEqual(new Set([401]))
  expect(statuses[6]).toBe(429)
  expect(await agent('agent_check_in', { ...lost, device_id: crypto.randomUUID() })).toBe(401)
  const enrollments: number[] = []
  for (let n = 0; n < 4; n++)
    enrollments.push(
      await agent('agent_enroll', {
        token: `wrong-${n}`,
        machine_id: 'm',
        hostname: 'h',
        platform: 'linux',
        agent_version: '1',
      }),
    )
  expect(enrollments).toEqual([401, 401, 401, 429])
})

it('takes few inventories from one device, its check-ins all the same, and the inventories of others', async () => {
  // Four at once.
  await restart(1 / 3)
  const company = await createCompany(backend)
  const enrolled = async (name: string) => {
    const secret = `${name}-`.padEnd(43, 'x')
    const [device] = await backend.sql<{ id: string }>(
      `with device as (insert into public.devices (company_id, name) values ($1, $2) returning company_id, id)
       insert into app.device_secrets (company_id, device_id, secret_hash)
       select company_id, id, app.hash_secret($3) from device returning device_id as id`,
      [company, name, secret],
    )
    return { device_id: device?.id, secret }
  }
  // So large that it is read as an inventory.
  const software = Array.from({ length: 400 }, (_, n) => ({
    name: `Program number ${n} of a long list`,
    version: '1',
  }))
  const inventory = { inventory: { hostname: 'pc', software }, inventory_hash: 'a'.repeat(64) }
  const [first, second] = [await enrolled('first'), await enrolled('second')]
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) statuses.push(await agent('agent_check_in', { ...first, ...inventory }))
  expect(statuses).toEqual([200, 200, 200, 200, 429])
  expect(await agent('agent_check_in', first)).toBe(200)
  expect(await agent('agent_check_in', { ...second, ...inventory })).toBe(200)
  // A wrong secret uses up nobody's.
  expect(await agent('agent_check_in', { ...second, ...inventory, secret: 'wrong' })).toBe(401)
})

it('sends an address few mails, whether or not it is known', async () => {
  await restart(0.4)
  const client = await backend.client()
  for (const email of [await admin(), 'nobody@acme.test']) {
    const codes: (string | undefined)[] = []
    for (let n = 0; n < 3; n++) codes.push((await client.auth.resetPasswordForEmail(email)).error?.code)
    expect(codes).toEqual([undefined, undefined, 'over_email_send_rate_limit'])
  }
})
