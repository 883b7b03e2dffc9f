import { isRecord } from '../files'

/** A monitor as the server gives it. Fields of other types than its own are absent. */
export interface Monitor {
  id: string
  type: 'Performance' | 'Service' | 'Network' | 'Process' | 'Event ID'
  intervalSeconds: number
  /** How many failed checks in a row are a failure. */
  repeatCount: number
  metric?: string
  abovePercent?: number
  serviceName?: string
  restart?: boolean
  probe?: string
  target?: string
  processName?: string
  processState?: string
  eventId?: number
  logName?: string
  eventMinutes?: number
  eventCount?: number
}

/** The result of a check. `isFailing` is null where this device cannot tell, and the message then says why. */
export interface Finding {
  isFailing: boolean | null
  message: string
}

const MONITOR_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TYPES = ['Performance', 'Service', 'Network', 'Process', 'Event ID'] as const
const MAX_MONITORS = 200

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const wholeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
const numberIn = (value: unknown, least: number, most: number, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise

function toMonitor(value: unknown): Monitor[] {
  if (!isRecord(value) || typeof value.id !== 'string' || !MONITOR_ID.test(value.id)) return []
  const type = TYPES.find((each) => each === value.type)
  if (!type) return []
  const given = {
    metric: textOf(value.metric),
    abovePercent: typeof value.above_percent === 'number' ? value.above_percent : undefined,
    serviceName: textOf(value.service_name),
    restart: value.restart === true,
    probe: textOf(value.probe),
    target: textOf(value.target),
    processName: textOf(value.process_name),
    processState: textOf(value.process_state),
    eventId: wholeOf(value.event_id),
    logName: textOf(value.log_name),
    eventMinutes: wholeOf(value.event_minutes),
    eventCount: wholeOf(value.event_count),
  }
  return [
    {
      id: value.id,
      type,
      intervalSeconds: numberIn(value.interval_seconds, 10, 86_400, 60),
      repeatCount: numberIn(value.repeat_count, 1, 100, 3),
      ...(Object.fromEntries(
        Object.entries(given).filter(([, each]) => each !== undefined),
      ) as Partial<Monitor>),
    },
  ]
}

export const toMonitors = (value: unknown): Monitor[] =>
  Array.isArray(value) ? value.slice(0, MAX_MONITORS).flatMap(toMonitor) : []
