import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'mac'> = {
  column: () => ({ type: 'text', checks: (column) => [`${column} ~* '^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$'`] }),
  search: 'words',
  describes: { types: ['macaddr'] },
  argument: (_options, start) => ({ search: true, ...textDefault(start) }),
}
