import type { Database } from '../database/database'
import { within } from '../within'
import type { Mailer, MailKind } from './mailer'
import type { Notice } from './notice-texts'
import type { TicketMail } from './ticket-texts'

const CHANNEL = 'konsol_mail'
/** Picks up failed mails whose time has come; new ones wake the server by themselves. */
const POLL_MS = 20_000
const CLOSE_MS = 300

export interface Outbox {
  /** Listens to the core's database; again after the core was replaced. */
  attach: () => Promise<void>
  /** Sends what is due. Settles once nothing is due. */
  drain: () => Promise<void>
  close: () => Promise<void>
}

interface QueuedMail {
  id: string
  kind: MailKind
  email: string
  token: string | null
}

interface QueuedNotice {
  id: string
  email: string
  language: string | null
  content: Notice | null
}

interface QueuedTicketMail extends Omit<TicketMail, 'content'> {
  id: string
  email: string
  language: string | null
  content: TicketMail['content'] | null
}

/** Sends the mails of `app.mail_outbox`, `app.ticket_mails` and `app.notices`, one batch at a time; what fails stays there for a later try. */
export function startOutbox(
  database: () => Database,
  mailer: Mailer,
  { log, poll }: { log: (line: string) => void; poll: boolean },
): Outbox {
  let running: Promise<void> | null = null
  let isClosed = false

  async function send({ id, kind, email, token }: QueuedMail): Promise<void> {
    const finish = (outcome: 'sent' | 'dropped' | 'failed', error: string | null = null) =>
      database().query('select app.finish_mail($1::bigint, $2, $3)', [id, outcome, error])
    // An address without an account takes the same statements: nothing tells the two apart.
    if (token === null) return void (await finish('dropped'))
    try {
      await mailer.deliver(kind, email, token)
    } catch (error) {
      const { message } = error as Error
      log(`A mail could not be sent and will be retried: ${message}`)
      return void (await finish('failed', message))
    }
    await finish('sent')
  }

  async function notify({ id, email, language, content }: QueuedNotice): Promise<void> {
    const finish = (outcome: 'sent' | 'dropped' | 'failed', error: string | null = null) =>
      database().query('select app.finish_notice($1::bigint, $2, $3)', [id, outcome, error])
    // The alerts have been resolved, or the person may no longer read them.
    if (content === null) return void (await finish('dropped'))
    try {
      await mailer.notify(content, email, language)
    } catch (error) {
      const { message } = error as Error
      log(`A mail could not be sent and will be retried: ${message}`)
      return void (await finish('failed', message))
    }
    await finish('sent')
  }

  async function converse({ id, email, language, content, ...mail }: QueuedTicketMail): Promise<void> {
    const finish = (outcome: 'sent' | 'dropped' | 'failed', error: string | null = null) =>
      database().query('select app.finish_ticket_mail($1::bigint, $2, $3)', [id, outcome, error])
    // The comment was deleted, or the person may no longer read the ticket.
    if (content === null) return void (await finish('dropped'))
    try {
      await mailer.converse({ ...mail, content }, email, language)
    } catch (error) {
      const { message } = error as Error
      log(`A mail could not be sent and will be retried: ${message}`)
      return void (await finish('failed', message))
    }
    await finish('sent')
  }

  async function work(): Promise<void> {
    while (!isClosed) {
      const mails = await database().query<QueuedMail>('select * from app.take_mails()')
      // Passwords come first: nobody waits for them behind a hundred alerts.
      await Promise.all(mails.map(send))
      const tests = await database().query<{ email: string; language: string | null }>(
        'select * from app.take_test_mails()',
      )
      for (const { email, language } of tests)
        await mailer.test(email, language).catch((error: unknown) => {
          log(`A test mail could not be sent: ${(error as Error).message}`)
        })
      const answers =
        mails.length > 0
          ? []
          : await database().query<QueuedTicketMail>('select * from app.take_ticket_mails($1)', [
              mailer.domain,
            ])
      await Promise.all(answers.map(converse))
      const notices =
        mails.length + answers.length > 0
          ? []
          : await database().query<QueuedNotice>('select * from app.take_notices()')
      await Promise.all(notices.map(notify))
      if (mails.length + answers.length + notices.length === 0) return
    }
  }

  async function drain(): Promise<void> {
    if (!mailer.takesMail) return
    // A batch that is under way may have looked before the mail was written, so it is followed by another look.
    await running
    running ??= work()
      .catch((error: unknown) => log(`The outbox could not be read: ${(error as Error).message}`))
      .finally(() => {
        running = null
      })
    await running
  }

  const timer = poll ? setInterval(() => void drain(), POLL_MS) : undefined
  timer?.unref()
  return {
    attach: async () => {
      await database().listen(
        CHANNEL,
        () => void drain(),
        () => void drain(),
      )
      // An earlier run of the server may have left mail behind.
      if (poll) void drain()
    },
    drain,
    close: async () => {
      isClosed = true
      clearInterval(timer)
      // Mail that is not sent by then stays in the outbox.
      if (running) await within(CLOSE_MS, running)
    },
  }
}
