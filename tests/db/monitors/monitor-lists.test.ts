import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'
import { asUser } from '../support/as-user'

describe.each(drivers('locks'))('what makes a device fetch its monitors again, on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let device: Device
  let other: Device
  let fleet: ReturnType<typeof fleetOf>
  let hash: unknown = null
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    fleet = fleetOf(backend, company)
    device = await fleet.enroll()
    other = await fleet.enroll()
  })
  afterAll(() => backend?.stop())

  const idOf = async (query: string, ...params: unknown[]): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(query, params)
    return row?.id ?? ''
  }
  const createMonitor = () =>
    idOf(
      `insert into public.monitors (company_id, name, type, process_name) values ($1, $2, 'Process', 'cron') returning id`,
      company,
      randomUUID(),
    )
  const createGroup = () =>
    idOf('insert into public.groups (company_id, name) values ($1, $2) returning id', company, randomUUID())
  /** The ids of the monitors that the device gets at its next check-in, or undefined when it gets no list. */
  const fetched = async (): Promise<string[] | undefined> => {
    const { body } = await fleet.checkIn(device, { monitors_hash: hash })
    hash = body.monitors_hash ?? hash
    return (body.monitors as { id: string }[] | undefined)?.map(({ id }) => id)
  }
  const stamp = async () =>
    (await backend.sql('select stamp::int from app.monitor_stamps where company_id = $1', [company]))[0]

  it('a new, a changed, a disabled and a deleted monitor', async () => {
    expect(await fetched()).toEqual([])
    expect(await fetched()).toBeUndefined()
    const id = await createMonitor()
    expect(await fetched()).toEqual([id])
    expect(await fetched()).toBeUndefined()
    await backend.sql('update public.monitors set process_name = $2 where id = $1', [id, 'nginx'])
    expect(await fetched()).toEqual([id])
    await backend.sql('update public.monitors set enabled = false where id = $1', [id])
    expect(await fetched()).toEqual([])
    await backend.sql('update public.monitors set enabled = true where id = $1', [id])
    expect(await fetched()).toEqual([id])
    await backend.sql('delete from public.monitors where id = $1', [id])
    expect(await fetched()).toEqual([])
    expect(await fetched()).toBeUndefined()
  })

  it('a group that comes to a monitor, and devices that come to a group', async () => {
    const id = await createMonitor()
    const group = await createGroup()
    expect(await fetched()).toEqual([id])
    await backend.sql(
      'insert into public.monitor_groups (company_id, monitor_id, group_id) values ($1, $2, $3)',
      [company, id, group],
    )
    expect(await fetched()).toEqual([])
    const join = () =>
      backend.sql('insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)', [
        company,
        group,
        device.device_id,
      ])
    await join()
    expect(await fetched()).toEqual([id])
    await backend.sql('delete from public.group_devices where group_id = $1', [group])
    expect(await fetched()).toEqual([])
    await join()
    expect(await fetched()).toEqual([id])
    await backend.sql('delete from public.monitor_groups where group_id = $1', [group])
    // A monitor that names no group checks all devices of the company: the list is the same.
    expect(await fetched()).toBeUndefined()
    await backend.sql('delete from public.monitors where id = $1', [id])
    expect(await fetched()).toEqual([])
  })

  it('nothing else: a new name, an alert, or another group of the device leaves the list alone', async () => {
    const id = await createMonitor()
    await fetched()
    const before = await stamp()
    await backend.sql(`update public.monitors set name = 'Renamed', severity = 'critical' where id = $1`, [
      id,
    ])
    await backend.sql('insert into public.alerts (company_id, monitor_id, device_id) values ($1, $2, $3)', [
      company,
      id,
      device.device_id,
    ])
    await backend.sql(
      'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)',
      [company, await createGroup(), device.device_id],
    )
    expect(await stamp()).toEqual(before)
    expect(
      await backend.sql(
        'select monitors_hash is not null as known from public.device_presence where device_id = $1',
        [device.device_id],
      ),
    ).toEqual([{ known: true }])
    expect(await fetched()).toBeUndefined()
  })

  it('gives a device its list whatever hash it claims to have', async () => {
    const { body } = await fleet.checkIn(other, { monitors_hash: 'invented' })
    expect(body.monitors).toHaveLength(1)
    const again = await fleet.checkIn(other, { monitors_hash: 'invented' })
    expect(again.body.monitors).toHaveLength(1)
  })

  it('reads and notes the monitors of a list once a minute, for all devices together', async () => {
    const noted = () =>
      backend.sql<{ hash: string; noted_at: string }>(
        'select hash, noted_at::text from app.monitor_lists where company_id = $1 and hash = $2',
        [company, hash],
      )
    await fleet.checkIn(device, { monitors_hash: hash })
    const first = await noted()
    await fleet.checkIn(other, { monitors_hash: hash })
    expect(await noted()).toEqual(first)
    const age = (by: string) =>
      backend.sql(`update app.monitor_lists set noted_at = now() - $2::interval where company_id = $1`, [
        company,
        by,
      ])
    await age('2 minutes')
    await backend.sql('update public.monitors set last_check_at = null where company_id = $1', [company])
    await fleet.checkIn(other, { monitors_hash: hash })
    expect(
      await backend.sql('select 1 from public.monitors where company_id = $1 and last_check_at is null', [
        company,
      ]),
    ).toEqual([])
    await age('2 days')
    await backend.sql('select app.tick()')
    expect(await noted()).toEqual([])
  })

  it('keeps stamps and lists from everybody', async () => {
    const admin = await createAccount(backend, 'Admin', company)
    const as = await asUser(backend)
    for (const table of ['app.monitor_stamps', 'app.monitor_lists'])
      expect((await as(admin.id, `select * from ${table}`)).code).toBe('42501')
  })
})
