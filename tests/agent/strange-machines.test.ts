import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { cleanFacts, cleanText, storableJson } from '../../agent/clean-text'
import { machineId } from '../../agent/identity'
import { createInventorySource, type PlatformProbe } from '../../agent/inventory/inventory'
import { parseDpkg } from '../../agent/inventory/linux-packages'
import { parseApplications } from '../../agent/inventory/macos'
import { mainAddress, meaningful } from '../../agent/inventory/shared'
import { parseWindows } from '../../agent/inventory/windows'
import { Machine, stopMachines, until } from './support/machine'
import { offer, type StubServer, stubServer } from './support/stub-server'

let server: StubServer | null = null
afterEach(async () => {
  await stopMachines()
  await server?.stop()
  server = null
})

it('a text of a machine holds nothing that Postgres refuses, and no marks that nobody sees', () => {
  expect(cleanText('\u0000 May\u0000ker\u0000 ')).toBe('Mayker')
  expect(cleanText('a\u001b[31m\tb\u202ec\u200b')).toBe('a [31m bc')
  expect(cleanText('half \ud83d')).toBe('half \ufffd')
  expect(cleanText('👩‍💻 pc\u200d-1')).toBe('👩‍💻 pc-1')
  expect(cleanFacts({ a: ['x\u0000', { b: 'y\u0007' }], c: 1, d: null, e: true })).toEqual({
    a: ['x', { b: 'y' }],
    c: 1,
    d: null,
    e: true,
  })
  // Output keeps its controls: only what cannot be stored goes.
  expect(storableJson({ output: 'V\u0000o\u0000l\u001b[0m\r\n \ud83d 😀' })).toBe(
    JSON.stringify({ output: 'Vol\u001b[0m\r\n \ufffd 😀' }),
  )
})

it('Windows strings with NUL are cleaned, and a day that does not exist is no date', () => {
  const facts = parseWindows(
    JSON.stringify({
      caption: 'Microsoft Windows 11 Pro',
      build: '26200',
      serial: 'AB\u0000',
      user: 'PC\\ayşe\u0000',
      gpus: ['Intel\u0000'],
      disks: [{ device: 'C:', filesystem: 'NTFS\u0000', size: 1e11, free: 1e10 }],
      software: [
        {
          name: 'Remote Agent\u0000\u0000',
          version: '1\u0000',
          publisher: 'Mak\u0000er',
          date: '20230231',
          kb: 0,
        },
        { name: 'Leap', version: '1', publisher: '', date: '20240229', kb: 0 },
      ],
    }),
  )
  expect(facts).toMatchObject({ serial: 'AB', logged_in_user: 'PC\\ayşe', gpu: 'Intel' })
  expect(facts?.disks[0]?.filesystem).toBe('NTFS')
  expect(facts?.software).toEqual([
    { name: 'Remote Agent', version: '1', publisher: 'Maker', install_date: null, size_mb: null },
    { name: 'Leap', version: '1', publisher: null, install_date: '2024-02-29', size_mb: null },
  ])
})

it('an inventory is clean, with its updates, and has the same hash each time', async () => {
  const probe: PlatformProbe = {
    platform: 'linux',
    machineId: async () => null,
    facts: async () => ({
      os: 'Ubuntu\u0000',
      os_version: null,
      make: null,
      model: null,
      serial: null,
      cpu: 'Cpu\u202e',
      gpu: null,
      cpu_cores: 1,
      memory_mb: 1,
      disks: [{ device: 'a', mount: '/mnt/\u0007x', filesystem: 'ext4', total_mb: 1, free_mb: 1 }],
      network: [{ name: 'eth0\u0000', mac: '', addresses: ['10.0.0.1'] }],
      ip_address: null,
      logged_in_user: null,
      boot_time: null,
      reboot_required: false,
      software: [{ name: 'a\u0000', version: '1\u0000', publisher: null, install_date: null, size_mb: null }],
    }),
  }
  const source = createInventorySource(probe)
  const { inventory, hash } = await source.current()
  expect(inventory).toMatchObject({
    os: 'Ubuntu',
    cpu: 'Cpu',
    disks: [{ mount: '/mnt/ x' }],
    network: [{ name: 'eth0' }],
    software: [{ name: 'a', version: '1' }],
  })
  expect((await source.current()).hash).toBe(hash)
})

it('Debian packages whose files are on the disk are listed, whatever is wanted of them', () => {
  const states = ['ii ', 'hi ', 'iF ', 'iU ', 'it ', 'iW ', 'pi ', 'ri ', 'rc ', 'un ', 'pn ', 'hc ']
  const lines = states.map((state) => `${state}\t${state.trim()}\tamd64\t1\tTeam\t1`).join('\n')
  expect(parseDpkg(lines, () => null).map(({ name }) => name)).toEqual([
    'ii',
    'hi',
    'iF',
    'iU',
    'it',
    'iW',
    'pi',
    'ri',
  ])
})

