import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

const STEP = 300

interface History {
  step: number
  points: [at: number, cpu: number | null, peak: number | null, memory: number | null, disk: number | null][]
}

describe.each(drivers())('the load of a device on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let device: Device
  let fleet: ReturnType<typeof fleetOf>
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
  })
  afterAll(() => backend?.stop())

  const now = () => Math.floor(Date.now() / 1000 / STEP) * STEP
  const sample = (at: number, cpu: unknown, peak: unknown = cpu) => ({
    at,
    cpu,
    cpu_peak: peak,
    memory: 40,
    disk: 50.4,
  })
  const send = (samples: unknown) => fleet.checkIn(device, { samples })
  const clientOf = async (role: string, of = company) =>
    backend.client((await createAccount(backend, role, of)).email)
  const history = async (hours = 24, role = 'Admin', of = company): Promise<History> => {
    const client = await clientOf(role, of)
    const { data, error } = await client.rpc('device_history', { device_id: device.device_id, hours })
    expect(error).toBeNull()
    return data as History
  }

  it('is kept in steps of five minutes, and a sample that comes again replaces the earlier one', async () => {
    const at = now()
    expect((await send([sample(at - STEP, 20, 90), sample(at, 30)])).status).toBe(200)
    expect(await history()).toEqual({
      step: STEP,
      points: [
        [at - STEP, 20, 90, 40, 50],
        [at, 30, 30, 40, 50],
      ],
    })
    await send([sample(at, 35), sample(at - 3 * 3600, null)])
    expect((await history()).points).toEqual([
      [at - 3 * 3600, null, null, 40, 50],
      [at - STEP, 20, 90, 40, 50],
      [at, 35, 35, 40, 50],
    ])
  })

  it('takes nothing from the future, from long ago, or that is no sample', async () => {
    const before = await history()
    const odd = [
      sample(now() + 3600, 1),
      sample(now() - 26 * 3600, 1),
      sample(1e300, 1),
      'x',
      null,
      7,
      {},
      [],
    ]
    expect((await send([...odd, { ...sample(now(), 1), at: 'now' }])).status).toBe(200)
    expect(await history()).toEqual(before)
    expect((await send('all')).status).toBe(200)
    expect((await send(Array.from({ length: 301 }, () => sample(now(), 1)))).status).toBe(413)
    await send([sample(now(), 'much', -5)])
    expect((await history()).points.at(-1)?.slice(0, 2)).toEqual([now(), 35])
  })

  it('becomes hourly after two days, and is removed after 90', async () => {
    const day = Math.floor(Date.now() / 86_400_000) * 86_400 - 3 * 86_400
    const hour = (offset: number, cpu: number[]) =>
      backend.sql(
        `insert into app.device_metrics (company_id, device_id, step, starts_at, cpu, cpu_peak, memory, disk)
         values ($1, $2, 300, to_timestamp($3), $4, $4, $4, $4)`,
        [company, device.device_id, day + offset * 3600, `{${cpu.join(',')}}`],
      )
    await hour(0, [10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40])
    await hour(5, [50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 98])
    const before = await history(24 * 7)
    await backend.sql('select app.roll_up_metrics()')
    await backend.sql('select app.roll_up_metrics()')
    const after = await history(24 * 7)
    expect(after).toEqual(before)
    expect(after.step).toBe(3600)
    expect(after.points.slice(0, 2)).toEqual([
      [day, 25, 40, 25, 25],
      [day + 5 * 3600, 54, 98, 54, 54],
    ])
    const rows = () =>
      backend.sql<{ step: number }>(
        'select step from app.device_metrics where starts_at <= to_timestamp($1) order by step',
        [day + 86_400],
      )
    expect((await rows()).map(({ step }) => step)).toEqual([3600])
    await backend.sql(
      `update app.device_metrics set starts_at = starts_at - interval '90 days' where step = 3600`,
    )
    await backend.sql('select app.roll_up_metrics()')
    expect(await rows()).toEqual([])
  })

  it('is shown to those who see the device, and to nobody else', async () => {
    expect((await history(24, 'Teknik')).points).not.toEqual([])
    expect((await history(24, 'Standard')).points).toEqual([])
    const other = await createCompany(backend)
    expect((await history(24, 'Admin', other)).points).toEqual([])
    const stranger = await (await backend.client()).rpc('device_history', { device_id: device.device_id })
    expect(stranger.error?.code).toBe('42501')
    const admin = await clientOf('Admin')
    expect((await admin.from('device_metrics' as never).select()).error).not.toBeNull()
  })
})
