import type { Metrics } from '../inventory/metrics'
import { log } from '../log'
import { checkMonitor } from './check-monitor'
import { cannotTell } from './checks'
import type { Monitor } from './monitor'

/** The state of a monitor, sent to the server when it changes. */
export interface MonitorState {
  monitor_id: string
  state: 'ok' | 'failing' | 'unknown'
  message: string
}

/** A figure may be missing for a moment: the load of the processors is known from the second measurement on. */
const UNKNOWN_AFTER = 3
/** How often a state that stays is told again because its message is another one. */
const RENEW_MS = 5 * 60_000

interface Watched {
  monitor: Monitor
  timer: NodeJS.Timeout
  /** Failed checks in a row. */
  failures: number
  /** Checks in a row that could not be made. */
  unmade: number
  current: MonitorState | null
  /** When `current` was set. */
  since: number
  /** The state that the server has confirmed. */
  told: MonitorState | null
}

/** Whether both say the same, up to the decimals of their figures. */
const isSame = (a: MonitorState, b: MonitorState): boolean =>
  a.state === b.state && rounded(a.message) === rounded(b.message)
const rounded = (message: string): string =>
  message.replace(/\d+\.\d+/g, (figure) => String(Math.round(Number(figure))))

/** Makes the checks of this device's monitors, each at its own pace, and knows what the server has not heard yet. */
export class MonitorWatch {
  private readonly watched = new Map<string, Watched>()

  constructor(
    private readonly metrics: () => Promise<Metrics>,
    /** A state changed. */
    private readonly onChange: () => void,
  ) {}

  /** Takes the list of monitors; those that are the same keep their state. */
  replace(monitors: readonly Monitor[]): void {
    const known = new Map(monitors.map((monitor) => [monitor.id, JSON.stringify(monitor)]))
    for (const [id, { monitor, timer }] of this.watched) {
      if (known.get(id) === JSON.stringify(monitor)) continue
      clearTimeout(timer)
      this.watched.delete(id)
    }
    for (const monitor of monitors) {
      if (this.watched.has(monitor.id)) continue
      const watched: Watched = {
        monitor,
        failures: 0,
        unmade: 0,
        current: null,
        since: 0,
        told: null,
        // Not all at once, and the first not a whole interval from now.
        timer: this.later(monitor, Math.random() * Math.min(5, monitor.intervalSeconds)),
      }
      this.watched.set(monitor.id, watched)
    }
  }

  stop(): void {
    for (const { timer } of this.watched.values()) clearTimeout(timer)
    this.watched.clear()
  }

  /** States that the server has not confirmed. */
  get news(): MonitorState[] {
    return [...this.watched.values()].flatMap(({ current, told }) =>
      current && !(told && isSame(current, told)) ? [current] : [],
    )
  }

  /** The server has taken these. */
  confirm(states: readonly MonitorState[]): void {
    for (const state of states) {
      const watched = this.watched.get(state.monitor_id)
      if (watched) watched.told = state
    }
  }

  private later(monitor: Monitor, seconds: number): NodeJS.Timeout {
    const timer = setTimeout(() => void this.check(monitor), seconds * 1000)
    timer.unref()
    return timer
  }

  private async check(monitor: Monitor): Promise<void> {
    const finding = await checkMonitor(monitor, this.metrics).catch((error: unknown) => {
      log(`A check of monitor ${monitor.id} failed: ${String(error)}`)
      return cannotTell('The check failed on this device')
    })
    const watched = this.watched.get(monitor.id)
    // Replaced while it was being checked.
    if (watched?.monitor !== monitor) return
    watched.timer = this.later(monitor, monitor.intervalSeconds)
    watched.unmade = finding.isFailing === null ? watched.unmade + 1 : 0
    if (finding.isFailing === null) {
      if (watched.unmade >= UNKNOWN_AFTER) this.tell(watched, 'unknown', finding.message)
      return
    }
    watched.failures = finding.isFailing ? watched.failures + 1 : 0
    if (finding.isFailing && watched.failures < monitor.repeatCount) return
    this.tell(watched, finding.isFailing ? 'failing' : 'ok', finding.isFailing ? finding.message : '')
  }

  private tell(watched: Watched, state: MonitorState['state'], message: string): void {
    const next = { monitor_id: watched.monitor.id, state, message }
    const { current, since } = watched
    if (current?.state === state && (isSame(current, next) || Date.now() < since + RENEW_MS)) return
    watched.current = next
    watched.since = Date.now()
    this.onChange()
  }
}
