import { createHmac, randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { expect } from 'vitest'
import { testBackend } from '../../support/backend'
import { eventually } from '../../support/eventually'

const SECRET = 'a-secret-of-the-mail-server-for-tests'

interface Sending {
  secret?: string
  at?: number
  signature?: string
}

export interface Letter {
  from?: string
  to?: string
  subject?: string
  id?: string
  headers?: string[]
  text?: string
}

export const letter = ({
  from = 'Stranger <stranger@elsewhere.test>',
  to = 'help@acme.test',
  subject = 'Printer',
  id = `<${randomUUID()}@elsewhere.test>`,
  headers = [],
  text = 'It does not print.',
}: Letter) =>
  [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: ${id}`,
    'MIME-Version: 1.0',
    ...(headers.some((line) => /^content-type:/i.test(line))
      ? []
      : ['Content-Type: text/plain; charset=utf-8']),
    ...headers,
    '',
    text,
  ].join('\r\n')

export interface Result {
  status: string
  reason: string | null
  ticket_id: string | null
  company_id: string | null
  error: string | null
  id: string
}

/** A server that takes mail by its signed webhook, with the demo company Acme and the address help@acme.test. */
export async function openMailDesk() {
  const backend = await testBackend({
    driver: 'pglite',
    mailReply: 'reply@desk.test',
    mailInboundSecret: SECRET,
    mailAuthserv: 'mx.desk.test',
  })
  const client = (name: string) => backend.client(`${name}@acme.test`)
  const [admin, teknik, standard] = await Promise.all([client('admin'), client('teknik'), client('standard')])
  const one = async <R>(query: string, params: unknown[] = []): Promise<R> =>
    (await backend.sql<R>(query, params))[0] as R
  const company = (await one<{ id: string }>(`select id from public.companies where name = 'Acme'`)).id
  const profiles = await backend.sql<{ id: string; email: string }>('select id, email from public.profiles')
  const people = new Map(profiles.map(({ id, email }) => [email, id]))
  await backend.sql(`insert into public.mail_addresses (company_id, address) values ($1, 'help@acme.test')`, [
    company,
  ])

  async function post(
    raw: string | Buffer,
    { secret = SECRET, at = Date.now() / 1000, signature }: Sending = {},
  ) {
    const body = Buffer.from(raw)
    const timestamp = String(Math.floor(at))
    const signed = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
    const answer = await fetch(`${backend.url}/mail/v1/inbound`, {
      method: 'POST',
      headers: { 'x-konsol-timestamp': timestamp, 'x-konsol-signature': signature ?? signed },
      body,
    })
    return {
      status: answer.status,
      code: ((await answer.json()) as { code: string }).code,
      signature: signed,
    }
  }

  /** Sends a mail and answers what became of it. */
  async function arrive(given: Letter): Promise<Result> {
    const id = given.id ?? `<${randomUUID()}@elsewhere.test>`
    expect((await post(letter({ ...given, id }))).status).toBe(202)
    return eventually(async () => {
      const row = await one<Result | undefined>(
        `select id, status, reason, ticket_id, company_id, error from public.inbound_mails where message_id = $1 and status <> 'received'`,
        [id],
      )
      if (!row) throw new Error('The mail is not settled.')
      return row
    })
  }

  /** Mails that follow another within a minute wait for its end; this ends the wait and the limits of an hour. */
  const hurry = () =>
    backend.sql(`with due as (update app.ticket_mails set next_attempt_at = now(), sent_at = sent_at - interval '1 day')
      select pg_notify('konsol_mail', '')`)

  const mailTo = (email: string, text: string) =>
    eventually(async () => {
      await hurry()
      const found = backend.mails().findLast((mail) => mail.to === email && mail.text.includes(text))
      if (!found) throw new Error(`No mail to ${email} with ${text}.`)
      return found
    })

  const openTicket = async (requester = 'standard@acme.test') =>
    (
      await one<{ id: string }>(
        `insert into public.tickets (company_id, subject, requester_id, assignee_id) values ($1, $2, $3, $4) returning id`,
        [company, `Monitor ${randomUUID()}`, people.get(requester), people.get('teknik@acme.test')],
      )
    ).id

  const reply = async (client: SupabaseClient, ticket: string, body: string, kind = 'reply') =>
    client
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: ticket, kind, body })
      .select('id')
      .single<{ id: string }>()
      .throwOnError()

  const comments = (ticket: string) =>
    backend.sql<{ id: string; body: string; author_id: string | null; author_name: string; kind: string }>(
      'select id, body, author_id, author_name, kind from public.ticket_comments where ticket_id = $1 order by created_at',
      [ticket],
    )

  return {
    backend,
    admin,
    teknik,
    standard,
    company,
    people,
    one,
    post,
    arrive,
    hurry,
    mailTo,
    openTicket,
    reply,
    comments,
    stop: () => backend.stop(),
  }
}

export type MailDesk = Awaited<ReturnType<typeof openMailDesk>>
