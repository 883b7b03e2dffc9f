import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { fleetOf, runIds } from '../support/agent-functions-fleet'

let backend: TestBackend
let company: string
let fleet: ReturnType<typeof fleetOf>
beforeAll(async () => {
  backend = await sharedBackend()
  company = await createCompany(backend)
  fleet = fleetOf(backend, company)
})
afterAll(() => backend.stop())

const read = async (id: string, columns: string) =>
  (await backend.sql<Record<string, unknown>>(`select ${columns} from public.devices where id = $1`, [id]))[0]

const softwareOf = (id: string) =>
  backend.sql(
    `select s.name, s.publisher, d.version from public.device_software d join public.software s on s.id = d.software_id
     where d.device_id = $1 order by s.name collate "C"`,
    [id],
  )

it.each([0, 3_000])(
  'an inventory with NUL and half characters is stored, beside %d more packages',
  async (more) => {
    const device = await fleet.enroll()
    const software = [
      { name: 'Remote Helper', version: '2026-02-15 16:43\u0000\u0000', publisher: 'May\u0000ker' },
      { name: 'half \ud83d', version: '1', publisher: '' },
      ...Array.from({ length: more }, (_, index) => ({ name: `zz ${index}`, version: '1', publisher: 'P' })),
    ]
    const inventory = {
      hostname: 'NUL-PC\u0000',
      os: 'Windows\u0000 11',
      disks: [{ mount: 'C:\u0000' }],
      software,
    }
    const answer = await fleet.checkIn(device, { inventory })
    expect(answer.status).toBe(200)
    expect(await read(device.device_id, 'hostname, os, disks, inventory_refused')).toEqual({
      hostname: 'NUL-PC',
      os: 'Windows 11',
      disks: [{ mount: 'C:' }],
      inventory_refused: null,
    })
    expect((await softwareOf(device.device_id)).slice(0, 2)).toEqual([
      { name: 'Remote Helper', publisher: 'Mayker', version: '2026-02-15 16:43' },
      { name: 'half \ufffd', publisher: '', version: '1' },
    ])
  },
)

it('an inventory that is refused keeps nothing else from the device, and the device says why', async () => {
  const device = await fleet.enroll()
  await fleet.checkIn(device, { inventory: { os: 'Ubuntu', software: [{ name: 'curl', version: '1' }] } })
  const runId = await fleet.queueRun(company, device.device_id)
  const software = Array.from({ length: 5001 }, (_, index) => ({ name: `p${index}`, version: '1' }))
  const answer = await fleet.checkIn(device, {
    inventory_hash: 'h2',
    inventory: { os: 'Debian', software },
    metrics: { cpu: 42 },
  })
  expect(answer.status).toBe(200)
  expect(runIds(answer)).toEqual([runId])
  // It is not sent again at each check-in.
  expect(answer.body.send_inventory).toBeUndefined()
  expect(await read(device.device_id, 'os, inventory_refused')).toEqual({
    os: 'Ubuntu',
    inventory_refused: 'The software list is too long.',
  })
  expect(await softwareOf(device.device_id)).toHaveLength(1)
  expect(
    await backend.sql('select cpu_percent from public.device_presence where device_id = $1', [
      device.device_id,
    ]),
  ).toEqual([{ cpu_percent: 42 }])

  expect((await fleet.checkIn(device, { inventory_hash: 'h2' })).body.send_inventory).toBeUndefined()
  await backend.sql(
    `update public.devices set inventory_refused_at = now() - interval '25 hours' where id = $1`,
    [device.device_id],
  )
  expect((await fleet.checkIn(device, { inventory_hash: 'h2' })).body.send_inventory).toBe(true)
  await fleet.checkIn(device, { inventory_hash: 'h2', inventory: { os: 'Debian', software: [] } })
  expect(await read(device.device_id, 'os, inventory_refused, inventory_refused_at')).toEqual({
    os: 'Debian',
    inventory_refused: null,
    inventory_refused_at: null,
  })
})

it.each([[[]], ['text'], [7]])('an inventory that is no object is refused: %j', async (inventory) => {
  const device = await fleet.enroll()
  expect((await fleet.checkIn(device, { inventory })).status).toBe(200)
  expect(await read(device.device_id, 'inventory_refused')).toEqual({
    inventory_refused: 'The inventory must be an object.',
  })
})

it('a device that could not send its inventory says so itself', async () => {
  const device = await fleet.enroll()
  const answer = await fleet.checkIn(device, { inventory_refused: 'the request is too\u202e large\u0007' })
  expect(answer.body.send_inventory).toBeUndefined()
  expect(await read(device.device_id, 'inventory_refused')).toEqual({
    inventory_refused: 'the request is too large',
  })
})

