import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { fleetOf } from '../support/agent-functions-fleet'

let backend: TestBackend
let company: string
let fleet: ReturnType<typeof fleetOf>
beforeAll(async () => {
  backend = await sharedBackend()
  company = await createCompany(backend)
  fleet = fleetOf(backend, company)
})
afterAll(() => backend.stop())

describe('credentials', () => {
  it('that are wrong, unknown or malformed get one and the same answer, from all of which nothing is written', async () => {
    const device = await fleet.enroll()
    const other = await fleet.enroll()
    const before = await backend.sql(
      'select count(*)::int as n, max(updated_at) as at from public.device_presence',
    )
    const attempts = [
      { ...device, secret: other.secret },
      { ...device, secret: '' },
      { ...device, secret: null },
      { ...device, secret: 'x'.repeat(100_000) },
      { ...device, device_id: randomUUID() },
      { ...device, device_id: 'no uuid' },
      { ...device, device_id: { a: 1 } },
      { secret: device.secret },
      {},
    ]
    const answers = await Promise.all([
      ...attempts.map((attempt) => fleet.call('agent_check_in', { ...attempt, running: 'not even a list' })),
      ...attempts.map((attempt) => fleet.call('agent_report', attempt)),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual(answers[0]?.body)
    }
    expect(
      await backend.sql('select count(*)::int as n, max(updated_at) as at from public.device_presence'),
    ).toEqual(before)
  })

  it('reach nothing but their own calls: no table, no other function', async () => {
    const device = await fleet.enroll()
    const client = await backend.client()
    for (const table of ['devices', 'job_runs', 'jobs', 'device_presence', 'enrollment_tokens'])
      expect((await client.from(table).select('*')).data ?? []).toEqual([])
    expect(
      (await client.rpc('run_procedure', { procedure_id: randomUUID(), device_ids: [device.device_id] }))
        .error?.code,
    ).toBe('42501')
  })

  it('stop working when the device is removed', async () => {
    const device = await fleet.enroll()
    await backend.sql('delete from public.devices where id = $1', [device.device_id])
    expect((await fleet.checkIn(device)).status).toBe(401)
  })

  it('do not lend a signed-in person the agent’s functions', async () => {
    const [row] = await backend.sql(
      `select has_function_privilege('authenticated', 'public.agent_check_in(jsonb)', 'execute') as may`,
    )
    expect(row).toEqual({ may: false })
  })
})

describe('agent_enroll', () => {
  it.each([
    ['no machine id', { machine_id: null }],
    ['a short machine id', { machine_id: 'abc' }],
    ['no host name', { hostname: '' }],
    ['an unknown platform', { platform: 'beos' }],
  ])('with %s is malformed, and uses nothing of the token', async (_what, more) => {
    const token = await fleet.createToken(company, 1)
    const payload = {
      token,
      machine_id: randomUUID(),
      hostname: 'pc',
      platform: 'linux',
      agent_version: '1',
      ...more,
    }
    expect((await fleet.call('agent_enroll', payload)).status).toBe(400)
    expect(
      (
        await fleet.call('agent_enroll', {
          ...payload,
          machine_id: randomUUID(),
          hostname: 'pc',
          platform: 'linux',
        })
      ).status,
    ).toBe(200)
  })

  it('lets a token for one use in once, also when ten come at the same time', async () => {
    const token = await fleet.createToken(company, 1)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        fleet.call('agent_enroll', {
          token,
          machine_id: randomUUID(),
          hostname: 'pc',
          platform: 'linux',
          agent_version: '1',
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.message))).toEqual(
      new Set(['The enrollment token is not valid.']),
    )
  })

  it('takes the company from the token, whatever the agent says', async () => {
    const other = await createCompany(backend)
    const device = await fleet.enroll(company, { company_id: other, group_id: randomUUID() })
    expect(
      await backend.sql('select company_id from public.devices where id = $1', [device.device_id]),
    ).toEqual([{ company_id: company }])
  })

  it('of a copy of a machine that is online makes a device of its own, and marks both', async () => {
    const machine = randomUUID()
    const first = await fleet.enroll(company, { machine_id: machine, hostname: 'original' })
    await fleet.checkIn(first)
    const second = await fleet.enroll(company, { machine_id: machine, hostname: 'copy' })
    expect(second.device_id).not.toBe(first.device_id)
    expect((await fleet.checkIn(first)).status).toBe(200)
    expect(
      await backend.sql(
        'select hostname, clone_suspected from public.devices where machine_id = $1 order by hostname',
        [machine],
      ),
    ).toEqual([
      { hostname: 'copy', clone_suspected: true },
      { hostname: 'original', clone_suspected: true },
    ])
  })

  it('does not join machines of two companies', async () => {
    const machine = randomUUID()
    const other = await createCompany(backend)
    const ours = await fleet.enroll(company, { machine_id: machine })
    const theirs = await fleet.enroll(other, { machine_id: machine })
    expect(theirs.device_id).not.toBe(ours.device_id)
    expect((await fleet.checkIn(ours)).status).toBe(200)
  })
})
