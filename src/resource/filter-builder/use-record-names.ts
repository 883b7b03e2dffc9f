import { useQueries } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import { valueList } from '@/data/postgrest'
import { readRows } from '@/data/rows'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { splitIds } from '@/resource/filter/from-url'
import { conditionsOf, fromWhere } from '@/resource/filter-builder/draft'
import { tableKey } from '@/resource/queries/keys'
import { targetOf } from '@/resource/queries/related-field'
import { buildSelect } from '@/resource/queries/select'
import { recordTitle, titleFields } from '@/resource/queries/title'
import { useResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'

/** The ids that a filter names, by the resource they are of. */
function chosenIds(definition: Definition, where: Filter): Map<string, string[]> {
  const chosen = new Map<string, Set<string>>()
  for (const { field, values } of conditionsOf(fromWhere(definition, where))) {
    const target = targetOf(definition.fields[field])
    if (!target) continue
    const ids = chosen.get(target) ?? new Set()
    for (const id of values.flatMap(splitIds)) ids.add(id)
    chosen.set(target, ids)
  }
  return new Map([...chosen].map(([target, ids]) => [target, [...ids].sort()]))
}

/** What the records are called that a filter names; the beginning of the id of one that cannot be seen. */
export function useRecordNames(definition: Definition, where: Filter): (field: string, id: string) => string {
  const { companyId } = useResourceScope()
  const chosen = [...chosenIds(definition, where)].flatMap(([name, ids]) => {
    const target = findDefinition(name)
    return target && ids.length > 0 ? [{ name, target, ids }] : []
  })
  const answers = useQueries({
    queries: chosen.map(({ target, ids }) => ({
      queryKey: [...tableKey(companyId, tableOf(target)), 'chosen', ids],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const select = buildSelect(target, titleFields(target), findDefinition)
        const condition = { column: 'id', operator: 'in', value: valueList(ids) }
        const set = { table: tableOf(target), companyId: null, where: [condition], select, order: [] }
        return readRows(supabase, { ...set, limit: ids.length }, signal)
      },
    })),
  })
  const names = new Map(
    chosen.flatMap(({ name, target }, index) =>
      (answers[index]?.data ?? []).map((row) => [`${name} ${row.id}`, recordTitle(target, row)] as const),
    ),
  )
  return (field, id) => names.get(`${targetOf(definition.fields[field])} ${id}`) ?? id.slice(0, 8)
}
