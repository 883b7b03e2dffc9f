import type { DateForm } from '@/resource/fields/date/written-dates'
import type { Cell } from '@/resource/tools/import/file-table'

export const NUMBER_FORMS = ['comma', 'point'] as const
/** The mark before the decimals. */
export type NumberForm = (typeof NUMBER_FORMS)[number]
/** How a file writes what languages write differently. */
export interface WrittenForms {
  number: NumberForm
  date: DateForm
}

/** The decimal mark that one text shows; null when either could be meant. */
function numberFormOf(text: string): NumberForm | null {
  const marks = text.match(/[.,]/g) ?? []
  const last = marks.at(-1)
  if (last === undefined) return null
  const form = (mark: string): NumberForm => (mark === ',' ? 'comma' : 'point')
  if (new Set(marks).size === 2) return form(last)
  if (marks.length > 1) return form(last === ',' ? '.' : ',')
  const [, whole = '', decimals = ''] = /(\d*)[.,](\d*)/.exec(text) ?? []
  return decimals.length === 3 && whole.length > 0 && whole.length < 4 && whole !== '0' ? null : form(last)
}

const PARTS = /^\s*(\d{1,2})([./-])(\d{1,2})\2\d{2,4}(?:\D|$)/

function dateFormOf(text: string): DateForm | null {
  const [, first, , second] = PARTS.exec(text) ?? []
  if (first === undefined || second === undefined) return null
  if (Number(first) > 12 && Number(second) <= 12) return 'day'
  return Number(second) > 12 && Number(first) <= 12 ? 'month' : null
}

interface Found<Form> {
  form: Form
  /** Whether nothing in the file tells, so that a person is better asked. */
  isOpen: boolean
}

function found<Form>(
  cells: readonly Cell[],
  formOf: (text: string) => Form | null,
  isConcerned: (text: string) => boolean,
  fallback: Form,
): Found<Form> {
  const votes = new Map<Form, number>()
  let isConcern = false
  for (const cell of cells) {
    if (typeof cell !== 'string' || !isConcerned(cell)) continue
    isConcern = true
    const form = formOf(cell)
    if (form !== null) votes.set(form, (votes.get(form) ?? 0) + 1)
  }
  const [best] = [...votes].sort(([, a], [, b]) => b - a)
  return { form: best?.[0] ?? fallback, isOpen: isConcern && best === undefined }
}

export function findNumberForm(cells: readonly Cell[], fallback: NumberForm): Found<NumberForm> {
  return found(cells, numberFormOf, (text) => /\d[.,]\d/.test(text), fallback)
}

export function findDateForm(cells: readonly Cell[], fallback: DateForm): Found<DateForm> {
  // Points are written between days and months in that order only.
  return found(
    cells,
    (text) => dateFormOf(text) ?? (/^\s*\d{1,2}\.\d{1,2}\.\d/.test(text) ? 'day' : null),
    (text) => PARTS.test(text),
    fallback,
  )
}
