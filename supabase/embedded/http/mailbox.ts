import { createHash, timingSafeEqual } from 'node:crypto'
import { Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { html, raw } from 'hono/html'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import type { Mail, Mailer } from '../mail/mailer'
import { isLocal, isLoopbackName } from './address'
import type { Env } from './context'

const STYLE = `
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
  body { max-width: 720px; margin: 32px auto; padding: 0 16px }
  article { border: 1px solid #8886; border-radius: 8px; padding: 16px; margin: 16px 0 }
  h2 { font-size: 16px; margin: 0 0 4px } p { margin: 4px 0 } pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }
  a { color: #2563eb; overflow-wrap: anywhere } @media (prefers-color-scheme: dark) { a { color: #93c5fd } }`

const page = (mails: readonly Mail[]) => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailbox · ${PRODUCT_NAME}</title><style>${raw(STYLE)}</style></head>
<body><main><h1>Mailbox</h1>
<p>Without SMTP_URL, mails are not sent. They are listed here until the server stops.</p>
${mails.length ? '' : html`<p>No mails yet.</p>`}
${[...mails].reverse().map(
  (mail) => html`<article><h2>${mail.subject}</h2>
  <p>${mail.to} · <time>${mail.sentAt}</time></p><p><a href="${mail.link}">${mail.link}</a></p>
  <details><summary>Text</summary><pre>${mail.text}</pre></details></article>`,
)}
</main></body></html>`

export interface MailboxPlace {
  host: string
  /** As the operator gave it. */
  siteUrl?: string
  databaseUrl?: string
  smtpUrl?: string
  isProduction?: boolean
}

/**
 * Whether there is a mailbox at all. A reader of the mailbox can take over every account, and a proxy on this
 * machine looks like a local visitor, so it exists only where no setting suggests that others use this
 * console.
 */
export function hasMailbox({ host, siteUrl, databaseUrl, smtpUrl, isProduction }: MailboxPlace): boolean {
  if (smtpUrl || databaseUrl || isProduction || !isLoopbackName(host)) return false
  return !siteUrl || isLoopbackName(new URL(siteUrl).hostname)
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Asks for the key that the server printed at its start; everybody else gets the 404 of a page that is not there. */
export function mailboxRoutes(mailer: Mailer, key: string): Hono<Env> {
  const expected = digest(key)
  const isKey = (given: string | undefined) => given !== undefined && timingSafeEqual(digest(given), expected)
  // A browser sends cookies to every port of a host: two consoles must not share a name.
  const cookie = `mailbox_${expected.toString('hex').slice(0, 8)}`
  const noStore = { 'cache-control': 'no-store' }

  const app = new Hono<Env>()
  app.get('/mailbox', (c) => {
    if (!isLocal(c.env.incoming)) return c.text('Not found', 404)
    if (isKey(c.req.query('key'))) {
      // The key leaves the address, where a screenshot or the history would keep it.
      setCookie(c, cookie, key, { httpOnly: true, sameSite: 'Strict', path: '/mailbox' })
      return c.body(null, 303, { location: '/mailbox', ...noStore })
    }
    if (!isKey(getCookie(c, cookie))) return c.text('Not found', 404)
    return c.html(page(mailer.mailbox()), 200, noStore)
  })
  app.get('/mailbox.json', (c) => {
    if (!isLocal(c.env.incoming) || !isKey(c.req.query('key'))) return c.text('Not found', 404)
    return c.json(mailer.mailbox(), 200, noStore)
  })
  return app
}
