import type { TargetPreset } from './target-data'
import type { TargetPickerState } from './target-picker'

/** The column `target` of a scheduled task. */
export type ScheduleTarget =
  | { kind: 'all' }
  | { kind: 'devices'; device_ids: string[] }
  | { kind: 'groups'; group_ids: string[] }
  | { kind: 'filter'; filter: Readonly<Record<string, unknown>>; q?: string; name?: string }

const idsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : []

/** The target that a form or a row holds; null where the value is not a target. */
export function readTarget(value: unknown): ScheduleTarget | null {
  if (typeof value !== 'object' || value === null) return null
  const { kind, device_ids, group_ids, filter, q, name } = value as Record<string, unknown>
  if (kind === 'all') return { kind }
  if (kind === 'devices') return { kind, device_ids: idsOf(device_ids) }
  if (kind === 'groups') return { kind, group_ids: idsOf(group_ids) }
  if (kind !== 'filter' || typeof filter !== 'object' || filter === null) return null
  return {
    kind,
    filter: filter as Record<string, unknown>,
    ...(typeof q === 'string' ? { q } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  }
}

/** The picker's choice, as a scheduled task keeps it; null while nothing is chosen. */
export function pickedTarget(picker: TargetPickerState): ScheduleTarget | null {
  const { kind, devices, groups, rows } = picker
  if (kind === 'all') return { kind }
  if (kind === 'devices') return devices.length > 0 ? { kind, device_ids: devices.map(({ id }) => id) } : null
  if (kind === 'group')
    return groups.length > 0 ? { kind: 'groups', group_ids: groups.map(({ id }) => id) } : null
  if (!rows) return null
  const q = rows.q.trim()
  const name = kind === 'view' ? picker.view?.name : picker.filterName
  return { kind: 'filter', filter: rows.filter, ...(q ? { q } : {}), ...(name ? { name } : {}) }
}

/** The query that `useTargetPreset` reads for a target. */
export function presetQuery(target: ScheduleTarget | null): {
  resource: string
  ids: string[]
  preset?: TargetPreset
} {
  if (target?.kind === 'devices') return { resource: 'devices', ids: target.device_ids }
  if (target?.kind === 'groups') return { resource: 'groups', ids: target.group_ids }
  if (target?.kind === 'all') return { resource: '', ids: [], preset: { all: true } }
  if (target?.kind === 'filter')
    return {
      resource: '',
      ids: [],
      preset: {
        matching: { filter: target.filter, q: target.q ?? '' },
        ...(target.name ? { name: target.name } : {}),
      },
    }
  return { resource: '', ids: [] }
}
