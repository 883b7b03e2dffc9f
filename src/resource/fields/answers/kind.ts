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
  validate: (value) => (isAnswers(value) ? null : { key: 'json', values: { reason: '' } }),
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

export function isAnswers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
