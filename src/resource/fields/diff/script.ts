import { type FieldScript, jsonLimits } from '@/resource/fields/script-interface'

export const script: FieldScript<'diff'> = {
  options: {
    description: 'What a change changed: `{ field: [before, after] }`. Shown as a table, never edited.',
    properties: {
      of: {
        type: 'string',
        description: 'The field that names the table whose row was changed. Default `table_name`.',
      },
    },
  },
  column: () => ({
    type: 'jsonb',
    checks: (column) => [`jsonb_typeof(${column}) = 'object'`],
    limits: jsonLimits,
  }),
  argument: 'It reads a log that the database writes.',
}
