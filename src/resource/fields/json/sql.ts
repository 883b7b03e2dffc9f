import { type FieldSql, jsonChecks } from '@/resource/fields/field-sql'

export const sql: FieldSql<'json'> = {
  column: () => ({ type: 'jsonb', checks: (column) => jsonChecks(column) }),
  defaultText: (value) => JSON.stringify(value),
  describes: { types: ['json', 'jsonb'] },
  argument: (_options, start) => (start === undefined ? {} : { default: JSON.parse(start) as unknown }),
}
