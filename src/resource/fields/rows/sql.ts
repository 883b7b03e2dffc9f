import { type FieldSql, jsonChecks } from '@/resource/fields/field-sql'

export const sql: FieldSql<'rows'> = {
  column: () => ({ type: 'jsonb', checks: (column) => jsonChecks(column, 'array'), empty: `'[]'` }),
  defaultText: (value) => JSON.stringify(value),
  argument: 'Write its inner fields in the definition, then run `npm run resource migrate`.',
}
