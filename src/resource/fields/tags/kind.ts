import { writeList } from '@/resource/fields/file-values'
import type { FieldKind } from '@/resource/fields/kind-interface'

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
  file: {
    write: (value, { field, words, resource, name }) => {
      const tags = Array.isArray(value) ? value.map(String) : []
      return writeList(field.closed ? tags.map((tag) => words.value(resource, name, tag)) : tags)
    },
    read: ({ text, choice }, { closed }) => {
      const words = text
        .split(/[,;\n]/)
        .map((word) => word.trim())
        .filter((word) => word !== '')
      return { value: closed ? words.map((word) => choice(word) ?? word) : words }
    },
  },
}
