import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'color'> = {
  column: () => ({ type: 'text', checks: (column) => [`${column} ~ '^#[0-9a-f]{6}$'`] }),
  search: 'words',
  argument: (_options, start) => textDefault(start),
}
