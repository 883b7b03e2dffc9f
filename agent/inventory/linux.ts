import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { textFile } from '../files'
import { printed } from './command'
import type { Disk, PlatformProbe } from './inventory'
import { linuxPackages } from './linux-packages'
import { usedPercent } from './metrics'
import {
  adapterNames,
  hardwareFacts,
  isoSeconds,
  mainAddress,
  meaningful,
  megabytes,
  networkFacts,
} from './shared'

/** os is `Ubuntu` or the distribution's own name, without the version. */
export function parseOsRelease(text: string): { os: string | null; os_version: string | null } {
  const values = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, name, raw] = /^([A-Z_0-9]+)=(.*)$/.exec(line.trim()) ?? []
    if (name === undefined || raw === undefined) continue
    values.set(name, raw.replace(/^(["'])(.*)\1$/, '$2').replace(/\\(.)/g, '$1'))
  }
  return {
    os: values.get('NAME') || values.get('ID') || null,
    // `22.04.5 LTS (Jammy Jellyfish)`: the pet name says nothing the number does not.
    os_version:
      values.get('VERSION')?.replace(/\s*\([^)]*\)\s*$/, '') ||
      values.get('VERSION_ID') ||
      values.get('BUILD_ID') ||
      null,
  }
}

// Kinds of mounts that hold something, unlike proc or cgroup. overlay only as the root of a container.
const REAL = /^(ext[234]|xfs|btrfs|zfs|f2fs|jfs|reiserfs|vfat|exfat|ntfs3?|fuseblk|apfs|hfsplus|bcachefs)$/

export interface Mount {
  device: string
  mount: string
  filesystem: string
}

/** The mounts worth listing, each device once (a bind mount shows the same disk again). */
export function parseMounts(text: string): Mount[] {
  const seen = new Set<string>()
  return text.split('\n').flatMap((line) => {
    const [device = '', rawMount = '', filesystem = ''] = line.split(' ')
    const mount = rawMount.replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    )
    const isRoot = mount === '/'
    if (!isRoot && (!REAL.test(filesystem) || seen.has(device))) return []
    if (isRoot && seen.has('/')) return []
    seen.add(isRoot ? '/' : device)
    if (isRoot) seen.add(device)
    return [{ device, mount, filesystem }]
  })
}

async function disks(): Promise<Disk[]> {
  const mounts = parseMounts(textFile('/proc/mounts') ?? '')
  const measured = await Promise.all(
    mounts.map(async (mount): Promise<Disk[]> => {
      try {
        const size = await statfs(mount.mount)
        if (size.blocks === 0) return []
        return [
          {
            ...mount,
            total_mb: megabytes(size.blocks * size.bsize),
            free_mb: megabytes(size.bavail * size.bsize),
            used_percent: usedPercent(size),
          },
        ]
      } catch {
        return []
      }
    }),
  )
  return measured.flat()
}

/** The interface of the default route, from /proc/net/route. */
export function parseDefaultRoute(text: string): string | null {
  for (const line of text.split('\n').slice(1)) {
    const [name, destination] = line.trim().split(/\s+/)
    if (name && destination === '00000000') return name
  }
  return null
}

/** The first person `who` lists. */
export const parseWho = (text: string): string | null => /^(\S+)\s/.exec(text)?.[1] ?? null

/** `lspci -mm`: class, vendor and device in quotes. */
export const parseAdapters = (output: string): string | null =>
  adapterNames(
    output.split('\n').map((line) => {
      const [, kind = '', vendor = '', device = ''] = /^\S+ "([^"]*)" "([^"]*)" "([^"]*)"/.exec(line) ?? []
      return /^(VGA compatible|3D|Display) controller$/.test(kind) ? `${vendor} ${device}` : null
    }),
  )

const dmi = (name: string): string | null => meaningful(textFile(`/sys/class/dmi/id/${name}`))

/** Boards without DMI carry one line such as `Raspberry Pi 4 Model B Rev 1.4`. */
const boardModel = (): string | null => meaningful(textFile('/proc/device-tree/model'))

export const linux: PlatformProbe = {
  platform: 'linux',
  machineId: async () =>
    (textFile('/etc/machine-id') ?? textFile('/var/lib/dbus/machine-id'))?.trim() || null,
  facts: async () => {
    const network = networkFacts()
    const boot = /^btime (\d+)$/m.exec(textFile('/proc/stat') ?? '')?.[1]
    const hardware = hardwareFacts()
    return {
      ...parseOsRelease(textFile('/etc/os-release') ?? textFile('/usr/lib/os-release') ?? ''),
      make: dmi('sys_vendor'),
      model: dmi('product_name') ?? boardModel(),
      serial: dmi('product_serial') ?? meaningful(textFile('/proc/device-tree/serial-number')),
      ...hardware,
      // ARM kernels name no model to Node.
      cpu:
        hardware.cpu ??
        meaningful(/^(?:model name|Hardware)\s*:\s*(.+)$/m.exec(textFile('/proc/cpuinfo') ?? '')?.[1]),
      gpu: parseAdapters((await printed('lspci', ['-mm'], 5)) ?? ''),
      disks: await disks(),
      network,
      ip_address: mainAddress(network, parseDefaultRoute(textFile('/proc/net/route') ?? '')),
      logged_in_user: parseWho((await printed('who', [], 5)) ?? ''),
      boot_time: boot === undefined ? null : isoSeconds(Number(boot) * 1000),
      reboot_required: existsSync('/var/run/reboot-required') || existsSync('/run/reboot-required'),
      software: await linuxPackages(),
    }
  },
}
