import { type FieldScript, textDefault } from '@/resource/fields/script-interface'

export const script: FieldScript<'color'> = {
  options: {
    description: 'A color, stored as `#rrggbb`.',
    properties: { default: { type: 'string', pattern: '^#[0-9a-f]{6}$', examples: ['#4d6a99'] } },
  },
  column: () => ({ type: 'text', checks: (column) => [`${column} ~ '^#[0-9a-f]{6}$'`] }),
  search: 'words',
  argument: (_options, start) => textDefault(start),
}
