import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MailDesk, openMailDesk } from '../support/mail-desk'

let desk: MailDesk
let { backend, admin, teknik, company, people, one, arrive, mailTo, openTicket, reply, comments } =
  {} as MailDesk

beforeAll(async () => {
  desk = await openMailDesk()
  ;({ backend, admin, teknik, company, people, one, arrive, mailTo, openTicket, reply, comments } = desk)
})
afterAll(() => desk?.stop())

describe('a reply token', () => {
  it('is in nothing that others read of a reply, however the mail program quotes it', async () => {
    const ticket = await openTicket()
    const words = `Token ${randomUUID()}`
    await reply(admin, ticket, words)
    const { replyTo = '' } = await mailTo('teknik@acme.test', words)
    const token = /\+([a-z2-7]{52})@/.exec(replyTo)?.[1] ?? ''
    expect(token).toHaveLength(52)
    const boundary = 'b2'
    const quotation = `On Mon, Desk <${replyTo}> wrote:\r\n> ##- Write above -## [${token}]\r\n> ${words}`
    const result = await arrive({
      from: 'teknik@acme.test',
      to: replyTo,
      subject: `Re: ${token}`,
      headers: [`Content-Type: multipart/mixed; boundary=${boundary}`],
      text: [
        `--${boundary}`,
        'Content-Type: text/plain; charset=utf-8',
        '',
        `Done. mailto:reply%2B${token}@desk.test\r\n\r\n${quotation}`,
        `--${boundary}`,
        'Content-Type: message/rfc822',
        'Content-Disposition: attachment; filename="original.eml"',
        '',
        `To: ${replyTo}\r\nSubject: Original\r\n\r\n${quotation}`,
        `--${boundary}`,
        'Content-Type: application/json',
        `Content-Disposition: attachment; filename="Re [${token}].json"`,
        '',
        JSON.stringify({ token }),
        `--${boundary}--`,
      ].join('\r\n'),
    })
    expect(result).toMatchObject({ status: 'filed', ticket_id: ticket })
    const body = (await comments(ticket)).at(-1)?.body ?? ''
    expect(body).toContain('Done. mailto:reply…@desk.test')
    expect(body).toContain(words)
    expect(body).not.toContain('##-')
    const [kept] = await backend.sql(`select m.* from public.inbound_mails m where m.id = $1`, [result.id])
    expect(JSON.stringify([body, kept])).not.toContain(token)
    expect(kept).toMatchObject({ to_address: replyTo.replace(`+${token}`, '') })
    const [file, dataFile] = await backend.sql<{ path: string; name: string }>(
      `select f.path, f.name from public.files f join public.ticket_comments c on c.id = f.record_id
       where c.ticket_id = $1 order by f.name desc`,
      [ticket],
    )
    expect(dataFile?.name).toBe('Re […].json')
    const json = await teknik.storage.from('files').download(dataFile?.path ?? '')
    expect(await json.data?.text()).not.toContain(token)
    expect(file?.name).toBe('original.eml')
    const { data, error } = await teknik.storage.from('files').download(file?.path ?? '')
    expect(error).toBeNull()
    const bytes = await data?.text()
    expect(bytes).toContain('Subject: Original')
    expect(bytes).not.toContain(token)
  })

  it('of the address comes before those that the text quotes', async () => {
    const [meant, quoted] = [await openTicket(), await openTicket()]
    const sent: string[] = []
    for (const ticket of [meant, quoted]) {
      const words = `Which ${randomUUID()}`
      await reply(admin, ticket, words)
      sent.push((await mailTo('standard@acme.test', words)).replyTo ?? '')
    }
    const inner = /\+([a-z2-7]{52})@/.exec(sent[1] ?? '')?.[1]
    const result = await arrive({ from: 'standard@acme.test', to: sent[0] as string, text: `See [${inner}]` })
    expect(result).toMatchObject({ status: 'filed', ticket_id: meant })
  })

  it('waits for nobody who is over the limit of a minute', async () => {
    const ticket = await openTicket()
    const queue = (email: string, ago: string | null, count: number) =>
      backend.sql(
        `insert into app.ticket_mails (company_id, ticket_id, email, events, status, sent_at, next_attempt_at)
         select $1, $2, $3, '{received}', case when $4::interval is null then 'queued' else 'sent' end, now() - $4::interval,
           now() - interval '1 hour' from generate_series(1, $5::integer)`,
        [company, ticket, email, ago, count],
      )
    await backend.sql(`update app.ticket_mails set status = 'sent' where status = 'queued'`)
    await queue('many@elsewhere.test', '10 seconds', 5)
    await queue('many@elsewhere.test', null, 40)
    await queue('one@elsewhere.test', null, 1)
    await backend.sql(`select pg_notify('konsol_mail', '')`)
    const queued = () =>
      backend.sql<{ email: string; n: number }>(
        `select email, count(*)::integer as n from app.ticket_mails
         where email ~ '@elsewhere.test$' and status = 'queued' and ticket_id = $1 group by email`,
        [ticket],
      )
    await expect.poll(queued).toEqual([{ email: 'many@elsewhere.test', n: 40 }])
    await backend.sql(`delete from app.ticket_mails where email ~ '@elsewhere.test$'`)
  })
})

