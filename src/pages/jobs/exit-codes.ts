import { isOpen } from './run-status'

export type ExitCodeBar = {
  key: string
  label: 'code' | 'none'
  code: number | null
  count: number
  share: number
}

/** Counts the exit codes of ended runs: most frequent first, with a separate bar for runs without a code. */
export function exitCodeBars(
  runs: readonly { status: string; exit_code: number | null }[],
  max = 6,
): ExitCodeBar[] {
  const counts = new Map<number | null, number>()
  for (const run of runs) {
    if (isOpen(run.status)) continue
    counts.set(run.exit_code, (counts.get(run.exit_code) ?? 0) + 1)
  }
  const highest = Math.max(0, ...counts.values())
  return [...counts]
    .map(
      ([code, count]): ExitCodeBar => ({
        key: code === null ? 'none' : String(code),
        label: code === null ? 'none' : 'code',
        code,
        count,
        share: count / highest,
      }),
    )
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
