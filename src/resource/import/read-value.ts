import type { Field } from '@/resource/definition/definition.generated'
import { parseDay, parseInstant } from '@/resource/fields/date/written-dates'
import { type FileCell, type ReadValue, withoutGuard } from '@/resource/fields/file-values'
import { kindOf } from '@/resource/fields/kinds'
import { parseAmount } from '@/resource/fields/money/kind'
import { type Cell, cellText } from '@/resource/import/file-table'
import type { WrittenForms } from '@/resource/import/written-forms'

export interface ValueReader extends Pick<FileCell, 'choice'> {
  forms: WrittenForms
}

const AROUND = /^\s*(?:\p{Sc}|%|TL|[A-Z]{3})?\s*(-?[\d.,'\s\u00a0\u202f]+)\s*(?:\p{Sc}|%|TL|[A-Z]{3})?\s*$/u
const POWER = /^-?\d+(?:[.,]\d+)?e[+-]?\d{1,2}$/i

function readNumber(cell: Cell, form: WrittenForms['number']): ReadValue {
  if (typeof cell === 'number') return { value: cell }
  const text = cellText(cell).trim()
  const plain = AROUND.exec(text)?.[1]
  const number = POWER.test(text)
    ? Number(text.replace(',', '.'))
    : plain === undefined
      ? null
      : parseAmount(plain, form === 'comma' ? 'tr' : 'en')
  if (number === null || !Number.isFinite(number)) return { problem: { key: 'number' } }
  // More digits than a number of ours holds are sent as they are written.
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    return { value: (plain ?? '').replace(/[^\d-]/g, '') }
  return { value: number }
}

/** A bare number is no date: sheets mark theirs as dates. */
function readDate(cell: Cell, parse: (text: string) => string | null | undefined): ReadValue {
  const value = typeof cell === 'number' ? null : parse(cellText(cell))
  return value ? { value } : { problem: { key: 'date' } }
}

/** Reads the filled-in cell's value for the field. Whether the field takes it is for the form's own checks to say. */
export function readValue(cell: Cell, field: Field, { forms, choice }: ValueReader): ReadValue {
  const { file, keepsSpaces } = kindOf(field.type)
  if (file?.read && cell !== null) {
    const fileCell: FileCell = {
      raw: cell,
      text: cellText(cell),
      number: () => readNumber(cell, forms.number),
      day: () => readDate(cell, (text) => parseDay(text, forms.date)?.day),
      instant: () => readDate(cell, (text) => parseInstant(text, forms.date)),
      choice,
    }
    return file.read(fileCell, field)
  }
  const text = withoutGuard(cellText(cell))
  // An exported file must import unchanged.
  return { value: keepsSpaces ? text : text.trim() }
}
