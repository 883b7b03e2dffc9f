import { cleanText } from '../clean-text'
import { isRecord } from '../files'
import { printed } from './command'
import type { Disk, PlatformProbe, Software } from './inventory'
import {
  adapterNames,
  hardwareFacts,
  isoDay,
  isoSeconds,
  mainAddress,
  meaningful,
  megabytes,
  networkFacts,
} from './shared'

/** sw_vers: old systems call themselves `Mac OS X`; the console knows one name. */
export function parseSwVers(text: string): { os: string | null; os_version: string | null } {
  const value = (name: string): string | null =>
    new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(text)?.[1]?.trim() ?? null
  return { os: value('ProductName') === null ? null : 'macOS', os_version: value('ProductVersion') }
}

const entries = (json: string, key: string): Record<string, unknown>[] => {
  try {
    const value: unknown = JSON.parse(json)
    const found = isRecord(value) ? value[key] : null
    return Array.isArray(found) ? found.filter(isRecord) : []
  } catch {
    return []
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? meaningful(value) : null)

/** Cleans the name or version of a program, which may look like a placeholder. */
const plainText = (value: unknown): string | null =>
  typeof value === 'string' ? cleanText(value) || null : null

export function parseHardware(json: string): {
  model: string | null
  serial: string | null
  chip: string | null
} {
  const [entry] = entries(json, 'SPHardwareDataType')
  return {
    model: text(entry?.machine_name) ?? text(entry?.machine_model),
    serial: text(entry?.serial_number),
    chip: text(entry?.chip_type) ?? text(entry?.cpu_type),
  }
}

export const parseDisplays = (json: string): string | null =>
  adapterNames(
    entries(json, 'SPDisplaysDataType').map((entry) => text(entry.sppci_model) ?? text(entry._name)),
  )

/** `arch_kind` and paths are left out; Apple's own come with the system. */
export function parseApplications(json: string): Software[] {
  return entries(json, 'SPApplicationsDataType').flatMap((entry) => {
    const name = plainText(entry._name)
    if (!name) return []
    const signer = Array.isArray(entry.signed_by) ? plainText(entry.signed_by[0]) : null
    return [
      {
        name,
        version: plainText(entry.version) ?? '',
        publisher:
          signer?.replace(/^Developer ID Application:\s*/, '').replace(/\s*\([A-Z0-9]{10}\)$/, '') ?? null,
        install_date: typeof entry.lastModified === 'string' ? isoDay(new Date(entry.lastModified)) : null,
        size_mb: null,
      },
    ]
  })
}

/** df -kP: the volumes of disks, without the ones the system keeps for itself. */
export function parseDf(output: string): Disk[] {
  return output.split('\n').flatMap((line) => {
    const match = /^(\/dev\/\S+)\s+(\d+)\s+\d+\s+(\d+)\s+\S+\s+(\/.*)$/.exec(line.trim())
    if (!match) return []
    const [, device = '', size = '', free = '', mount = ''] = match
    if (/^\/System\/Volumes\/(?!Data$)/.test(mount)) return []
    return [
      {
        device,
        mount,
        filesystem: 'apfs',
        total_mb: megabytes(Number(size) * 1024),
        free_mb: megabytes(Number(free) * 1024),
      },
    ]
  })
}

/** sysctl kern.boottime: `{ sec = 1769846400, usec = 0 } …` */
export const parseBootTime = (output: string): string | null => {
  const seconds = /sec = (\d+)/.exec(output)?.[1]
  return seconds === undefined ? null : isoSeconds(Number(seconds) * 1000)
}

export const parsePlatformUuid = (output: string): string | null =>
  /"IOPlatformUUID" = "([^"]+)"/.exec(output)?.[1] ?? null

export const macos: PlatformProbe = {
  platform: 'macos',
  machineId: async () =>
    parsePlatformUuid((await printed('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'])) ?? ''),
  facts: async () => {
    const [version, hardwareJson, displays, applications, df, boot, route, user] = await Promise.all([
      printed('sw_vers', []),
      printed('system_profiler', ['SPHardwareDataType', '-json']),
      printed('system_profiler', ['SPDisplaysDataType', '-json']),
      printed('system_profiler', ['SPApplicationsDataType', '-json'], 120),
      printed('df', ['-kP']),
      printed('sysctl', ['kern.boottime']),
      printed('route', ['-n', 'get', 'default']),
      printed('stat', ['-f', '%Su', '/dev/console']),
    ])
    const { model, serial, chip } = parseHardware(hardwareJson ?? '')
    const network = networkFacts()
    const hardware = hardwareFacts()
    return {
      ...parseSwVers(version ?? ''),
      make: 'Apple',
      model,
      serial,
      ...hardware,
      cpu: chip ?? hardware.cpu,
      gpu: parseDisplays(displays ?? ''),
      disks: parseDf(df ?? ''),
      network,
      ip_address: mainAddress(network, /interface:\s*(\S+)/.exec(route ?? '')?.[1] ?? null),
      logged_in_user: [null, 'root'].includes(user?.trim() ?? null) ? null : (user?.trim() ?? null),
      boot_time: parseBootTime(boot ?? ''),
      // macOS restarts within the update itself and leaves no mark that one is due.
      reboot_required: false,
      software: parseApplications(applications ?? ''),
    }
  },
}
