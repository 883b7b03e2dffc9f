import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname, totalmem } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { takeToken } from '../../agent/enroll'
import { createAccount, createCompany } from '../support/accounts'
import { sharedBackend, type TestBackend } from '../support/backend'
import { createToken, one } from './support/console'
import { createLine } from './support/line'
import { Machine, stopMachines, until, WITH_TRUE_PACKAGES } from './support/machine'

let backend: TestBackend
let company: string
beforeAll(async () => {
  backend = await sharedBackend()
  company = await createCompany(backend)
})
afterEach(stopMachines)
afterAll(() => backend.stop())

const enrolled = async (machine: Machine, token: string) => {
  const outcome = await machine.finish(['enroll', '--url', backend.url], { KONSOL_TOKEN: token })
  expect(outcome.log).toContain('Enrolled as device')
  expect(outcome.code).toBe(0)
  return (JSON.parse(readFileSync(join(machine.dataDir, 'device.json'), 'utf8')) as { deviceId: string })
    .deviceId
}

/** Decides, as an admin, about the open request of a machine. */
const decide = async (decision: string, machineId: string) => {
  const { id } = await createAccount(backend, 'Admin', company)
  const [decided] = await backend.sql(
    `select public.${decision} as outcome from public.enrollment_requests r,
       lateral (select set_config('request.jwt.claim.sub', $2, true)) as signed_in
     where r.machine_id = $1 and r.status = 'pending'`,
    [machineId, id],
  )
  expect(decided).toBeDefined()
}

