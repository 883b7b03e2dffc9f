/** Counts events by key in a sliding window, in memory: a restart forgives, which an attacker cannot cause. */
export class RateLimit {
  readonly #events = new Map<string, number[]>()
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
    const recent = (this.#events.get(key) ?? []).filter((at) => at > now - this.#windowMs)
    if (recent.length >= this.#max) {
      this.#events.set(key, recent)
      return null
    }
    recent.push(now)
    this.#events.set(key, recent)
    if (this.#events.size > 10_000) this.#sweep(now)
    return () => {
      const events = this.#events.get(key)
      const index = events?.lastIndexOf(now) ?? -1
      if (events && index >= 0) events.splice(index, 1)
      if (events?.length === 0) this.#events.delete(key)
    }
  }

  #sweep(now: number): void {
    for (const [key, events] of this.#events)
      if ((events.at(-1) ?? 0) <= now - this.#windowMs) this.#events.delete(key)
  }
}
