import { type FieldSql, jsonLimits } from '@/resource/fields/field-sql'

export const sql: FieldSql<'diff'> = {
  column: () => ({
    type: 'jsonb',
    checks: (column) => [`jsonb_typeof(${column}) = 'object'`],
    limits: jsonLimits,
  }),
  argument: 'It reads a log that the database writes.',
}
