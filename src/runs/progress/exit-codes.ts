import { isOpen } from './run-status'

type EndedRun = { status: string; exit_code: number | null }

/** A run that was stopped, on whichever side, tells nothing about the script by its code. */
const STOPPED: ReadonlySet<string> = new Set(['timed_out', 'cancelled', 'expired'])

export interface ExitCodeBar {
  key: string
  /** The exit code; null for a run that has none. */
  code: number | null
  status: string
  count: number
  share: number
}

/** Counts ended runs by exit code, and runs without a code by their status; the largest count first. */
export function exitCodeBars(runs: readonly EndedRun[], max = 6): ExitCodeBar[] {
  const bars = new Map<string, Omit<ExitCodeBar, 'share'>>()
  for (const { status, exit_code } of runs) {
    if (isOpen(status)) continue
    const code = STOPPED.has(status) ? null : exit_code
    const key = code === null ? status : `${status}:${code}`
    const bar = bars.get(key) ?? { key, code, status, count: 0 }
    bars.set(key, { ...bar, count: bar.count + 1 })
  }
  const highest = Math.max(0, ...[...bars.values()].map(({ count }) => count))
  return [...bars.values()]
    .map((bar) => ({ ...bar, share: bar.count / highest }))
    .sort(
      (a, b) =>
        b.count - a.count || (a.code ?? Number.MAX_SAFE_INTEGER) - (b.code ?? Number.MAX_SAFE_INTEGER),
    )
    .slice(0, max)
}

/**
 * The devices whose latest run failed, from runs ordered newest first. A device that has succeeded or is busy
 * since is excluded, so that "run again on failed devices" never repeats what already worked.
 */
export function stillFailedDevices(
  runs: readonly { device_id: string; status: string }[],
  hasFailed: (status: string) => boolean,
): string[] {
  const seen = new Set<string>()
  const failed: string[] = []
  for (const run of runs) {
    if (seen.has(run.device_id)) continue
    seen.add(run.device_id)
    if (hasFailed(run.status)) failed.push(run.device_id)
  }
  return failed
}
