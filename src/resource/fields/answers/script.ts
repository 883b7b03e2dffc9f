import { type FieldScript, jsonLimits } from '@/resource/fields/script-interface'

export const script: FieldScript<'answers'> = {
  options: {
    description:
      'Answers to questions that another record asks, stored by key as JSON: a ticket answers those of its category. The form is a field of kind rows with the columns key, label, kind, required and options; kind is text, textarea, number, date, enum or checkbox.',
    required: ['form'],
    properties: {
      form: {
        type: 'string',
        pattern: '^\\$record\\.[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$',
        examples: ['$record.category_id.fields'],
        description:
          'The questions: `$record.<relation>.<field>`, a field of kind rows of the record that the relation points at.',
      },
      partial: {
        type: 'boolean',
        description: 'The form takes the record without answers to required questions.',
      },
    },
  },
  column: () => ({
    type: 'jsonb',
    checks: (column) => [`jsonb_typeof(${column}) = 'object'`],
    limits: jsonLimits,
    empty: `'{}'`,
  }),
  defaultText: (value) => JSON.stringify(value),
  argument: 'Write its `form` in the definition, then run `npm run resource migrate`.',
}
