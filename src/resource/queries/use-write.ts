import { useMutation, useQueryClient } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import type { DataError } from '@/data/errors'
import { deleteRows, insertRow, type Row, updateRow } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { tableKey } from '@/resource/queries/keys'
import type { ResourceScope } from '@/resource/queries/use-scope'

interface Write {
  /** Absent for a new record. */
  id?: string
  values: Row
  /** What the form was opened with; absent overwrites whatever stands there. */
  version?: number
}

/** Everything of the table is read again after a write: lists, counts, records, pickers. */
export function useInvalidate(definition: Definition, scope: ResourceScope): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: tableKey(scope.companyId, tableOf(definition)) })
}

export function useSaveRecord(definition: Definition, scope: ResourceScope) {
  const table = tableOf(definition)
  return useMutation<Row, DataError, Write>({
    mutationFn: ({ id, values, version }) => {
      if (id === undefined) return insertRow(supabase, table, values)
      const companyId = definition.tenant === false ? null : scope.companyId
      return updateRow(supabase, { table, companyId, id }, values, version)
    },
  })
}

export function useDeleteRecords(definition: Definition, scope: ResourceScope) {
  const invalidate = useInvalidate(definition, scope)
  return useMutation<Row[], DataError, string[]>({
    mutationFn: (ids) => {
      const companyId = definition.tenant === false ? null : scope.companyId
      return deleteRows(supabase, { table: tableOf(definition), companyId, ids })
    },
    onSettled: invalidate,
  })
}
