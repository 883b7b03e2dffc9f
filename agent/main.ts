import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Agent } from './agent'
import { type Api, createApi, Refused, Unreachable } from './api'
import { ensureFolder } from './files'
import { type Identity, machineId, readIdentity, writeIdentity } from './identity'
import { createInventorySource, type PlatformProbe } from './inventory/inventory'
import { thisPlatform } from './inventory/platform'
import { DataDirInUse, lockDataDir } from './lock'
import { log } from './log'
import { type Options, parseOptions, USAGE, UsageError } from './options'
import { supervise } from './run/supervisor'
import { AGENT_VERSION } from './version'

async function enrol(
  options: Options,
  url: string,
  api: Api,
  machine: string,
  probe: PlatformProbe,
): Promise<Identity> {
  if (options.token === null)
    throw new UsageError(
      `${options.dataDir} holds no enrolled device, so --token is needed. Make one on the Agents page of the console.`,
    )
  let answer: Record<string, unknown>
  try {
    answer = await api.call('agent_enroll', {
      token: options.token,
      machine_id: machine,
      hostname: hostname(),
      platform: probe.platform,
      agent_version: AGENT_VERSION,
    })
  } catch (error) {
    if (error instanceof Refused && error.status === 401)
      throw new UsageError(
        `The server refused to enrol this device: ${error.message} It may be mistyped, revoked, expired or used up; ` +
          'make a new one on the Agents page.',
      )
    throw error
  }
  const { device_id: deviceId, secret } = answer
  if (typeof deviceId !== 'string' || typeof secret !== 'string')
    throw new Error('The server enrolled the device but did not say as what.')
  const identity = { url, key: options.key, deviceId, secret }
  writeIdentity(options.dataDir, identity)
  log(`Enrolled as device ${deviceId}.`)
  return identity
}

/** Whether the server still knows the device; a server that does not answer is taken to. */
async function isKnown(api: Api, identity: Identity): Promise<boolean> {
  try {
    await api.call('agent_report', { device_id: identity.deviceId, secret: identity.secret, results: [] })
    return true
  } catch (error) {
    return !(error instanceof Refused && error.status === 401)
  }
}

/** An agent that is there to stay waits for a server that is not there yet; a single command says so and ends. */
async function patiently<T>(options: Options, attempt: () => Promise<T>): Promise<T> {
  for (let pauseMs = 1_000; ; pauseMs = Math.min(60_000, pauseMs * 2)) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Unreachable) || options.command !== 'run' || options.isOnce) throw error
      if (pauseMs === 1_000) log(`The server cannot be reached (${error.message}). The agent keeps trying.`)
      await new Promise((done) => setTimeout(done, pauseMs))
    }
  }
}

async function start(options: Options): Promise<void> {
  ensureFolder(options.dataDir)
  const release = lockDataDir(options.dataDir)
  try {
    const probe = thisPlatform()
    const machine = machineId(
      options.dataDir,
      options.machineId,
      options.machineId ? null : await probe.machineId(),
    )
    let identity = readIdentity(options.dataDir)
    const url = options.url ?? identity?.url
    if (url === undefined) throw new UsageError('--url is needed: the address of the console.')
    if (identity && identity.url !== url)
      throw new UsageError(
        `${options.dataDir} belongs to a device enrolled at ${identity.url}. Use another --data-dir for ${url}.`,
      )
    const api = createApi(url, options.key ?? identity?.key ?? null)
    // A token given to a device that was removed in the console means: enrol it again.
    if (identity && options.token !== null && !(await isKnown(api, identity))) identity = null
    else if (identity && options.token !== null)
      log('This device is enrolled already; the token was not used.')
    identity ??= await patiently(options, () => enrol(options, url, api, machine, probe))
    if (options.command === 'enrol') return

    const agent = new Agent({
      api,
      identity,
      machineId: machine,
      dataDir: options.dataDir,
      inventory: createInventorySource(probe),
      program: fileURLToPath(import.meta.url),
    })
    if (options.isOnce) {
      await agent.runOnce()
      return
    }
    // Node undoes what nohup set: in the background, the end of the terminal is not the end of the agent.
    if (!process.stdin.isTTY) process.on('SIGHUP', () => undefined)
    for (const signal of [
      'SIGINT',
      'SIGTERM',
      ...(process.stdin.isTTY ? (['SIGHUP'] as const) : []),
    ] as const)
      process.once(signal, () => {
        log(`Stopping (${signal}).`)
        void agent.stop()
      })
    log(`Agent ${AGENT_VERSION} runs for ${url}.`)
    await agent.run()
    await agent.stop()
  } finally {
    release()
  }
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  if (args.includes('--version')) {
    process.stdout.write(`${AGENT_VERSION}\n`)
    return 0
  }
  if (Number.parseInt(process.versions.node, 10) < 20) {
    process.stderr.write(`The agent needs Node.js 20 or newer; this is ${process.versions.node}.\n`)
    return 2
  }
  try {
    const [command, folder] = args
    if (command === 'supervise' && folder !== undefined) await supervise(folder)
    else await start(parseOptions(args))
    return 0
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    const message = error instanceof Unreachable ? `The server cannot be reached (${words}).` : words
    process.stderr.write(
      `${error instanceof UsageError || error instanceof DataDirInUse ? '' : 'The agent stopped: '}${message}\n`,
    )
    if (error instanceof UsageError) return 2
    return error instanceof DataDirInUse ? 3 : 1
  }
}

// exit() rather than a natural end: a fetch kept alive must not hold the process.
main(process.argv.slice(2)).then((code) => process.exit(code))
