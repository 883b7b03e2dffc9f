import { NUMBER_FILE } from '@/resource/fields/file-values'
import type { FieldKind } from '@/resource/fields/kind-interface'
import { checkRange } from '@/resource/fields/value-checks'

const AMOUNT = /^-?\d+(\.\d{1,2})?$/

/** Whether the database would take it unrounded: a number, or what PostgREST sends for one, to two decimals. */
export function isAmount(value: unknown): boolean {
  return (typeof value === 'number' || typeof value === 'string') && AMOUNT.test(String(value))
}

const DECIMAL_MARK = { en: '.', tr: ',' } as const

/**
 * Reads an amount as people write it in either language: `1.234,50` and `1,234.50`, with or without
 * grouping. Of two marks the last is the decimal one; a single mark before exactly three digits follows the
 * language. Null when it is no amount.
 */
export function parseAmount(text: string, language: 'en' | 'tr'): number | null {
  const bare = text.replace(/[\s\u00a0\u202f']/g, '').replace(/^[^\d.,-]+|[^\d.,]+$/g, '')
  if (!/^-?[\d.,]*\d[\d.,]*$/.test(bare)) return null
  const plain = withPoint(bare, language)
  const number = plain === null ? Number.NaN : Number(plain)
  return Number.isFinite(number) ? number : null
}

function withPoint(text: string, language: 'en' | 'tr'): string | null {
  const marks = [...text.matchAll(/[.,]/g)].map(([mark]) => mark)
  const last = marks.at(-1)
  if (last === undefined) return text
  const kinds = new Set(marks)
  if (kinds.size === 2) {
    const isGrouped = marks.filter((mark) => mark === last).length === 1
    return isGrouped ? grouped(text, text.lastIndexOf(last)) : null
  }
  if (marks.length > 1) return grouped(text, text.length)
  const at = text.indexOf(last)
  const isGroup = last !== DECIMAL_MARK[language] && text.length - at === 4 && /\d/.test(text.charAt(at - 1))
  return isGroup ? text.replace(last, '') : `${text.slice(0, at)}.${text.slice(at + 1)}`
}

/** Digits before the decimal mark must be grouped in threes. */
function grouped(text: string, decimalAt: number): string | null {
  const whole = text.slice(0, decimalAt)
  if (!/^-?\d{1,3}([.,]\d{3})+$/.test(whole)) return null
  const rest = text.slice(decimalAt + 1)
  return `${whole.replace(/[.,]/g, '')}${rest === '' ? '' : `.${rest}`}`
}

/** The column's type is `numeric(14,2)`. */
const MAX_AMOUNT = 999_999_999_999.99

export const kind: FieldKind<'money'> = {
  type: 'money',
  compare: 'number',
  columns: ['numeric'],
  filter: 'range',
  align: 'right',
  isSortable: true,
  isBigNumber: true,
  follows: ['currency'],
  validate: (value, field) => {
    if (!isAmount(value)) return { key: 'money' }
    return checkRange(value, { min: field.min ?? -MAX_AMOUNT, max: field.max ?? MAX_AMOUNT })
  },
  file: {
    ...NUMBER_FILE,
    unit: ({ currency }) => (currency.startsWith('$') ? undefined : currency),
    beside: ({ currency }) => (currency.startsWith('$record.') ? [currency.slice('$record.'.length)] : []),
  },
}
