import { type FieldSql, lengthOption, TEXT_TYPES, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'url'> = {
  column: () => ({
    type: 'text',
    implied: { maxLength: 2000 },
    checks: (column) => [`${column} ~* '^https?://[^[:space:]/?#]+[^[:space:]]*$'`],
  }),
  search: 'words',
  describes: {
    types: TEXT_TYPES,
    name: /(^|_)(url|website|homepage)$/,
    options: ({ rules }) => lengthOption(rules, 2000),
  },
  argument: (_options, start) => textDefault(start),
}
