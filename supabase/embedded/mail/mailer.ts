import type { EmailDriver } from '@supabase/lite'
import { createTransport } from 'nodemailer'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import { StartError } from '../start-error'
import { type Notice, noticeMail } from './notice-texts'
import { encodeToken } from './reply-token'
import { type MailKind, passwordMail, type Texts } from './texts'
import { type TicketMail, testMail, ticketMail } from './ticket-texts'

export type { MailKind }

/** A mail as the local mailbox shows it. */
export interface Mail {
  to: string
  subject: string
  text: string
  /** The link of the mail, apart, so that no reader need search the text for it. */
  link: string
  sentAt: string
  /** The Message-ID of a mail about a ticket, which an answer names. */
  messageId?: string
  replyTo?: string
}

export interface Mailer extends EmailDriver {
  /** Mails go to a mail server or into the local mailbox; else they wait in the outbox until one is named. */
  takesMail: boolean
  /** Mails stay in the local mailbox. */
  isLocal: boolean
  /** Settles once the mail server has taken the mail. @throws when it has not. */
  deliver: (kind: MailKind, to: string, token: string) => Promise<void>
  /** Tells a person of alerts or tickets; settles and throws as `deliver`. */
  notify: (notice: Notice, to: string, language: string | null) => Promise<void>
  /** A mail about a ticket, as a part of its thread; settles and throws as `deliver`. */
  converse: (mail: TicketMail, to: string, language: string | null) => Promise<void>
  /** Shows an admin that mail arrives; settles and throws as `deliver`. */
  test: (to: string, language: string | null) => Promise<void>
  /** The domain of our Message-IDs. */
  domain: string
  /** Newest last; always empty when mails really leave. */
  mailbox: () => readonly Mail[]
  close: () => Promise<void>
}

export interface MailerOptions {
  siteUrl: () => string
  smtpUrl?: string
  /** Whether there is a local mailbox. */
  hasMailbox: boolean
  from?: string
  /** The address that replies go to, with a token behind a plus sign. */
  replyAddress?: string
  /** Whether replies are read, by IMAP or by the webhook: mails invite them only then. */
  readsReplies?: boolean
}

const KEPT = 200
/** A mail server that does not answer must not hold up the outbox for long. */
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 30_000 }

function transportOf(smtpUrl: string) {
  if (!/^smtps?:\/\//.test(smtpUrl)) throw new StartError('SMTP_URL must begin with smtp:// or smtps://.')
  return createTransport({ url: smtpUrl, ...TIMEOUTS })
}

const domainOf = (address: string): string | undefined =>
  /@([a-z0-9.-]+)>?\s*$/i.exec(address)?.[1]?.toLowerCase()

/**
 * Mail goes out by SMTP where a server is named, else into the local mailbox, never both: a mailbox that also kept real
 * links would be a way into every account.
 */
export function createMailer({
  siteUrl,
  smtpUrl,
  hasMailbox,
  from,
  replyAddress,
  readsReplies = false,
}: MailerOptions): Mailer {
  const transport = smtpUrl ? transportOf(smtpUrl) : null
  const sender = from || `${PRODUCT_NAME} <no-reply@${new URL(siteUrl()).hostname}>`
  const domain = domainOf(replyAddress ?? sender) ?? new URL(siteUrl()).hostname
  const kept: Mail[] = []
  const keep = (mail: Omit<Mail, 'sentAt'>) => {
    kept.push({ ...mail, sentAt: new Date().toISOString() })
    kept.splice(0, kept.length - KEPT)
  }

  async function dispatch(to: string, texts: Texts, link: string): Promise<void> {
    if (transport) {
      await transport.sendMail({ from: sender, to, ...texts })
      return
    }
    keep({ to, subject: texts.subject, text: texts.text, link })
  }

  return {
    takesMail: transport !== null || hasMailbox,
    isLocal: transport === null && hasMailbox,
    domain,
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
    converse: async (mail, to, language) => {
      const token = mail.token && readsReplies ? encodeToken(mail.token) : null
      const replyTo = token && replyAddress ? replyAddress.replace('@', `+${token}@`) : replyAddress
      // The subject carries the token where no address takes one.
      const texts = ticketMail(mail, siteUrl(), language, { token, inSubject: !replyAddress })
      const references = [...new Set([mail.thread, mail.reply_to])]
      if (!transport) {
        keep({
          to,
          subject: texts.subject,
          text: texts.text,
          link: `${siteUrl()}${mail.content.link ?? '/'}`,
          messageId: mail.message_id,
          ...(replyTo ? { replyTo } : {}),
        })
        return
      }
      await transport.sendMail({
        from: sender,
        to,
        ...texts,
        ...(replyTo ? { replyTo } : {}),
        messageId: mail.message_id,
        inReplyTo: mail.reply_to,
        references,
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(token ? { 'X-Konsol-Token': token } : {}),
        },
      })
    },
    test: async (to, language) => {
      const link = `${siteUrl()}/ticket-settings`
      await dispatch(to, testMail(link, language), link)
    },
    // All mails go through the outbox, so lite sends none.
    send: async () => undefined,
    close: async () => transport?.close(),
  }
}
