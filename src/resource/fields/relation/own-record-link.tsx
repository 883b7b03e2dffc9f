import { useOne } from '@refinedev/core'
import type { Row } from '@/data/rows'
import { findDefinition } from '@/resource/definition/registry'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { buildSelect } from '@/resource/query/select'

/** A record of the same resource, which no request brings along (`pointsAtOwnTable`). */
export function OwnRecordLink({ resource, id }: { resource: string; id: string }) {
  const definition = findDefinition(resource)
  const { query } = useOne<Row & { id: string }>({
    resource,
    id,
    meta: { select: definition ? buildSelect(definition, [], findDefinition) : 'id,name' },
  })
  if (query.isPending) return <span>…</span>
  return <RecordLink to={resource} id={id} row={query.data?.data ?? null} isUnseen={query.isError} />
}
