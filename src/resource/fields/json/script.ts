import { type FieldScript, jsonLimits } from '@/resource/fields/script-interface'

export const script: FieldScript<'json'> = {
  options: { description: 'Any JSON value.', properties: { default: {} } },
  column: () => ({ type: 'jsonb', limits: jsonLimits }),
  defaultText: (value) => JSON.stringify(value),
  describes: { types: ['json', 'jsonb'] },
  argument: (_options, start) => (start === undefined ? {} : { default: JSON.parse(start) as unknown }),
}
