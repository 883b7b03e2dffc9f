import { type FieldScript, lengthOf, textDefault } from '@/resource/fields/script-interface'

export const script: FieldScript<'markdown'> = {
  options: {
    description:
      'Text with headings, lists, links, emphasis and code, written in Markdown. HTML in it stays text.',
    properties: {
      max_length: { type: 'integer', minimum: 1, description: 'Most characters.' },
      default: { type: 'string' },
      rows: {
        type: 'integer',
        minimum: 2,
        maximum: 40,
        description: 'Height of the editor in lines. Default 8.',
      },
    },
  },
  column: () => ({ type: 'text', implied: { maxLength: 100_000 } }),
  search: 'words',
  argument: (options, start) => ({ max_length: lengthOf(options, 20_000), ...textDefault(start) }),
}
