import { type FieldSql, lengthOf, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'markdown'> = {
  column: () => ({ type: 'text', implied: { maxLength: 100_000 } }),
  search: 'words',
  argument: (options, start) => ({ max_length: lengthOf(options, 20_000), ...textDefault(start) }),
}