it('texts of disks and network adapters are cleaned and bounded as all texts of machines', async () => {
  const device = await fleet.enroll()
  const inventory = {
    disks: [
      {
        device: '/dev/sd\u202ea',
        mount: '/mnt/\u001b[31mred\u0007',
        filesystem: 'ext4\u0085',
        total_mb: 10,
        used_percent: null,
      },
      { mount: 'x'.repeat(1_000), '\u202ekey': 'out', nested: { out: true } },
      'no disk',
    ],
    network: [{ name: 'Wi\u200b-Fi\u0000', mac: '00:11\n22', addresses: ['10.0.0.1\u202e', 'fe80::1', 5] }],
  }
  await fleet.checkIn(device, { inventory })
  expect(await read(device.device_id, 'disks, network')).toEqual({
    disks: [
      { device: '/dev/sda', mount: '/mnt/ [31mred', filesystem: 'ext4', total_mb: 10, used_percent: null },
      { mount: 'x'.repeat(300) },
    ],
    network: [{ name: 'Wi-Fi', mac: '00:11 22', addresses: ['10.0.0.1', 'fe80::1'] }],
  })
})

it('of a machine with hundreds of disks and network adapters, the first ones are kept', async () => {
  const device = await fleet.enroll()
  const disks = Array.from({ length: 300 }, (_, index) => ({ mount: `/mnt/${index}` }))
  const network = Array.from({ length: 150 }, (_, index) => ({
    name: `${index}`,
    mac: 'm'.repeat(290),
    addresses: [],
  }))
  await fleet.checkIn(device, { inventory: { disks, network: [...network, ...network] } })
  const row = await read(
    device.device_id,
    `jsonb_array_length(disks) as disks, disks -> 199 ->> 'mount' as last, jsonb_array_length(network) as network`,
  )
  expect(row).toEqual({ disks: 200, last: '/mnt/199', network: 197 })
})

it.each([
  ['2099-01-01T00:00:00Z', null],
  ['1970-01-01T00:03:00Z', null],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
])('a boot time of %s is stored as %s', async (boot_time, stored) => {
  const device = await fleet.enroll()
  await fleet.checkIn(device, { inventory: { boot_time } })
  const row = await read(device.device_id, 'boot_time')
  expect(row?.boot_time === null ? null : new Date(String(row?.boot_time)).toISOString()).toBe(stored)
})

it.each([
  'To be filled by O.E.M.',
  'to be filled by O.E.M. later',
  'Default string',
  'None',
  '(none)',
  '0',
  '00000000',
  'System Serial Number',
  'Chassis Serial Number',
  'Not Specified',
  '123456789',
  '0123456789',
  'FFFFFFFF',
  'n/a',
  'INVALID',
  '........',
  '00000000-0000-0000-0000-000000000000',
])('the serial number %s is left out', async (serial) => {
  const device = await fleet.enroll()
  await fleet.checkIn(device, {
    inventory: { serial, make: serial, model: 'Standard PC (Q35 + ICH9, 2009)' },
  })
  expect(await read(device.device_id, 'serial, make, model')).toEqual({
    serial: null,
    make: null,
    model: 'Standard PC (Q35 + ICH9, 2009)',
  })
})

it.each(['PF2ABCDE', '0XYZ', 'VMware-56 4d 12', '1234567', 'None-12'])(
  'the serial number %s is kept',
  async (serial) => {
    const device = await fleet.enroll()
    await fleet.checkIn(device, { inventory: { serial } })
    expect(await read(device.device_id, 'serial')).toEqual({ serial })
  },
)

it.each([
  ['😀-laptop-👩‍💻', '😀-laptop-👩‍💻'],
  ['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
  ['🏴‍☠️', '🏴‍☠️'],
  ['🧑🏽‍🚒', '🧑🏽‍🚒'],
  ['pc\u200d-1', 'pc-1'],
  ['😀\u200d\u200d💻', '😀💻'],
  ['\u200d😀\u200d', '😀'],
])('the host name %j is stored as %j', async (hostname, stored) => {
  const device = await fleet.enroll(company, { hostname })
  expect(await read(device.device_id, 'hostname')).toEqual({ hostname: stored })
})

it('two machines with one identity are marked as copies, a restarted agent is not', async () => {
  const device = await fleet.enroll()
  const from = (instance: string) => fleet.checkIn(device, { instance })
  const flag = async () => (await read(device.device_id, 'clone_suspected'))?.clone_suspected
  const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()] as const
  // Restarts, the last request of a process that ended included.
  for (const instance of [a, a, b, a, b, c, c]) await from(instance)
  expect(await flag()).toBe(true)

  const restarted = await fleet.enroll()
  for (const instance of [a, a, b, b, c, c]) await fleet.checkIn(restarted, { instance })
  expect((await read(restarted.device_id, 'clone_suspected'))?.clone_suspected).toBe(false)
  const late = await fleet.enroll()
  for (const instance of [a, b, a, c, c]) await fleet.checkIn(late, { instance })
  expect((await read(late.device_id, 'clone_suspected'))?.clone_suspected).toBe(false)
  const three = await fleet.enroll()
  for (const instance of [a, b, c, a, b]) await fleet.checkIn(three, { instance })
  expect((await read(three.device_id, 'clone_suspected'))?.clone_suspected).toBe(true)
})
