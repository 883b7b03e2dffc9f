import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent } from './agent'
import { type Api, createApi, Refused, Unreachable } from './api'
import { AwaitingApproval, enroll, openRequest, takeToken } from './enroll'
import { ensureFolder } from './files'
import { type Identity, machineId, readIdentity, writeIdentity } from './identity'
import { createInventorySource } from './inventory/inventory'
import { thisPlatform } from './inventory/platform'
import { DataDirInUse, lockDataDir } from './lock'
import { log } from './log'
import { type Options, parseOptions, USAGE, UsageError } from './options'
import { supervise } from './run/supervisor'
import { runTask } from './tasks/task'
import { fetchRelease, isSigned } from './update/release'
import { tellParent, tryVersion } from './update/trial'
import { Updater } from './update/updater'
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

/** Trusts the key that the console serves now, unless the installer brought one, or the device knows one. */
async function pinSigningKey(options: Options, identity: Identity): Promise<Identity> {
  let { signingKey } = identity
  try {
    if (options.signingKey !== null) signingKey = options.signingKey
    else if (signingKey === null) {
      const release = await fetchRelease(identity.url)
      if (isSigned(release, release.publicKey)) signingKey = release.publicKey
    }
  } catch {
    // A console without an agent to serve, or out of reach: the next start asks again.
  }
  if (signingKey === identity.signingKey) return identity
  const pinned = { ...identity, signingKey }
  writeIdentity(options.dataDir, pinned)
  return pinned
}

async function start(options: Options): Promise<number> {
  const token = takeToken(options.tokenFile)
  ensureFolder(options.dataDir)
  let release = lockDataDir(options.dataDir)
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
    const device = await pinSigningKey(options, identity)
    if (options.command === 'enroll') return 0

    const inventory = createInventorySource(probe)
    const program = fileURLToPath(import.meta.url)
    const begin = (): { agent: Agent; updater: Updater } => {
      const updater = new Updater({
        url,
        version: AGENT_VERSION,
        dataDir: options.dataDir,
        program,
        signingKey: device.signingKey,
        onReady: () => agent.wake(),
      })
      const agent = new Agent({
        api,
        identity: device,
        machineId: machine,
        dataDir: options.dataDir,
        inventory,
        program,
        updater,
        onCheckedIn: () => tellParent({ kind: 'checked_in' }),
      })
      return { agent, updater }
    }
    let { agent, updater } = begin()
    if (options.isOnce) {
      await agent.runOnce()
      return 0
    }
    let stop = (): void => void agent.stop()
    // Node undoes what nohup set: in the background, the end of the terminal is not the end of the agent.
    if (!process.stdin.isTTY) process.on('SIGHUP', () => undefined)
    for (const signal of [
      'SIGINT',
      'SIGTERM',
      ...(process.stdin.isTTY ? (['SIGHUP'] as const) : []),
    ] as const)
      process.once(signal, () => {
        log(`Stopping (${signal}).`)
        stop()
      })
    // The agent that started this one wants it to leave, or is gone.
    process.once('disconnect', () => void agent.leave())
    for (;;) {
      log(`Agent ${AGENT_VERSION} runs for ${url}.`)
      await agent.run()
      const { candidate } = updater
      if (candidate === null || agent.isStopped) {
        if (!agent.hasLeft) await agent.stop()
        return 0
      }
      await agent.leave()
      release()
      // Only the first agent has versions as its children: it starts the next one, too.
      if (process.connected) {
        await tellParent({ kind: 'candidate', candidate })
        return 0
      }
      log(`Trying version ${candidate.version}.`)
      const code = await tryVersion(candidate, {
        dataDir: options.dataDir,
        program,
        args: [
          'run',
          ...['--url', url, '--data-dir', options.dataDir, '--trial-seconds', String(options.trialSeconds)],
          ...(key === null ? [] : ['--key', key]),
          ...(options.machineId === null ? [] : ['--machine-id', options.machineId]),
        ],
        trialMs: options.trialSeconds * 1_000,
        isService: options.isService,
        isReachable: () =>
          fetchRelease(url).then(
            () => true,
            () => false,
          ),
        onStop: (end) => {
          stop = end
        },
      })
      if (code !== null) return code
      release = lockDataDir(options.dataDir)
      ;({ agent, updater } = begin())
      stop = () => void agent.stop()
    }
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
    else return await start(parseOptions(args))
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
