import { useTranslation } from 'react-i18next'
import { useRpc } from '@/refine/use-rpc'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { filterStyle } from '@/resource/request/filter/from-url'
import { matchingFilter, sqlPath } from '@/resource/request/filter/matching-filter'
import { listFilter } from '@/resource/request/query/list-request'
import type { ListState } from '@/resource/request/query/list-state'
import { type ResourceScope, useResourceScope } from '@/resource/request/query/use-scope'

export interface FacetCount {
  value: string | null
  count: number
}

/** The field that the database counts by; null for fields of joined tables. */
function facetPath(definition: Definition, name: string): string | null {
  const field = definition.fields[name]
  if (!field) return sqlPath(definition, name)
  if (field.from || field.type === 'computed' || filterStyle(field) === 'words') return null
  return field.type === 'many-to-many' ? `${field.through}.${field.near}.${field.far}` : name
}

/**
 * The number of rows that each choice of a filter would leave, with the other filters applied; `isWhole` applies the
 * field's own filter too. On failure no
 * figures are shown: the filter works without them.
 */
export function useFacets(
  definition: Definition,
  name: string,
  state: ListState,
  scope: ResourceScope,
  extra: Filter | undefined,
  { isWhole = false }: { isWhole?: boolean } = {},
): FacetCount[] | undefined {
  const { [name]: _own, ...filters } = state.filters
  const counted = isWhole ? state : { ...state, filters }
  const filter = listFilter(definition, counted, { find: findDefinition, extra })
  const matching = {
    resource: tableOf(definition),
    filter: matchingFilter(definition, filter, scope.companyId, scope.filter),
    q: state.q.trim(),
  }
  const path = facetPath(definition, name)
  const { data } = useRpc<FacetCount[]>(
    {
      name: 'facet_counts',
      args: path === null ? {} : { ...matching, field: path },
      resource: definition.name,
      // `$now` in the resolved filter would change the query key on every render.
      asked: { path, filter, q: matching.q },
      companyId: scope.companyId,
    },
    {
      // The database counts over the table, which holds more rows than a function returns.
      enabled: path !== null && scope.source === undefined,
      staleTime: 30_000,
      retry: false,
      placeholderData: (previous) => previous,
    },
  )
  return data
}

/** The maximum number of counted choices; beyond it a choice without a figure may still have rows. */
const MAX_COUNTED = 50

interface CountedList {
  definition: Definition
  path: string
  state: ListState
  extra: Filter | undefined
}

/** The values that the rows of a list have, and how many rows each would leave; undefined while that is not known. */
export function useCounts({ definition, path, state, extra }: CountedList) {
  const { t } = useTranslation('bulk')
  const facets = useFacets(definition, path, state, useResourceScope(), extra)
  const counts = new Map(facets?.flatMap(({ value, count }) => (value === null ? [] : [[value, count]])))
  const isWhole = facets !== undefined && facets.length < MAX_COUNTED
  const withCount = (value: string, label: string) => {
    const count = counts.get(value) ?? (isWhole ? 0 : undefined)
    return count === undefined ? label : t('facet', { label, count })
  }
  return { values: [...counts.keys()], withCount }
}
