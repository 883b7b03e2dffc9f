import { isAnswers, missingAnswers, readForm } from '@/resource/fields/answers/answer-form'
import type { FieldKind } from '@/resource/fields/kind-interface'

export const kind: FieldKind<'answers'> = {
  type: 'answers',
  compare: 'text',
  columns: ['jsonb'],
  wide: true,
  isLarge: true,
  hidesEmpty: true,
  empty: {},
  companions: ({ form }) => [formSource(form).relation],
  references: ({ form }) => [['form', formSource(form).relation]],
  checkedBy: ({ form }) => {
    const { relation, field } = formSource(form)
    return { relation, name: field }
  },
  validate: (value, { partial }, form) => {
    if (!isAnswers(value)) return { key: 'json', values: { reason: '' } }
    return !partial && missingAnswers(readForm(form), value).length > 0 ? { key: 'answers' } : null
  },
  file: {
    write: (value) =>
      isAnswers(value) && Object.keys(value).length > 0
        ? { kind: 'text', text: JSON.stringify(value) }
        : null,
  },
}

/** `$record.category_id.fields`: the relation, and the field of its record that holds the form. */
export function formSource(form: string): { relation: string; field: string } {
  const [, relation = '', field = ''] = form.split('.')
  return { relation, field }
}
