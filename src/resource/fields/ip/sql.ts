import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'ip'> = {
  column: () => ({ type: 'text', checks: (column) => [`app.is_ip(${column})`] }),
  search: 'words',
  describes: { types: ['inet'] },
  argument: (_options, start) => ({ search: true, ...textDefault(start) }),
}
