import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../support/accounts'
import { drivers, type TestBackend, testBackend } from '../support/backend'
import { type Device, fleetOf } from './agent-functions-fleet'

interface Spread {
  devices: number
  versions: { version: string; devices: number }[]
  without: number
  without_devices: { name: string }[]
}

describe.each(drivers())('software of devices on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let fleet: ReturnType<typeof fleetOf>
  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    company = await createCompany(backend)
    fleet = fleetOf(backend, company)
  })
  afterAll(() => backend?.stop())

  const report = (device: Device, ...software: string[]) =>
    fleet.checkIn(device, {
      inventory_hash: randomUUID(),
      inventory: {
        hostname: 'pc-1',
        software: software.map((each) => {
          const [name, version] = each.split(' ')
          return { name, version, publisher: '', install_date: null, size_mb: null }
        }),
      },
    })
  const changesOf = async (device: Device) =>
    (
      await backend.sql<{ line: string }>(
        `select s.name || ' ' || c.change || ' ' || coalesce(c.previous_version, '-') || ' ' || coalesce(c.new_version, '-') as line
         from public.software_changes c join public.software s on s.id = c.software_id where c.device_id = $1 order by 1`,
        [device.device_id],
      )
    ).map(({ line }) => line)

  it('is followed from the second inventory on', async () => {
    const device = await fleet.enroll()
    await report(device, 'curl 7.1', 'git 2.4')
    expect(await changesOf(device)).toEqual([])
    await report(device, 'curl 7.2', 'vim 9')
    const noticed = ['curl updated 7.1 7.2', 'git removed 2.4 -', 'vim installed - 9']
    expect(await changesOf(device)).toEqual(noticed)
    await report(device, 'curl 7.2', 'vim 9')
    expect(await changesOf(device)).toEqual(noticed)
    await backend.sql(
      `update public.software_changes set changed_at = now() - interval '91 days' where device_id = $1`,
      [device.device_id],
    )
    await backend.sql('select app.tick()')
    expect(await changesOf(device)).toEqual([])
  })

  it('tells how many devices have which version, and which have none', async () => {
    const devices = [await fleet.enroll(), await fleet.enroll(), await fleet.enroll()]
    const [a, b, c] = devices as [Device, Device, Device]
    await report(a, 'tool 1')
    await report(b, 'tool 2')
    await report(c, 'tool 2', 'other 1')
    const [title] = await backend.sql<{ id: string }>(
      `select id from public.software where company_id = $1 and name = 'tool'`,
      [company],
    )
    const admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const { data } = await admin.rpc('software_spread', { software_id: title?.id })
    const spread = data as Spread
    expect(spread.devices).toBe(3)
    expect(spread.versions).toEqual([
      { version: '2', devices: 2 },
      { version: '1', devices: 1 },
    ])
    // The device of the test before.
    expect([spread.without, spread.without_devices.map(({ name }) => name)]).toEqual([1, ['pc-1']])

    const other = await createCompany(backend)
    const nothing = { devices: 0, versions: [], version_count: 0, without: 0, without_devices: [] }
    for (const [role, owner] of [
      ['Admin', other],
      ['Standard', company],
    ] as const) {
      const client = await backend.client((await createAccount(backend, role, owner)).email)
      const seen = await client.rpc('software_spread', { software_id: title?.id })
      expect([role, seen.data]).toEqual([role, nothing])
    }
    const stranger = await (await backend.client()).rpc('software_spread', { software_id: title?.id })
    expect(stranger.error?.code).toBe('42501')
  })
})