describe('a mail to somebody who is asked', () => {
  it('takes a reply to whom it mentions, whose answer lands on the ticket, and no second mail tells of it', async () => {
    const ticket = await openTicket()
    const admins = people.get('admin@acme.test') as string
    const words = `What do you think? ${randomUUID()}`
    await reply(teknik, ticket, `${words} [@Admin](mention:${admins})`)
    const sent = await mailTo('admin@acme.test', words)
    expect(sent.text).toContain('Bir yanıtta anıldınız.')
    expect(
      await arrive({ from: 'admin@acme.test', to: sent.replyTo as string, text: 'Go ahead' }),
    ).toMatchObject({
      status: 'filed',
      ticket_id: ticket,
    })
    expect((await comments(ticket)).at(-1)).toMatchObject({ author_id: admins, body: 'Go ahead' })
    const notices = () =>
      backend.sql<{ content: unknown }>(
        `select app.notice_content(n) as content from app.notices n
         where n.user_id = $1 and n.kind = 'mentions' and n.subject_id = $2`,
        [admins, ticket],
      )
    expect(await notices()).toEqual([{ content: null }])
    // An internal note is in no mail: the bell and the mail of notices tell that there is one.
    await reply(teknik, ticket, `Between us [@Admin](mention:${admins})`, 'note')
    expect((await notices())[0]?.content).toMatchObject({ mentions: [{ author: expect.any(String) }] })
  })

  it('tells the desk of a single new ticket in its own words, and takes their reply', async () => {
    const description = `It smells of smoke ${randomUUID()}`
    const { data } = await admin
      .from('tickets')
      .insert({ company_id: company, subject: 'Printer', description })
      .select('id, assignee_id')
      .single<{ id: string; assignee_id: string }>()
      .throwOnError()
    // A rule has assigned it: its assignee alone is mailed.
    const assignee = (
      await one<{ email: string }>('select email from public.profiles where id = $1', [data.assignee_id])
    ).email
    await backend.sql('update app.notices set next_attempt_at = now()')
    const sent = await mailTo(assignee, description)
    expect(sent.text).toContain('size atandı')
    expect(await arrive({ from: assignee, to: sent.replyTo as string, text: 'Pull the plug' })).toMatchObject(
      { status: 'filed', ticket_id: data.id },
    )
    expect((await comments(data.id)).at(-1)).toMatchObject({
      author_id: data.assignee_id,
      body: 'Pull the plug',
    })
  })

  it('asks for an approval with its question, and says nothing any more once it is decided', async () => {
    const [ticket, decided] = [await openTicket(), await openTicket()]
    const question = `May I order it? ${randomUUID()}`
    const ask = (id: string) =>
      teknik
        .rpc('request_approval', { ids: [id], person_id: people.get('admin@acme.test'), question })
        .throwOnError()
    await ask(ticket)
    const sent = await mailTo('admin@acme.test', question)
    expect(sent.text).toContain('onayınızı bekliyor')
    expect(sent.replyTo).toMatch(/^reply\+/)
    await backend.sql('update app.ticket_mails set sent_at = now() where email = $1', ['admin@acme.test'])
    await ask(decided)
    await backend.sql(`update public.ticket_approvals set status = 'canceled' where ticket_id = $1`, [
      decided,
    ])
    expect(
      await one(
        // That it was canceled is another mail where the first one has left.
        `select app.ticket_mail_content(m) as content from app.ticket_mails m where ticket_id = $1 and email = $2 and 'approval' = any (events)`,
        [decided, 'admin@acme.test'],
      ),
    ).toEqual({ content: null })
  })
})
