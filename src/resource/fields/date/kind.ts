import { formatDateTime, formatDay } from '@/i18n/format'
import { writeText } from '@/resource/fields/file-values'
import type { KindFamily } from '@/resource/fields/kind-interface'
import { isStoredDate } from '@/resource/fields/value-checks'

const DATE = { filter: 'days', isSortable: true, commitsOnChange: true, input: 'date' } as const

export const kinds: KindFamily<'date' | 'datetime'> = {
  date: {
    ...DATE,
    type: 'date',
    compare: 'date',
    columns: ['date'],
    isKey: true,
    titleText: (value, _field, language) => formatDay(String(value), language),
    validate: (value) => (isStoredDate(String(value)) ? null : { key: 'date' }),
    file: {
      form: 'date',
      write: (value) => {
        const text = String(value)
        return /^\d{4}-\d\d-\d\d/.test(text) ? { kind: 'day', day: text.slice(0, 10) } : writeText(text)
      },
      read: (cell) => cell.day(),
    },
  },
  datetime: {
    ...DATE,
    type: 'datetime',
    compare: 'instant',
    columns: ['timestamptz'],
    titleText: (value, _field, language) =>
      Number.isNaN(Date.parse(String(value))) ? String(value) : formatDateTime(String(value), language),
    companions: ({ local_when }) => (local_when ? [local_when] : []),
    references: ({ or_earlier = [] }) => or_earlier.map((name, index) => [`or_earlier/${index}`, name]),
    validate: (value) => (isStoredDate(String(value)) ? null : { key: 'datetime' }),
    file: {
      form: 'date',
      write: (value) => {
        const at = new Date(String(value))
        return Number.isNaN(at.getTime()) ? writeText(String(value)) : { kind: 'instant', at }
      },
      read: (cell) => cell.instant(),
    },
  },
}
