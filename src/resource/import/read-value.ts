import { fold } from '@/i18n/fold'
import type { Field } from '@/resource/definition/definition.generated'
import { isFormula } from '@/resource/export/cell-value'
import { InvalidJson } from '@/resource/fields/json/invalid-json'
import type { FieldProblem } from '@/resource/fields/kind'
import { parseAmount } from '@/resource/fields/money/amount'
import type { Cell } from '@/resource/import/file-table'
import { parseDay, parseInstant, type WrittenForms } from '@/resource/import/written-forms'

/** A value as the form would hold it, or what is wrong with the cell; null is an empty one. */
export type ReadValue = { value: unknown } | { problem: FieldProblem }

export interface ValueReader {
  forms: WrittenForms
  /** The stored value that stands for a word, in either language; undefined when none does. */
  choice: (word: string) => string | undefined
}

/** Kinds whose text is kept to the blank: what is exported must come back as it was. */
const FREE: ReadonlySet<Field['type']> = new Set(['text', 'textarea', 'markdown', 'code'])
const YES = new Set(['true', 'yes', 'evet', 'dogru', 'y', 'e', '1', 'x', 'on', 'acik', 'var'])
const NO = new Set(['false', 'no', 'hayir', 'yanlis', 'n', 'h', '0', '-', 'off', 'kapali', 'yok'])

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

function readNumber(cell: Cell, { forms }: ValueReader): ReadValue {
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

function readBoolean(cell: Cell): ReadValue {
  if (typeof cell === 'boolean') return { value: cell }
  const word = fold(cellText(cell).trim())
  if (YES.has(word)) return { value: true }
  return NO.has(word) ? { value: false } : { problem: { key: 'boolean' } }
}

function readDate(cell: Cell, { forms }: ValueReader): ReadValue {
  const written = typeof cell === 'number' ? null : parseDay(cellText(cell), forms.date)
  return written ? { value: written.day } : { problem: { key: 'date' } }
}

function readInstant(cell: Cell, { forms }: ValueReader): ReadValue {
  const at = typeof cell === 'number' ? null : parseInstant(cellText(cell), forms.date)
  return at === null ? { problem: { key: 'date' } } : { value: at }
}

function readTags(cell: Cell, field: Extract<Field, { type: 'tags' }>, { choice }: ValueReader): ReadValue {
  const words = cellText(cell)
    .split(/[,;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  return { value: field.closed ? words.map((word) => choice(word) ?? word) : words }
}

function readJson(text: string): ReadValue {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { value: new InvalidJson(text, error instanceof Error ? error.message : '') }
  }
}

/** What the cell says for the field. Whether the field takes it is for the form's own checks to say. */
export function readValue(cell: Cell, field: Field, reader: ValueReader): ReadValue {
  switch (field.type) {
    case 'number':
    case 'money':
    case 'percent':
    case 'duration':
    case 'bytes':
      return readNumber(cell, reader)
    case 'boolean':
      return readBoolean(cell)
    case 'date':
      return readDate(cell, reader)
    case 'datetime':
      return readInstant(cell, reader)
    case 'enum': {
      const value = reader.choice(withoutGuard(cellText(cell)).trim())
      return value === undefined ? { problem: { key: 'choice' } } : { value }
    }
    case 'tags':
      return readTags(cell, field, reader)
    case 'json':
      return readJson(cellText(cell))
    default: {
      const text = withoutGuard(cellText(cell))
      return { value: FREE.has(field.type) ? text : text.trim() }
    }
  }
}
