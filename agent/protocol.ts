import { isRecord } from './files'
import { type Monitor, toMonitors } from './monitors/monitor'

/** `Agent`: a task of the agent itself, with JSON as its script (`tasks/task.ts`). */
export type ScriptType = 'PowerShell' | 'Batch' | 'Python' | 'Bash' | 'Agent'

/** A run as the server offers it. */
export interface Offer {
  runId: string
  attempt: number
  type: string
  script: string
  sha256: string
  parameters: Record<string, unknown>
  timeoutSeconds: number
  /** Names of the parameters whose values must not appear in the output. */
  secrets: string[]
  /** The terminal session whose working directory it runs in. */
  terminal?: string
}

export type FinalState = 'succeeded' | 'failed' | 'timed_out' | 'interrupted' | 'cancelled' | 'refused'

/** A result, or the news of a run, as `agent_report` takes it; `reason` is a code the console has words for. */
export interface Result {
  run_id: string
  attempt: number
  state: FinalState | 'running'
  exit_code?: number | null
  output?: string
  truncated?: boolean
  reason?: 'interrupted' | 'hash_mismatch' | 'no_interpreter' | 'start_failed' | 'already_installed'
  started_at?: string
  finished_at?: string
}

export interface CheckInAnswer {
  intervalSeconds: number
  /** In ms since 1970; NaN where the server did not say. */
  serverTime: number
  wantsInventory: boolean
  offers: Offer[]
  cancel: string[]
  /** The device's monitors, when they are others than those of the hash it sent. */
  monitors: { list: Monitor[]; hash: string } | null
  /** The version of the agent that this device is to run, when it is another. */
  update: string | null
  /** Somebody has the terminal of this device open. */
  hasTerminal: boolean
  /** The server waited before it answered, so that the next check-in need not. */
  isHeld: boolean
}

const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Ids of runs and terminals become file names, so anything else is refused. */
const isRunId = (value: unknown): value is string => typeof value === 'string' && RUN_ID.test(value)

function toOffer(value: unknown): Offer[] {
  if (!isRecord(value) || !isRunId(value.run_id)) return []
  const { run_id: runId, attempt, type, script, sha256, timeout_seconds: timeoutSeconds } = value
  if (typeof attempt !== 'number' || typeof type !== 'string' || typeof script !== 'string') return []
  if (typeof sha256 !== 'string' || typeof timeoutSeconds !== 'number') return []
  const parameters = isRecord(value.parameters) ? value.parameters : {}
  const secrets = Array.isArray(value.secrets) ? value.secrets.map(String) : []
  const terminal = isRunId(value.terminal) ? { terminal: value.terminal } : {}
  return [{ runId, attempt, type, script, sha256, parameters, timeoutSeconds, secrets, ...terminal }]
}

export function toCheckInAnswer(value: Record<string, unknown>): CheckInAnswer {
  const interval = typeof value.interval === 'number' ? value.interval : 60
  return {
    intervalSeconds: Math.min(600, Math.max(1, interval)),
    serverTime: Date.parse(String(value.time)),
    wantsInventory: value.send_inventory === true,
    offers: Array.isArray(value.runs) ? value.runs.flatMap(toOffer) : [],
    cancel: Array.isArray(value.cancel) ? value.cancel.filter(isRunId) : [],
    monitors:
      typeof value.monitors_hash === 'string'
        ? { list: toMonitors(value.monitors), hash: value.monitors_hash }
        : null,
    update: typeof value.update === 'string' ? value.update : null,
    hasTerminal: value.terminal === true,
    isHeld: value.held === true,
  }
}

/** Which results the server is done with, accepted or refused: neither is sent again. */
export function settledRuns(value: Record<string, unknown>): {
  accepted: string[]
  refused: Map<string, string>
} {
  const refused = new Map<string, string>()
  for (const entry of Array.isArray(value.refused) ? value.refused : [])
    if (isRecord(entry) && isRunId(entry.run_id)) refused.set(entry.run_id, String(entry.reason))
  return { accepted: Array.isArray(value.accepted) ? value.accepted.filter(isRunId) : [], refused }
}
