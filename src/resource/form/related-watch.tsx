import { useEffect } from 'react'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/definition/registry'
import { targetOf } from '@/resource/fields/related-field'
import { useChosen } from '@/resource/query/use-record-query'

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
