import { createHash } from 'node:crypto'
import type { Database } from '../database/database'
import { contentType, PROGRAM, SNIFFED_BYTES } from '../files/content-type'
import { FileRefused, type Files, objectMetadata } from '../files/files'
import { within } from '../within'
import { type Attachment, type Head, MailReader, type ReadMail, UnreadableMail } from './reader'

const CHANNEL = 'konsol_mail_in'
const POLL_MS = 30_000
const CLOSE_MS = 500
const MEGABYTE = 1024 * 1024

/** The largest raw message. */
export const MAX_MAIL_BYTES = 30 * MEGABYTE

export interface Inbound {
  attach: () => Promise<void>
  /** Keeps a raw message and reads it soon; false for one that has arrived before. */
  take: (raw: Uint8Array, source: 'webhook' | 'imap') => Promise<boolean>
  /** Lists a message that will not be read, by its head. */
  refuse: (head: Uint8Array, source: 'webhook' | 'imap', why: string) => Promise<void>
  /** Settles once no mail waits. */
  drain: () => Promise<void>
  close: () => Promise<void>
}

interface Verdict {
  status: string
  company: string | null
  ticket?: string
  person?: string
}

interface LeftOut {
  name: string
  why: 'program' | 'size' | 'room' | 'markup'
}

/** A name in a text is no link: somebody outside would mention a person with it. */
const unlinked = (name: string) => name.replaceAll('[', '(').replaceAll(']', ')')

const LEFT_OUT = {
  en: {
    title: 'Left out',
    program: 'programs, scripts and shortcuts are not taken',
    size: 'larger than is allowed',
    room: 'the files of the company take all their room',
    markup: 'the rest of the message, which has too many elements',
  },
  tr: {
    title: 'Alınmadı',
    program: 'programlar, betikler ve kısayollar alınmaz',
    size: 'izin verilenden büyük',
    room: 'şirketin dosya alanı dolu',
    markup: 'iletinin çok fazla öğe içeren kalan kısmı',
  },
}

const headersOf = (raw: Uint8Array): string =>
  Buffer.from(raw.subarray(0, 64 * 1024))
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1)[0] ?? ''

/** A mail is known by its Message-ID and sender; one without a Message-ID by its bytes. */
export function messageKey(raw: Uint8Array): string {
  const head = headersOf(raw).replace(/\r?\n[ \t]+/g, ' ')
  const line = (name: string) => new RegExp(`^${name}:[ \\t]*(.+)$`, 'im').exec(head)?.[1]?.trim()
  const id = line('message-id')
  const hash = createHash('sha256')
  return (id ? hash.update(`${id}\n${line('from') ?? ''}`) : hash.update(raw)).digest('hex')
}

