import { useRpc } from '@/refine/use-rpc'

/** A step of the history: seconds since 1970, then percentages. */
type LoadPoint = [
  at: number,
  cpu: number | null,
  cpuPeak: number | null,
  memory: number | null,
  disk: number | null,
]

export interface LoadHistory {
  /** Seconds. */
  step: number
  points: LoadPoint[]
}

/** The measures that a device reports, with the field of its current value and their place in a point. */
export const MEASURES = [
  { field: 'cpu_percent', at: 1 },
  { field: 'memory_percent', at: 3 },
  { field: 'disk_percent', at: 4 },
] as const
export type Measure = (typeof MEASURES)[number]

export const DAY_HOURS = 24
const REFETCH_MS = 5 * 60_000

export function useLoadHistory(deviceId: string, hours: number) {
  return useRpc<LoadHistory>(
    { name: 'device_history', args: { device_id: deviceId, hours } },
    { refetchInterval: REFETCH_MS, placeholderData: (previous) => previous },
  )
}

export interface Dot {
  at: number
  /** Null where the device reported nothing. */
  value: number | null
}

/** The values of a measure in time, with one null in each gap. */
export function dotsOf({ step, points }: LoadHistory, index: 1 | 2 | 3 | 4): Dot[] {
  const dots: Dot[] = []
  let last: number | null = null
  for (const point of points) {
    const [at] = point
    if (last !== null && at - last > step * 1.5) dots.push({ at: last + step, value: null })
    dots.push({ at, value: point[index] })
    last = at
  }
  return dots
}

export interface LoadSummary {
  average: number
  peak: number
}

/** Null without any value. */
export function summaryOf(history: LoadHistory, { at }: Measure): LoadSummary | null {
  const values = history.points.flatMap((point) => point[at] ?? [])
  if (values.length === 0) return null
  const peaks = at === 1 ? history.points.flatMap((point) => point[2] ?? []) : values
  return {
    average: Math.round(values.reduce((sum, value) => sum + value, 0) / values.length),
    peak: Math.max(...values, ...peaks),
  }
}
