import { type FieldScript, textDefault } from '@/resource/fields/script-interface'

export const script: FieldScript<'timezone'> = {
  options: {
    description: 'A time zone by its IANA name, such as `Europe/Istanbul`.',
    properties: { default: { type: 'string' } },
  },
  column: () => ({
    type: 'text',
    // An unknown zone fails here, not when a moment is first shown in it.
    checks: (column) => [`app.is_timezone(${column})`],
  }),
  search: 'words',
  argument: (_options, start) => textDefault(start),
}
