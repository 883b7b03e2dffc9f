/** How an update fares on the ring before, and what a policy asks of it. */
export interface RingFacts {
  ring: number
  tried: number
  succeeded: number
  /** When the first device of the ring before installed it. */
  first_at: string | null
  after_days: number
  success_percent: number
  min_devices: number
}

export type RingHold =
  | { reason: 'untried'; tried: number; needed: number; before: number }
  | { reason: 'failing'; tried: number; succeeded: number; percent: number; before: number }
  | { reason: 'days'; until: Date; before: number }
  /** All is met: the next tick releases it. */
  | { reason: 'soon'; before: number }

const DAY_MS = 86_400_000

/** Why a ring holds an update back, in the order in which `app.promote_updates()` asks. */
export function ringHold(facts: RingFacts, now: number): RingHold {
  const { tried, succeeded } = facts
  const before = facts.ring - 1
  if (tried < facts.min_devices) return { reason: 'untried', tried, needed: facts.min_devices, before }
  if (succeeded * 100 < facts.success_percent * tried)
    return { reason: 'failing', tried, succeeded, percent: facts.success_percent, before }
  const until = new Date(new Date(facts.first_at ?? now).getTime() + facts.after_days * DAY_MS)
  return until.getTime() > now ? { reason: 'days', until, before } : { reason: 'soon', before }
}
