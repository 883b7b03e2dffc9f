import type { EmailDriver } from '@supabase/lite'
import { createTransport } from 'nodemailer'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import { StartError } from '../start-error'
import { recoveryMail } from './texts'

/** A mail as the local mailbox shows it. */
export interface Mail {
  to: string
  subject: string
  text: string
  /** The link of the mail, apart, so that no reader need search the text for it. */
  link: string
  sentAt: string
}

export interface Mailer extends EmailDriver {
  /** Newest last; empty for ever once mails really leave. */
  mailbox: () => readonly Mail[]
  /** Waits for what is on its way. */
  close: () => Promise<void>
}

export interface MailerOptions {
  siteUrl: () => string
  smtpUrl?: string
  from?: string
  log: (line: string) => void
}

const KEPT = 200
const RETRY_MS = [5_000, 30_000]

function transportOf(smtpUrl: string) {
  if (!/^smtps?:\/\//.test(smtpUrl)) throw new StartError('SMTP_URL must begin with smtp:// or smtps://.')
  return createTransport(smtpUrl, {})
}

/**
 * Takes lite's mails by their subject, `<kind> <token hash>`, and writes our own. By SMTP where a server is named,
 * else into the local mailbox, never both: a mailbox that also kept real links would be a way into every account.
 */
export function createMailer({ siteUrl, smtpUrl, from, log }: MailerOptions): Mailer {
  const transport = smtpUrl ? transportOf(smtpUrl) : null
  const sender = from || `${PRODUCT_NAME} <no-reply@${new URL(siteUrl()).hostname}>`
  const kept: Mail[] = []
  const underway = new Set<Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()

  async function deliver(to: string, texts: ReturnType<typeof recoveryMail>, attempt = 0): Promise<void> {
    try {
      await transport?.sendMail({ from: sender, to, ...texts })
    } catch (error) {
      const wait = RETRY_MS[attempt]
      log(`A mail could not be sent${wait ? ', it is tried again' : ''}: ${(error as Error).message}`)
      if (wait === undefined) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        send(to, texts, attempt + 1)
      }, wait)
      timers.add(timer)
    }
  }

  function send(to: string, texts: ReturnType<typeof recoveryMail>, attempt = 0): void {
    const delivery = deliver(to, texts, attempt).finally(() => underway.delete(delivery))
    underway.add(delivery)
  }

  return {
    mailbox: () => kept,
    // Never waited for: lite calls this while it holds the database, and the wait would tell who has an account.
    send: async ({ to, subject }) => {
      const [kind, hash] = subject.split(' ')
      if (kind !== 'recovery' || !hash) return
      const link = `${siteUrl()}/reset-password?token_hash=${encodeURIComponent(hash)}&type=recovery`
      const texts = recoveryMail(link)
      if (transport) return send(to, texts)
      kept.push({ to, subject: texts.subject, text: texts.text, link, sentAt: new Date().toISOString() })
      kept.splice(0, kept.length - KEPT)
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer)
      await Promise.race([
        Promise.allSettled(underway),
        new Promise((resolve) => setTimeout(resolve, 5_000).unref()),
      ])
      transport?.close()
    },
  }
}
