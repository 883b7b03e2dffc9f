import { type FieldScript, numberDefault } from '@/resource/fields/script-interface'

export const script: FieldScript<'rating'> = {
  options: {
    description: 'A number of stars, from 1.',
    properties: {
      max: {
        type: 'integer',
        minimum: 2,
        maximum: 10,
        default: 5,
        description: 'The largest number of stars.',
      },
    },
  },
  column: ({ max = 5 }) => ({ type: 'integer', implied: { min: 1, max } }),
  isIndexed: true,
  argument: (options, start) => ({ max: options ? Number(options) : 5, ...numberDefault(start) }),
}
