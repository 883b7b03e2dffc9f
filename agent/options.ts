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
  /** One check-in, the runs it brings, their report, and out. */
  isOnce: boolean
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
  --once               check in once, run what it brings, then stop
  --version, --help`

const VALUED = ['--url', '--token-file', '--key', '--data-dir', '--machine-id'] as const
type Valued = (typeof VALUED)[number]

const isValued = (name: string): name is Valued => (VALUED as readonly string[]).includes(name)

/** @throws UsageError */
export function parseOptions(args: readonly string[]): Options {
  const given = new Map<Valued, string>()
  let command: Command = 'run'
  let isOnce = false
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
    else if (i === 0 && (name === 'run' || name === 'enroll')) command = name
    else throw new UsageError(`Unknown argument "${name}".`)
  }
  const url = given.get('--url')
  const machineId = given.get('--machine-id') ?? null
  if (machineId !== null && !/^[\w.:-]{8,128}$/.test(machineId))
    throw new UsageError('--machine-id must be 8 to 128 letters, digits or . : _ -')
  return {
    command,
    url: url === undefined ? null : checkedUrl(url),
    tokenFile: given.get('--token-file') ?? null,
    key: given.get('--key') ?? null,
    dataDir: resolve(given.get('--data-dir') ?? join(homedir(), '.konsol-agent')),
    isOnce,
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
