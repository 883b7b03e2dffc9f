import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useRpc } from '@/refine/use-rpc'
import { readableDefinition } from '@/resource/fields/guards'
import { findKind } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { hasShow } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import { hasSearch } from '@/resource/request/query/list-request'
import { recordTitle, titleFields, titleReferences, withTitleRecords } from '@/resource/request/query/title'
import { type FindRecord, useRecordTitles } from '@/resource/request/query/use-record-titles'
import { useResourceScope } from '@/resource/request/query/use-scope'

/** Whether its records can be found by words, called by a title and opened. A key in the title calls nothing. */
export function isFindable(definition: Definition): boolean {
  const names = titleFields(definition)
  return (
    hasShow(definition) &&
    hasSearch(definition) &&
    names.length > 0 &&
    names.every((name) => {
      const field = definition.fields[name]
      return field !== undefined && field.from === undefined && !findKind(field.type)?.target
    })
  )
}

interface FoundRow {
  resource: string
  id: string
  title: Row
}

export interface FoundRecords {
  definition: Definition
  records: { id: string; title: string }[]
}

/** A single letter is in nearly every record. */
const MIN_LETTERS = 2

/**
 * Records of every resource that the user may list and open, by their words: one request, given up when the
 * words change. `mayOpen` is the console's own say in which pages somebody has.
 */
export function useFoundRecords(text: string, mayOpen: (definition: Definition) => boolean) {
  const can = useCan()
  const scope = useResourceScope()
  const { companyId } = scope
  const q = text.trim()
  const definitions = resourceEntries().flatMap(({ name, definition }) => {
    if (!definition || !can(name, 'list').allowed || !can(name, 'show').allowed) return []
    const readable = readableDefinition(definition, ({ object, verb }) => can(object, verb).allowed)
    return isFindable(readable) && mayOpen(readable) ? [readable] : []
  })
  const isAsked = q.length >= MIN_LETTERS && definitions.length > 0
  const query = useRpc<FoundRow[]>(
    {
      name: 'find_records',
      args: {
        q,
        resources: definitions.map((definition) => ({
          name: definition.name,
          columns: titleFields(definition),
          company_id: definition.tenant === false ? null : companyId,
        })),
      },
    },
    { enabled: isAsked, placeholderData: (previous) => previous, staleTime: 5_000 },
  )
  const rows = isAsked ? query.data : undefined
  const references = (rows ?? []).flatMap(({ resource, title }) => {
    const definition = findDefinition(resource)
    return definition ? titleReferences(definition, title) : []
  })
  const findRecord = useRecordTitles(references, scope)
  const found = grouped(rows ?? [], findRecord)
  return { found, error: isAsked ? query.error : null, isSearching: isAsked && query.isFetching }
}

function grouped(rows: readonly FoundRow[], findRecord: FindRecord): FoundRecords[] {
  return resourceEntries().flatMap(({ name, definition }) => {
    const own = rows.filter(({ resource }) => resource === name)
    if (!definition || own.length === 0) return []
    const records = own.map(({ id, title }) => {
      const row = withTitleRecords(definition, title, findRecord)
      return { id, title: recordTitle(definition, { ...row, id }) }
    })
    return [{ definition, records }]
  })
}
