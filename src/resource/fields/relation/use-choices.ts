import { useQuery, useQueryClient } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import { valueList } from '@/data/postgrest'
import { type Row, type RowSet, readRows } from '@/data/rows'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { listOf, tableOf } from '@/resource/definition/naming'
import { judgedFields } from '@/resource/fields/relation/picked'
import { MOST_TEXT } from '@/resource/filter/from-url'
import { toPostgrest } from '@/resource/filter/postgrest'
import type { FilterScope } from '@/resource/filter/scope'
import { tableKey } from '@/resource/queries/keys'
import { hasSearch, orderOf } from '@/resource/queries/list-request'
import { buildSelect } from '@/resource/queries/select'
import { titleFields } from '@/resource/queries/title'
import { useResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import { parseSort } from '@/resource/screens/list/list-state'

/** Enough to choose from by eye; the rest is found by typing. */
const MOST = 30

/** A target without a search function of its own is found by the first field of its title. */
function searchCondition(target: Definition, text: string): Filter {
  const first = titleFields(target)[0]
  return text === '' || !first ? {} : { [first]: { _contains: text.slice(0, MOST_TEXT) } }
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
  const scope = useResourceScope()
  const client = useQueryClient()
  const canSearch = hasSearch(target)
  const filters = [listOf(target)?.filter, where, canSearch ? {} : searchCondition(target, text)]
  const set: RowSet = {
    table: tableOf(target),
    companyId,
    where: filters.flatMap((filter) => (filter ? toPostgrest(filter, filterScope) : [])),
    search: canSearch && text ? { function: `search_${tableOf(target)}`, text } : null,
  }
  const base = tableKey(scope.companyId, tableOf(target))
  const titles = titleFields(target)
  const order = orderOf(target, parseSort(listOf(target)?.sort ?? firstSort(target)))
  const found = useQuery({
    queryKey: [...base, 'choices', set],
    queryFn: ({ signal }) => {
      const select = buildSelect(target, titles, findDefinition)
      return readRows(supabase, { ...set, select, order, limit: MOST }, signal)
    },
    enabled: isOpen,
  })
  // What is chosen always has its name, also when it is not among the first or no longer allowed.
  const judged = judgedFields(target, where)
  const current = useQuery<Row[]>({
    queryKey: [...base, 'chosen', [...chosen].sort(), judged],
    queryFn: ({ signal }) => {
      const select = buildSelect(target, [...titles, ...judged], findDefinition)
      const wanted = [{ column: 'id', operator: 'in', value: valueList(chosen) }]
      const own = { table: tableOf(target), companyId: null, where: wanted }
      return readRows(supabase, { ...own, select, order: [], limit: chosen.length }, signal)
    },
    enabled: chosen.length > 0,
    placeholderData: (previous) => previous,
  })
  /** What is chosen from these rows is known by its title at once, here and in whatever shows the choice. */
  const remember = (ids: readonly string[], rows: readonly Row[]) => {
    const picked = rows.filter(({ id }) => ids.includes(String(id)))
    if (ids.length > 0 && new Set(picked.map(({ id }) => id)).size === ids.length)
      client.setQueryData([...base, 'chosen', [...ids].sort(), []], picked)
  }
  return { found, current, remember }
}
