import { afterAll, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { DEMO_PASSWORD, type TestBackend, testBackend } from '../../support/backend'

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

const agent = (name: string, payload: Record<string, unknown>): Promise<Response> =>
  fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ payload }),
  })

it('stops guessing at agent secrets without silencing the other machines of a site', async () => {
  const lost = { device_id: crypto.randomUUID(), secret: 'x'.repeat(43) }
  const statuses: number[] = []
  for (let n = 0; n < 7; n++) statuses.push((await agent('agent_check_in', lost)).status)
  expect(new Set(statuses.slice(0, 6))).toEqual(new Set([401]))
  expect(statuses[6]).toBe(429)
  expect((await agent('agent_check_in', { ...lost, device_id: crypto.randomUUID() })).status).toBe(401)
  const enrollments: number[] = []
  for (let n = 0; n < 4; n++)
    enrollments.push(
      (
        await agent('agent_enroll', {
          token: `wrong-${n}`,
          machine_id: 'm',
          hostname: 'h',
          platform: 'linux',
          agent_version: '1',
        })
      ).status,
    )
  expect(enrollments).toEqual([401, 401, 401, 429])
})

it('takes few inventories from one device, its check-ins all the same, and the inventories of others', async () => {
  // Six at once.
  await restart(0.5)
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
  const check = async (device: { device_id: string | undefined }, more: object) =>
    (await agent('agent_check_in', { ...device, inventory_hash: 'a'.repeat(64), ...more })).status
  const titles = (device: { device_id: string | undefined }) =>
    backend.sql<{ name: string }>(
      'select s.name from public.device_software d join public.software s on s.id = d.software_id where d.device_id = $1 limit 1',
      [device.device_id],
    )
  const [first, second] = [await enrolled('first'), await enrolled('second')]
  // Small ones and those that are too large to be read here.
  for (const length of [1, 400, 1, 400, 1, 400]) {
    const software = Array.from({ length }, (_, n) => ({
      name: `Program ${length}-${n} of a long list`,
      version: '1',
    }))
    expect(await check(first, { inventory: { hostname: `pc-${length}`, software } })).toBe(200)
  }
  const late = [{ name: 'Too late', version: '1' }]
  const answer = await agent('agent_check_in', {
    ...first,
    // In upper case it is the same device.
    device_id: first.device_id?.toUpperCase(),
    inventory_hash: 'b'.repeat(64),
    inventory: { hostname: 'late', software: late },
  })
  // The check-in counts, and the device is asked for its inventory again.
  expect(await answer.json()).toMatchObject({ send_inventory: true })
  expect((await titles(first))[0]?.name).not.toBe('Too late')
  expect(await check(second, { inventory: { hostname: 'other', software: late } })).toBe(200)
  expect(await titles(second)).toEqual([{ name: 'Too late' }])
  // A wrong secret uses up nobody's.
  expect(await check({ ...second, secret: 'wrong' } as typeof second, { inventory: {} })).toBe(401)
})

// On the backend before, too: no mail was asked for until now.
it('sends an address few mails, whether or not it is known', async () => {
  const client = await backend.client()
  for (const email of [await admin(), 'nobody@acme.test']) {
    const codes: (string | undefined)[] = []
    for (let n = 0; n < 4; n++) codes.push((await client.auth.resetPasswordForEmail(email)).error?.code)
    expect(codes).toEqual([undefined, undefined, undefined, 'over_email_send_rate_limit'])
  }
})
