import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { textFile } from '../files'
import { printed } from '../inventory/command'
import type { Metrics } from '../inventory/metrics'
import type { Finding, Monitor } from './monitor'

const NETWORK_SECONDS = 5
/** A host name or an address, and nothing that a program could take for an option. */
const HOST = /^[A-Za-z0-9_][A-Za-z0-9._:%-]{0,254}$/
/** The characters that the systems allow in the name of a service. */
const SERVICE = /^[A-Za-z0-9_@][A-Za-z0-9_.@:\\ -]{0,199}$/

/** The characters that Windows allows in the name of a log. */
const LOG = /^[A-Za-z0-9][A-Za-z0-9 ./()-]{0,199}$/

const found = (isFailing: boolean, message: string): Finding => ({ isFailing, message })
/** `_shared.phrases` of the console translates these sentences, as those of failures. */
export const cannotTell = (message: string): Finding => ({ isFailing: null, message })

const METRIC_NAMES: Record<string, string> = { cpu: 'CPU', memory: 'Memory', disk: 'System disk' }

export function checkPerformance({ metric = '', abovePercent = 100 }: Monitor, metrics: Metrics): Finding {
  const value = Object.hasOwn(METRIC_NAMES, metric) ? metrics[metric as keyof Metrics] : null
  const name = METRIC_NAMES[metric] ?? metric
  return value === null
    ? cannotTell(`${name} is not measured on this device`)
    : found(value > abovePercent, `${name} at ${value.toFixed(1)} %, above ${abovePercent} %`)
}

/** The names of running programs, with and without their extension. */
async function processNames(): Promise<Set<string> | null> {
  if (process.platform === 'linux') return linuxProcesses()
  const windows = process.platform === 'win32'
  const text = windows
    ? await printed('tasklist', ['/FO', 'CSV', '/NH'])
    : await printed('ps', ['-axo', 'comm='])
  if (text === null) return null
  const names = text
    .split(/\r?\n/)
    .map((line) => (windows ? /^"([^"]+)"/.exec(line)?.[1] : basename(line.trim())) ?? '')
  return new Set(names.flatMap(spellings))
}

/** The kernel cuts `comm` after 15 bytes; the program and its first argument have the whole name. */
function linuxProcesses(): Set<string> {
  const names = new Set<string>()
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    const [first = '', second = ''] = (textFile(join('/proc', pid, 'cmdline')) ?? '').split('\0')
    const own = textFile(join('/proc', pid, 'comm'))?.trim() ?? ''
    // A script is known by its own name, not only by its interpreter's.
    for (const name of [own, basename(first), basename(second), programOf(pid)])
      for (const each of spellings(name)) names.add(each)
  }
  return names
}

function programOf(pid: string): string {
  try {
    return basename(readlinkSync(join('/proc', pid, 'exe')))
  } catch {
    // Another user's, or a thread of the kernel.
    return ''
  }
}

const spellings = (name: string): string[] => {
  const folded = name.toLowerCase()
  return folded === '' ? [] : [folded, folded.replace(/\.exe$/, '')]
}

export async function checkProcess({ processName = '', processState }: Monitor): Promise<Finding> {
  const names = await processNames()
  if (names === null) return cannotTell('This device does not list its processes')
  const isRunning = spellings(processName).some((name) => names.has(name))
  return processState === 'running'
    ? found(isRunning, `${processName} is running`)
    : found(!isRunning, `${processName} is not running`)
}

/** Whether a service runs, or why that is not known. */
async function serviceState(name: string): Promise<boolean | string> {
  const missing = `This device has no service ${name}`
  if (process.platform === 'win32') {
    const text = await printed('sc.exe', ['query', name])
    return text === null ? missing : /STATE\s*:\s*4\b/.test(text)
  }
  if (process.platform === 'darwin') {
    const text = await printed('launchctl', ['list', name])
    return text === null ? missing : /"PID"\s*=/.test(text)
  }
  const text = await printed('systemctl', ['show', '--property=LoadState,ActiveState', '--', name])
  if (text === null) return 'This device has no service manager'
  if (!text.includes('LoadState=loaded')) return missing
  return /ActiveState=(active|reloading)/.test(text)
}

async function startService(name: string): Promise<void> {
  if (process.platform === 'win32') await printed('sc.exe', ['start', name])
  else if (process.platform === 'darwin') await printed('launchctl', ['start', name])
  else await printed('systemctl', ['start', '--', name])
}

export async function checkService({ serviceName = '', restart }: Monitor): Promise<Finding> {
  if (!SERVICE.test(serviceName)) return cannotTell(`This is no name of a service: ${serviceName}`)
  const isRunning = await serviceState(serviceName)
  if (typeof isRunning === 'string') return cannotTell(isRunning)
  if (!isRunning && restart) await startService(serviceName)
  return found(!isRunning, `The service ${serviceName} is stopped`)
}

async function ping(host: string): Promise<Finding> {
  const args =
    process.platform === 'win32'
      ? ['-n', '1', '-w', String(NETWORK_SECONDS * 1000), host]
      : ['-c', '1', ...(process.platform === 'darwin' ? ['-t'] : ['-W']), String(NETWORK_SECONDS), host]
  const text = await printed('ping', args, NETWORK_SECONDS + 5)
  return found(text === null, `${host} does not answer a ping`)
}

function connectTo(host: string, port: number): Promise<Finding> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: NETWORK_SECONDS * 1000 })
    const end = (isFailing: boolean) => {
      socket.destroy()
      done(found(isFailing, `${host}:${port} takes no connection`))
    }
    socket.once('connect', () => end(false))
    socket.once('timeout', () => end(true))
    socket.once('error', () => end(true))
  })
}

async function ask(url: string): Promise<Finding> {
  try {
    const { status, body } = await fetch(url, { signal: AbortSignal.timeout(NETWORK_SECONDS * 1000) })
    await body?.cancel()
    return found(status >= 400, `${url} answered with HTTP ${status}`)
  } catch {
    return found(true, `${url} does not answer`)
  }
}

export async function checkNetwork({ probe, target = '' }: Monitor): Promise<Finding> {
  if (probe === 'http')
    return /^https?:\/\//i.test(target) ? ask(target) : cannotTell(`The target is no web address: ${target}`)
  if (probe === 'tcp') {
    const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(target) ?? []
    return HOST.test(host) && Number(port) <= 65_535
      ? connectTo(host, Number(port))
      : cannotTell(`The target is not host:port: ${target}`)
  }
  return HOST.test(target) ? ping(target) : cannotTell(`The target is no host: ${target}`)
}

/** How many events `wevtutil` printed as text. */
export const countEvents = (text: string): number => text.match(/^Event\[\d+\]/gm)?.length ?? 0

export async function checkEvents({
  eventId,
  logName = '',
  eventMinutes = 15,
  eventCount = 1,
}: Monitor): Promise<Finding> {
  if (process.platform !== 'win32') return cannotTell('Only devices with Windows have event logs')
  if (eventId === undefined || !LOG.test(logName)) return cannotTell(`This is no name of a log: ${logName}`)
  const since = `TimeCreated[timediff(@SystemTime) <= ${eventMinutes * 60_000}]`
  const text = await printed('wevtutil', [
    'qe',
    logName,
    `/q:*[System[(EventID=${eventId}) and ${since}]]`,
    `/c:${eventCount}`,
    '/rd:true',
    '/f:text',
  ])
  if (text === null) return cannotTell(`The event log ${logName} cannot be read`)
  const count = countEvents(text)
  return found(
    count >= eventCount,
    `Event ${eventId} in ${logName}: ${count} or more within ${eventMinutes} minutes`,
  )
}
