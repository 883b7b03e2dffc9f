import { createHash } from 'node:crypto'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { thisPlatform } from '../inventory/platform'
import { type Command, run, runAll, say } from './command'
import { consolePackage } from './console-package'
import {
  compareVersions,
  type DetectionRule,
  detect,
  type Found,
  isComparable,
  parseRule,
  uninstallKey,
} from './detection'
import { rememberedPackage, rememberPackage } from './installed-packages'
import { aptInstallFile, isBrewed, packageManagers } from './package-managers'

/** A company's own package, as `corporate_apps` holds it. */
export interface CorporateApp {
  name: string
  package_version: string
  platform: string
  /** Empty for a file that was uploaded to the console. */
  source_url: string
  /** The name of an uploaded file. */
  file_name: string
  /** The hash of the downloaded file, 64 lowercase hexadecimal digits. */
  sha256: string
  install_arguments: string
  detection_rule: string
  success_codes: readonly number[]
  reboot_codes: readonly number[]
}

/** The exit code of a run that installed nothing because some version is there; the agent reports it as such. */
export const ALREADY_INSTALLED = 75

const MAX_BYTES = 8 * 1024 ** 3
/** A server that sends nothing for so long has hung. */
const SILENCE_MS = 60_000

/** `a "b c" --d='e f'` → its words. Quotes group; a backslash is part of a path. */
export function splitArguments(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
}

/** How a downloaded file is installed, by its extension; `isForced` over the same version, or a newer one. */
export function installCommands(
  file: string,
  installArguments: string,
  isForced = false,
): readonly Command[] {
  const words = splitArguments(installArguments)
  switch (extname(file).toLowerCase()) {
    case '.msi':
      return [{ file: 'msiexec', args: ['/i', file, '/qn', '/norestart', ...words] }]
    case '.deb':
      return aptInstallFile(file, isForced)
    case '.rpm': {
      const force = isForced ? ['--oldpackage'] : []
      return [{ file: 'rpm', args: ['--upgrade', '--replacepkgs', ...force, ...words, file] }]
    }
    case '.pkg':
      return [{ file: 'installer', args: ['-pkg', file, '-target', '/', ...words] }]
    case '.sh':
      return [{ file: 'bash', args: [file, ...words] }]
    case '.ps1':
      return [
        {
          file: 'powershell',
          args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', file, ...words],
        },
      ]
    default:
      return [{ file, args: words }]
  }
}

/** Opens the package; the signal ends a transfer that has hung. */
type OpenPackage = (signal: AbortSignal) => Promise<Response>

/** @throws Error with a sentence for the output */
async function download(open: OpenPackage, sha256: string, file: string): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    const response = await open(silence.signal)
    if (!response.ok || !response.body)
      throw new Error(`The server of the package responded ${response.status}.`)
    const hash = createHash('sha256')
    let bytes = 0
    const measured = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
        bytes += chunk.length
        hash.update(chunk)
        done(bytes > MAX_BYTES ? new Error('The package is larger than 8 GB.') : null, chunk)
      },
    })
    await pipeline(
      Readable.fromWeb(response.body as never),
      measured,
      createWriteStream(file, { mode: 0o700 }),
    )
    const found = hash.digest('hex')
    if (found !== sha256)
      throw new Error(
        `The package has another checksum, so it was not installed: expected ${sha256}, found ${found}.`,
      )
    say(`Downloaded ${bytes} bytes; the checksum is right.`)
  } catch (error) {
    throw silence.signal.aborted
      ? new Error('The download stopped: the server sent nothing for a minute.')
      : error
  } finally {
    clearTimeout(timer)
  }
}

/** Why a package is not installed: the installed version is new enough, or cannot be determined. */
type Presence = 'current' | 'unknown' | null

/** Compares the version that the rule finds with the package's version; null if the package must be installed. */
export function presenceOf(
  app: Pick<CorporateApp, 'package_version' | 'sha256'>,
  rule: DetectionRule,
  found: Found | null,
  remembered: ReturnType<typeof rememberedPackage>,
): Presence {
  if (!found) return null
  if (rule.atLeast && found.version)
    return compareVersions(found.version, rule.atLeast) < 0 ? null : 'current'
  const ours = remembered && remembered.found_version === found.version ? remembered : null
  if (ours?.sha256 === app.sha256) return 'current'
  // A package that this agent installed is compared by the console's version: the system may name another.
  const there = ours?.package_version ?? found.version
  const wanted = rule.atLeast ?? app.package_version
  if (!there || !isComparable(there) || !isComparable(wanted)) return ours ? null : 'unknown'
  return compareVersions(there, wanted) < 0 ? null : 'current'
}

