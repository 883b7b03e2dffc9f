import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'ip'> = {
  column: () => ({ type: 'text', checks: (column) => [`${column} ~ '^[0-9A-Fa-f:.]{2,45}$'`] }),
  search: 'words',
  describes: { types: ['inet'] },
  argument: (_options, start) => ({ search: true, ...textDefault(start) }),
}
