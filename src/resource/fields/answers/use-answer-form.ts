import { useOne } from '@refinedev/core'
import type { Row } from '@/data/rows'
import { type AnswerField, readForm } from '@/resource/fields/answers/answer-form'
import { formSource } from '@/resource/fields/answers/kind'
import { targetOf } from '@/resource/fields/related-field'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'

/** The questions that the record's form asks: those of the record that its relation points at now. */
export function useAnswerForm(
  resource: string,
  form: string,
  record: Row,
): { fields: AnswerField[]; isLoading: boolean } {
  const { relation, field } = formSource(form)
  const source = findDefinition(resource)?.fields[relation]
  const target = source ? findDefinition(targetOf(source) ?? '') : null
  const id = record[relation]
  const isChosen = typeof id === 'string' && id !== '' && target !== null
  const { query } = useOne<Row & { id: string }>({
    resource: target?.name ?? '',
    id: isChosen ? id : '',
    meta: { table: target ? tableOf(target) : '', select: `id,${field}` },
    queryOptions: { enabled: isChosen },
  })
  return {
    fields: isChosen ? readForm(query.data?.data[field]) : [],
    isLoading: isChosen && query.isPending,
  }
}
