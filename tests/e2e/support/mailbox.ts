import { createHmac, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { askServer } from '../../../supabase/embedded/control'

/** Where the suite's console at this address keeps its data; of a console that runs already, its usual place. */
export const dataDirOf = (url: string): string =>
  process.env.E2E_URL
    ? (process.env.DATA_DIR ?? 'supabase/.temp/data')
    : join(process.env.E2E_DATA_DIR ?? '', new URL(url).port)

interface Mail {
  to: string
  text: string
  link: string
  replyTo?: string
}

/** Every mail to an address so far, newest last. The owner of the data directory can read the mailbox's key. */
export async function mailsTo(dataDir: string, to: string): Promise<Mail[]> {
  const page = await askServer<string>(dataDir, 'mailbox')
  const mails = (await (await fetch(page.replace('/mailbox?', '/mailbox.json?'))).json()) as Mail[]
  return mails.filter((mail) => mail.to === to)
}

/** Every link to set a password that was mailed to an address so far, newest last. */
export async function mailedLinks(dataDir: string, to: string): Promise<string[]> {
  return (await mailsTo(dataDir, to)).map(({ link }) => link).filter((link) => link.includes('token_hash='))
}

/** The secret of the suite's webhook for mail. */
export const MAIL_SECRET = 'a-secret-of-the-mail-server-for-tests'

/** Delivers a mail as the mail server of a company does: by the signed webhook. */
export async function deliverMail(
  url: string,
  { from, to, text }: { from: string; to: string; text: string },
): Promise<void> {
  const raw = Buffer.from(
    [
      `From: ${from}`,
      `To: ${to}`,
      'Subject: Re: ticket',
      `Message-ID: <${randomUUID()}@acme.test>`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      text,
    ].join('\r\n'),
  )
  const at = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', MAIL_SECRET).update(`${at}.`).update(raw).digest('hex')
  const { status } = await fetch(`${url}/mail/v1/inbound`, {
    method: 'POST',
    headers: { 'x-konsol-timestamp': at, 'x-konsol-signature': signature },
    body: raw,
  })
  if (status !== 202) throw new Error(`The mail was answered with ${status}.`)
}
