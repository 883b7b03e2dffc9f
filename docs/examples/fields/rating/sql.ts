import { type FieldSql, numberDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'rating'> = {
  column: ({ max = 5 }) => ({ type: 'integer', implied: { min: 1, max } }),
  isIndexed: true,
  argument: (options, start) => ({ max: options ? Number(options) : 5, ...numberDefault(start) }),
}
