import { type FieldSql, lengthOf, lengthOption, TEXT_TYPES, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'text'> = {
  column: () => ({ type: 'text' }),
  search: 'words',
  describes: {
    types: [...TEXT_TYPES, 'uuid'],
    options: ({ rules }) => ({
      ...lengthOption(rules),
      ...(rules.pattern === undefined ? {} : { pattern: rules.pattern }),
    }),
  },
  argument: (options, start) => ({ max_length: lengthOf(options, 200), search: true, ...textDefault(start) }),
}
