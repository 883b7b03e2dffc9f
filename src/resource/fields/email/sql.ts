import { type FieldSql, lengthOption, TEXT_TYPES, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'email'> = {
  column: () => ({
    type: 'text',
    implied: { maxLength: 255 },
    checks: (column) => [`${column} ~ '^[^[:space:]@]+@[^[:space:]@]+[.][^[:space:]@]+$'`],
  }),
  search: 'words',
  describes: {
    types: TEXT_TYPES,
    name: /(^|_)e?mail$/,
    options: ({ rules }) => lengthOption(rules, 255),
  },
  argument: (_options, start) => ({ search: true, ...textDefault(start) }),
}
