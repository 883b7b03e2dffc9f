import { fromCrudFilters } from '@/refine/crud-filters'
import { rowPage } from '@/refine/data-provider'
import type { Filter } from '@/resource/definition/definition.generated'
import { toCrudFilters } from '@/resource/filter/crud-filters'
import type { FilterScope } from '@/resource/filter/scope'
import type { ListRequest } from '@/resource/query/list-request'

/** A list's request as the data provider sends it. */
export function sentRequest({ page, count }: ListRequest) {
  return { page: rowPage(page), count: rowPage(count) }
}

/** A filter as the data provider sends it. */
export function sentFilter(filter: Filter, scope?: FilterScope) {
  return fromCrudFilters(toCrudFilters(filter, scope))
}
