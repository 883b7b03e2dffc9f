import { type FieldSql, jsonChecks } from '@/resource/fields/field-sql'

export const sql: FieldSql<'diff'> = {
  column: () => ({ type: 'jsonb', checks: (column) => jsonChecks(column, 'object') }),
  argument: 'It reads a log that the database writes.',
}
