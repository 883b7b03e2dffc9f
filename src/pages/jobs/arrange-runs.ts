import { fold } from '@/i18n/fold'
import { RUN_STATUSES } from './run-status'

export type RunOrder = 'device' | 'status'

interface NamedRun {
  status: string
  device: { name: string } | null
}

const rankOf = ({ status }: NamedRun): number => (RUN_STATUSES as readonly string[]).indexOf(status)

/** As the database sorts names: in Turkish order, numbers by value. */
const names = new Intl.Collator('tr', { numeric: true })

export const compareDevices = (a: NamedRun, b: NamedRun): number =>
  names.compare(a.device?.name ?? '', b.device?.name ?? '')

/** From queued to ended, as `RUN_STATUSES` lists them. */
export const compareStatuses = (a: NamedRun, b: NamedRun): number => rankOf(a) - rankOf(b)

/** The runs whose device matches every word, in order; case and accents do not count. */
export function arrangeRuns<Run extends NamedRun>(
  runs: readonly Run[],
  text: string,
  order: RunOrder,
): Run[] {
  const found = findRuns(runs, text)
  return found.toSorted((a, b) => (order === 'status' ? compareStatuses(a, b) : 0) || compareDevices(a, b))
}

export function findRuns<Run extends NamedRun>(runs: readonly Run[], text: string): Run[] {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return runs.filter(({ device }) => {
    const name = fold(device?.name ?? '')
    return words.every((word) => name.includes(word))
  })
}
