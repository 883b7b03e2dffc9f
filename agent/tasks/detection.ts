import { existsSync } from 'node:fs'
import { printed } from '../inventory/command'

/** How a detection rule finds an app, and the version that it asks for: `tool >= 2.0`. */
export interface DetectionRule {
  kind: 'path' | 'registry' | 'package'
  subject: string
  /** Null where the rule names no version. */
  atLeast: string | null
}

export interface Found {
  /** Null where the system does not tell, as for a path. */
  version: string | null
}

/** `%ProgramFiles%\Tool` and `$HOME/tool` → the path. */
export const expanded = (path: string, env: NodeJS.ProcessEnv = process.env): string =>
  path.replace(
    /%(\w+)%|\$\{?(\w+)\}?/g,
    (whole, windows?: string, unix?: string) => env[windows ?? unix ?? ''] ?? whole,
  )

/** Null for an empty rule. */
export function parseRule(text: string): DetectionRule | null {
  const [, subject = '', atLeast = null] = /^(.*?)(?:\s*>=\s*(\S+))?$/s.exec(text.trim()) ?? []
  if (!subject) return null
  const kind = /^(HKLM|HKCU|HKEY_[A-Z_]+):?\\/i.test(subject)
    ? 'registry'
    : /^([A-Za-z]:\\|\\\\|\/|%\w+%|\$\{?\w+)/.test(subject)
      ? 'path'
      : 'package'
  return { kind, subject, atLeast }
}

const PRE_RELEASES = new Set(['~', 'alpha', 'beta', 'dev', 'pre', 'preview', 'rc', 'snapshot'])

/** Numbers by their value, words by the alphabet; what announces a release sorts before it. */
const partsOf = (version: string): string[] => version.toLowerCase().match(/\d+|[a-z]+|~/g) ?? []

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  const rank = (part: string | undefined): number => {
    if (part === undefined) return 1
    if (PRE_RELEASES.has(part)) return 0
    // 2.0 and 2.0.0 are the same version.
    return /^0+$/.test(part) ? 1 : /^\d/.test(part) ? 3 : 2
  }
  if (a === undefined || b === undefined || rank(a) !== rank(b)) return rank(a) - rank(b)
  return /^\d/.test(a) ? Number(BigInt(a) - BigInt(b)) : a < b ? -1 : 1
}

/** Negative when `a` is older than `b`. An epoch, as in `1:2.0`, counts where both have one. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((version) => version.trim().replace(/^v(?=\d)/i, '')) as [string, string]
  const hasEpochs = /^\d+:/.test(first) && /^\d+:/.test(second)
  const [left, right] = [first, second].map((version) =>
    partsOf(hasEpochs ? version : version.replace(/^\d+:/, '')),
  ) as [string[], string[]]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = compareParts(left[at], right[at])
    if (order !== 0) return order
  }
  return 0
}

/** Whether two versions can be compared: a label such as "latest" cannot. */
export const isComparable = (version: string): boolean => /\d/.test(version)

const UNINSTALL = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
const UNINSTALL_32 = 'SOFTWARE\\WOW6432Node\\Microsoft\\Windows\\CurrentVersion\\Uninstall'

/** The values of what `reg query` printed: `    DisplayVersion    REG_SZ    2.0`. */
export const registryValues = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^\s+(\S.*?)\s+REG_\w+\s+(.*?)\r?$/gm)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value.trim(),
    ]),
  )

async function registryKey(key: string): Promise<Map<string, string> | null> {
  const text = await printed('reg', ['query', key.replace(/^(\w+):\\/, '$1\\')])
  return text === null ? null : registryValues(text)
}

/** The values that Windows keeps under a program's uninstall key. */
export async function uninstallKey(name: string): Promise<Map<string, string> | null> {
  return (await registryKey(`HKLM\\${UNINSTALL}\\${name}`)) ?? registryKey(`HKLM\\${UNINSTALL_32}\\${name}`)
}

async function fileVersion(path: string): Promise<string | null> {
  if (process.platform !== 'win32') return null
  const quoted = path.replaceAll("'", "''")
  const text = await printed('powershell', [
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    `(Get-Item -LiteralPath '${quoted}').VersionInfo.ProductVersion`,
  ])
  return text?.trim() || null
}

/** A name that begins with a dash would be an option, and a registry key of another branch none of a program. */
const isPackageName = (name: string): boolean => /^[A-Za-z0-9{][^\\\r\n]*$/.test(name)

async function installedPackage(name: string): Promise<Found | null> {
  if (!isPackageName(name)) return null
  if (process.platform === 'win32') {
    const key = await uninstallKey(name)
    return key && { version: key.get('displayversion') ?? null }
  }
  if (process.platform === 'darwin') {
    const text = await printed('pkgutil', ['--pkg-info', name])
    return text === null ? null : { version: /^version: (.+)$/m.exec(text)?.[1]?.trim() ?? null }
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own placeholders
  const dpkg = await printed('dpkg-query', ['-W', '-f=${db:Status-Abbrev} ${Version}\n', '--', name])
  if (dpkg !== null) {
    const version = /^ii\s+(\S+)/m.exec(dpkg)?.[1]
    return version === undefined ? null : { version }
  }
  const rpm = await printed('rpm', ['-q', '--queryformat', '%{VERSION}\n', '--', name])
  return rpm === null ? null : { version: rpm.split('\n')[0]?.trim() || null }
}

/** Looks for the rule's subject on this device; null when the rule finds nothing. */
export async function detect(rule: DetectionRule): Promise<Found | null> {
  if (rule.kind === 'registry') {
    const key = await registryKey(rule.subject)
    return key && { version: key.get('displayversion') ?? null }
  }
  if (rule.kind === 'package') return installedPackage(rule.subject)
  const path = expanded(rule.subject)
  return existsSync(path) ? { version: await fileVersion(path) } : null
}
