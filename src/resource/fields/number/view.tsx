import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { formatNumber } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { Blank, isColored, useFieldLinks } from '@/resource/fields/cell-parts'
import type { CellProps, FieldOf } from '@/resource/fields/kind-interface'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { numberText, UNIT_SECONDS } from '@/resource/fields/number/kind'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { listOf, listPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { StatusTag } from '@/ui/status-tag'

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

function NumberCell({ value, field, resource, row }: CellProps<'number'>) {
  const language = useLanguage()
  if (isEmpty(value)) return <Blank />
  if (field.over && Number(value) < 0 && isColored(field, resource, row))
    return <Over count={-Number(value)} />
  const figure = <span className="k-figures">{numberText(value, field, language)}</span>
  if (!field.counts || Number(value) === 0) return figure
  return (
    <CountLink counts={field.counts} id={String(row.id)}>
      {figure}
    </CountLink>
  )
}

type Counts = NonNullable<FieldOf<'number'>['counts']>

/** The list of the counted records, for users who may open it. */
function CountLink({ counts, id, children }: { counts: Counts; id: string; children: ReactNode }) {
  const can = useCan()
  const isLinked = useFieldLinks()
  const target = findDefinition(counts.resource)
  const isOpen =
    can(counts.resource, 'list').allowed &&
    (target?.page_object === undefined || can(target.page_object, 'list').allowed)
  if (!isLinked || !isOpen || !target || !listOf(target)) return children
  return <Link to={countedPath(target, counts, id)}>{children}</Link>
}

/** A filter with several keys as an advanced filter writes it: one condition a node. */
function nodesOf(filter: Filter): Filter[] {
  return Object.entries(filter).map(([key, value]) => ({ [key]: value }) as Filter)
}

function countedPath(target: Definition, { by, filter }: Counts, id: string): string {
  const nodes = nodesOf(filter ?? {})
  const where = nodes.length > 1 ? { _and: nodes } : nodes[0]
  const params = { [by]: id, ...(where ? { where: JSON.stringify(where) } : {}) }
  return `${listPath(target)}?${new URLSearchParams(params)}`
}

function Over({ count }: { count: number }) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  return (
    <StatusTag tone="error">{t('fields.over', { count: formatNumber(count, language) as never })}</StatusTag>
  )
}

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** In powers of 1024, as operating systems and this product's columns (`memory_mb`) count. */
export function formatBytes(amount: number, unit: 'B' | 'kB' | 'MB' | 'GB', language: Language): string {
  let index = BYTES.indexOf(unit)
  let value = amount
  while (Math.abs(value) >= 1024 && index < BYTES.length - 1) {
    value /= 1024
    index++
  }
  while (value !== 0 && Math.abs(value) < 1 && index > 0) {
    value *= 1024
    index--
  }
  return `${formatNumber(value, language, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${BYTES[index]}`
}

function BytesCell({ value, field }: CellProps<'bytes'>) {
  const language = useLanguage()
  if (isEmpty(value)) return <Blank />
  return <span className="k-figures">{formatBytes(Number(value), field.unit ?? 'B', language)}</span>
}

function DurationCell({ value, field }: CellProps<'duration'>) {
  const durationText = useDurationText()
  if (isEmpty(value)) return <Blank />
  const seconds = Number(value) * UNIT_SECONDS[field.unit ?? 's']
  return <span className="k-figures">{durationText(seconds, { inHours: field.in_hours })}</span>
}

type PercentField = FieldOf<'percent'>

/** The share that a cell shows, from 0 to 100; null without a value. */
function percentOf(value: unknown, field: PercentField, row: Record<string, unknown>): number | null {
  if (field.used && typeof value !== 'number') {
    const total = Number(row[field.used.total])
    const free = Number(row[field.used.free] ?? Number.NaN)
    return total > 0 && Number.isFinite(free) ? ((total - free) / total) * 100 : null
  }
  return isEmpty(value) ? null : Number(value)
}

function levelOf(percent: number, { warning, critical }: NonNullable<PercentField['thresholds']>) {
  if (percent >= critical) return 'critical'
  return percent >= warning ? 'warning' : 'normal'
}

function PercentCell({ value, field, resource, row }: CellProps<'percent'>) {
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

export const cells = { number: NumberCell, bytes: BytesCell, percent: PercentCell, duration: DurationCell }
