/** The most severe first. */
export const UPDATE_SEVERITIES = ['critical', 'important', 'moderate', 'low', 'unspecified'] as const
export type UpdateSeverity = (typeof UPDATE_SEVERITIES)[number]

/** Days after which a missing update counts as overdue, as the page offers them; the database's own is 30. */
export const OVERDUE_DAYS = [7, 14, 30, 60, 90] as const
export const DEFAULT_DAYS = 30

export interface Compliance {
  /** All devices, with those that never reported their updates. */
  devices: number
  unknown: number
  /** Devices that lack nothing that they should have. */
  current: number
  /** Devices that lack it for at most so many days. */
  due: number
  /** Devices that lack it for longer, by the highest severity of what they lack. */
  overdue: Record<UpdateSeverity, number>
  overdueTotal: number
  /** The overdue devices that lack an update for more than three times as long. */
  long: number
  /** Devices that are not overdue, of those that report; null where none does. */
  share: number | null
  /** With all companies in view, those with the most overdue devices. */
  companies: { id: string; name: string; count: number }[]
}

type Fields = Record<string, unknown>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const countOf = (value: unknown): number => {
  const count = Number(value ?? 0)
  return Number.isFinite(count) && count > 0 ? count : 0
}

/** The response of `patch_compliance()`, checked field by field, because a JSON value has no type. */
export function toCompliance(value: unknown): Compliance {
  const data = fieldsOf(value)
  const late = listOf(data.late)
  const sum = (matches: (row: Fields) => boolean) =>
    late.filter(matches).reduce((total, { count }) => total + countOf(count), 0)
  const devices = countOf(data.devices)
  const unknown = Math.min(countOf(data.unknown), devices)
  const due = sum(({ age }) => age === 'due')
  const overdueTotal = sum(({ age }) => age !== 'due')
  const known = devices - unknown
  return {
    devices,
    unknown,
    due,
    overdueTotal,
    current: Math.max(known - due - overdueTotal, 0),
    overdue: Object.fromEntries(
      UPDATE_SEVERITIES.map((severity) => [
        severity,
        sum((row) => row.age !== 'due' && row.severity === severity),
      ]),
    ) as Record<UpdateSeverity, number>,
    long: sum(({ age }) => age === 'long'),
    share: known > 0 ? Math.max(1 - overdueTotal / known, 0) : null,
    companies: listOf(data.companies)
      .map(({ id, name, count }) => ({
        id: String(id ?? ''),
        name: String(name ?? ''),
        count: countOf(count),
      }))
      .filter(({ id, count }) => id !== '' && count > 0),
  }
}

const devicesWhere = (conditions: object[], params: Record<string, string> = {}) => {
  const [first, ...more] = conditions
  const where = more.length > 0 ? { _and: conditions } : first
  return `/devices?${new URLSearchParams({ ...params, where: JSON.stringify(where) })}`
}

/** The list of devices behind each part of the chart. */
export const complianceLinks = {
  current: () => devicesWhere([{ outdated_since: { _null: true } }, { updates_known: { _eq: true } }]),
  due: (days: number) => devicesWhere([{ outdated_since: { _gte: `$now-${days}d` } }]),
  overdue: (days: number, params: { outdated_severity?: UpdateSeverity; company_id?: string } = {}) =>
    devicesWhere([{ outdated_since: { _lt: `$now-${days}d` } }], params),
  unknown: () => devicesWhere([{ updates_known: { _eq: false } }]),
}
