import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'
import { eventually } from '../../support/eventually'

const DOVECOT = '/usr/sbin/dovecot'
const hasDovecot =
  existsSync(DOVECOT) && spawnSync('id', ['-u', 'dovecot']).status === 0 && userInfo().uid === 0
if (!hasDovecot)
  console.warn('Not tested with an IMAP server: dovecot-imapd is missing, or this is not root.')

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

describe.skipIf(!hasDovecot)('a mailbox of Dovecot', () => {
  let backend: TestBackend
  let dovecot: ChildProcess
  let folder: string
  let port: number
  let company: string

  const maildir = () => join(folder, 'mail/Maildir')

  async function startDovecot(): Promise<void> {
    dovecot = spawn(DOVECOT, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' })
    await eventually(async () => {
      const answer = await new Promise<boolean>((resolve) => {
        const probe = spawnSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`])
        resolve(probe.status === 0)
      })
      if (!answer) throw new Error('Dovecot does not answer.')
    })
  }

  async function stopDovecot(): Promise<void> {
    const ended = new Promise((resolve) => dovecot.once('exit', resolve))
    dovecot.kill('SIGTERM')
    await ended
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-imap-'))
    port = await freePort()
    for (const part of ['new', 'cur', 'tmp']) mkdirSync(join(maildir(), part), { recursive: true })
    spawnSync('chmod', ['755', folder])
    spawnSync('chown', ['-R', 'nobody:nogroup', join(folder, 'mail')])
    writeFileSync(join(folder, 'users'), `desk:{PLAIN}a-password:65534:65534::${join(folder, 'mail')}::\n`)
    writeFileSync(
      join(folder, 'dovecot.conf'),
      `protocols = imap
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
ssl = no
disable_plaintext_auth = no
mailbox_idle_check_interval = 1s
listen = 127.0.0.1
mail_location = maildir:~/Maildir
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = passwd-file
  args = ${folder}/users
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`,
    )
    await startDovecot()
    backend = await testBackend({
      driver: 'pglite',
      mailReply: 'reply@desk.test',
      imapUrl: `imap://desk:a-password@127.0.0.1:${port}/INBOX`,
    })
    company = (await backend.sql<{ id: string }>(`select id from public.companies where name = 'Acme'`))[0]
      ?.id as string
    await backend.sql(
      `insert into public.mail_addresses (company_id, address) values ($1, 'help@acme.test')`,
      [company],
    )
  })
  afterAll(async () => {
    await backend?.stop()
    if (dovecot) await stopDovecot()
    rmSync(folder, { recursive: true, force: true })
  })

  /** As a mail server delivers into a Maildir. */
  function deliver(raw: string): void {
    const name = `${Date.now()}.${randomUUID()}.test`
    writeFileSync(join(maildir(), 'tmp', name), raw)
    spawnSync('chown', ['nobody:nogroup', join(maildir(), 'tmp', name)])
    spawnSync('mv', [join(maildir(), 'tmp', name), join(maildir(), 'new', name)])
  }

  const letter = (
    to: string,
    id: string,
    text: string,
    from = 'standard@acme.test',
    headers: string[] = [],
  ) =>
    [
      `From: ${from}`,
      `To: ${to}`,
      'Subject: Re: Printer',
      `Message-ID: ${id}`,
      ...headers,
      '',
      text,
      '',
    ].join('\r\n')

  const result = (id: string) =>
    eventually(async () => {
      const [row] = await backend.sql<{ status: string; reason: string | null; ticket_id: string | null }>(
        `select status, reason, ticket_id from public.inbound_mails where message_id = $1 and status <> 'received'`,
        [id],
      )
      if (!row) throw new Error('The mail is not settled.')
      return row
    })

  it('is read as mail arrives: the answer lands on its ticket once, and is marked as read', async () => {
    const teknik = await backend.client('teknik@acme.test')
    const [ticket] = await backend.sql<{ id: string }>(
      `insert into public.tickets (company_id, subject, requester_id)
       select $1, 'Printer', id from public.profiles where email = 'standard@acme.test' returning id`,
      [company],
    )
    const words = `Which one? ${randomUUID()}`
    await teknik
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: ticket?.id, kind: 'reply', body: words })
      .throwOnError()
    const sent = await eventually(async () => {
      await backend.sql(
        `with due as (update app.ticket_mails set next_attempt_at = now()) select pg_notify('konsol_mail', '')`,
      )
      const mail = backend
        .mails()
        .find((each) => each.to === 'standard@acme.test' && each.text.includes(words))
      if (!mail?.replyTo) throw new Error('No mail.')
      return mail
    })
    const id = `<${randomUUID()}@acme.test>`
    const raw = letter(sent.replyTo as string, id, 'The one in the hall')
    deliver(raw)
    expect(await result(id)).toEqual({ status: 'filed', reason: null, ticket_id: ticket?.id })
    deliver(raw)
    const away = `<${randomUUID()}@acme.test>`
    deliver(
      letter(sent.replyTo as string, away, 'I am away', 'standard@acme.test', [
        'Auto-Submitted: auto-replied',
      ]),
    )
    expect(await result(away)).toMatchObject({ status: 'ignored', reason: 'auto_reply' })
    expect(
      await backend.sql(`select body from public.ticket_comments where ticket_id = $1 order by created_at`, [
        ticket?.id,
      ]),
    ).toEqual([{ body: words }, { body: 'The one in the hall' }])
    // Dovecot writes the mark S into the name of the file.
    await eventually(async () => {
      const names = readdirSync(join(maildir(), 'cur'))
      expect(names).toHaveLength(3)
      for (const name of names) expect(name).toMatch(/:2,[A-Z]*S/)
    })
  })

  it('that goes away is said in words, and read on once it is back', async () => {
    await stopDovecot()
    const state = () => backend.sql<{ poll_error: string | null }>('select poll_error from app.mail_state')
    await eventually(async () => {
      const [{ poll_error } = { poll_error: null }] = await state()
      if (!poll_error) throw new Error('No error yet.')
    })
    const id = `<${randomUUID()}@elsewhere.test>`
    deliver(letter('help@acme.test', id, 'Hello', 'stranger@elsewhere.test'))
    await startDovecot()
    expect(await result(id)).toMatchObject({ status: 'held', reason: 'unknown_sender' })
    await eventually(async () => {
      expect(await state()).toEqual([{ poll_error: null }])
    })
  })

  it('keeps no password in what the server says', async () => {
    expect(readFileSync(join(folder, 'log'), 'utf8')).toContain('desk')
    const rows = await backend.sql<{ state: string }>(
      'select row_to_json(s)::text as state from app.mail_state s',
    )
    expect(JSON.stringify(rows)).not.toContain('a-password')
  })
})