it('an application of a Mac keeps a name or a version that reads like something left empty', () => {
  const apps = { SPApplicationsDataType: [{ _name: 'X', version: '0' }, { _name: 'None' }] }
  expect(parseApplications(JSON.stringify(apps)).map(({ name, version }) => [name, version])).toEqual([
    ['X', '0'],
    ['None', ''],
  ])
})

it('an address that the machine gave itself comes after every other', () => {
  const network = [
    { name: 'eth0', mac: '', addresses: ['169.254.7.7', 'fe80::1'] },
    { name: 'wlan0', mac: '', addresses: ['192.168.1.7', '2001:db8::7'] },
  ]
  expect(mainAddress(network, 'eth0')).toBe('192.168.1.7')
  expect(mainAddress([{ name: 'eth0', mac: '', addresses: ['169.254.7.7', '2001:db8::7'] }], null)).toBe(
    '2001:db8::7',
  )
  expect(mainAddress(network.slice(0, 1), 'eth0')).toBe('169.254.7.7')
  expect(mainAddress([{ name: 'eth0', mac: '', addresses: ['feBf::1'] }], null)).toBeNull()
})

it('a serial number that a maker left empty is left out', () => {
  for (const text of [
    'System Serial Number',
    'Chassis Serial Number',
    'Base Board Serial Number',
    'To be filled by O.E.M. later',
    '(none)',
    'Not Settable',
    '0123456789',
    '1234567890',
    'FFFFFFFF',
    'INVALID',
    '00000000-0000-0000-0000-000000000000',
    '\u0000\u0000',
  ])
    expect([text, meaningful(text)]).toEqual([text, null])
  for (const text of ['PF2ABCDE', '1234567', 'None-12', 'F7', 'Standard PC'])
    expect(meaningful(text)).toBe(text)
})

it('an id that many machines share is replaced by one of their own, unless the device is known by it', () => {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'konsol-identity-')))
  const [one = '', two = ''] = folders
  try {
    for (const shared of [
      'uninitialized',
      '00000000-0000-0000-0000-000000000000',
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
      '03000200-0400-0500-0006-000700080009',
    ]) {
      expect(machineId(one, null, shared)).not.toBe(machineId(two, null, shared))
      expect(machineId(one, null, shared)).toBe(machineId(one, null, shared))
    }
    const real = 'b1a7c1f0-5b0e-4a2f-9d63-0d2f6f1c9a11'
    expect(machineId(one, null, real)).toBe(machineId(two, null, real))
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
  const known = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'konsol-identity-')))
  try {
    const ids = known.map((folder) => {
      writeFileSync(join(folder, 'device.json'), '{}')
      return machineId(folder, null, 'uninitialized')
    })
    expect(ids[0]).toBe(ids[1])
  } finally {
    for (const folder of known) rmSync(folder, { recursive: true, force: true })
  }
})

it('an inventory that the server refuses is told once, and keeps no script from running', async () => {
  const runId = randomUUID()
  server = await stubServer({
    checkIn: (payload) =>
      'inventory' in payload
        ? { status: 400, body: { message: 'unsupported Unicode escape sequence' } }
        : { interval: 1, runs: [offer(runId, 'echo done')], cancel: [], send_inventory: true },
  })
  await new Machine().start(['--url', server.url], { KONSOL_TOKEN: 'x'.repeat(64) })
  const { checkIns, results } = server
  await until('the script has run and the agent goes on', () => results().length > 0 && checkIns.length > 5)
  expect(results()[0]).toMatchObject({ run_id: runId, state: 'succeeded' })
  expect(checkIns.filter((payload) => 'inventory' in payload)).toHaveLength(1)
  expect(checkIns.flatMap((payload) => payload.inventory_refused ?? [])).toEqual([
    'unsupported Unicode escape sequence',
  ])
})

it('an agent that the server refuses for what it measured checks in without that', async () => {
  const runId = randomUUID()
  server = await stubServer({
    checkIn: (payload) =>
      'monitor_states' in payload
        ? { status: 413, body: { message: 'too large' } }
        : { interval: 1, runs: [offer(runId, 'echo done')], cancel: [] },
  })
  await new Machine().start(['--url', server.url], { KONSOL_TOKEN: 'x'.repeat(64) })
  const { results } = server
  await until('the script has run', () => results().length > 0)
  expect(results()[0]).toMatchObject({ run_id: runId, state: 'succeeded' })
})

it('each start of the agent has an id of its own, which stays while it runs', async () => {
  server = await stubServer({})
  const { checkIns, url } = server
  const machine = new Machine()
  const first = await machine.start(['--url', url], { KONSOL_TOKEN: 'x'.repeat(64) })
  await until('it has checked in twice', () => checkIns.length >= 2)
  await first.kill('SIGKILL')
  const count = checkIns.length
  await machine.start([])
  await until('it is back', () => checkIns.length > count)
  const ids = checkIns.map((payload) => payload.instance)
  expect(new Set(ids.slice(0, count)).size).toBe(1)
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(ids.at(-1)).not.toBe(ids[0])
})
