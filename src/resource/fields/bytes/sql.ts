import { type FieldSql, numberDefault, rangeOf } from '@/resource/fields/field-sql'

export const sql: FieldSql<'bytes'> = {
  column: () => ({ type: 'bigint', implied: { min: 0 } }),
  search: 'digits',
  isIndexed: true,
  argument: (options, start) => ({ ...rangeOf(options), ...numberDefault(start) }),
}
