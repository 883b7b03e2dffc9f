import { ArgumentProblem, type FieldScript, numberDefault } from '@/resource/fields/script-interface'

export const script: FieldScript<'money'> = {
  options: {
    description: 'An amount of money, to two decimals.',
    required: ['currency'],
    properties: {
      min: { type: 'number', description: 'Smallest amount.' },
      max: { type: 'number', description: 'Largest amount.' },
      default: { type: 'number' },
      currency: {
        type: 'string',
        pattern: '^([A-Z]{3}|\\$record\\.[a-z][a-z0-9_]*)$',
        examples: ['TRY', '$record.currency'],
        description: 'The ISO code, such as `TRY`, or `$record.<field>` to follow another field.',
      },
    },
  },
  column: () => ({ type: 'numeric(14, 2)' }),
  argument: (options, start) => {
    if (options && !/^[A-Z]{3}$/.test(options))
      throw new ArgumentProblem(`\`(${options})\` is no currency`, 'Write cost:money(TRY).')
    return { currency: options ?? 'TRY', min: 0, ...numberDefault(start) }
  },
}
