import type { FieldKind } from '@/resource/fields/kind-interface'

/** Whether this browser can reckon with the zone; the names are those Postgres knows. */
export function isTimeZone(name: string): boolean {
  // Bare offsets such as `+03:00` would pass here and mean the opposite to Postgres.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

/** `UTC+03:00` at `at`: offsets change with summer time. */
export function offsetText(name: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' }).formatToParts(
    at,
  )
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  return offset === 'GMT' ? 'UTC+00:00' : offset.replace('GMT', 'UTC')
}

interface ZoneChoice {
  value: string
  label: string
}

/** Every zone, its offset beside the name: people look for the city or for the hour. */
export function zoneChoices(at: Date): ZoneChoice[] {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
  return [...names].map((value) => ({
    value,
    label: `${value.replaceAll('_', ' ')} · ${offsetText(value, at)}`,
  }))
}

export const kind: FieldKind<'timezone'> = {
  type: 'timezone',
  compare: 'text',
  columns: ['text', 'varchar'],
  filter: 'contains',
  isText: true,
  commitsOnChange: true,
  validate: (value) => (isTimeZone(String(value)) ? null : { key: 'timezone' }),
}
