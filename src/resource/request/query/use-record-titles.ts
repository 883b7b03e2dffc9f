import type { Row } from '@/data/rows'
import { useRpc } from '@/refine/use-rpc'
import { namesOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { titleFields, titleReferences, withTitleRecords } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'

export interface RecordReference {
  resource: string
  id: string
}

/** A record as far as its title needs it; null when it was deleted or is not theirs to see, undefined until it is known. */
export type FindRecord = (reference: RecordReference) => Row | null | undefined

export interface TitleAnswer {
  resource: string
  id: string
  fields: Row
}

/** `record_titles` takes no more ids for one resource. */
const MAX_IDS = 1000

function placeOf(resource: string) {
  const name = namesOf(resource)
  const definition = findDefinition(name)
  return { definition, table: definition ? tableOf(definition) : name }
}

export function wantedOf(
  references: readonly RecordReference[],
): Record<string, { ids: string[]; fields: string[] }> {
  const wanted: Record<string, { ids: string[]; fields: string[] }> = {}
  for (const { resource, id } of references) {
    const { definition, table } = placeOf(resource)
    wanted[table] ??= { ids: [], fields: definition ? titleFields(definition) : ['name'] }
    const { ids } = wanted[table]
    if (!ids.includes(id) && ids.length < MAX_IDS) ids.push(id)
  }
  return wanted
}

function useAnswers(references: readonly RecordReference[], scope: ResourceScope) {
  const wanted = wantedOf(references)
  const { data } = useRpc<TitleAnswer[]>(
    { name: 'record_titles', args: { wanted }, companyId: scope.companyId },
    { enabled: references.length > 0, placeholderData: (previous) => previous },
  )
  return data
}

export const answerTo = (answers: readonly TitleAnswer[], { resource, id }: RecordReference): Row | null => {
  const { table } = placeOf(resource)
  const found = answers.find((row) => row.resource === table && row.id === id)
  return found ? { ...found.fields, id } : null
}

/** How records of any resources are called: all in one request, and in a second one the records that their titles name. */
export function useRecordTitles(references: readonly RecordReference[], scope: ResourceScope): FindRecord {
  const data = useAnswers(references, scope)
  const inner = references.flatMap((reference) => {
    const definition = findDefinition(reference.resource)
    const row = data && definition ? answerTo(data, reference) : null
    return row && definition ? titleReferences(definition, row) : []
  })
  const innerData = useAnswers(inner, scope)
  return (reference) => {
    if (!data) return undefined
    const definition = findDefinition(reference.resource)
    const row = answerTo(data, reference)
    if (!row || !definition) return row
    return withTitleRecords(definition, row, (other) => innerData && answerTo(innerData, other))
  }
}
