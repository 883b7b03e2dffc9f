import { fold } from '@/i18n/fold'
import { type RunStatus, URGENT_STATUSES } from './run-status'

export type RunOrder = 'device' | 'status'

interface NamedRun {
  status: string
  device: { name: string } | null
}

/** The order of runs: running, failed, waiting, done. */
const BY_URGENCY: readonly string[] = [
  ...URGENT_STATUSES,
  'queued',
  'succeeded',
  'cancelled',
] satisfies RunStatus[]

const rankOf = (status: string): number => BY_URGENCY.indexOf(status)

/** As the database sorts names: in Turkish order, numbers by value. */
const names = new Intl.Collator('tr', { numeric: true })

export const compareDevices = (a: NamedRun, b: NamedRun): number =>
  names.compare(a.device?.name ?? '', b.device?.name ?? '')

/**
 * The runs whose device matches every word, in order; case and accents do not count. A run in `kept` has the place of
 * the status given there, so that an open output does not move away from its reader when the run ends.
 */
export function arrangeRuns<Run extends NamedRun & { id?: string }>(
  runs: readonly Run[],
  text: string,
  order: RunOrder,
  kept: ReadonlyMap<string, string> = new Map(),
): Run[] {
  const found = findRuns(runs, text)
  if (order === 'device') return found.toSorted(compareDevices)
  const placeOf = (run: Run) => rankOf(kept.get(run.id ?? '') ?? run.status)
  return found.toSorted((a, b) => placeOf(a) - placeOf(b) || compareDevices(a, b))
}

export function findRuns<Run extends NamedRun>(runs: readonly Run[], text: string): Run[] {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return runs.filter(({ device }) => {
    const name = fold(device?.name ?? '')
    return words.every((word) => name.includes(word))
  })
}
