import { ArgumentProblem, COLORS, type FieldScript } from '@/resource/fields/script-interface'

export const script: FieldScript<'boolean'> = {
  options: {
    description: 'Yes or no.',
    properties: {
      default: { type: 'boolean' },
      yes: { enum: COLORS, description: 'Color of yes in lists and records, where yes is good or bad news.' },
      no: { enum: COLORS, description: 'Color of no.' },
    },
  },
  column: () => ({ type: 'boolean', empty: 'false' }),
  describes: { types: ['bool'], options: () => ({ filter: true }) },
  argument: (_options, start) => {
    if (start !== undefined && start !== 'true' && start !== 'false')
      throw new ArgumentProblem(`the default \`${start}\` is neither true nor false`)
    return { filter: true, ...(start === undefined ? {} : { default: start === 'true' }) }
  },
}
