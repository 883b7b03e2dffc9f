import { type FieldSql, lengthOf, lengthOption, TEXT_TYPES, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'textarea'> = {
  column: () => ({ type: 'text' }),
  search: 'words',
  describes: { types: TEXT_TYPES, minLength: 500, options: ({ rules }) => lengthOption(rules) },
  argument: (options, start) => ({ max_length: lengthOf(options, 4000), ...textDefault(start) }),
}
