import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'datetime'> = {
  column: () => ({ type: 'timestamptz' }),
  isIndexed: true,
  describes: { types: ['timestamptz'], options: () => ({ filter: true }) },
  argument: (_options, start) => ({ filter: true, ...textDefault(start) }),
}