describe('enrollment', () => {
  it('makes a device of the company and group of the token, with this machine’s true inventory', async () => {
    const group = await one<{ id: string }>(
      backend,
      `insert into public.groups (company_id, name) values ($1, 'Laptops') returning id`,
      [company],
    )
    const machine = new Machine()
    const token = await createToken(backend, company, { groupId: group.id })
    const agent = await machine.start(['--url', backend.url], { KONSOL_TOKEN: token, ...WITH_TRUE_PACKAGES })
    const device = await until('the inventory has arrived', async () =>
      (
        await backend.sql<Record<string, unknown>>(
          `select d.*, p.online, p.memory_percent, (select count(*) from public.device_software s where s.device_id = d.id)::int as titles,
             exists (select 1 from public.group_devices g where g.device_id = d.id and g.group_id = $2) as in_group
           from public.devices d join public.device_presence p on p.device_id = d.id
           where d.company_id = $1 and d.os is not null`,
          [company, group.id],
        )
      ).at(0),
    )
    expect(device).toMatchObject({
      name: hostname(),
      hostname: hostname(),
      status: 'online',
      online: true,
      in_group: true,
      memory_mb: Math.round(totalmem() / 1024 / 1024),
      clone_suspected: false,
      platform: expect.stringMatching(/^(linux|windows|macos)$/),
    })
    expect(device.disks).not.toEqual([])
    if (existsSync('/var/lib/dpkg/status')) expect(device.titles).toBeGreaterThan(100)
    await agent.kill('SIGTERM')
    expect(await agent.ended).toBe(0)
  })

  it('keeps the secret to its owner, and stores only its hash', async () => {
    const machine = new Machine()
    const token = await createToken(backend, company)
    const deviceId = await enrolled(machine, token)
    const file = join(machine.dataDir, 'device.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(machine.dataDir).mode & 0o077).toBe(0)
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain(token)
    const { secret } = JSON.parse(text) as { secret: string }
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    const stored = await one<{ is_hash: boolean }>(
      backend,
      'select secret_hash = app.hash_secret($2) as is_hash from app.device_secrets where device_id = $1',
      [deviceId, secret],
    )
    expect(stored.is_hash).toBe(true)
  })

  it.each([
    ['unknown', async () => 'f'.repeat(64)],
    ['revoked', () => createToken(backend, company, { isRevoked: true })],
    ['expired', () => createToken(backend, company, { expiresAt: '2020-01-01T00:00:00Z' })],
    [
      'used up',
      async () => {
        const token = await createToken(backend, company, { maxUses: 1 })
        await enrolled(new Machine(), token)
        return token
      },
    ],
    [
      'of a company whose license has ended',
      async () => createToken(backend, await createCompany(backend, { endsIn: '-1 second' })),
    ],
  ])('refuses a token that is %s, with the same words and no trace', async (_what, tokenOf) => {
    const token = await tokenOf()
    const count =
      'select (select count(*) from public.devices)::int as devices, (select count(*) from app.device_secrets)::int as secrets'
    const before = await one(backend, count)
    const machine = new Machine()
    const { code, log } = await machine.finish(['--url', backend.url], { KONSOL_TOKEN: token })
    expect(code).toBe(2)
    expect(log).toContain('The enrollment token is not valid.')
    expect(log).toContain('make a new one on the Agents page')
    expect(log).not.toContain(token)
    expect(existsSync(join(machine.dataDir, 'device.json'))).toBe(false)
    expect(await one(backend, count)).toEqual(before)
  })

  it('of a known machine waits for approval, while the agent it would replace works on', async () => {
    const machine = new Machine()
    const token = await createToken(backend, company)
    const deviceId = await enrolled(machine, token)
    const successor = new Machine(machine.id)
    const once = await successor.finish(['--url', backend.url, '--once'], { KONSOL_TOKEN: token })
    expect(once.code).toBe(4)
    expect(once.log).toContain('waits for approval')
    expect((await machine.finish(['--once'])).code).toBe(0)
    expect(statSync(join(successor.dataDir, 'enrollment.json')).mode & 0o777).toBe(0o600)

    // It asks again with what it keeps, and without a token.
    const waiting = await successor.start(['--url', backend.url])
    await until('it says so', () => waiting.log().includes('The agent keeps asking'))
    expect(existsSync(join(successor.dataDir, 'device.json'))).toBe(false)
    await decide('approve_enrollment(r.id, r.device_id)', machine.id)
    await until('it is enrolled', () => waiting.log().includes(`Enrolled as device ${deviceId}`))
    expect(existsSync(join(successor.dataDir, 'enrollment.json'))).toBe(false)
    const { log } = await machine.finish(['--once'])
    expect(log).toContain('The device credentials are not valid.')
  })

  it('ends when it is rejected, says so, and can be asked for again', async () => {
    const machine = new Machine()
    await enrolled(machine, await createToken(backend, company))
    const refused = new Machine(machine.id)
    const ask = async () =>
      refused.finish(['enroll', '--url', backend.url], { KONSOL_TOKEN: await createToken(backend, company) })
    expect((await ask()).code).toBe(0)
    await decide('reject_enrollments(array[r.id])', machine.id)
    const { code, log } = await refused.finish(['--url', backend.url])
    expect(code).toBe(2)
    expect(log).toContain('The request to join was rejected.')
    expect((await ask()).log).toContain('waits for approval')
  })

  it('does not use a second token while the device is known, and enrolls again once it was removed', async () => {
    const machine = new Machine()
    const first = await enrolled(machine, await createToken(backend, company))
    const second = await createToken(backend, company, { maxUses: 1 })
    const kept = await machine.finish(['enroll', '--url', backend.url], { KONSOL_TOKEN: second })
    expect(kept.log).toContain('enrolled already')
    await backend.sql('delete from public.devices where id = $1', [first])
    expect(await enrolled(machine, second)).not.toBe(first)
  })
})

describe('a device that was removed', () => {
  it('says so, and waits politely instead of hammering or ending', async () => {
    const machine = new Machine()
    const deviceId = await enrolled(machine, await createToken(backend, company))
    await backend.sql('delete from public.devices where id = $1', [deviceId])
    const agent = await machine.start(['--url', backend.url])
    await until('the agent has said so', () => agent.log().includes('no longer knows this device'))
    expect(agent.log().match(/no longer knows/g)).toHaveLength(1)
    await agent.kill('SIGTERM')
    expect(await agent.ended).toBe(0)
  })
})

describe('a command line', () => {
  it.each([
    ['http://console.example.com', 'https only'],
    ['http://127.0.0.1.example.com', 'https only'],
    ['http://192.168.1.10:3000', 'https only'],
    ['ftp://127.0.0.1', 'https only'],
    ['https://user:word@console.example.com', 'must not contain'],
    ['console.example.com', 'is not an address'],
  ])('with the address %s is refused before anything is sent', async (url, words) => {
    const machine = new Machine()
    const { code, log } = await machine.finish(['--url', url], { KONSOL_TOKEN: 'x'.repeat(64) })
    expect(code).toBe(2)
    expect(log).toContain(words)
  })

  it('with a token in it is refused: every user of the machine can read it', async () => {
    const token = await createToken(backend, company)
    for (const args of [['--token', token], [`--token=${token}`]]) {
      const { code, log } = await new Machine().finish(['--url', backend.url, ...args])
      expect(code).toBe(2)
      expect(log).toContain('--token is refused')
      expect(log).not.toContain(token)
    }
  })

  it('names a file with the token; a variable that holds it is not left to scripts', async () => {
    const machine = new Machine()
    const file = join(machine.dataDir, 'token')
    writeFileSync(file, `\uFEFF${await createToken(backend, company)}\r\n`)
    const outcome = await machine.finish(['enroll', '--url', backend.url, '--token-file', file])
    expect(outcome.code).toBe(0)
    process.env.KONSOL_TOKEN = 'x'.repeat(64)
    expect(takeToken(null)).toBe('x'.repeat(64))
    expect(process.env.KONSOL_TOKEN).toBeUndefined()
    const missing = await machine.finish(['--url', backend.url, '--token-file', `${file}-missing`])
    expect(missing.code).toBe(2)
    expect(missing.log).toContain('The token cannot be read')
  })

  it('without a token, on a machine that is not enrolled, says where to get one', async () => {
    const { code, log } = await new Machine().finish(['--url', backend.url])
    expect(code).toBe(2)
    expect(log).toContain('Agents page')
  })

  it('naming another console than the one enrolled at is refused', async () => {
    const machine = new Machine()
    await enrolled(machine, await createToken(backend, company))
    const { code, log } = await machine.finish(['--url', 'https://other.example.com'])
    expect(code).toBe(2)
    expect(log).toContain('belongs to a device enrolled at')
  })
})

describe('a server that is not there yet', () => {
  it('is waited for by an agent that is there to stay, and named by a single command', async () => {
    const line = await createLine(backend.url)
    await line.cut()
    const token = await createToken(backend, company)
    const single = await new Machine().finish(['enroll', '--url', line.url], { KONSOL_TOKEN: token })
    expect(single.code).toBe(1)
    expect(single.log).toContain('The server cannot be reached (ECONNREFUSED).')
    const agent = await new Machine().start(['--url', line.url], { KONSOL_TOKEN: token })
    await until('it has said so', () => agent.log().includes('keeps trying'))
    await line.mend()
    await until('it is enrolled', () => agent.log().includes('Enrolled as device'))
    await agent.kill('SIGTERM')
    await line.cut()
  })
})

describe('a data directory', () => {
  it('serves one agent at a time, and is free again after a kill -9', async () => {
    const machine = new Machine()
    const args = ['--url', backend.url]
    const first = await machine.start(args, { KONSOL_TOKEN: await createToken(backend, company) })
    await until('the first runs', () => first.log().includes('runs for'))
    const second = await machine.finish(args)
    expect(second.code).toBe(3)
    expect(second.log).toContain('Another agent')
    await first.kill('SIGKILL')
    const third = await machine.start(args)
    await until('the third runs', () => third.log().includes('runs for'))
  })
})
