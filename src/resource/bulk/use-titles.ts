import { useQuery } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import { valueList } from '@/data/postgrest'
import { type Row, readRows } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { tableKey } from '@/resource/queries/keys'
import { buildSelect } from '@/resource/queries/select'
import { recordTitle, titleFields } from '@/resource/queries/title'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'

/** How records are called, by their ids: of those at hand, and of others as far as they can still be read. */
export function useTitles(
  definition: Definition,
  scope: ResourceScope,
  ids: readonly string[],
  known: readonly Row[] = [],
): (id: string) => string {
  const names = new Map(known.map((row) => [String(row.id), recordTitle(definition, row)]))
  const wanted = ids.filter((id) => !names.has(id))
  const { data } = useQuery<Row[]>({
    queryKey: [...tableKey(scope.companyId, tableOf(definition)), 'titles', wanted],
    queryFn: ({ signal }) =>
      readRows(
        supabase,
        {
          table: tableOf(definition),
          companyId: null,
          where: [{ column: 'id', operator: 'in', value: valueList(wanted) }],
          select: buildSelect(definition, titleFields(definition), findDefinition),
          order: [],
          limit: wanted.length,
        },
        signal,
      ),
    enabled: wanted.length > 0,
    placeholderData: (previous) => previous,
  })
  for (const row of data ?? []) names.set(String(row.id), recordTitle(definition, row))
  return (id) => names.get(id) ?? id.slice(0, 8)
}
