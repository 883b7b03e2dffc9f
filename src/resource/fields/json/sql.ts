import { type FieldSql, jsonLimits } from '@/resource/fields/field-sql'

export const sql: FieldSql<'json'> = {
  column: () => ({ type: 'jsonb', limits: jsonLimits }),
  defaultText: (value) => JSON.stringify(value),
  describes: { types: ['json', 'jsonb'] },
  argument: (_options, start) => (start === undefined ? {} : { default: JSON.parse(start) as unknown }),
}
