import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import { isColored } from '@/resource/fields/is-colored'
import type { CellProps } from '@/resource/fields/kind'

type PercentField = CellProps<'percent'>['field']

/** The share that a cell shows, from 0 to 100; null when there is none. */
export function percentOf(value: unknown, field: PercentField, row: Record<string, unknown>): number | null {
  if (field.used && typeof value !== 'number') {
    const total = Number(row[field.used.total])
    const free = Number(row[field.used.free] ?? Number.NaN)
    return total > 0 && Number.isFinite(free) ? ((total - free) / total) * 100 : null
  }
  return value === null || value === undefined || value === '' ? null : Number(value)
}

export function levelOf(percent: number, { warning, critical }: NonNullable<PercentField['thresholds']>) {
  if (percent >= critical) return 'critical'
  return percent >= warning ? 'warning' : 'normal'
}

export function Cell({ value, field, resource, row }: CellProps<'percent'>) {
  const language = useLanguage()
  const percent = percentOf(value, field, row)
  if (percent === null) return <Blank />
  // Turkish writes %12, English 12%: the locale's own pattern, which counts from 0 to 1.
  const text = formatNumber(percent / 100, language, {
    style: 'percent',
    maximumFractionDigits: field.decimals ?? 0,
  })
  if (!field.thresholds) return <span className="k-figures">{text}</span>
  const level = isColored(field, resource, row) ? levelOf(percent, field.thresholds) : 'normal'
  return (
    <span className="k-share" data-level={level}>
      <span className="k-share-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, Math.max(0, percent))}%` }} />
      </span>
      <span className="k-figures">{text}</span>
    </span>
  )
}
