import { RateLimit } from './rate-limit'

export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge'
}

/** The body stopped coming, or its client went away. */
export class BodyUnfinished extends Error {
  override name = 'BodyUnfinished'
}

/** Other bodies of this sender, or of everybody, take all the memory there is for them. */
export class BodiesTooMany extends Error {
  override name = 'BodiesTooMany'
}

/** The least that an arriving body counts for: a connection that sends a byte at a time has its cost, too. */
const MIN_CHARGE = 4 * 1024

export interface BodyLease {
  /** @throws BodiesTooMany when there is no room for as many bytes. */
  grow: (bytes: number) => void
  /** The whole body is here: it counts for what it is. */
  settle: (bytes: number) => void
  /** The body stopped coming: senders of many such bodies are refused for a while. */
  abandon: () => void
  release: () => void
}

/** The memory that request bodies may take at once: per sender, and altogether. */
export class BodyBudget {
  #used = 0
  readonly #bySender = new Map<string, number>()
  readonly #abandoned = new RateLimit(200, 300)
  readonly #max: number
  readonly #maxPerSender: number

  constructor(max: number, maxPerSender: number) {
    this.#max = max
    this.#maxPerSender = maxPerSender
  }

  lease(sender: string): BodyLease {
    let charged = 0
    let isReleased = false
    const add = (bytes: number) => {
      charged += bytes
      this.#used += bytes
      const used = (this.#bySender.get(sender) ?? 0) + bytes
      if (used > 0) this.#bySender.set(sender, used)
      else this.#bySender.delete(sender)
    }
    return {
      grow: (bytes) => {
        const more = Math.max(bytes, MIN_CHARGE) - charged
        if (more <= 0 || isReleased) return
        if (charged === 0 && this.#abandoned.isFull(sender)) throw new BodiesTooMany()
        if (this.#used + more > this.#max) throw new BodiesTooMany()
        if ((this.#bySender.get(sender) ?? 0) + more > this.#maxPerSender) throw new BodiesTooMany()
        add(more)
      },
      settle: (bytes) => {
        if (!isReleased) add(bytes - charged)
      },
      abandon: () => {
        this.#abandoned.take(sender)
      },
      release: () => {
        if (!isReleased) add(-charged)
        isReleased = true
      },
    }
  }
}

/** A body has ten seconds, and more for as long as it arrives at 16 kB a second. */
const PATIENCE_MS = 10_000
const MIN_BYTES_PER_MS = 16

async function nextChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  deadline: number,
  lease?: BodyLease,
): Promise<Uint8Array | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        lease?.abandon()
        reject(new BodyUnfinished())
      },
      Math.max(0, deadline - Date.now()),
    )
  })
  const next = reader.read().catch(() => {
    throw new BodyUnfinished()
  })
  try {
    return (await Promise.race([next, late])).value
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The whole body, before the request enters the queue: a client that sends slowly must not hold up everybody else.
 * @throws BodyTooLarge beyond `limit` bytes, without reading the rest; BodyUnfinished; BodiesTooMany
 */
export async function readBody(
  request: Request,
  limit: number,
  lease?: BodyLease,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!request.body) return null
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw new BodyTooLarge()
  lease?.grow(0)
  const started = Date.now()
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const chunk = await nextChunk(reader, started + PATIENCE_MS + size / MIN_BYTES_PER_MS, lease)
    if (!chunk) break
    size += chunk.byteLength
    if (size > limit) throw new BodyTooLarge()
    lease?.grow(size)
    chunks.push(chunk)
  }
  lease?.settle(size)
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
