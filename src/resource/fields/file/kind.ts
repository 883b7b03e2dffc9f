import { writeText } from '@/resource/fields/file-values'
import type { KindFamily } from '@/resource/fields/kind-interface'

/** The column holds the key of a row of `public.files`, which belongs to this record alone. */
const FILE = {
  compare: 'text',
  columns: ['uuid'],
  isLarge: true,
  isUpload: true,
  input: 'file',
  target: () => 'files',
  reads: ['path', 'size', 'type', 'has_preview'],
} as const

export const kinds: KindFamily<'file' | 'image'> = {
  file: { ...FILE, type: 'file', file: { write: (_key, { relatedTitle }) => writeText(relatedTitle()) } },
  image: {
    ...FILE,
    type: 'image',
    families: ['image'],
    file: { write: (_key, { relatedTitle }) => writeText(relatedTitle()) },
  },
}
