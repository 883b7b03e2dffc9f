import type { EmailDriver } from '@supabase/lite'
import { createTransport } from 'nodemailer'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import { StartError } from '../start-error'
import { type Notice, noticeMail } from './notice-texts'
import { type MailKind, passwordMail, type Texts } from './texts'

export type { MailKind }

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
  /** Mails stay in the local mailbox. */
  isLocal: boolean
  /** Settles once the mail server has taken the mail. @throws when it has not. */
  deliver: (kind: MailKind, to: string, token: string) => Promise<void>
  /** Tells a person of alerts or tickets; settles and throws as `deliver`. */
  notify: (notice: Notice, to: string, language: string | null) => Promise<void>
  /** Newest last; always empty when mails really leave. */
  mailbox: () => readonly Mail[]
  close: () => Promise<void>
}

export interface MailerOptions {
  siteUrl: () => string
  smtpUrl?: string
  from?: string
}

const KEPT = 200
/** A mail server that does not answer must not hold up the outbox for long. */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 30_000 }

function transportOf(smtpUrl: string) {
  if (!/^smtps?:\/\//.test(smtpUrl)) throw new StartError('SMTP_URL must begin with smtp:// or smtps://.')
  return createTransport({ url: smtpUrl, ...TIMEOUTS })
}

/**
 * Mail goes out by SMTP where a server is named, else into the local mailbox, never both: a mailbox that also kept real
 * links would be a way into every account.
 */
export function createMailer({ siteUrl, smtpUrl, from }: MailerOptions): Mailer {
  const transport = smtpUrl ? transportOf(smtpUrl) : null
  const sender = from || `${PRODUCT_NAME} <no-reply@${new URL(siteUrl()).hostname}>`
  const kept: Mail[] = []

  async function dispatch(to: string, texts: Texts, link: string): Promise<void> {
    if (transport) {
      await transport.sendMail({ from: sender, to, ...texts })
      return
    }
    kept.push({ to, subject: texts.subject, text: texts.text, link, sentAt: new Date().toISOString() })
    kept.splice(0, kept.length - KEPT)
  }

  return {
    isLocal: transport === null,
    mailbox: () => kept,
    deliver: async (kind, to, token) => {
      // The page exchanges both alike; by the type it knows whether a first password is being chosen.
      const type = kind === 'invitation' ? 'invite' : 'recovery'
      const link = `${siteUrl()}/reset-password?token_hash=${encodeURIComponent(token)}&type=${type}`
      await dispatch(to, passwordMail(kind, link), link)
    },
    notify: async (notice, to, language) => {
      await dispatch(to, noticeMail(notice, siteUrl(), language), `${siteUrl()}${notice.link}`)
    },
    // All mails go through the outbox, so lite sends none.
    send: async () => undefined,
    close: async () => transport?.close(),
  }
}
