import { type FieldSql, jsonLimits } from '@/resource/fields/field-sql'

export const sql: FieldSql<'rows'> = {
  column: ({ required, when }) => ({
    type: 'jsonb',
    checks: (column) => [
      `jsonb_typeof(${column}) = 'array'`,
      ...(required && !when ? [`jsonb_array_length(${column}) >= 1`] : []),
    ],
    limits: jsonLimits,
    ...(required && !when ? {} : { empty: `'[]'` }),
  }),
  filled: (column) => `coalesce(jsonb_array_length(${column}), 0) > 0`,
  defaultText: (value) => JSON.stringify(value),
  argument: 'Write its inner fields in the definition, then run `npm run resource migrate`.',
}
