import { createHash } from 'node:crypto'
import { cleanFacts } from '../clean-text'
import { log } from '../log'
import type { PatchReport } from '../patches/patch'
import { PatchWatch, patchSource } from '../patches/source'
import { type Metrics, measure } from './metrics'
import { hostName } from './shared'

export type Platform = 'linux' | 'windows' | 'macos'

export interface Disk {
  device: string
  mount: string
  filesystem: string
  total_mb: number
  free_mb: number
  /** As the system reckons it; absent where it is the rest of `free_mb`. */
  used_percent?: number | null
}

export interface NetworkInterface {
  name: string
  mac: string
  addresses: string[]
}

export interface Software {
  name: string
  version: string
  publisher: string | null
  /** YYYY-MM-DD */
  install_date: string | null
  size_mb: number | null
}

/** The facts that a platform reports about itself; null where it reports nothing. */
export interface SystemFacts {
  os: string | null
  os_version: string | null
  make: string | null
  model: string | null
  serial: string | null
  cpu: string | null
  cpu_cores: number
  /** The graphics adapters, separated by commas. */
  gpu: string | null
  memory_mb: number
  disks: Disk[]
  network: NetworkInterface[]
  ip_address: string | null
  logged_in_user: string | null
  /** ISO 8601, UTC, whole seconds. */
  boot_time: string | null
  reboot_required: boolean
  software: Software[]
}

export interface Inventory extends SystemFacts {
  hostname: string
  /** IANA name; null where the system has none. */
  timezone: string | null
  /** Absent until the first scan for updates has ended. */
  patches?: PatchReport
}

/** The only place that distinguishes operating systems. */
export interface PlatformProbe {
  platform: Platform
  /** The system's own id, unchanged; null if it has none. */
  machineId: () => Promise<string | null>
  facts: () => Promise<SystemFacts>
}

export interface InventorySource {
  /** It may have changed: read again soon, though not after every one of many runs; at once when that was asked for. */
  touch: (isAsked?: boolean) => void
  current: () => Promise<{ inventory: Inventory; hash: string }>
  metrics: () => Promise<Metrics>
}

/** Reading all packages takes a moment, so it is done this often and not at every check-in. */
const FRESH_MS = 10 * 60_000
const TOUCHED_FRESH_MS = 60_000
/** The server's bound; the names that sort first stay. */
const MAX_SOFTWARE = 5_000

/** The same inventory gives the same hash: lists in one order, and without free space, which always moves. */
export function inventoryHash(inventory: Inventory): string {
  const lasting = {
    ...inventory,
    disks: inventory.disks.map(({ free_mb: _free, used_percent: _used, ...disk }) => disk),
  }
  return createHash('sha256').update(JSON.stringify(lasting)).digest('hex')
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Keeps one entry for each name and version, however many architectures the software is installed for. */
export function arrangedSoftware(list: readonly Software[]): Software[] {
  const known = new Map<string, Software>()
  for (const raw of list) {
    const entry = cleanFacts(raw)
    const { name } = entry
    const key = `${name}\n${entry.version}\n${entry.publisher ?? ''}`
    if (name && !known.has(key)) known.set(key, entry)
  }
  return [...known.values()]
    .sort(
      (a, b) =>
        byText(a.name, b.name) ||
        byText(a.version, b.version) ||
        byText(a.publisher ?? '', b.publisher ?? ''),
    )
    .slice(0, MAX_SOFTWARE)
}

export function createInventorySource(
  probe: PlatformProbe,
  patches = new PatchWatch(patchSource()),
): InventorySource {
  let known: { inventory: Inventory; hash: string } | null = null
  let knownReport: PatchReport | null = null
  let cleanReport: PatchReport | null = null
  let readAt = 0
  let isTouched = false
  let reading: Promise<void> | null = null

  const read = async (): Promise<void> => {
    try {
      const { software, ...raw } = await probe.facts()
      const facts = cleanFacts(raw)
      const inventory: Inventory = {
        hostname: hostName(),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || null,
        ...facts,
        disks: [...facts.disks].sort((a, b) => byText(a.mount, b.mount)),
        network: [...facts.network].sort((a, b) => byText(a.name, b.name)),
        software: arrangedSoftware(software),
      }
      known = { inventory, hash: inventoryHash(inventory) }
    } catch (error) {
      // A device without inventory still runs scripts.
      log(`The inventory could not be read: ${String(error)}`)
    }
    readAt = Date.now()
    reading = null
  }

  return {
    touch(isAsked = false) {
      isTouched = true
      if (!isAsked) return
      readAt = 0
      patches.touch()
    },
    async current() {
      if (!known || Date.now() - readAt >= (isTouched ? TOUCHED_FRESH_MS : FRESH_MS)) {
        isTouched = false
        reading ??= read()
        // Some systems take minutes: only the very first reading is waited for.
        if (!known) await reading
        known ??= emptyInventory()
      }
      const { report } = patches
      if (report !== knownReport) {
        knownReport = report
        cleanReport = cleanFacts(report)
      }
      if (cleanReport && known.inventory.patches !== cleanReport) {
        const inventory = { ...known.inventory, patches: cleanReport }
        known = { inventory, hash: inventoryHash(inventory) }
      }
      return known
    },
    metrics: () => measure(),
  }
}

function emptyInventory(): { inventory: Inventory; hash: string } {
  const inventory: Inventory = {
    hostname: hostName(),
    timezone: null,
    os: null,
    os_version: null,
    make: null,
    model: null,
    serial: null,
    cpu: null,
    cpu_cores: 0,
    gpu: null,
    memory_mb: 0,
    disks: [],
    network: [],
    ip_address: null,
    logged_in_user: null,
    boot_time: null,
    reboot_required: false,
    software: [],
  }
  return { inventory, hash: inventoryHash(inventory) }
}
