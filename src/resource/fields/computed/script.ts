import type { FieldScript } from '@/resource/fields/script-interface'

export const script: FieldScript<'computed'> = {
  options: {
    description: 'A value that the database derives; shown as the named kind.',
    properties: {
      as: { enum: ['text', 'number', 'bytes', 'percent', 'duration', 'boolean', 'date', 'datetime'] },
    },
  },
  argument:
    'The database computes it: write its generated column in a migration, then the field in the definition.',
}
