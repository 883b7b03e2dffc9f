import type { Row } from '@/data/rows'
import { type AnswerField, readForm } from '@/resource/fields/answers/answer-form'
import { formSource } from '@/resource/fields/answers/kind'
import { targetOf } from '@/resource/fields/related-field'
import { findDefinition } from '@/resource/language/registry'
import { useChosen } from '@/resource/request/query/use-record-query'

/** The questions that the record's form asks: those of the record that its relation points at now. */
export function useAnswerForm(
  resource: string,
  form: string,
  record: Row,
): { fields: AnswerField[]; isLoading: boolean; isRead: boolean } {
  const { relation, field } = formSource(form)
  const source = findDefinition(resource)?.fields[relation]
  const target = source ? findDefinition(targetOf(source) ?? '') : null
  const id = record[relation]
  const isChosen = typeof id === 'string' && id !== '' && target !== null
  // The form's check asks the same question, so that it is read once.
  const { data, isLoading } = useChosen(target, isChosen ? [id] : [], [field])
  const row = isChosen ? data?.find((each) => each.id === id) : undefined
  return { fields: readForm(row?.[field]), isLoading: isChosen && isLoading, isRead: row !== undefined }
}
