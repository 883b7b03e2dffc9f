import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { AgentReleases } from './agent-release'
import { settleBeforeStart } from './command-journal'
import { serveControl } from './control'
import { operationsOn } from './control-operations'
import { type Core, openCore } from './core'
import { databaseDirectory, markFinished, prepareDatabase } from './data-dir'
import type { Query } from './database/database'
import { openDefinitions } from './definitions/store'
import { Files } from './files/files'
import { takeOverPackages } from './files/take-over'
import { isLoopbackName, proxyWarning } from './http/address'
import { createHttpApp } from './http/app'
import type { Backend } from './http/context'
import { DeviceSignals } from './http/device-signals'
import { closeHttp, listen } from './http/listener'
import { hasMailbox } from './http/mailbox'
import { refusalLog } from './http/refusals'
import { startingListener } from './http/starting'
import { generateKeys, loadKeys } from './keys'
import { type LiveServer, startLive } from './live/server'
import { imapAccount, startImap } from './mail/imap'
import { type Inbound, startInbound } from './mail/inbound'
import { createMailer, type Mail, type Mailer } from './mail/mailer'
import { startOutbox } from './mail/outbox'
import { startMaintenance } from './maintenance'
import { RefusedMigration } from './migrations'
import { openDemoAccounts, storedColumns } from './operations'
import type { ServerOptions } from './options'
import { openDataDirectory } from './private-files'
import { ROOT } from './root'
import { StartError } from './start-error'
import type { StartProgress } from './start-progress'

export interface RunningServer {
  url: string
  port: number
  publishableKey: string
  serviceKey: string
  /** Opens the mailbox in a browser of this machine; null if there is no mailbox. */
  mailboxUrl: string | null
  /** Mails that no SMTP server was named for: for tests. */
  mails: () => readonly Mail[]
  /** Past every policy: for scripts and tests. */
  query: <R = Record<string, unknown>>(sql: string, params?: readonly unknown[]) => Promise<R[]>
  stop: () => Promise<void>
}

/** Handlers that the development server runs before ours. */
export interface Front {
  /** Wraps the listener; it may answer whatever is not the API's. */
  wrap: (listener: RequestListener, backend: Backend) => RequestListener
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
}

function siteUrlOf(given: string): string {
  try {
    const { protocol, href } = new URL(given)
    if (protocol === 'http:' || protocol === 'https:') return href.replace(/\/+$/, '')
  } catch {
    // Falls through to the one answer.
  }
  throw new StartError(`SITE_URL must be an http or https address, not ${given}.`)
}

