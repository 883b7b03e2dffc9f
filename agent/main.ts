import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent } from './agent'
import { type Api, createApi, Refused, Unreachable } from './api'
import { AwaitingApproval, enroll, openRequest, takeToken } from './enroll'
import { ensureFolder } from './files'
import { type Identity, machineId, readIdentity } from './identity'
import { createInventorySource } from './inventory/inventory'
import { thisPlatform } from './inventory/platform'
import { DataDirInUse, lockDataDir } from './lock'
import { log } from './log'
import { type Options, parseOptions, USAGE, UsageError } from './options'
import { supervise } from './run/supervisor'
import { runTask } from './tasks/task'
import { AGENT_VERSION } from './version'

/** Whether the server still knows the device; a server that does not answer is taken to. */
async function isKnown(api: Api, identity: Identity): Promise<boolean> {
  try {
    await api.call('agent_report', { device_id: identity.deviceId, secret: identity.secret, results: [] })
    return true
  } catch (error) {
    return !(error instanceof Refused && error.status === 401)
  }
}

/** A permanent agent waits for the server and for approval; a single command reports the state and ends. */
async function patiently<T>(options: Options, attempt: () => Promise<T>): Promise<T> {
  let pauseMs = 0
  let isWaiting = false
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (options.command !== 'run' || options.isOnce) throw error
      if (error instanceof AwaitingApproval) {
        if (!isWaiting) log(`${error.message} The agent keeps asking.`)
        isWaiting = true
        pauseMs = 0
        await sleep(error.retrySeconds * 1_000 * (0.8 + Math.random() * 0.4))
      } else if (error instanceof Unreachable) {
        if (pauseMs === 0) log(`The server cannot be reached (${error.message}). The agent keeps trying.`)
        pauseMs = Math.min(60_000, pauseMs * 2 || 1_000)
        await sleep(pauseMs)
      } else throw error
    }
  }
}

async function start(options: Options): Promise<void> {
  const token = takeToken(options.tokenFile)
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
    if (url === undefined) throw new UsageError('--url is required: the address of the console.')
    if (identity && identity.url !== url)
      throw new UsageError(
        `${options.dataDir} belongs to a device enrolled at ${identity.url}. Use another --data-dir for ${url}.`,
      )
    const key = options.key ?? identity?.key ?? null
    const api = createApi(url, key)
    // A token given to a device that was removed in the console means: enroll it again.
    if (identity && token !== null && !(await isKnown(api, identity))) identity = null
    else if (identity && token !== null) log('This device is enrolled already; the token was not used.')
    // A later request than that of the identity on file.
    if (openRequest(options.dataDir, url) !== null) identity = null
    identity ??= await patiently(options, () =>
      enroll({
        api,
        url,
        key,
        dataDir: options.dataDir,
        machineId: machine,
        platform: probe.platform,
        token,
      }),
    )
    if (options.command === 'enroll') return

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
    if (command === 'task' && folder !== undefined) return await runTask(folder)
    if (command === 'supervise' && folder !== undefined) await supervise(folder)
    else await start(parseOptions(args))
    return 0
  } catch (error) {
    // The installer continues: the service it starts retries.
    if (error instanceof AwaitingApproval && args[0] === 'enroll') {
      log(error.message)
      return 0
    }
    const words = error instanceof Error ? error.message : String(error)
    const message = error instanceof Unreachable ? `The server cannot be reached (${words}).` : words
    process.stderr.write(
      `${error instanceof UsageError || error instanceof DataDirInUse || error instanceof AwaitingApproval ? '' : 'The agent stopped: '}${message}\n`,
    )
    if (error instanceof UsageError) return 2
    if (error instanceof AwaitingApproval) return 4
    return error instanceof DataDirInUse ? 3 : 1
  }
}

// exit() rather than a natural end: a fetch kept alive must not hold the process.
main(process.argv.slice(2)).then((code) => process.exit(code))
