import { fold } from '@/i18n/fold'
import { writeText } from '@/resource/fields/file-values'
import type { FieldKind } from '@/resource/fields/kind-interface'

const YES = new Set(['true', 'yes', 'evet', 'dogru', 'y', 'e', '1', 'x', 'on', 'acik', 'var'])
const NO = new Set(['false', 'no', 'hayir', 'yanlis', 'n', 'h', '0', '-', 'off', 'kapali', 'yok'])

export const kind: FieldKind<'boolean'> = {
  type: 'boolean',
  compare: 'boolean',
  columns: ['bool'],
  filter: 'yesNo',
  empty: false,
  commitsOnChange: true,
  file: {
    write: (value, { words }) => writeText(value === true ? words.yes : words.no),
    read: ({ raw, text }) => {
      if (typeof raw === 'boolean') return { value: raw }
      const word = fold(text.trim())
      if (YES.has(word)) return { value: true }
      return NO.has(word) ? { value: false } : { problem: { key: 'boolean' } }
    },
  },
}
