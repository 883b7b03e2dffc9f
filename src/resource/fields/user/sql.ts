import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'user'> = {
  column: () => ({ type: 'uuid' }),
  isIndexed: true,
  describes: { types: ['uuid'], target: 'profiles' },
  argument: (_options, start) => ({ filter: true, ...textDefault(start) }),
}
