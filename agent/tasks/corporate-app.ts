import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { printed } from '../inventory/command'
import { thisPlatform } from '../inventory/platform'
import { type Command, run, runAll, say } from './command'
import { consolePackage } from './console-package'
import { aptInstall } from './package-managers'

/** A company's own package, as `corporate_apps` holds it. */
export interface CorporateApp {
  name: string
  package_version: string
  platform: string
  /** Empty for a file that was uploaded to the console. */
  source_url: string
  /** That of an uploaded file. */
  file_name: string
  /** Of the downloaded file, 64 lowercase hexadecimal digits. */
  sha256: string
  install_arguments: string
  detection_rule: string
  success_codes: readonly number[]
  reboot_codes: readonly number[]
}

const MAX_BYTES = 8 * 1024 ** 3
/** A server that sends nothing for so long has hung. */
const SILENCE_MS = 60_000

/** `%ProgramFiles%\Tool` and `$HOME/tool` → the path. */
export const expanded = (path: string, env: NodeJS.ProcessEnv = process.env): string =>
  path.replace(
    /%(\w+)%|\$\{?(\w+)\}?/g,
    (whole, windows?: string, unix?: string) => env[windows ?? unix ?? ''] ?? whole,
  )

/** Whether the detection rule, a path, a registry key or a package name, finds the app; null without a rule. */
export async function isDetected(rule: string): Promise<boolean | null> {
  const text = rule.trim()
  if (!text) return null
  if (/^(HKLM|HKCU|HKEY_[A-Z_]+):?\\/i.test(text))
    return (await printed('reg', ['query', text.replace(/^(\w+):\\/, '$1\\')])) !== null
  if (/^([A-Za-z]:\\|\\\\|\/|%\w+%|\$\{?\w+)/.test(text)) return existsSync(expanded(text))
  if (process.platform === 'darwin') return (await printed('pkgutil', ['--pkg-info', text])) !== null
  if (process.platform === 'win32')
    return (
      (await printed('reg', [
        'query',
        `HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\${text}`,
      ])) !== null
    )
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own placeholder
  const dpkg = await printed('dpkg-query', ['-W', '-f=${db:Status-Abbrev}', '--', text])
  return dpkg?.startsWith('ii') ?? (await printed('rpm', ['-q', '--', text])) !== null
}

/** `a "b c" --d='e f'` → its words. Quotes group; a backslash is part of a path. */
export function splitArguments(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
}

/** How a downloaded file is installed, by its extension. */
export function installCommands(file: string, installArguments: string): readonly Command[] {
  const words = splitArguments(installArguments)
  switch (extname(file).toLowerCase()) {
    case '.msi':
      return [{ file: 'msiexec', args: ['/i', file, '/qn', '/norestart', ...words] }]
    case '.deb':
      return aptInstall(file)
    case '.rpm':
      return [{ file: 'rpm', args: ['--upgrade', '--replacepkgs', ...words, file] }]
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

/** Downloads, checks and installs a package, unless it is there. Returns the exit code of the run. */
export async function installCorporateApp(app: CorporateApp, dataDir: string): Promise<number> {
  const { platform } = thisPlatform()
  if (app.platform && app.platform !== platform) {
    say(`${app.name} is a package for ${app.platform}, and this device runs ${platform}.`)
    return 1
  }
  if (await isDetected(app.detection_rule)) {
    say(`${app.name} is installed already: ${app.detection_rule.trim()} exists.`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'konsol-package-'))
  try {
    const name = app.source_url ? new URL(app.source_url).pathname : app.file_name
    const file = join(folder, basename(name).replace(/[^\w.+~-]/g, '_') || 'package')
    say(`> download ${app.source_url || `${app.file_name} from the console`}`)
    const source: OpenPackage = app.source_url
      ? (signal) => fetch(app.source_url, { redirect: 'follow', signal })
      : await consolePackage(dataDir)
    await download(source, app.sha256, file)
    const commands = installCommands(file, app.install_arguments)
    const code = await (commands.length === 1 && commands[0] ? run(commands[0]) : runAll(commands))
    if (app.reboot_codes.includes(code)) say('Installed. A restart is required.')
    else if (!app.success_codes.includes(code)) {
      say(`The installer ended with exit code ${code}, which is no success code of this app.`)
      return code === 0 ? 1 : code
    }
    if ((await isDetected(app.detection_rule)) === false) {
      say(`The installer reported success, but ${app.detection_rule.trim()} does not exist.`)
      return 1
    }
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