/** Starts everything and answers once requests are served. @throws StartError for what the operator can mend. */
export async function startServer(options: ServerOptions, front?: Front): Promise<RunningServer> {
  const log = options.log ?? ((line: string) => console.error(line))
  const memory = options.dataDir === 'memory://'
  const reachable = !isLoopbackName(options.host)
  const undo: (() => unknown)[] = []
  let interrupted: ReturnType<typeof settleBeforeStart> = null

  try {
    if (!memory) {
      undo.push(openDataDirectory(options.dataDir))
      interrupted = settleBeforeStart(ROOT, log)
    }
    options.beforeOpen?.()
    const keys = memory ? generateKeys() : loadKeys(resolve(options.dataDir), process.env, reachable)
    const files = new Files(
      memory ? null : options.dataDir,
      {
        maxFileMb: options.fileMaxMb ?? 25,
        maxCompanyMb: options.fileCompanyMb ?? 10_240,
        maxPackageMb: options.packageMaxMb ?? 512,
        maxPackagesMb: options.packageCompanyMb ?? 10_240,
      },
      options.storageUrl,
    )
    undo.push(() => files.close())
    // Closed after the listener, so that requests under way are answered.
    let core: (() => Core) | undefined
    undo.push(() => core?.().close())
    let progress: StartProgress = { step: 'database', done: 0, total: 1 }
    const { http, use } = await listen(
      options.port,
      options.host,
      startingListener(() => progress),
    )
    undo.push(() => closeHttp(http))
    const { port } = http.address() as AddressInfo
    const name = reachable ? 'localhost' : options.host
    const url = `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port}`
    options.onListen?.(url)
    const siteUrl = options.siteUrl ? siteUrlOf(options.siteUrl) : url
    const session = sessionLimits(options)
    const mailer: Mailer = createMailer({
      siteUrl: () => siteUrl,
      smtpUrl: options.smtpUrl,
      hasMailbox: options.keepMails ?? hasMailbox(options),
      from: options.mailFrom,
      replyAddress: options.mailReply && replyAddressOf(options.mailReply),
      readsReplies: Boolean(options.imapUrl ?? options.mailInboundSecret),
    })
    if (options.mailInboundSecret !== undefined && options.mailInboundSecret.length < MIN_MAIL_SECRET)
      throw new StartError(`MAIL_INBOUND_SECRET must have at least ${MIN_MAIL_SECRET} characters.`)
    if (options.imapUrl) imapAccount(options.imapUrl)
    undo.push(() => mailer.close())
    const mailboxKey = hasMailbox(options) ? randomBytes(24).toString('base64url') : null
    const mailboxUrl = mailboxKey && `${url}/mailbox?key=${mailboxKey}`

    const moveOldPackages = async (query: Query) => {
      try {
        const { moved, left } = await takeOverPackages(options.dataDir, files, query)
        if (moved > 0) log(`Uploaded packages moved from packages/ to the files of records: ${moved}.`)
        if (left > 0)
          log(`Files in packages/ that belong to no version of an app, and can be deleted: ${left}.`)
      } catch (error) {
        log(
          `Uploaded packages could not be moved from packages/, and are moved by the next start: ${(error as Error).message}`,
        )
      }
    }

    const open = async (demo: boolean): Promise<Core> => {
      const blank = memory || (!options.databaseUrl && prepareDatabase(options.dataDir, log))
      const core = await openCore({
        root: ROOT,
        pgliteUrl: memory ? 'memory://' : databaseDirectory(options.dataDir),
        blank,
        databaseUrl: options.databaseUrl,
        demo,
        keys,
        siteUrl,
        session,
        mail: mailer,
        log,
        onProgress: (now) => {
          progress = now
        },
      })
      if (!memory && !options.databaseUrl) markFinished(options.dataDir)
      await files.announce(core.database.query)
      if (!memory) await moveOldPackages(core.database.query)
      return core
    }
    const dist = options.serveDist === undefined ? join(ROOT, 'dist') : options.serveDist
    const served = dist !== null && existsSync(join(dist, 'index.html')) ? dist : null
    let live: LiveServer | undefined
    let inbound: Inbound | undefined
    const backend: Backend = {
      definitions: null,
      core: await open(options.demo).catch((error: unknown) => {
        if (error instanceof RefusedMigration) interrupted?.refused()
        throw error
      }),
      ready: Promise.resolve(),
      keys,
      files,
      deviceSignals: new DeviceSignals(),
      siteUrl,
      rateLimitFactor: options.rateLimitFactor ?? 1,
      trustedProxies: options.trustedProxies ?? 0,
      sessionMaxSeconds: session.maxSeconds,
      takesMail: mailer.takesMail,
      settleMails: async () => {
        if (mailer.isLocal) await outbox.drain()
      },
      log,
    }
    core = () => backend.core
    interrupted?.applied()
    if (served !== null || front)
      backend.definitions = await openDefinitions({
        root: options.definitionsRoot ?? ROOT,
        keepIn: memory ? null : join(options.dataDir, 'definitions.json'),
        log,
        onChange: () => live?.announceConsole(),
        readColumns: () => storedColumns(backend.core.database.query),
      })
    undo.push(() => backend.definitions?.close())
    const outbox = startOutbox(() => backend.core.database, mailer, { log, poll: options.timers ?? true })
    undo.push(() => outbox.close())
    if (reachable) {
      const demo = await openDemoAccounts(backend.core.database.query)
      if (demo.length > 0)
        throw new StartError(
          `HOST ${options.host} is reachable by others, and ${demo.join(', ')} still have the demo password. ` +
            'Change their passwords, or start on an empty data directory with -- --empty.',
        )
    }

    const started = startLive(http, backend, front?.upgrade)
    live = started
    undo.push(() => started.close())
    await started.attach()
    await listenForReload(backend.core)
    await backend.deviceSignals.attach(backend.core)
    await outbox.attach()
    const readsMail = options.mailInboundSecret !== undefined || options.imapUrl !== undefined
    if (readsMail) {
      const started = startInbound(() => backend.core.database, files, {
        log,
        poll: options.timers ?? true,
        authserv: options.mailAuthserv,
      })
      inbound = started
      undo.push(() => started.close())
      await started.attach()
    }
    await announceMail(backend.core.database.query, options, mailer)
    const releases = new AgentReleases(backend, options.agentDir ?? join(ROOT, 'dist-agent'))
    await releases.current()
    if (!memory)
      undo.push(
        await serveControl(options.dataDir, {
          ...operationsOn(backend, options, open, async () => {
            await started.attach()
            await listenForReload(backend.core)
            await backend.deviceSignals.attach(backend.core)
            await outbox.attach()
            await inbound?.attach()
            await announceMail(backend.core.database.query, options, mailer)
            await releases.current()
          }),
          mailbox: async () => mailboxUrl,
        }),
      )
    if (options.timers ?? true) undo.push(startMaintenance(backend))
    if (options.imapUrl && inbound) {
      const imap = startImap({
        url: options.imapUrl,
        inbound,
        log,
        onPoll: async (error) => {
          await backend.core.database.query(
            'update app.mail_state set polled_at = now(), poll_error = left($1, 500)',
            [error],
          )
        },
      })
      undo.push(() => imap.close())
    }

    const refusals = refusalLog(backend)
    undo.push(() => refusals.close())
    const app = createHttpApp(backend, {
      mailer,
      refusals,
      dist: served,
      releases,
      mailboxKey,
      inbound:
        inbound && options.mailInboundSecret ? { mails: inbound, secret: options.mailInboundSecret } : null,
      siteUrlNamed: Boolean(options.siteUrl),
    })
    const listener = getRequestListener(app.fetch)
    use(front ? front.wrap(listener, backend) : listener)

    if (reachable && !options.siteUrl)
      log(`Links in mails point to ${siteUrl}, which works on this machine only: set SITE_URL.`)
    if (!options.smtpUrl && !mailboxKey) log('Mails are not sent: set SMTP_URL.')
    const warning = options.siteUrl && options.trustedProxies === undefined && proxyWarning(siteUrl)
    if (warning) log(warning)

    let stopped: Promise<void> | undefined
    return {
      url,
      port,
      publishableKey: keys.publishableKey,
      serviceKey: keys.secretKey,
      mailboxUrl,
      mails: mailer.mailbox,
      query: (sql, params) => backend.core.database.query(sql, params),
      stop: () => {
        stopped ??= unwind(undo)
        return stopped
      },
    }
  } catch (error) {
    await unwind(undo).catch(() => undefined)
    throw error
  }
}

