import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export type Command = 'run' | 'enroll'

export interface Options {
  command: Command
  /** Base address of the console's API, without a slash at the end. Null: as kept in the data directory. */
  url: string | null
  /** Where the enrollment token is read from: a file, or `-` for standard input. */
  tokenFile: string | null
  /** Publishable key of a hosted backend; the embedded one needs none. */
  key: string | null
  dataDir: string
  /** The agent exits after one check-in, the runs it brings, and their report. */
  isOnce: boolean
  /** Public key by which updates are signed, as the installer brings it. */
  signingKey: string | null
  /** Something starts the agent again whenever it ends. */
  isService: boolean
  /** How long a new version may take until its first check-in. */
  trialSeconds: number
  /** Replaces the machine's own id, where several machines share one image. */
  machineId: string | null
}

/** A command line that cannot be meant; the message says what to write instead. */
export class UsageError extends Error {}

export const USAGE = `Usage: node agent.mjs [run|enroll] --url <https address> --token-file <file> [options]

  --url <address>      address of the console; plain http for this machine only
  --token-file <file>  file with the enrollment token from the Agents page, - for standard input; needed once.
                       The environment variable KONSOL_TOKEN serves as well.
  --data-dir <folder>  where the agent keeps its identity and results (default ~/.konsol-agent)
  --key <key>          publishable key, for a console on a hosted backend
  --machine-id <id>    replaces the machine's own id, for machines cloned from one image
  --signing-key <key>  public key by which updates of the agent are signed
  --service            a service manager starts the agent again whenever it ends
  --trial-seconds <n>  how long a new version may take to check in (default 180)
  --once               check in once, run what it brings, then stop
  --version, --help`

const VALUED = [
  '--url',
  '--token-file',
  '--key',
  '--data-dir',
  '--machine-id',
  '--signing-key',
  '--trial-seconds',
] as const
type Valued = (typeof VALUED)[number]

const isValued = (name: string): name is Valued => (VALUED as readonly string[]).includes(name)

/** @throws UsageError */
export function parseOptions(args: readonly string[]): Options {
  const given = new Map<Valued, string>()
  let command: Command = 'run'
  let isOnce = false
  let isService = false
  for (let i = 0; i < args.length; i++) {
    const [name = '', inline] = (args[i] ?? '').split(/=(.*)/s)
    if (name === '--token')
      throw new UsageError(
        '--token is refused: every user of this machine can read a command line. Revoke that token, and use ' +
          '--token-file, standard input (--token-file -) or the variable KONSOL_TOKEN.',
      )
    if (isValued(name)) {
      const value = inline ?? args[++i]
      if (!value || value.startsWith('--')) throw new UsageError(`${name} needs a value.`)
      given.set(name, value)
    } else if (name === '--once') isOnce = true
    else if (name === '--service') isService = true
    else if (i === 0 && (name === 'run' || name === 'enroll')) command = name
    else throw new UsageError(`Unknown argument "${name}".`)
  }
  const url = given.get('--url')
  const machineId = given.get('--machine-id') ?? null
  if (machineId !== null && !/^[\w.:-]{8,128}$/.test(machineId))
    throw new UsageError('--machine-id must be 8 to 128 letters, digits or . : _ -')
  const signingKey = given.get('--signing-key') ?? null
  if (signingKey !== null && !/^[A-Za-z0-9+/]{40,100}={0,2}$/.test(signingKey))
    throw new UsageError('--signing-key must be a public key in base64.')
  const trialSeconds = Number(given.get('--trial-seconds') ?? 180)
  if (!(trialSeconds >= 1 && trialSeconds <= 3600))
    throw new UsageError('--trial-seconds must be a number from 1 to 3600.')
  return {
    command,
    url: url === undefined ? null : checkedUrl(url),
    tokenFile: given.get('--token-file') ?? null,
    key: given.get('--key') ?? null,
    dataDir: resolve(given.get('--data-dir') ?? join(homedir(), '.konsol-agent')),
    isOnce,
    signingKey,
    isService,
    trialSeconds,
    machineId,
  }
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

/**
 * Scripts from this address will be run: anyone who can change the traffic controls the machine.
 * @throws UsageError unless it is https, or http to the machine itself
 */
export function checkedUrl(text: string): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new UsageError(`"${text}" is not an address. Write it like https://console.example.com`)
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw new UsageError(
      `The agent uses https only (plain http for this machine itself), so it refuses ${url.protocol}//${url.host}.`,
    )
  if (url.username || url.password || url.search || url.hash)
    throw new UsageError('The address must not contain a user name, password, ? or #.')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
