import { readdirSync, statSync } from 'node:fs'
import { textFile } from '../files'
import { printed } from './command'
import type { Software } from './inventory'
import { isoDay } from './shared'

const DPKG_FORMAT =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own placeholders
  '${db:Status-Abbrev}\\t${Package}\\t${Architecture}\\t${Version}\\t${Maintainer}\\t${Installed-Size}\\n'

/** `Ubuntu Developers <ubuntu-devel@…>` → `Ubuntu Developers`: people's addresses are not inventory. */
export const publisherName = (maintainer: string): string | null =>
  maintainer
    .replace(/\s*<[^>]*>/g, '')
    .replace(/^"(.*)"$/, '$1')
    .trim() || null

const kilobytesToMb = (text: string): number | null =>
  /^\d+$/.test(text) ? Math.round((Number(text) / 1024) * 100) / 100 : null

/**
 * The second letter of a package whose files are on the disk: installed, unpacked, half-configured, waiting for
 * triggers. The first letter, such as `h` for hold, is only what somebody wants of it.
 */
const ON_DISK = /^.[iUFWt]/

/** dpkg-query's lines; packages that were removed but left configuration are not installed. */
export function parseDpkg(
  text: string,
  installedOn: (name: string, architecture: string) => string | null,
): Software[] {
  return text.split('\n').flatMap((line) => {
    const [status = '', name = '', architecture = '', version = '', maintainer = '', size = ''] =
      line.split('\t')
    if (!ON_DISK.test(status) || !name) return []
    return [
      {
        name,
        version,
        publisher: publisherName(maintainer),
        install_date: installedOn(name, architecture),
        size_mb: kilobytesToMb(size),
      },
    ]
  })
}

/** dpkg keeps no date, but rewrites a package's file list whenever it installs it. */
function dpkgDates(): (name: string, architecture: string) => string | null {
  const folder = '/var/lib/dpkg/info'
  const known = new Set<string>()
  try {
    for (const file of readdirSync(folder)) if (file.endsWith('.list')) known.add(file.slice(0, -5))
  } catch {
    return () => null
  }
  return (name, architecture) => {
    const file = [`${name}:${architecture}`, name].find((candidate) => known.has(candidate))
    if (!file) return null
    try {
      return isoDay(statSync(`${folder}/${file}.list`).mtime)
    } catch {
      return null
    }
  }
}

const RPM_FORMAT = '%{NAME}\\t%{VERSION}-%{RELEASE}\\t%{VENDOR}\\t%{INSTALLTIME}\\t%{SIZE}\\n'

export function parseRpm(text: string): Software[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', version = '', vendor = '', installed = '', size = ''] = line.split('\t')
    // Imported signing keys are listed as if they were packages.
    if (!name || name === 'gpg-pubkey') return []
    return [
      {
        name,
        version,
        publisher: vendor && vendor !== '(none)' ? vendor : null,
        install_date: /^\d+$/.test(installed) ? isoDay(new Date(Number(installed) * 1000)) : null,
        size_mb: /^\d+$/.test(size) ? Math.round((Number(size) / 1024 / 1024) * 100) / 100 : null,
      },
    ]
  })
}

/** Alpine's own database: blocks of `P:name`, `V:version`, `m:maintainer`, `I:bytes`. */
export function parseApk(text: string): Software[] {
  return text.split(/\n\n+/).flatMap((block) => {
    const fields = new Map(
      block
        .split('\n')
        .flatMap((line): [string, string][] => (line[1] === ':' ? [[line[0] ?? '', line.slice(2)]] : [])),
    )
    const name = fields.get('P')
    if (!name) return []
    const bytes = Number(fields.get('I'))
    return [
      {
        name,
        version: fields.get('V') ?? '',
        publisher: publisherName(fields.get('m') ?? ''),
        install_date: null,
        size_mb: Number.isFinite(bytes) ? Math.round((bytes / 1024 / 1024) * 100) / 100 : null,
      },
    ]
  })
}

/** pacman -Q */
export function parsePacman(text: string): Software[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', version = ''] = line.trim().split(' ')
    return name ? [{ name, version, publisher: null, install_date: null, size_mb: null }] : []
  })
}

/** Lists the packages of every package manager found here, since several may be in use at once. */
export async function linuxPackages(): Promise<Software[]> {
  const [dpkg, rpm, pacman] = await Promise.all([
    printed('dpkg-query', ['-W', `-f=${DPKG_FORMAT}`]),
    printed('rpm', ['-qa', '--queryformat', RPM_FORMAT], 60),
    printed('pacman', ['-Q']),
  ])
  const apk = textFile('/lib/apk/db/installed')
  return [
    ...(dpkg === null ? [] : parseDpkg(dpkg, dpkgDates())),
    ...(rpm === null ? [] : parseRpm(rpm)),
    ...(pacman === null ? [] : parsePacman(pacman)),
    ...(apk === null ? [] : parseApk(apk)),
  ]
}
