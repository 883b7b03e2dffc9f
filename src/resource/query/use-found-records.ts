import { useMemo } from 'react'
import { useAccess } from '@/access/use-access'
import type { Row } from '@/data/rows'
import { useRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import { resourceEntries } from '@/resource/definition/registry'
import { readableDefinition } from '@/resource/fields/guards'
import { isFindable } from '@/resource/query/findable'
import { recordTitle, titleFields } from '@/resource/query/title'
import { useResourceScope } from '@/resource/query/use-scope'

interface FoundRow {
  resource: string
  id: string
  title: Row
}

export interface FoundRecords {
  definition: Definition
  records: { id: string; title: string }[]
}

/** One letter is in nearly every record. */
const MIN_LETTERS = 2

/**
 * Records of every resource that the user may list and open, by their words: one request, given up when the
 * words change. `mayOpen` is the console's own say in which pages somebody has.
 */
export function useFoundRecords(text: string, mayOpen: (definition: Definition) => boolean) {
  const { can } = useAccess()
  const { companyId } = useResourceScope()
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
  const found = useMemo(() => grouped(rows ?? []), [rows])
  return { found, error: isAsked ? query.error : null, isSearching: isAsked && query.isFetching }
}

function grouped(rows: readonly FoundRow[]): FoundRecords[] {
  return resourceEntries().flatMap(({ name, definition }) => {
    const own = rows.filter(({ resource }) => resource === name)
    if (!definition || own.length === 0) return []
    const records = own.map(({ id, title }) => ({ id, title: recordTitle(definition, { ...title, id }) }))
    return [{ definition, records }]
  })
}
