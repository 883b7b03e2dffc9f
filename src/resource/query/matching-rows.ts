import { supabase } from '@/data/client'
import { readRows } from '@/data/rows'
import { rowPage } from '@/refine/data-provider'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/definition/registry'
import { listRequest } from '@/resource/query/list-request'
import type { ListState } from '@/resource/query/list-state'
import type { ResourceScope } from '@/resource/query/use-scope'

/** Describes a list: its filter, view and search, and the record whose page it is on. */
export interface ListQuestion {
  definition: Definition
  scope: ResourceScope
  state: ListState
  extra?: Filter
}

/** Which of these rows the list holds now, on whichever of its pages: the list's own question, about them alone. */
export async function matchingRows(list: ListQuestion, ids: readonly string[]): Promise<string[]> {
  const { definition, scope, state, extra } = list
  const these: Filter = { id: { _in: [...ids] } }
  const { count } = listRequest(
    definition,
    [],
    { ...state, page: 1, cursor: null },
    {
      companyId: scope.companyId,
      scope: scope.filter,
      find: findDefinition,
      source: scope.source,
      extra: extra ? { _and: [extra, these] } : these,
    },
  )
  const order = [{ column: 'id', descending: false }]
  const rows = await readRows(supabase, { ...rowPage(count), order, limit: ids.length })
  return rows.map(({ id }) => String(id))
}
