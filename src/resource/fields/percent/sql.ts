import { type FieldSql, numberDefault, rangeOf } from '@/resource/fields/field-sql'

export const sql: FieldSql<'percent'> = {
  column: ({ decimals }) => ({
    type: decimals ? `numeric(${3 + decimals}, ${decimals})` : 'integer',
    implied: { min: 0, max: 100 },
  }),
  argument: (options, start) => ({ ...rangeOf(options), ...numberDefault(start) }),
}
