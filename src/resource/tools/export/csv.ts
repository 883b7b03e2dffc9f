import type { Language } from '@/i18n/language'
import { type CellValue, isFormula } from '@/resource/fields/file-values'
import type { ExportWriter, Write } from '@/resource/tools/export/export-file'
import { textBuffer } from '@/resource/tools/export/text-buffer'

/** Spreadsheets expect the forms of their readers' language: Turkish ones read `,` as the decimal sign. */
const FORMS: Record<Language, { separator: string; decimal: string; day: string }> = {
  en: { separator: ',', decimal: '.', day: '/' },
  tr: { separator: ';', decimal: ',', day: '.' },
}

/** Excel needs the mark: else it reads UTF-8 in the machine's code page and shows wrong Turkish letters. */
const BYTE_ORDER_MARK = '\uFEFF'
/** Either separator asks for quotes: the file may be opened where the other one is in use. */
const TO_QUOTE = /[",;\t\r\n]|^\s|\s$/

function textCell(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text
  return TO_QUOTE.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Never as `1e21`, and without grouping, which spreadsheets of other languages misread. */
function digits(number: number): string {
  const text = String(number)
  if (!text.includes('e')) return text
  return new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 20 }).format(number)
}

const two = (number: number) => String(number).padStart(2, '0')

/** In the time zone of the reader, as the list shows it. */
function instantText(at: Date, sign: string): string {
  const day = [two(at.getDate()), two(at.getMonth() + 1), at.getFullYear()].join(sign)
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
}

export function csvWriter(titles: readonly string[], language: Language, write: Write): ExportWriter {
  const { separator, decimal, day: sign } = FORMS[language]
  const buffer = textBuffer()
  const cell = (value: CellValue): string => {
    if (value === null) return ''
    if (value.kind === 'text') return textCell(value.text)
    if (value.kind === 'number') return digits(value.number).replace('.', decimal)
    if (value.kind === 'day') return value.day.split('-').reverse().join(sign)
    return instantText(value.at, sign)
  }
  const line = (cells: readonly string[]) => `${cells.join(separator)}\r\n`
  const flush = () => buffer.drain(write)
  buffer.add(BYTE_ORDER_MARK + line(titles.map(textCell)))
  return { add: (row) => buffer.add(line(row.map(cell))), flush, end: flush }
}
