import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs tasks in turns; a task that throws does not stop the next. */
export type Exclusive = <T>(task: () => Promise<T>) => Promise<T>

const requester = new AsyncLocalStorage<string>()

/** Queues the work's tasks under an account or address; without one, tasks are the server's own. */
export const onBehalfOf = <T>(name: string, work: () => T): T => requester.run(name, work)

/** A task longer than this makes its requester a slow one for a while. */
const SLOW_MS = 1_000
/** At width 1, a slow requester rests as long as its task ran, up to this, while others ask. */
const MAX_REST_MS = 8_000
/** At a larger width, a slow requester gets one turn at a time, for ten times as long as its task ran, up to this. */
const MAX_SINGLE_MS = 60_000
/** A requester that was served within this time may ask again at any moment. */
const ACTIVE_MS = 5_000
/** At width 1, requesters whose last task was quick within this time go first after a slow task. */
const TRUSTED_MS = 60_000
/** The trusted requesters go first for this long after a slow task. */
const ALERT_MS = 10_000
/** A requester who has waited longer than this goes after a shorter alert. */
const MAX_WAIT_MS = 15_000
const SHORT_ALERT_MS = 2_000

interface Lane {
  tasks: (() => Promise<void>)[]
  /** When each of its running tasks began, the oldest first. */
  running: number[]
  slowUntil: number
  quickUntil: number
  servedAt: number
  /** When its next task began to wait for a turn. */
  waitsSince: number
}

interface QueueOptions {
  /** Tasks that run at once. */
  width?: number
  /** The maximum of tasks that run at once for one account or address. */
  share?: number
}

/**
 * The server's tasks come first; then each account or address gets one in turn, whoever was served last at the end, so
 * that nobody waits for all the requests of another.
 *
 * PGlite takes one task at a time: it is one session without a transaction mutex, and two requests whose statements
 * interleave end up in each other's transaction and role. There a slow task holds up everybody, so that its requester
 * rests for a while: someone who only asks slow things leaves half of the time to others. After a slow task, whoever was
 * quick lately goes before those of whom nothing is known: several of them with slow tasks hold up others once, not one
 * after the other.
 *
 * PostgreSQL takes several. There the last quarter is only for those who have nothing running and were not slow lately,
 * and a slow requester has one task running: otherwise accounts with slow requests would hold every turn until their
 * statements time out.
 */
export function createQueue({ width = 1, share = width }: QueueOptions = {}): Exclusive {
  const ofServer: (() => Promise<void>)[] = []
  /** In the order of their turns. */
  const lanes = new Map<string, Lane>()
  const reserved = width > 1 ? Math.ceil(width / 4) : 0
  const keptMs = width > 1 ? ACTIVE_MS : TRUSTED_MS
  let running = 0
  let lastSlow = Number.NEGATIVE_INFINITY
  let alarm: NodeJS.Timeout | undefined

  /** Drops the lanes that nobody needs any more; those served last are at the end. */
  function prune(now: number): void {
    for (const [name, lane] of lanes) {
      if (lane.tasks.length + lane.running.length > 0) continue
      if (now - lane.servedAt <= keptMs) return
      if (now >= lane.slowUntil) lanes.delete(name)
    }
  }

  /** Milliseconds until the lane may have its next turn. */
  function restOf(lane: Lane, now: number): number {
    if (width > 1 || now >= lane.slowUntil) return 0
    const isAlone = ![...lanes.values()].some((other) => other !== lane && now - other.servedAt <= ACTIVE_MS)
    return isAlone ? 0 : lane.slowUntil - now
  }

  /** Turns held by slow requesters, and by those whose task has run for long already. */
  function slowTurns(now: number): number {
    let turns = 0
    for (const { running: begun, slowUntil } of lanes.values())
      if (now < slowUntil || now - (begun[0] ?? now) > SLOW_MS) turns += begun.length
    return turns
  }

  function hasRoom(lane: Lane, now: number): boolean {
    const own = lane.running.length
    if (now < lane.slowUntil) return own === 0 && slowTurns(now) < width - reserved
    return own === 0 || (own < share && running < width - reserved)
  }

  /** Whether the lane need not let others go first. */
  const isFirst = (lane: Lane, now: number) =>
    width > 1 ||
    now < lane.quickUntil ||
    now - lastSlow > (now - lane.waitsSince > MAX_WAIT_MS ? SHORT_ALERT_MS : ALERT_MS)

  function nextLane(now: number): [string, Lane] | undefined {
    let shortest = Number.POSITIVE_INFINITY
    let unknown: [string, Lane] | undefined
    for (const [name, lane] of lanes) {
      if (lane.tasks.length === 0 || !hasRoom(lane, now)) continue
      const rest = restOf(lane, now)
      if (rest === 0 && isFirst(lane, now)) return [name, lane]
      if (rest === 0) unknown ??= [name, lane]
      shortest = Math.min(shortest, rest)
    }
    if (unknown) return unknown
    if (Number.isFinite(shortest)) alarm = setTimeout(proceed, shortest).unref()
    return undefined
  }

  async function serve(name: string, lane: Lane, task: () => Promise<void>): Promise<void> {
    const started = Date.now()
    lane.running.push(started)
    lanes.delete(name)
    lanes.set(name, lane)
    await task()
    lane.running.splice(lane.running.indexOf(started), 1)
    const now = Date.now()
    lane.servedAt = now
    lane.waitsSince = now
    const took = now - started
    if (took > SLOW_MS) {
      lastSlow = now
      lane.quickUntil = 0
      lane.slowUntil = now + (width === 1 ? Math.min(took, MAX_REST_MS) : Math.min(10 * took, MAX_SINGLE_MS))
    } else lane.quickUntil = now + TRUSTED_MS
    // Behind requests that arrived in between.
    lanes.delete(name)
    lanes.set(name, lane)
    prune(now)
  }

  function proceed(): void {
    clearTimeout(alarm)
    while (running < width) {
      const own = ofServer.shift()
      const [name, lane] = own ? [] : (nextLane(Date.now()) ?? [])
      const task = own ?? lane?.tasks.shift()
      if (!task) return
      running++
      void (name !== undefined && lane ? serve(name, lane, task) : task()).then(() => {
        running--
        proceed()
      })
    }
  }

  return <T>(task: () => Promise<T>) => {
    const name = requester.getStore()
    const lane = name === undefined ? undefined : (lanes.get(name) ?? newLane())
    const result = new Promise<T>((resolve, reject) => {
      // The queue may run in another request's context: the task keeps the context it was added in.
      const bound = AsyncLocalStorage.bind(async () => {
        try {
          resolve(await task())
        } catch (error) {
          reject(error)
        }
      })
      ;(lane?.tasks ?? ofServer).push(bound)
    })
    if (name !== undefined && lane) {
      if (lane.tasks.length === 1) lane.waitsSince = Date.now()
      lanes.set(name, lane)
    }
    proceed()
    return result
  }
}

const newLane = (): Lane => ({
  tasks: [],
  running: [],
  slowUntil: 0,
  quickUntil: 0,
  servedAt: Number.NEGATIVE_INFINITY,
  waitsSince: Number.NEGATIVE_INFINITY,
})
