import type { Definition, Related } from '@/resource/language/definition.generated'
import { countKey, embeddedCount } from '@/resource/language/embed-keys'
import type { FindDefinition } from '@/resource/language/entry'
import { showOf, tableOf } from '@/resource/language/naming'
import { countEmbed } from '@/resource/request/query/select'

type Row = Record<string, unknown>

/** The related lists that are counted with the record, each with the definition of its records. */
function countedLists(definition: Definition, find: FindDefinition) {
  return (showOf(definition)?.related ?? []).flatMap((related) => {
    const target = related.count === true ? find(related.resource) : null
    return target ? [{ related, target }] : []
  })
}

/** The counts of related lists, as embeds of the record's own request. */
export function countEmbeds(definition: Definition, find: FindDefinition): string[] {
  return countedLists(definition, find).map(({ related, target }) =>
    countEmbed(countKey(related), target, related.by, find),
  )
}

/** The tables whose rows are counted with the record. */
export function countedTables(definition: Definition, find: FindDefinition): string[] {
  return countedLists(definition, find).map(({ target }) => tableOf(target))
}

/** How many records a related list has: of a number field that `counts` them, or as they were counted with the record. */
export function relatedCount(definition: Definition, related: Related, record: Row): number | undefined {
  const counting = Object.entries(definition.fields).find(
    ([, field]) =>
      field.type === 'number' &&
      field.counts?.resource === related.resource &&
      field.counts.by === related.by &&
      field.counts.filter === undefined,
  )
  if (counting) return Number(record[counting[0]] ?? 0)
  return related.count === true ? embeddedCount(record[countKey(related)]) : undefined
}
