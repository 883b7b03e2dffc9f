import { isFormula } from '@/resource/fields/cell-value'
import type { ReadValue, ValueReader } from '@/resource/fields/field-file'
import type { Cell } from '@/resource/fields/file-table'
import { parseAmount } from '@/resource/fields/money/amount'

/** The cell as a text, as somebody would have typed it. */
export function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (cell instanceof Date) {
    const [day = '', time = ''] = cell.toISOString().split('T')
    return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 8)}`
  }
  if (typeof cell === 'number' && !Number.isInteger(cell))
    return new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 15 }).format(cell)
  return String(cell)
}

/** Our exports, and others', put an apostrophe before what a spreadsheet would run. It is not part of the text. */
export function withoutGuard(text: string): string {
  return text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text
}

export function isEmptyCell(cell: Cell | undefined): boolean {
  return cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')
}

const AROUND = /^\s*(?:\p{Sc}|%|TL|[A-Z]{3})?\s*(-?[\d.,'\s\u00a0\u202f]+)\s*(?:\p{Sc}|%|TL|[A-Z]{3})?\s*$/u
const POWER = /^-?\d+(?:[.,]\d+)?e[+-]?\d{1,2}$/i

/** A number as people of either language write it, with a currency or a percent sign around it. */
export function readNumber(cell: Cell, _field: unknown, { forms }: ValueReader): ReadValue {
  if (typeof cell === 'number') return { value: cell }
  const text = cellText(cell).trim()
  const plain = AROUND.exec(text)?.[1]
  const number = POWER.test(text)
    ? Number(text.replace(',', '.'))
    : plain === undefined
      ? null
      : parseAmount(plain, forms.number === 'comma' ? 'tr' : 'en')
  if (number === null || !Number.isFinite(number)) return { problem: { key: 'number' } }
  // More digits than a number of ours holds are sent as they are written.
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    return { value: (plain ?? '').replace(/[^\d-]/g, '') }
  return { value: number }
}
