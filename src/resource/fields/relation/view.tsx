import { useOne } from '@refinedev/core'
import type { Row } from '@/data/rows'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { findDefinition } from '@/resource/language/registry'
import { buildSelect } from '@/resource/request/query/select'
import { recordTitle } from '@/resource/request/query/title'
import { isUnseen, relatedRow } from '@/resource/request/query/values'

/** A record of the same resource, which no request brings along (`pointsAtOwnTable`). */
function OwnRecordLink({ resource, id }: { resource: string; id: string }) {
  const definition = findDefinition(resource)
  const { query } = useOne<Row & { id: string }>({
    resource,
    id,
    meta: { select: definition ? buildSelect(definition, [], findDefinition) : 'id,name' },
  })
  if (query.isPending) return <span>…</span>
  return <RecordLink to={resource} id={id} row={query.data?.data ?? null} isUnseen={query.isError} />
}

function RecordCell({ value, field, name, row, resource }: CellProps<'relation' | 'user'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  const to = field.type === 'user' ? 'users' : field.to
  if (field.type === 'relation' && to === resource) return <OwnRecordLink resource={resource} id={value} />
  const related = relatedRow(row, name)
  const color = field.type === 'relation' && field.color ? related?.[field.color] : undefined
  const link = <RecordLink to={to} id={value} row={related} isUnseen={isUnseen(row, name)} />
  if (typeof color !== 'string') return link
  return (
    <span className="k-color">
      <span className="k-swatch" aria-hidden="true" style={{ background: color }} />
      {link}
    </span>
  )
}

/** The database joins them in any order. */
function inOrder(rows: readonly Row[], to: string, language: string): Row[] {
  const target = findDefinition(to)
  const title = (row: Row) => (target ? recordTitle(target, row) : String(row.name ?? ''))
  return rows.toSorted((a, b) => title(a).localeCompare(title(b), language))
}

function RecordsCell({ value, field }: CellProps<'many-to-many'>) {
  const language = useLanguage()
  if (!Array.isArray(value) || value.length === 0) return <Blank />
  const rows = inOrder(value, field.to, language)
  return (
    <span className="k-tags">
      {rows.map((row, index) => (
        <span key={String(row.id)}>
          <RecordLink to={field.to} id={String(row.id)} row={row} />
          {index < rows.length - 1 ? ',' : ''}
        </span>
      ))}
    </span>
  )
}

export const cells = { relation: RecordCell, user: RecordCell, 'many-to-many': RecordsCell }
