import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

interface Spread {
  devices: number
  versions: { version: string; devices: number }[]
  without: number
}

describe.each(drivers())('software of devices on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let fleet: ReturnType<typeof fleetOf>
  beforeAll(async () => {
    backend = await sharedBackend(driver)
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

  it('is counted for each title, with the next tick', async () => {
    const [a, b] = [await fleet.enroll(), await fleet.enroll()] as const
    await report(a, 'app 9.2', 'app 10.1', 'once 1')
    await report(b, 'app 9.2')
    const figures = async (name: string) => {
      await backend.sql('select app.tick()')
      const [row] = await backend.sql(
        `select devices, versions, newest_version, outdated, recent_changes, gone_at is not null as gone
         from public.software where company_id = $1 and name = $2`,
        [company, name],
      )
      return row
    }
    const known = {
      devices: 2,
      versions: 2,
      newest_version: '10.1',
      outdated: 2,
      recent_changes: 0,
      gone: false,
    }
    expect(await figures('app')).toEqual(known)
    // A second tick changes nothing, nor does the same inventory.
    await report(b, 'app 9.2')
    expect(await figures('app')).toEqual(known)
    await report(b, 'app 10.1')
    expect(await figures('app')).toEqual({ ...known, outdated: 1, recent_changes: 1 })
    // The first of two versions goes: the device still has the title.
    await report(a, 'app 10.1')
    const later = { ...known, versions: 1, outdated: 0, recent_changes: 2 }
    expect(await figures('app')).toEqual(later)
    const nothing = { devices: 0, versions: 0, newest_version: null, outdated: 0, gone: true }
    expect(await figures('once')).toEqual({ ...nothing, recent_changes: 1 })

    await backend.sql('select app.recount_software()')
    expect(await figures('app')).toEqual(later)
    await backend.sql(
      `update public.software_changes set changed_at = now() - interval '31 days' where company_id = $1`,
      [company],
    )
    await backend.sql(
      `update app.software_change_count set counted_until = now() - interval '32 days' where only_row`,
    )
    expect(await figures('app')).toEqual({ ...later, recent_changes: 0 })
    await backend.sql('delete from public.devices where id in ($1, $2)', [a.device_id, b.device_id])
    expect(await figures('app')).toEqual({ ...nothing, recent_changes: 0 })
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
    expect(spread.without).toBe(1)
    const lacking = { 'device_software.device_id.software_id': { _none: [title?.id] } }
    const without = await admin.rpc('target_devices', { target: { kind: 'filter', filter: lacking } })
    expect(without.data).toMatchObject({ count: 1, devices: [{ name: 'pc-1' }] })

    const other = await createCompany(backend)
    const nothing = { devices: 0, versions: [], version_count: 0, without: 0 }
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
