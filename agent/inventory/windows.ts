import { cleanText } from '../clean-text'
import { isRecord } from '../files'
import { printed } from './command'
import type { PlatformProbe, Software, SystemFacts } from './inventory'
import {
  adapterNames,
  hardwareFacts,
  isoSeconds,
  mainAddress,
  meaningful,
  megabytes,
  networkFacts,
} from './shared'

/**
 * Everything in one PowerShell, because starting one takes a second. It prints one JSON object; whatever a machine
 * does not have is left out.
 */
export const INVENTORY_SCRIPT = `
$ErrorActionPreference = 'SilentlyContinue'
[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)
$os = Get-CimInstance Win32_OperatingSystem
$cs = Get-CimInstance Win32_ComputerSystem
$bios = Get-CimInstance Win32_BIOS
$gpus = Get-CimInstance Win32_VideoController | ForEach-Object { [string]$_.Name }
$current = Get-ItemProperty 'HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'
$route = Get-NetRoute -DestinationPrefix '0.0.0.0/0' | Sort-Object RouteMetric | Select-Object -First 1
$pending = (Test-Path 'HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate\\Auto Update\\RebootRequired') -or
  (Test-Path 'HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\RebootPending')
$software = 'HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\*', 'HKLM:\\SOFTWARE\\WOW6432Node\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\*' |
  ForEach-Object { Get-ItemProperty $_ } |
  Where-Object { $_.DisplayName -and -not $_.SystemComponent } |
  ForEach-Object { @{ name = $_.DisplayName; version = [string]$_.DisplayVersion; publisher = [string]$_.Publisher; date = [string]$_.InstallDate; kb = $_.EstimatedSize } }
$disks = Get-CimInstance Win32_LogicalDisk -Filter 'DriveType=3' |
  ForEach-Object { @{ device = $_.DeviceID; filesystem = [string]$_.FileSystem; size = $_.Size; free = $_.FreeSpace } }
@{
  caption = [string]$os.Caption; build = [string]$os.BuildNumber; release = [string]$current.DisplayVersion; revision = [string]$current.UBR
  boot = $os.LastBootUpTime.ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ssZ')
  make = [string]$cs.Manufacturer; model = [string]$cs.Model; serial = [string]$bios.SerialNumber
  user = [string]$cs.UserName; route = [string]$route.InterfaceAlias; reboot = [bool]$pending
  gpus = @($gpus); disks = @($disks); software = @($software)
} | ConvertTo-Json -Depth 4 -Compress
`

/** `Microsoft Windows 11 Pro` → `Windows 11`; the build decides, because early ones still say 10. */
export function windowsName(caption: string, build: number): string | null {
  const name = caption
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^Microsoft /, '')
  if (/server/i.test(name)) return name || null
  if (/^Windows 1[01]\b/.test(name)) return build >= 22_000 ? 'Windows 11' : 'Windows 10'
  return name || null
}

const text = (value: unknown): string => (typeof value === 'string' ? cleanText(value) : '')
const number = (value: unknown): number => (typeof value === 'number' ? value : Number(text(value)) || 0)
const list = (value: unknown): Record<string, unknown>[] =>
  (Array.isArray(value) ? value : value == null ? [] : [value]).filter(isRecord)

/**
 * Installers write the date as 20260131, as 1/31/2026, or as they like; only the first can be told for sure, and only
 * where there is such a day.
 */
const installDate = (value: string): string | null => {
  const day = /^\d{8}$/.test(value) ? `${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}` : ''
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : null
}

function toSoftware(entry: Record<string, unknown>): Software {
  const kilobytes = number(entry.kb)
  return {
    name: text(entry.name),
    version: text(entry.version),
    publisher: text(entry.publisher) || null,
    install_date: installDate(text(entry.date)),
    size_mb: kilobytes > 0 ? Math.round((kilobytes / 1024) * 100) / 100 : null,
  }
}

type WindowsFacts = Omit<SystemFacts, 'cpu' | 'cpu_cores' | 'memory_mb' | 'network' | 'ip_address'> & {
  outward: string | null
}

/** Reads what INVENTORY_SCRIPT printed; null when that is not it. */
export function parseWindows(json: string): WindowsFacts | null {
  let value: unknown
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    return null
  }
  if (!isRecord(value)) return null
  const build = number(value.build)
  return {
    os: windowsName(text(value.caption), build),
    os_version:
      [
        text(value.release),
        build ? `(${[build, number(value.revision) || null].filter(Boolean).join('.')})` : '',
      ]
        .filter(Boolean)
        .join(' ') || null,
    make: meaningful(text(value.make)),
    model: meaningful(text(value.model)),
    serial: meaningful(text(value.serial)),
    gpu: adapterNames((Array.isArray(value.gpus) ? value.gpus : [value.gpus]).map(text)),
    logged_in_user: text(value.user) || null,
    boot_time: isoSeconds(Date.parse(text(value.boot))),
    reboot_required: value.reboot === true,
    outward: text(value.route) || null,
    disks: list(value.disks).map((disk) => ({
      device: text(disk.device),
      mount: text(disk.device),
      filesystem: text(disk.filesystem),
      total_mb: megabytes(number(disk.size)),
      free_mb: megabytes(number(disk.free)),
    })),
    software: list(value.software).map(toSoftware),
  }
}

const powershell = (script: string): Promise<string | null> =>
  printed(
    'powershell',
    [
      '-NoLogo',
      '-NoProfile',
      '-NonInteractive',
      '-EncodedCommand',
      Buffer.from(script, 'utf16le').toString('base64'),
    ],
    120,
  )

export const windows: PlatformProbe = {
  platform: 'windows',
  machineId: async () => {
    const answer = await printed('reg', [
      'query',
      'HKLM\\SOFTWARE\\Microsoft\\Cryptography',
      '/v',
      'MachineGuid',
    ])
    return /MachineGuid\s+REG_SZ\s+(\S+)/.exec(answer ?? '')?.[1] ?? null
  },
  facts: async () => {
    const facts = parseWindows((await powershell(INVENTORY_SCRIPT)) ?? '')
    if (!facts) throw new Error('PowerShell gave no inventory')
    const { outward, ...rest } = facts
    const network = networkFacts()
    return { ...rest, ...hardwareFacts(), network, ip_address: mainAddress(network, outward) }
  },
}
