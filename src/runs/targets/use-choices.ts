import { useList, useSelect } from '@refinedev/core'
import type { Named } from './record-select'

const CHOICES = 30

/** Records to choose from, found on the server; one that is named exactly as searched comes first. */
export function useChoices<T extends Named>({
  resource,
  select,
  companyId,
  text,
}: {
  resource: string
  select: string
  companyId: string | null
  text: string
}) {
  // The options come from the query's data: the hook's `options` outlive their query.
  const { query } = useSelect<T>({
    resource,
    sorters: [{ field: 'name_key', order: 'asc' }],
    pagination: { pageSize: CHOICES },
    meta: { companyId, select, search: text, count: 'none' },
  })
  // Among many that contain it, its name may come late in the order.
  const { query: exact } = useList<T>({
    resource,
    filters: [{ field: 'name', operator: 'eq', value: text }],
    pagination: { pageSize: 1 },
    meta: { companyId, select, count: 'none' },
    queryOptions: { enabled: text !== '' },
  })
  const found = query.data?.data
  const first = text === '' ? undefined : exact.data?.data[0]
  const choices = found && first ? [first, ...found.filter(({ id }) => id !== first.id)] : found
  return { query, choices }
}
