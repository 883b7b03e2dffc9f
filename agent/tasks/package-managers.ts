import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { printed } from '../inventory/command'
import type { Command } from './command'

/** How a system installs software by a name of its own. */
export interface PackageManager {
  name: 'apt' | 'winget' | 'choco' | 'brew'
  install: (id: string) => readonly Command[]
  update: (id: string) => readonly Command[]
  remove: (id: string) => readonly Command[]
}

const NO_QUESTIONS = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'a' }

const aptGet = (...args: string[]): Command => ({
  file: 'apt-get',
  // Another apt may be at work: wait for it. Changed configuration files stay as they are. Without a terminal there is no
  // progress bar in the output.
  args: [
    '-q',
    '-y',
    '-o',
    'DPkg::Lock::Timeout=300',
    '-o',
    'Dpkg::Use-Pty=0',
    '-o',
    'Dpkg::Options::=--force-confold',
    ...args,
  ],
  env: NO_QUESTIONS,
})

/** A dpkg that was killed, or a machine that lost power, left packages half-configured: every apt call would fail. */
const REPAIR: Command = { file: 'dpkg', args: ['--configure', '-a', '--force-confold'], env: NO_QUESTIONS }

export const APT_REFRESH: Command = aptGet('update')

export const aptInstall = (...packages: string[]): readonly Command[] => [
  REPAIR,
  aptGet('install', '--no-install-recommends', '--', ...packages),
]

/** A file, also one of the installed version or an older one where that is forced. */
export const aptInstallFile = (file: string, isForced: boolean): readonly Command[] => [
  REPAIR,
  aptGet(
    'install',
    '--no-install-recommends',
    ...(isForced ? ['--reinstall', '--allow-downgrades'] : []),
    '--',
    file,
  ),
]

export const aptUpgrade = (...packages: string[]): readonly Command[] => [
  REPAIR,
  aptGet('install', '--only-upgrade', '--', ...packages),
]

export const apt: PackageManager = {
  name: 'apt',
  install: (id) => [APT_REFRESH, ...aptInstall(id)],
  update: (id) => [APT_REFRESH, ...aptUpgrade(id)],
  remove: (id) => [REPAIR, aptGet('remove', '--', id)],
}

// "No newer version" and "already installed" are what was asked for.
const WINGET_NO_UPGRADE = -1978335189
const WINGET_INSTALLED = -1978335135
const RESTART_CODES = [3010, 1641] as const

export function winget(file: string): PackageManager {
  const call =
    (verb: string, ...more: string[]) =>
    (id: string): readonly Command[] => [
      {
        file,
        args: [
          verb,
          '--id',
          id,
          '--exact',
          '--silent',
          '--disable-interactivity',
          '--accept-source-agreements',
          ...more,
        ],
        alsoOk: [WINGET_NO_UPGRADE, WINGET_INSTALLED, ...RESTART_CODES],
      },
    ]
  return {
    name: 'winget',
    install: call('install', '--accept-package-agreements', '--scope', 'machine'),
    update: call('upgrade', '--accept-package-agreements'),
    remove: call('uninstall'),
  }
}

export function choco(file: string): PackageManager {
  const call =
    (verb: string) =>
    (id: string): readonly Command[] => [
      { file, args: [verb, id, '--yes', '--no-progress', '--limit-output'], alsoOk: RESTART_CODES },
    ]
  return { name: 'choco', install: call('install'), update: call('upgrade'), remove: call('uninstall') }
}

/** Homebrew refuses to run as root: `owner` is the user that installed it, null where the agent is that user. */
export function brew(file: string, owner: number | null): PackageManager {
  const call =
    (verb: string) =>
    (id: string): readonly Command[] => [
      owner === null
        ? { file, args: [verb, id] }
        : { file: 'sudo', args: ['-n', '-H', '-u', `#${owner}`, file, verb, id] },
    ]
  return { name: 'brew', install: call('install'), update: call('upgrade'), remove: call('uninstall') }
}

/** winget belongs to a Store app: a service does not have it on its PATH. */
function findWinget(): string | null {
  const folder = join(process.env.ProgramFiles ?? 'C:\\Program Files', 'WindowsApps')
  try {
    const versions = readdirSync(folder).filter((name) =>
      /^Microsoft\.DesktopAppInstaller_.*_8wekyb3d8bbwe$/.test(name),
    )
    const newest = versions.sort(new Intl.Collator('en', { numeric: true }).compare).at(-1)
    return newest ? join(folder, newest, 'winget.exe') : null
  } catch {
    return null
  }
}

/** Whether Homebrew installed it. */
export async function isBrewed(manager: PackageManager, name: string): Promise<boolean> {
  const [removal] = manager.remove(name)
  if (!removal) return false
  const args = removal.args.map((each) => (each === 'uninstall' ? 'list' : each))
  return (await printed(removal.file, args)) !== null
}

/** The package managers of this machine, the preferred one first. */
export async function packageManagers(): Promise<PackageManager[]> {
  if (process.platform === 'win32') {
    const file = findWinget()
    const hasChoco = (await printed('choco', ['--version'])) !== null
    return [...(file ? [winget(file)] : []), ...(hasChoco ? [choco('choco')] : [])]
  }
  if (process.platform === 'darwin') {
    const file = ['/opt/homebrew/bin/brew', '/usr/local/bin/brew'].find((path) =>
      statSync(path, { throwIfNoEntry: false }),
    )
    if (!file) return []
    return [brew(file, process.getuid?.() === 0 ? statSync(file).uid : null)]
  }
  return (await printed('apt-get', ['--version'])) === null ? [] : [apt]
}
