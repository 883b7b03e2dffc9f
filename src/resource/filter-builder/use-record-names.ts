import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { splitIds } from '@/resource/filter/from-url'
import { conditionsOf, fromWhere } from '@/resource/filter-builder/draft'
import { targetOf } from '@/resource/queries/related-field'
import { recordTitle } from '@/resource/queries/title'
import { useRecordTitles } from '@/resource/queries/use-record-titles'
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
  const references = [...chosenIds(definition, where)].flatMap(([resource, ids]) =>
    ids.map((id) => ({ resource, id })),
  )
  const find = useRecordTitles(references, useResourceScope())
  return (field, id) => {
    const target = targetOf(definition.fields[field])
    const row = target ? find({ resource: target, id }) : null
    const found = target ? findDefinition(target) : null
    return row && found ? recordTitle(found, row) : id.slice(0, 8)
  }
}
