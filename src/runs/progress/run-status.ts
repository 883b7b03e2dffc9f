export const RUN_STATUSES = [
  'queued',
  'claimed',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'expired',
] as const

export type RunStatus = (typeof RUN_STATUSES)[number]

const OPEN: ReadonlySet<string> = new Set(['queued', 'claimed', 'running'])
const FAILED: ReadonlySet<string> = new Set(['failed', 'timed_out', 'expired'])

/** A task's page shows these first: runs on a device now, or failed ones. */
export const URGENT_STATUSES: readonly RunStatus[] = ['running', 'claimed', 'failed', 'timed_out', 'expired']

/** Not finished yet: can be canceled, and is polled. */
export const isOpen = (status: string): boolean => OPEN.has(status)
/** Ended without success. A canceled run is not a failure. */
export const isFailed = (status: string): boolean => FAILED.has(status)
export const isRunStatus = (status: string): status is RunStatus =>
  (RUN_STATUSES as readonly string[]).includes(status)

export type RunTally = {
  total: number
  queued: number
  running: number
  succeeded: number
  failed: number
  canceled: number
}

export function tally(runs: readonly { status: string }[]): RunTally {
  const result: RunTally = {
    total: runs.length,
    queued: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
  }
  for (const { status } of runs) {
    if (status === 'queued') result.queued += 1
    else if (isOpen(status)) result.running += 1
    else if (status === 'succeeded') result.succeeded += 1
    else if (isFailed(status)) result.failed += 1
    else result.canceled += 1
  }
  return result
}

/** The tally of a whole job by its own counters, which do not part what waits from what runs. */
export function tallyOf(
  job: { total: number; succeeded: number; failed: number; canceled: number },
  listed: RunTally,
): RunTally {
  const { total, succeeded, failed, canceled } = job
  return {
    total,
    queued: Math.max(total - succeeded - failed - canceled - listed.running, 0),
    running: listed.running,
    succeeded,
    failed,
    canceled,
  }
}

/** Milliseconds a run took, null while it has not started or not ended, or where the clock says nonsense. */
export function durationMs(run: { started_at: string | null; finished_at: string | null }): number | null {
  if (run.started_at === null || run.finished_at === null) return null
  const duration = Date.parse(run.finished_at) - Date.parse(run.started_at)
  return Number.isFinite(duration) && duration >= 0 ? duration : null
}
