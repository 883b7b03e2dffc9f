interface Events {
  /** When, in order. */
  at: number[]
  /** Those before it are out of the window; they are cut off now and then, not each time. */
  head: number
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
   * Books one event and gives back how to cancel it, or null when the key is full. Booked before the outcome is
   * known, so that a hundred guesses at once do not all find the counter empty.
   */
  take(key: string, now = Date.now()): (() => void) | null {
    let events = this.#events.get(key)
    if (!events) {
      if (this.#events.size >= 10_000) this.#sweep(now)
      events = { at: [], head: 0 }
      this.#events.set(key, events)
    }
    const { at } = events
    while (events.head < at.length && (at[events.head] ?? 0) <= now - this.#windowMs) events.head++
    if (events.head > 1000 && events.head * 2 > at.length) {
      at.splice(0, events.head)
      events.head = 0
    }
    if (at.length - events.head >= this.#max) return null
    at.push(now)
    return () => {
      const index = at.lastIndexOf(now)
      if (index >= events.head) at.splice(index, 1)
    }
  }

  #sweep(now: number): void {
    for (const [key, { at }] of this.#events)
      if ((at.at(-1) ?? 0) <= now - this.#windowMs) this.#events.delete(key)
  }
}
