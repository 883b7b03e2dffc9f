import { type BaseRecord, type HttpError, useSelect } from '@refinedev/core'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { judgedFields } from '@/resource/fields/relation/picked'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { listOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { toCrudFilters } from '@/resource/request/filter/crud-filters'
import { MAX_TEXT } from '@/resource/request/filter/from-url'
import type { FilterScope } from '@/resource/request/filter/scope'
import { hasSearch, orderOf } from '@/resource/request/query/list-request'
import { parseSort } from '@/resource/request/query/list-state'
import { buildSelect } from '@/resource/request/query/select'
import { titleFields } from '@/resource/request/query/title'
import { chosenQuestion, useChosen } from '@/resource/request/query/use-record-query'

/** Enough to choose from by eye; the rest is found by typing. */
const MAX_CHOICES = 30

/** A target without a search function of its own is found by the first field of its title. */
function searchCondition(target: Definition, text: string): Filter {
  const first = titleFields(target)[0]
  return text === '' || !first ? {} : { [first]: { _contains: text.slice(0, MAX_TEXT) } }
}

function firstSort(target: Definition): string | undefined {
  return titleFields(target).find((name) => target.fields[name]?.sort)
}

interface Choices {
  target: Definition
  where?: Filter
  filterScope: FilterScope
  companyId: string | null
  chosen: readonly string[]
  text: string
  isOpen: boolean
}

/** The records to choose from, and those that are chosen. */
export function useChoices({ target, where, filterScope, companyId, chosen, text, isOpen }: Choices) {
  const cache = useCache()
  const canSearch = hasSearch(target)
  const filters = [listOf(target)?.filter, where, canSearch ? {} : searchCondition(target, text)]
  const titles = titleFields(target)
  const order = orderOf(target, parseSort(listOf(target)?.sort ?? firstSort(target)))
  // The choices come from the query's data: `options` outlive the question they answer.
  const { query: found } = useSelect<BaseRecord, HttpError>({
    resource: target.name,
    filters: filters.flatMap((filter) => (filter ? toCrudFilters(filter, filterScope) : [])),
    sorters: order.map(({ column, descending }) => ({ field: column, order: descending ? 'desc' : 'asc' })),
    pagination: { currentPage: 1, pageSize: MAX_CHOICES, mode: 'server' },
    meta: {
      table: tableOf(target),
      companyId,
      select: buildSelect(target, titles, findDefinition),
      ...(canSearch && text ? { search: text } : {}),
      count: 'none',
    },
    queryOptions: { enabled: isOpen },
  })
  // A chosen record always has its name, also when it is not among the first or no longer allowed.
  const judged = judgedFields(target, where)
  const current = useChosen(target, chosen, judged)
  /** A record chosen from these rows gets its title at once, here and wherever the choice is shown. */
  const remember = (ids: readonly string[], rows: readonly Row[]) => {
    const picked = rows.filter(({ id }) => ids.includes(String(id)))
    if (ids.length > 0 && new Set(picked.map(({ id }) => id)).size === ids.length)
      cache.writeMany(chosenQuestion(target, ids), picked)
  }
  return {
    found: {
      data: found.data?.data as Row[] | undefined,
      isFetching: found.isFetching,
      isLoading: found.isLoading,
      isError: found.isError,
    },
    current,
    remember,
  }
}
