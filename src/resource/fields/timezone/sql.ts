import { type FieldSql, textDefault } from '@/resource/fields/field-sql'

export const sql: FieldSql<'timezone'> = {
  column: () => ({
    type: 'text',
    // An unknown zone fails here (22023), not when a moment is first shown in it.
    checks: (column) => [`(timestamptz 'epoch' at time zone ${column}) is not null`],
  }),
  search: 'words',
  argument: (_options, start) => textDefault(start),
}
