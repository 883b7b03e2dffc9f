import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'timezone'> = {
  column: () => ({
    type: 'text',
    // An unknown zone fails here, not when a moment is first shown in it.
    checks: (column) => [`app.is_timezone(${column})`],
  }),
  search: 'words',
  argument: (_options, start) => textDefault(start),
}
