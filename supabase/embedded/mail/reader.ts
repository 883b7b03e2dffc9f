import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ROOT } from '../root'
import { decodeToken } from './reply-token'

const WORKER = join(ROOT, 'supabase/embedded/mail/parse-mail.mjs')
/** A mail that takes longer is made to. */
const TIMEOUT_MS = 20_000
const HEAP_MB = 384

export interface Attachment {
  name: string
  type: string
  content: Uint8Array
}

/** As much of a mail as names its sender and its company. */
export interface Head {
  from: string
  to: string[]
  subject: string
  tokens?: string[]
  references?: string[]
}

/** A mail as `parse-mail.mjs` reads it; its texts are Markdown. */
export interface ReadMail extends Head {
  from_name: string
  message_id: string | null
  references: string[]
  /** Reply tokens, as hexadecimal digits. */
  tokens: string[]
  machine: 'bounce' | 'auto_reply' | 'bulk' | null
  is_authentic: boolean
  body: string
  /** The HTML has too many elements, so that the body is only its beginning. */
  is_html_cut: boolean
  attachments: Attachment[]
}

/** The mail will never be read; `head` is as much of it as was found. */
export class UnreadableMail extends Error {
  override name = 'UnreadableMail'
  constructor(
    message: string,
    readonly head?: Head,
  ) {
    super(message)
  }
}

interface Answer {
  id: number
  mail?: ReadMail | (Head & { problem: string })
  error?: string
}

interface Reading {
  id: number
  resolve: (answer: Answer) => void
  reject: (error: UnreadableMail) => void
}

/** Reads mails one after the other in a thread of its own, which is replaced when a mail hangs or breaks it. */
export class MailReader {
  #worker: Worker | null = null
  #reading: Reading | null = null
  #lastId = 0

  constructor(private readonly options: { authserv?: string; timeoutMs?: number } = {}) {}

  #start(): Worker {
    const worker = new Worker(WORKER, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    worker.on('message', (answer: Answer) => {
      if (this.#reading?.id === answer.id) this.#reading.resolve(answer)
    })
    worker.on('error', ({ message }) => this.#lost(worker, `Reading the message failed: ${message}`))
    worker.on('exit', () => this.#lost(worker, 'Reading the message failed: its thread ended.'))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return
    this.#worker = null
    void worker.terminate()
    this.#reading?.reject(new UnreadableMail(why))
  }

  /** @throws UnreadableMail */
  async read(raw: Uint8Array): Promise<ReadMail> {
    const id = ++this.#lastId
    const worker = this.#worker ?? this.#start()
    let timer: NodeJS.Timeout | undefined
    try {
      const { mail, error } = await new Promise<Answer>((resolve, reject) => {
        this.#reading = { id, resolve, reject }
        timer = setTimeout(
          () => this.#lost(worker, 'Reading the message took too long.'),
          this.options.timeoutMs ?? TIMEOUT_MS,
        )
        worker.postMessage({ id, raw, options: { authserv: this.options.authserv ?? '' } })
      })
      if (!mail) throw new UnreadableMail(error ?? 'The message could not be read.')
      if ('problem' in mail) throw new UnreadableMail(mail.problem, mail)
      return { ...mail, tokens: mail.tokens.map(decodeToken).filter((token) => token !== null) }
    } finally {
      clearTimeout(timer)
      this.#reading = null
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }
}