export function startInbound(
  database: () => Database,
  files: Files,
  { log, poll, authserv }: { log: (line: string) => void; poll: boolean; authserv?: string | undefined },
): Inbound {
  const reader = new MailReader(authserv ? { authserv } : {})
  let running: Promise<void> | null = null
  let isClosed = false

  /** Keeps a file as an upload without a record, with the checks of every upload. */
  async function keep(
    { name, content }: Attachment,
    company: string,
    resource: string,
    person: string | undefined,
  ): Promise<{ id: string } | LeftOut> {
    const head = Buffer.from(content.buffer, content.byteOffset, Math.min(SNIFFED_BYTES, content.byteLength))
    if (content.byteLength > files.limits.maxFileMb * MEGABYTE) return { name, why: 'size' }
    if (contentType(head, name) === PROGRAM) return { name, why: 'program' }
    let row: { id: string; path: string } | undefined
    try {
      ;[row] = await database().query<{ id: string; path: string }>(
        `insert into public.files (company_id, resource, name, size, created_by) values ($1, $2, $3, $4, $5)
         returning id, path`,
        [company, resource, name, content.byteLength, person ?? null],
      )
    } catch (error) {
      const { hint } = error as { hint?: string }
      if (hint === 'file_program') return { name, why: 'program' }
      if (hint === 'file_size') return { name, why: 'size' }
      if (hint === 'file_room') return { name, why: 'room' }
      throw error
    }
    if (!row) throw new Error('The file has no row.')
    const announced = { path: row.path, name, size: content.byteLength }
    try {
      const arrived = await files.alone(row.path, async () => {
        await files.append(announced, 0, chunksOf(content))
        return files.complete(announced)
      })
      await database().query(
        `with object as (
           insert into storage.objects (bucket_id, name, owner, owner_id, metadata, version)
           values ('files', $3, $4::uuid, $4::text, $5::text::jsonb, gen_random_uuid()::text))
         update public.files set uploaded_at = now(), type = $2 where id = $1`,
        [
          row.id,
          arrived.type.slice(0, 120),
          row.path,
          person ?? null,
          JSON.stringify(objectMetadata(row.path, arrived)),
        ],
      )
      return { id: row.id }
    } catch (error) {
      await database().query('delete from public.files where id = $1', [row.id])
      if (error instanceof FileRefused) return { name, why: 'program' }
      throw error
    }
  }

  async function settle(id: string, mail: ReadMail): Promise<void> {
    const { attachments, ...message } = mail
    const told = { ...message, attachments: attachments.map(({ name }) => name).join(', ') }
    const [judged] = await database().query<{ verdict: Verdict; language: string | null }>(
      `select j.verdict, app.company_language((j.verdict ->> 'company')::uuid) as language
       from (select app.judge_inbound($1, $2::jsonb) as verdict) j`,
      [id, JSON.stringify(told)],
    )
    const kept: string[] = []
    const leftOut: LeftOut[] = []
    if (judged?.verdict.status === 'filed' && judged.verdict.company !== null) {
      const { company, ticket, person } = judged.verdict
      for (const attachment of attachments) {
        const result = await keep(attachment, company, ticket ? 'ticket_comments' : 'tickets', person)
        if ('id' in result) kept.push(result.id)
        else leftOut.push(result)
      }
    }
    if (mail.is_html_cut) leftOut.push({ name: 'HTML', why: 'markup' })
    const words = LEFT_OUT[judged?.language === 'tr' ? 'tr' : 'en']
    // A quotation would take the lines behind it as its own.
    const note = leftOut
      .map(({ name, why }) => `${words.title}: ${unlinked(name)} (${words[why]})`)
      .join('  \n')
    const body = [note, mail.body].filter(Boolean).join('\n\n')
    await database().query('select app.file_inbound($1, $2::jsonb, $3::uuid[])', [
      id,
      JSON.stringify({ ...told, body }),
      kept,
    ])
  }

  /**
   * Lists a mail that could not be read. Its own words may be the cause, which the database then refuses again: the mail is
   * listed without them.
   */
  async function listUnread(
    write: (why: string, head: string) => Promise<unknown>,
    why: string,
    head: Head | undefined,
  ): Promise<void> {
    const { from, to, subject, tokens, references } = head ?? { to: [] as string[] }
    try {
      await write(why.replaceAll('\0', ''), JSON.stringify({ from, to, subject, tokens, references }))
    } catch (error) {
      log(`A mail could not be listed with its head: ${(error as Error).message}`)
      await write('The message could not be read.', '{}')
    }
  }

  /** Sender, recipients and subject, also of a mail whose body ends the reader. */
  const headOf = (raw: Uint8Array): Promise<Head | undefined> =>
    reader
      .read(Buffer.from(`${headersOf(raw)}\r\n\r\n`, 'latin1'))
      .catch((error: unknown) => (error as UnreadableMail).head)

  async function readNext(): Promise<boolean> {
    const [next] = await database().query<{ id: string; raw: string; attempts: number }>(
      'select * from app.take_inbound()',
    )
    if (!next) return false
    const raw = Buffer.from(next.raw, 'base64')
    let head: Head | undefined
    try {
      const mail = await reader.read(raw)
      head = mail
      await settle(next.id, mail)
    } catch (error) {
      const { message } = error as Error
      const isFinal = error instanceof UnreadableMail
      log(`A mail could not be ${isFinal ? 'read' : 'filed'}: ${message}`)
      // The mails behind it are read in any case; the database gives this one up after its third try.
      await listUnread(
        (why, told) =>
          database().query('select app.fail_inbound($1, $2, $3, $4::jsonb)', [next.id, why, isFinal, told]),
        message,
        isFinal ? (error.head ?? (await headOf(raw))) : head,
      ).catch((failure: Error) => log(`A mail could not be listed: ${failure.message}`))
    }
    return true
  }

  async function work(): Promise<void> {
    while (!isClosed && (await readNext())) {
      // Mails are read one after the other: a mail that answers another is read after it.
    }
  }

  async function drain(): Promise<void> {
    await running
    running ??= work()
      .catch((error: unknown) => log(`Mails could not be read: ${(error as Error).message}`))
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
      if (poll) void drain()
    },
    take: async (raw, source) => {
      const [row] = await database().query<{ id: string | null }>(
        'select app.queue_inbound($1, $2, $3) as id',
        [messageKey(raw), source, Buffer.from(raw).toString('base64')],
      )
      return row?.id != null
    },
    refuse: async (head, source, why) => {
      // The thread reads one message at a time.
      await running
      const told = await headOf(head)
      await listUnread(
        (words, named) =>
          // Both in one statement: between two, the mail would be read.
          database().query(
            `select app.fail_inbound(q.id, $4, true, $5::jsonb) from app.queue_inbound($1, $2, $3) as q (id) where q.id is not null`,
            [messageKey(head), source, Buffer.from(head).toString('base64'), words, named],
          ),
        why,
        told,
      )
    },
    drain,
    close: async () => {
      isClosed = true
      clearInterval(timer)
      if (running) await within(CLOSE_MS, running)
      await reader.close()
    },
  }
}

async function* chunksOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
