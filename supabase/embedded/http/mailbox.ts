import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import type { Mail, Mailer } from '../mail/mailer'
import { isLocal } from './address'
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
<p>Without SMTP_URL mails stay here, and only until the server stops. This page answers on this machine alone.</p>
${mails.length ? '' : html`<p>No mails yet.</p>`}
${[...mails].reverse().map(
  (mail) => html`<article><h2>${mail.subject}</h2>
  <p>${mail.to} · <time>${mail.sentAt}</time></p><p><a href="${mail.link}">${mail.link}</a></p>
  <details><summary>Text</summary><pre>${mail.text}</pre></details></article>`,
)}
</main></body></html>`

/** Whoever reads this mailbox can take over every account, so it is for this machine alone. */
export function mailboxRoutes(mailer: Mailer): Hono<Env> {
  const app = new Hono<Env>()
  app.use('/mailbox', async (c, next) => (isLocal(c.env.incoming) ? next() : c.text('Not found', 404)))
  app.use('/mailbox.json', async (c, next) => (isLocal(c.env.incoming) ? next() : c.text('Not found', 404)))
  app.get('/mailbox', (c) => c.html(page(mailer.mailbox()), 200, { 'cache-control': 'no-store' }))
  app.get('/mailbox.json', (c) => c.json(mailer.mailbox(), 200, { 'cache-control': 'no-store' }))
  return app
}
