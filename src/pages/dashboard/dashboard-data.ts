import { type Compliance, toCompliance } from '@/runs/updates/compliance-data'

/** The most severe first. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const
/** The alerts that the card counts. */
export const OPEN_ALERTS = '/alerts?status=open,acknowledged'
export type Severity = (typeof SEVERITIES)[number]

/** The response of `dashboard(company)`, checked field by field, because a JSON value has no type. */
export type DashboardData = {
  online: number
  offline: number
  procedures: number
  /** Monitors that are not active: the specification's call counts them as alerts, the card counts alerts. */
  failing: number
  /** Monitors that no device can check. */
  unchecked: number
  systems: SystemCount[]
  recent: RecentRun[]
  /** Unresolved alerts. */
  severities: Record<Severity, number>
  /** Devices that lack updates. */
  outdated: number
  /** Null without the permission or the license. */
  compliance: Compliance | null
  /** Devices that need a restart. */
  reboots: number
  /** Scripts that wait for the user's approval; 0 without the permission. */
  approvals: number
  /** Open tickets near their target and beyond it; null for whoever does not work the desk. */
  tickets: { warning: number; breached: number } | null
  updatedAt: string | null
}

export type SystemCount = { os: string; count: number }

export type RecentRun = {
  id: string
  executedAt: string | null
  isSuccess: boolean
  output: string | null
  procedureName: string | null
  deviceName: string | null
  runId: string | null
  deviceId: string | null
}

type Fields = Record<string, unknown>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const numberOf = (value: unknown): number => {
  const number = Number(value ?? 0)
  return Number.isFinite(number) ? number : 0
}
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

export function toDashboard(value: unknown): DashboardData {
  const data = fieldsOf(value)
  return {
    online: numberOf(data.online),
    offline: numberOf(data.offline),
    procedures: numberOf(data.procedures),
    failing: numberOf(data.alerts),
    unchecked: numberOf(data.unchecked),
    systems: listOf(data.systems)
      .map((row) => ({ os: textOf(row.os) ?? '', count: numberOf(row.count) }))
      .filter((row) => row.count > 0)
      .sort((a, b) => b.count - a.count || a.os.localeCompare(b.os)),
    recent: listOf(data.recent).map((row) => ({
      id: textOf(row.id) ?? '',
      executedAt: textOf(row.executed_at),
      // Every status but success counts as an error.
      isSuccess: row.status === 'success',
      output: textOf(row.output),
      procedureName: textOf(row.procedure_name),
      deviceName: textOf(row.device_name),
      runId: textOf(row.job_run_id),
      deviceId: textOf(row.device_id),
    })),
    severities: Object.fromEntries(
      SEVERITIES.map((severity) => [severity, numberOf(fieldsOf(data.severities)[severity])]),
    ) as Record<Severity, number>,
    outdated: numberOf(data.outdated),
    compliance:
      data.compliance === null || data.compliance === undefined ? null : toCompliance(data.compliance),
    reboots: numberOf(data.reboots),
    approvals: numberOf(data.approvals),
    tickets:
      data.tickets === null || data.tickets === undefined
        ? null
        : {
            warning: numberOf(fieldsOf(data.tickets).warning),
            breached: numberOf(fieldsOf(data.tickets).breached),
          },
    updatedAt: textOf(data.updated_at),
  }
}

/**
 * The systems to show: the largest ones, and one entry for the rest. It lists what it contains, so that its
 * link filters by all of them and the shares add up to the whole fleet.
 */
export type SystemShare = { key: string; names: string[]; count: number; share: number; isRest: boolean }

export function toShares(systems: SystemCount[], max = 7): SystemShare[] {
  const total = systems.reduce((sum, row) => sum + row.count, 0)
  if (total === 0) return []
  const share = (count: number) => count / total
  // A single remaining system is shown under its own name instead of "other".
  const cut = systems.length > max + 1 ? max : systems.length
  const shown = systems.slice(0, cut).map((row) => ({
    key: row.os,
    names: [row.os],
    count: row.count,
    share: share(row.count),
    isRest: false,
  }))
  const rest = systems.slice(cut)
  if (rest.length === 0) return shown
  const count = rest.reduce((sum, row) => sum + row.count, 0)
  return [...shown, { key: '…', names: rest.map((row) => row.os), count, share: share(count), isRest: true }]
}

export const systemsLink = (names: string[]): string =>
  `/devices?os=${names.map((name) => encodeURIComponent(name)).join(',')}`

/** The page that a recent run links to: the run, else its device, else none, since both may be deleted. */
export function runLink({ deviceId, runId }: Pick<RecentRun, 'deviceId' | 'runId'>): string | null {
  if (runId !== null) return `/runs/${runId}`
  return deviceId === null ? null : `/devices/${deviceId}`
}
