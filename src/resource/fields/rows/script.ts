import { type FieldScript, jsonLimits } from '@/resource/fields/script-interface'

export const script: FieldScript<'rows'> = {
  options: {
    description: 'A small table inside the record, stored as a JSON array of objects.',
    required: ['fields'],
    properties: {
      fields: {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
        additionalProperties: { $ref: '#/$defs/field' },
        description: 'The columns of the inner table.',
      },
      keys: {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
        additionalProperties: { type: 'string' },
        description:
          'Columns that identify a row, by name with the column of text that each is made from: `{ "key": "label" }`. Nobody types or sees them: *Diş hekimi* gets `dis_hekimi` when it is first saved, a second one `dis_hekimi_2`, and another label changes neither.',
      },
      default: { type: 'array' },
    },
  },
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
