import type { FieldScript } from '@/resource/fields/script-interface'

/** As PostgreSQL writes it: in quotes only where it has to be. */
const element = (value: string): string =>
  value === '' || value.toLowerCase() === 'null' || /[{}",\\\s]/.test(value)
    ? `"${value.replaceAll(/["\\]/g, '\\$&')}"`
    : value

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

export const script: FieldScript<'tags'> = {
  options: {
    description: 'A list of words.',
    properties: {
      suggestions: { type: 'array', items: { type: 'string' } },
      closed: {
        type: 'boolean',
        description:
          'Whether only the suggestions may be chosen. Their labels are in the texts of the resource, under `values`.',
      },
      default: { type: 'array', items: { type: 'string' } },
    },
  },
  column: ({ required, when, closed, suggestions = [] }) => ({
    type: 'text[]',
    checks: (column) => [
      ...(required && !when ? [`cardinality(${column}) >= 1`] : []),
      ...(closed ? [`${column} <@ array[${suggestions.map(text).join(', ')}]::text[]`] : []),
    ],
    limits: (column) => [`cardinality(${column}) <= 100`],
    ...(required && !when ? {} : { empty: `'{}'` }),
  }),
  filled: (column) => `coalesce(cardinality(${column}), 0) > 0`,
  defaultText: (value) =>
    `{${[value]
      .flat()
      .map((item) => element(String(item)))
      .join(',')}}`,
  describes: { types: ['_text'] },
  argument: (_options, start) => (start === undefined ? {} : { default: start.split(',') }),
}
