import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { formatExitCode, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { listOf, listPath } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/definition/registry'
import { Blank } from '@/resource/fields/blank'
import { useFieldLinks } from '@/resource/fields/field-links'
import { isColored } from '@/resource/fields/is-colored'
import type { CellProps, FieldOf } from '@/resource/fields/kind'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value, field, resource, row }: CellProps<'number'>) {
  const language = useLanguage()
  if (value === null || value === undefined || value === '') return <Blank />
  if (field.over && Number(value) < 0 && isColored(field, resource, row))
    return <Over count={-Number(value)} />
  if (field.exit_code) return <span className="k-figures">{formatExitCode(Number(value))}</span>
  const text = formatNumber(Number(value), language, {
    maximumFractionDigits: field.decimals ?? 0,
    useGrouping: field.grouping !== false,
  })
  const figure = <span className="k-figures">{field.unit ? `${text} ${field.unit}` : text}</span>
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

export function countedPath(target: Definition, { by, filter }: Counts, id: string): string {
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