/** Whether the system shows the new version after the installer succeeded; otherwise says what it shows. */
function isProved(
  app: CorporateApp,
  rule: DetectionRule,
  before: Found | null,
  after: Found | null,
  isForced: boolean,
): boolean {
  if (!after) {
    say(`The installer reported success, but ${rule.subject} does not exist.`)
    return false
  }
  if (!after.version) return true
  const wanted = rule.atLeast ?? app.package_version
  if (!isComparable(wanted) || compareVersions(after.version, wanted) >= 0) return true
  const isUnchanged = before?.version === after.version
  if (rule.atLeast || (isUnchanged && !isForced)) {
    say(`The installer reported success, but the device has version ${after.version}, not ${wanted}.`)
    if (!rule.atLeast)
      say(
        `Where the system calls it otherwise, write it into the detection rule: ${rule.subject} >= ${after.version}`,
      )
    return false
  }
  say(`This device calls it version ${after.version}.`)
  return true
}

/** Downloads, checks and installs a package, unless this version is there. Returns the exit code of the run. */
export async function installCorporateApp(
  app: CorporateApp,
  dataDir: string,
  isForced = false,
): Promise<number> {
  const { platform } = thisPlatform()
  if (app.platform && app.platform !== platform) {
    say(`${app.name} is a package for ${app.platform}, and this device runs ${platform}.`)
    return 1
  }
  const rule = parseRule(app.detection_rule)
  const before = rule && (await detect(rule))
  const remembered = rule && rememberedPackage(dataDir, rule.subject)
  const presence = rule && !isForced ? presenceOf(app, rule, before, remembered) : null
  const there = before?.version ?? remembered?.package_version ?? null
  if (presence === 'current') {
    say(`Nothing to do: version ${there ?? app.package_version} of ${app.name} is installed already.`)
    return 0
  }
  if (presence === 'unknown') {
    say(
      `Not installed: ${rule?.subject} exists${there ? ` in version ${there}` : ''}, and this agent cannot tell whether that is ${app.package_version}.`,
    )
    say('Choose "Install anyway", or write the version into the detection rule, as in: tool >= 2.0')
    return ALREADY_INSTALLED
  }
  if (before) say(`Installed is ${there ?? 'an unknown version'}; asked for is ${app.package_version}.`)
  const folder = mkdtempSync(join(tmpdir(), 'konsol-package-'))
  try {
    const name = app.source_url ? new URL(app.source_url).pathname : app.file_name
    const file = join(folder, basename(name).replace(/[^\w.+~-]/g, '_') || 'package')
    say(`> download ${app.source_url || `${app.file_name} from the console`}`)
    const source: OpenPackage = app.source_url
      ? (signal) => fetch(app.source_url, { redirect: 'follow', signal })
      : await consolePackage(dataDir)
    await download(source, app.sha256, file)
    const commands = installCommands(file, app.install_arguments, isForced)
    const code = await (commands.length === 1 && commands[0] ? run(commands[0]) : runAll(commands))
    const isPending = app.reboot_codes.includes(code)
    if (isPending) say('Installed. A restart is required.')
    else if (!app.success_codes.includes(code)) {
      say(`The installer ended with exit code ${code}, which is no success code of this app.`)
      return code === 0 ? 1 : code
    }
    if (!rule) return 0
    const after = await detect(rule)
    // An installation that needs a restart may still show the old version.
    if (!(isPending && after) && !isProved(app, rule, before, after, isForced)) return 1
    const { sha256, package_version } = app
    rememberPackage(dataDir, rule.subject, {
      sha256,
      package_version,
      found_version: after?.version ?? null,
    })
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How the system removes what a package name names; null where it cannot. */
export async function removalCommands(name: string): Promise<readonly Command[] | null> {
  if (process.platform === 'win32') {
    if (/^\{[0-9A-Fa-f-]{36}\}$/.test(name))
      return [{ file: 'msiexec', args: ['/x', name, '/qn', '/norestart'], alsoOk: [3010, 1641] }]
    const command = (await uninstallKey(name))?.get('quietuninstallstring')
    return command
      ? [
          {
            file: 'cmd',
            args: ['/d', '/s', '/c', `"${command}"`],
            windowsVerbatimArguments: true,
            alsoOk: [3010, 1641],
          },
        ]
      : null
  }
  const [manager] = await packageManagers()
  if (process.platform === 'darwin')
    return manager && (await isBrewed(manager, name)) ? manager.remove(name) : null
  if (manager) return manager.remove(name)
  return [{ file: 'rpm', args: ['--erase', '--', name] }]
}

/** Removes an app by its detection rule, where that names a package of the system. Returns the exit code of the run. */
export async function removeCorporateApp(app: CorporateApp, dataDir: string): Promise<number> {
  const rule = parseRule(app.detection_rule)
  if (rule?.kind !== 'package') {
    say(`${app.name} cannot be removed: its detection rule is no name of a package.`)
    return 1
  }
  const found = await detect(rule)
  if (!found) {
    say(`Nothing to do: ${app.name} is not installed.`)
    return 0
  }
  const commands = await removalCommands(rule.subject)
  if (!commands) {
    say(`This system does not tell how to remove ${rule.subject} without questions.`)
    return 1
  }
  const code = await runAll(commands)
  if (code !== 0) return code
  if (await detect(rule)) {
    say(`The system reported success, but ${rule.subject} is still installed.`)
    return 1
  }
  rememberPackage(dataDir, rule.subject, null)
  return 0
}