/** Guessing it must be hopeless. */
const MIN_MAIL_SECRET = 32
/** RFC 5321 gives the local part 64 characters, and a token with its plus sign takes 53. */
const MAX_REPLY_NAME = 11

function replyAddressOf(given: string): string {
  const [, name = ''] = /^([A-Za-z0-9._-]+)@[A-Za-z0-9.-]+$/.exec(given) ?? []
  if (name && name.length <= MAX_REPLY_NAME) return given
  throw new StartError(
    `MAIL_REPLY must be an address with at most ${MAX_REPLY_NAME} characters before the @, not ${given}.`,
  )
}

/** Tells the database how this server sends and reads mail, for the settings page. */
async function announceMail(
  query: Core['database']['query'],
  { mailInboundSecret, imapUrl, mailReply }: ServerOptions,
  mailer: Mailer,
): Promise<void> {
  const reads = mailInboundSecret ? (imapUrl ? 'both' : 'webhook') : imapUrl ? 'imap' : null
  await query(
    `insert into app.mail_state (can_send, is_local, reads, reply_address) values ($1, $2, $3, $4)
     on conflict (only_row) do update set can_send = excluded.can_send, is_local = excluded.is_local,
       reads = excluded.reads, reply_address = excluded.reply_address`,
    [mailer.takesMail, mailer.isLocal, reads, mailReply ?? null],
  )
}

/** As PostgREST has it: `notify pgrst, 'reload schema'` after tables or functions changed. */
async function listenForReload({ database }: Core): Promise<void> {
  const reload = () => void database.exclusive(() => database.api.reload()).catch(() => undefined)
  await database.listen(
    'pgrst',
    (message) => {
      if (message === '' || message === 'reload schema') reload()
    },
    reload,
  )
}

const DAY_SECONDS = 24 * 3600

const sessionLimits = ({ sessionIdleDays = 7, sessionMaxDays = 30 }: ServerOptions) => ({
  idleSeconds: Math.round(Math.min(sessionIdleDays, sessionMaxDays) * DAY_SECONDS),
  maxSeconds: Math.round(sessionMaxDays * DAY_SECONDS),
})

/** In reverse, and to the end: a part that fails to close must not keep the lock of the next. */
async function unwind(undo: (() => unknown)[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) {
    try {
      await step()
    } catch (error) {
      console.error(`The server did not stop cleanly: ${(error as Error).message}`)
    }
  }
}
