import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'tags'> = {
  type: 'tags',
  compare: 'text',
  minWidth: 104,
  columns: ['_text', 'jsonb'],
  filter: 'words',
  empty: [],
  isList: true,
  validate: (value, field) =>
    field.closed && Array.isArray(value) && !value.every((tag) => field.suggestions?.includes(String(tag)))
      ? { key: 'choice' }
      : null,
  choices: ({ suggestions, closed }) => ({ known: suggestions ?? [], isClosed: closed ?? false }),
}
