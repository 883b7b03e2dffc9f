import { fold } from '@/i18n/fold'
import { writeText } from '@/resource/fields/cell-value'
import type { FieldFile } from '@/resource/fields/field-file'
import { cellText } from '@/resource/fields/read-cell'

const YES = new Set(['true', 'yes', 'evet', 'dogru', 'y', 'e', '1', 'x', 'on', 'acik', 'var'])
const NO = new Set(['false', 'no', 'hayir', 'yanlis', 'n', 'h', '0', '-', 'off', 'kapali', 'yok'])

export const file: FieldFile<'boolean'> = {
  write: (value, { words }) => writeText(value === true ? words.yes : words.no),
  read: (cell) => {
    if (typeof cell === 'boolean') return { value: cell }
    const word = fold(cellText(cell).trim())
    if (YES.has(word)) return { value: true }
    return NO.has(word) ? { value: false } : { problem: { key: 'boolean' } }
  },
}
