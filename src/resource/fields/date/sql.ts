import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'date'> = {
  column: () => ({ type: 'date' }),
  now: 'current_date',
  isIndexed: true,
  describes: { types: ['date'], options: () => ({ filter: true }) },
  argument: (_options, start) => ({ filter: true, ...textDefault(start) }),
}
