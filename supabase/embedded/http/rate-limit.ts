/** The maximum number of keys: a client with many addresses must not fill the memory. */
const MAX_KEYS = 20_000

interface Events {
  /** When, in order. */
  at: number[]
  /** Entries of `at` before this index are out of the window; they are cut off now and then, not each time. */
  head: number
}

/** Drops the keys that no longer count, then the oldest, until there is room for one more. */
function makeRoom<V>(entries: Map<string, V>, isOver: (value: V) => boolean): void {
  if (entries.size < MAX_KEYS) return
  for (const [key, value] of entries) if (isOver(value)) entries.delete(key)
  for (const key of entries.keys()) {
    // A tenth at once: a full map must not be searched at each new key.
    if (entries.size < MAX_KEYS * 0.9) return
    entries.delete(key)
  }
}

/** Counts events by key in a sliding window, in memory: a restart forgives, which an attacker cannot cause. */
export class RateLimit {
  readonly #events = new Map<string, Events>()
  readonly #max: number
  readonly #windowMs: number

  constructor(max: number, windowSeconds: number, factor = 1) {
    this.#max = Math.max(1, Math.round(max * factor))
    this.#windowMs = windowSeconds * 1000
  }

  /**
   * Counts one event and returns how to undo it, or null when the key is at its limit. It counts before the
   * outcome is known, so that a hundred simultaneous guesses do not all find the counter empty.
   */
  take(key: string, now = Date.now()): (() => void) | null {
    let events = this.#events.get(key)
    if (!events) {
      makeRoom(this.#events, ({ at }) => (at.at(-1) ?? 0) <= now - this.#windowMs)
      events = { at: [], head: 0 }
      this.#events.set(key, events)
    }
    const { at } = events
    this.#forget(events, now)
    if (at.length - events.head >= this.#max) return null
    at.push(now)
    return () => {
      const index = at.lastIndexOf(now)
      if (index >= events.head) at.splice(index, 1)
    }
  }

  /** Seconds until the key has room again; 1 at least, as Retry-After wants it. */
  retryAfter(key: string, now = Date.now()): number {
    const events = this.#events.get(key)
    const oldest = events?.at[events.head] ?? now - this.#windowMs
    return Math.max(1, Math.ceil((oldest + this.#windowMs - now) / 1000))
  }

  /** Whether `take` would refuse, without booking anything. */
  isFull(key: string, now = Date.now()): boolean {
    const events = this.#events.get(key)
    if (!events) return false
    this.#forget(events, now)
    return events.at.length - events.head >= this.#max
  }

  #forget(events: Events, now: number): void {
    const { at } = events
    while (events.head < at.length && (at[events.head] ?? 0) <= now - this.#windowMs) events.head++
    if (events.head > 1000 && events.head * 2 > at.length) {
      at.splice(0, events.head)
      events.head = 0
    }
  }
}

interface Failures {
  count: number
  /** When the last one was booked. */
  last: number
}

const MAX_WAIT_MS = 300_000
const FORGET_MS = 3_600_000

/**
 * Lets the first `free` events of a key through, then makes each one wait twice as long as the one before, five
 * minutes at most. An hour without an event forgives all.
 */
export class Backoff {
  readonly #failures = new Map<string, Failures>()
  readonly #free: number

  constructor(free: number, factor = 1) {
    this.#free = Math.max(1, Math.round(free * factor))
  }

  /** Books one event and returns how to cancel it, or null while the key has to wait. */
  take(key: string, now = Date.now()): (() => void) | null {
    const known = this.#failures.get(key)
    const failures = known && now - known.last < FORGET_MS ? known : { count: 0, last: 0 }
    if (now < failures.last + this.#wait(failures.count)) return null
    if (!known) makeRoom(this.#failures, (other) => other.last <= now - FORGET_MS)
    const { last } = failures
    failures.count++
    failures.last = now
    this.#failures.set(key, failures)
    return () => {
      failures.count--
      if (failures.last === now) failures.last = last
    }
  }

  /** Seconds until the next event is let through; 1 at least. */
  retryAfter(key: string, now = Date.now()): number {
    const { count, last } = this.#failures.get(key) ?? { count: 0, last: now }
    return Math.max(1, Math.ceil((last + this.#wait(count) - now) / 1000))
  }

  #wait(count: number): number {
    return count < this.#free ? 0 : Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.min(count - this.#free + 1, 20))
  }
}

/** Allows bursts up to `burst` and `perSecond` in the long run, with two numbers per key however many requests. */
export class TokenBucket {
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  readonly #burst: number
  readonly #perSecond: number

  constructor(burst: number, perSecond: number, factor = 1) {
    this.#burst = Math.max(1, burst * factor)
    this.#perSecond = perSecond * factor
  }

  /** @returns 0 when the request is allowed, else the seconds after which one is. */
  take(key: string, now = Date.now()): number {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, at: now }
    const tokens = this.#tokensOf(bucket, now)
    if (!this.#buckets.has(key)) makeRoom(this.#buckets, (other) => this.#tokensOf(other, now) >= this.#burst)
    const isAllowed = tokens >= 1
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at: now })
    return isAllowed ? 0 : Math.ceil((1 - tokens) / this.#perSecond)
  }

  #tokensOf({ tokens, at }: { tokens: number; at: number }, now: number): number {
    return Math.min(this.#burst, tokens + (Math.max(0, now - at) / 1000) * this.#perSecond)
  }
}
