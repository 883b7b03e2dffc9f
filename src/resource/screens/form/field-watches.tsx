import { useEffect } from 'react'
import type { Row } from '@/data/rows'
import { useRpc } from '@/refine/use-rpc'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useChosen } from '@/resource/request/query/use-record-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { isBlank } from '@/resource/screens/form/check-record'
import { useDebounced } from '@/ui/use-debounced'

interface RelatedWatchProps {
  definition: Definition
  relation: string
  /** The fields of the related record to read. */
  names: readonly string[]
  record: Row
  onChange: (relation: string, row: Row | null) => void
}

/** Reads what a check compares with of the chosen record; nothing where the user may not see it. */
export function RelatedWatch({ definition, relation, names, record, onChange }: RelatedWatchProps) {
  const target = findDefinition(targetOf(definition.fields[relation]) ?? '')
  const id = record[relation]
  const { data } = useChosen(target, typeof id === 'string' ? [id] : [], names)
  const row = data?.find((each) => each.id === id) ?? null
  useEffect(() => onChange(relation, row), [relation, row, onChange])
  return null
}

interface TakenWatchProps {
  definition: Definition
  /** The fields whose values together are unique. */
  fields: readonly string[]
  record: Row
  /** The record being edited, which may keep its own values. */
  row: Row | undefined
  onChange: (isTaken: boolean) => void
}

/** Looks for another record with these values while they are typed: one request, given up when they change. */
export function TakenWatch({ definition, fields, record, row, onChange }: TakenWatchProps) {
  const scope = useResourceScope()
  const companyId = row?.company_id ?? record.company_id ?? scope.companyId
  const values = Object.fromEntries(fields.map((name) => [name, record[name]]))
  const current = JSON.stringify(values)
  const settled = useDebounced(current)
  const isTenant = definition.tenant !== false
  const isOwn = row !== undefined && fields.every((name) => row[name] === record[name])
  const isAsked =
    current === settled && !isOwn && !Object.values(values).some(isBlank) && !(isTenant && companyId === null)
  const query = useRpc<boolean>(
    {
      name: 'is_taken',
      resource: definition.name,
      args: {
        resource: tableOf(definition),
        fields: isTenant ? ['company_id', ...fields] : fields,
        record: isTenant ? { company_id: companyId, ...values } : values,
        except_id: row?.id ?? null,
      },
    },
    { enabled: isAsked, retry: false },
  )
  const isTaken = isAsked && query.data === true
  useEffect(() => onChange(isTaken), [isTaken, onChange])
  return null
}
