import type { ImapFlow } from 'imapflow'
import { StartError } from '../start-error'
import { within } from '../within'
import { type Inbound, MAX_MAIL_BYTES } from './inbound'

const POLL_MS = 60_000
const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 300_000
const CLOSE_MS = 500
/** The server tells of new mail only a client that idles. */
const IDLE_MS = 500
const TIMEOUT_MS = 30_000
/** As much of a message that is too large as names its sender and recipients. */
const HEAD_BYTES = 64 * 1024

export interface ImapOptions {
  url: string
  inbound: Inbound
  log: (line: string) => void
  /** Told after each look into the folder; null is a look that went well. */
  onPoll: (error: string | null) => Promise<void>
  /** The time between two looks; the server also tells of new mail in between. */
  pollMs?: number
  retryMs?: number
}

interface Account {
  host: string
  port: number
  secure: boolean
  user: string
  pass: string
  folder: string
  isTrusting: boolean
}

/**
 * `imaps://user:password@host:993/INBOX`; `imap://` begins with STARTTLS, and only a server on this machine may do
 * without.
 * @throws StartError
 */
export function imapAccount(url: string): Account {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new StartError('IMAP_URL must be imaps://user:password@host/folder.')
  }
  const { protocol, hostname, port, username, password, pathname } = parsed
  if (!/^imaps?:$/.test(protocol) || !hostname || !username)
    throw new StartError('IMAP_URL must be imaps://user:password@host/folder.')
  const secure = protocol === 'imaps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 993 : 143),
    secure,
    user: decodeURIComponent(username),
    pass: decodeURIComponent(password),
    folder: decodeURIComponent(pathname.replace(/^\//, '')) || 'INBOX',
    isTrusting: /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname),
  }
}

/** Reads new mail of a folder. A mail that was taken is marked as read; one that is too large is flagged as well. */
export function startImap({
  url,
  inbound,
  log,
  onPoll,
  pollMs = POLL_MS,
  retryMs = FIRST_RETRY_MS,
}: ImapOptions): {
  close: () => Promise<void>
} {
  const account = imapAccount(url)
  let client: ImapFlow | null = null
  let isClosed = false
  let wake = () => {}
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function readNew(connected: ImapFlow): Promise<void> {
    const lock = await connected.getMailboxLock(account.folder)
    try {
      const uids = (await connected.search({ seen: false }, { uid: true })) || []
      for (const uid of uids) {
        if (isClosed) return
        const found = await connected.fetchOne(String(uid), { size: true }, { uid: true })
        if (!found) continue
        const isTooLarge = (found.size ?? 0) > MAX_MAIL_BYTES
        const message = await connected.fetchOne(
          String(uid),
          { source: isTooLarge ? { start: 0, maxLength: HEAD_BYTES } : true },
          { uid: true },
        )
        if (!message) continue
        if (!message.source) continue
        if (isTooLarge) await inbound.refuse(message.source, 'imap', 'The message is larger than 30 MB.')
        else await inbound.take(message.source, 'imap')
        // Only now: a mail that could not be kept is read again.
        await connected.messageFlagsAdd(String(uid), isTooLarge ? ['\\Seen', '\\Flagged'] : ['\\Seen'], {
          uid: true,
        })
      }
      if (uids.length > 0) void inbound.drain()
    } finally {
      lock.release()
    }
  }

  async function session(): Promise<void> {
    // Loaded only where a mailbox is named.
    const { ImapFlow: Client } = await import('imapflow')
    const { host, port, secure, user, pass, isTrusting } = account
    const connected = new Client({
      host,
      port,
      secure,
      auth: { user, pass },
      logger: false,
      ...(secure || isTrusting ? {} : { doSTARTTLS: true }),
      ...(isTrusting ? { tls: { rejectUnauthorized: false } } : {}),
      autoIdleDelay: IDLE_MS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: 5 * 60_000,
    })
    client = connected
    let failure: Error | null = null
    connected.on('error', (error: Error) => {
      failure = error
      wake()
    })
    connected.on('close', () => {
      failure ??= new Error('The mail server closed the connection.')
      wake()
    })
    let hasNews = false
    connected.on('exists', () => {
      hasNews = true
      wake()
    })
    try {
      await connected.connect()
      while (!isClosed) {
        hasNews = false
        await readNew(connected)
        await onPoll(null)
        // A mail that came while the others were read is not waited for.
        if (!hasNews) await pause(pollMs)
        if (failure) throw failure
      }
    } finally {
      client = null
      connected.close()
    }
  }

  async function run(): Promise<void> {
    let wait = retryMs
    while (!isClosed) {
      const started = Date.now()
      try {
        await session()
      } catch (error) {
        if (isClosed) return
        const reason = wordsOf(error)
        log(`The mailbox could not be read and will be tried again: ${reason}`)
        await onPoll(reason).catch(() => undefined)
        // A connection that held for a while has earned a quick retry.
        if (Date.now() - started > 60_000) wait = retryMs
        await pause(wait)
        wait = Math.min(wait * 2, MAX_RETRY_MS)
      }
    }
  }

  const running = run()
  return {
    close: async () => {
      isClosed = true
      wake()
      client?.close()
      await within(CLOSE_MS, running)
    },
  }
}

function wordsOf(error: unknown): string {
  const { message, responseText, authenticationFailed, code } = error as Error & {
    responseText?: string
    authenticationFailed?: boolean
    code?: string
  }
  if (authenticationFailed)
    return `The mail server refused the name or password. ${responseText ?? ''}`.trim()
  if (code === 'ECONNREFUSED') return 'The mail server refused the connection.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of the mail server is not known.'
  return [message, responseText].filter(Boolean).join(' ')
}
