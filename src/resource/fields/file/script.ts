import {
  ArgumentProblem,
  type FieldScript,
  type JsonSchema,
  type ScriptFamily,
} from '@/resource/fields/script-interface'

const MAX_MB: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: 5120,
  description: 'The largest file, in megabytes. The limit of the server counts as well (`FILE_MAX_MB`, 25).',
}

function maxOf(options: string | undefined): { max_mb?: number } {
  if (!options) return {}
  const megabytes = Number(options)
  if (!Number.isInteger(megabytes) || megabytes < 1 || megabytes > 5120)
    throw new ArgumentProblem(`\`(${options})\` is no size`, 'Write image(5) for at most 5 megabytes.')
  return { max_mb: megabytes }
}

const COMMON = {
  column: () => ({ type: 'uuid' }),
  argument: (options: string | undefined) => maxOf(options),
} satisfies Partial<FieldScript<'file' | 'image'>>

export const scripts: ScriptFamily<'file' | 'image'> = {
  file: {
    ...COMMON,
    options: {
      description:
        'One file, which goes with the record. Several files of a record are its `attachments`. Whoever may read the record may read the file. Its type is decided by the content; programs, scripts and shortcuts are refused.',
      properties: {
        max_mb: MAX_MB,
        accept: {
          type: 'array',
          minItems: 1,
          uniqueItems: true,
          items: { enum: ['image', 'pdf', 'document', 'spreadsheet', 'archive', 'media', 'text', 'other'] },
          description: 'The families of files that it takes. Default: all.',
        },
      },
    },
    describes: { types: ['uuid'], target: 'files' },
  },
  image: {
    ...COMMON,
    options: {
      description: 'One raster image, shown by a preview that the browser makes when it is uploaded.',
      properties: { max_mb: MAX_MB },
    },
  },
}
