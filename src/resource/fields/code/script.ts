import { type FieldScript, textDefault } from '@/resource/fields/script-interface'

export const script: FieldScript<'code'> = {
  options: {
    description: 'A script or configuration, edited with highlighting.',
    properties: {
      max_length: { type: 'integer', minimum: 1, description: 'Most characters.' },
      default: { type: 'string' },
      language: {
        type: 'string',
        description: 'python, shell, powershell, batch, json, or `$record.<field>` to follow another field.',
      },
    },
  },
  column: () => ({ type: 'text', implied: { maxLength: 200_000 } }),
  search: 'words',
  argument: (options, start) => ({ ...(options ? { language: options } : {}), ...textDefault(start) }),
}
