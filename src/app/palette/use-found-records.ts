import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useRpc } from '@/refine/use-rpc'
import { readableDefinition } from '@/resource/fields/guards'
import { findKind } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { hasShow, tableOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import { useFieldWords } from '@/resource/language/words'
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

interface Reason {
  resource: string
  id: string
  field: string
  snippet: string
}

/** The fields that a search looks into, besides those of the title. */
function searchedFields(definition: Definition): string[] {
  const titles = titleFields(definition)
  return Object.entries(definition.fields).flatMap(([name, { search, from }]) =>
    search && !from && !titles.includes(name) ? [name] : [],
  )
}

/** Why each of these records matches, where its title does not say so: the field and the text around the words. */
export function useReasons(text: string, found: readonly FoundRecords[]) {
  const can = useCan()
  const words = useFieldWords()
  const { t } = useTranslation('palette')
  const wanted = found.flatMap(({ definition, records }) => {
    if (records.length === 0) return []
    const readable = readableDefinition(definition, ({ object, verb }) => can(object, verb).allowed)
    return [
      {
        name: tableOf(definition),
        ids: records.map(({ id }) => id).sort(),
        fields: searchedFields(readable),
      },
    ]
  })
  const { data } = useRpc<Reason[]>(
    { name: 'find_reasons', args: { q: text.trim(), wanted } },
    { enabled: wanted.length > 0, staleTime: 5_000, retry: false },
  )
  return (definition: Definition, id: string): string | undefined => {
    const reason = data?.find((each) => each.resource === tableOf(definition) && each.id === id)
    if (!reason) return undefined
    const field = reason.field === 'comments' ? t('comment') : words(definition, reason.field)
    return t('reason', { field, text: reason.snippet.trim() })
  }
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
