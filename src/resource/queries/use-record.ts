import { type QueryClient, useQuery } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import type { DataError } from '@/data/errors'
import { type Row, readRow } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { tableKey } from '@/resource/queries/keys'
import { refreshInterval } from '@/resource/queries/refresh'
import { buildSelect } from '@/resource/queries/select'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'

export function recordQuery(definition: Definition, id: string, scope: ResourceScope) {
  const select = buildSelect(definition, Object.keys(definition.fields), findDefinition)
  const companyId = definition.tenant === false ? null : scope.companyId
  return {
    queryKey: [...tableKey(scope.companyId, tableOf(definition)), 'record', id] as const,
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Row> =>
      readRow(supabase, { table: tableOf(definition), companyId, select, id }, signal),
  }
}

export function useRecord(definition: Definition, id: string, scope: ResourceScope) {
  return useQuery<Row, DataError>({
    ...recordQuery(definition, id, scope),
    refetchInterval: refreshInterval<Row>(definition),
  })
}

/** Under the pointer, a row's record is read before it is opened. */
export function prefetchRecord(
  client: QueryClient,
  definition: Definition,
  id: string,
  scope: ResourceScope,
): void {
  void client.prefetchQuery({ ...recordQuery(definition, id, scope), staleTime: 10_000 })
}
