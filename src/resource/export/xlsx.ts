import { Zip, ZipDeflate } from 'fflate'
import type { Language } from '@/i18n/language'
import { type CellValue, type Emit, type ExportWriter, isFormula } from '@/resource/export/cell-value'
import {
  CONTENT_TYPES,
  columnName,
  PACKAGE_LINKS,
  STYLE,
  sheetEnd,
  sheetName,
  sheetStart,
  stylesPart,
  WORKBOOK_LINKS,
  workbookPart,
  xmlText,
} from '@/resource/export/xlsx-parts'

/** What a sheet holds, its header among them. */
export const MOST_ROWS = 1_048_576
/** What a cell holds; Excel calls a file with more than that broken. */
const MOST_CHARACTERS = 32_767
const WIDTH = { least: 8, most: 60, day: 12, instant: 18 } as const
const DAY_FORMS: Record<Language, string> = { en: 'dd/mm/yyyy', tr: 'dd.mm.yyyy' }

const DAY_MS = 86_400_000
/** 1970-01-01 in days since the spreadsheets' beginning. */
const EPOCH = 25_569

function daySerial(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS + EPOCH
}

/** A sheet's times have no zone: what the reader's clock showed. */
function instantSerial(at: Date): number {
  const local = at.getTime() - at.getTimezoneOffset() * 60_000
  return Math.round(local / 1000) / (DAY_MS / 1000) + EPOCH
}

function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  return `${text.slice(0, MOST_CHARACTERS - 1)}…`
}

function stringCell(place: string, text: string, style: number): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(cut(text))}</t></is></c>`
}

function cell(place: string, value: CellValue): string {
  if (value === null) return ''
  if (value.kind === 'number') return `<c r="${place}"><v>${value.number}</v></c>`
  if (value.kind === 'day') return `<c r="${place}" s="${STYLE.day}"><v>${daySerial(value.day)}</v></c>`
  if (value.kind === 'instant')
    return `<c r="${place}" s="${STYLE.instant}"><v>${instantSerial(value.at)}</v></c>`
  // A text is never run, but editing it would make a formula of it: so it bears the apostrophe of its own kind.
  return stringCell(place, value.text, isFormula(value.text) ? STYLE.apostrophe : STYLE.plain)
}

function widthOf(value: CellValue): number {
  if (value === null) return 0
  if (value.kind === 'text') return value.text.split('\n', 1)[0]?.length ?? 0
  if (value.kind === 'number') return String(value.number).length
  return WIDTH[value.kind]
}

/** By the header and the first rows: the width stands before the rows, and nobody waits for the last one. */
function widthsOf(titles: readonly string[], rows: readonly CellValue[][]): number[] {
  return titles.map((title, index) => {
    // The button of the filter takes the room of three letters.
    const wanted = rows.reduce((most, row) => Math.max(most, widthOf(row[index] ?? null)), title.length + 3)
    return Math.min(WIDTH.most, Math.max(WIDTH.least, wanted + 1))
  })
}

/** Writes the workbook as its rows come; nothing of them is kept but what has been packed. */
export function xlsxWriter(
  titles: readonly string[],
  { language, name, emit }: { language: Language; name: string; emit: Emit },
): ExportWriter {
  const encoder = new TextEncoder()
  const letters = titles.map((_title, index) => columnName(index))
  const sheet = sheetName(name)
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    // What the library gives is its own to use again.
    if (bytes.length > 0) emit(bytes.slice())
  })
  const open = (path: string) => {
    const part = new ZipDeflate(path, { level: 4 })
    zip.add(part)
    return part
  }
  const put = (path: string, text: string) => open(path).push(encoder.encode(text), true)
  let rowsPart: ZipDeflate | null = null
  let written = 0

  const begin = (rows: readonly CellValue[][]): ZipDeflate => {
    put('[Content_Types].xml', CONTENT_TYPES)
    put('_rels/.rels', PACKAGE_LINKS)
    put('xl/_rels/workbook.xml.rels', WORKBOOK_LINKS)
    put('xl/styles.xml', stylesPart(DAY_FORMS[language]))
    const part = open('xl/worksheets/sheet1.xml')
    const header = titles.map((title, index) => stringCell(`${letters[index]}1`, title, STYLE.header))
    written = 1
    const start = sheetStart(widthsOf(titles, rows))
    part.push(encoder.encode(`${start}<row r="1">${header.join('')}</row>`))
    return part
  }
  const add = (rows: readonly CellValue[][]): ZipDeflate => {
    rowsPart ??= begin(rows)
    if (written + rows.length > MOST_ROWS) throw new RangeError('A sheet holds no more rows')
    const lines = rows.map((row) => {
      written++
      const cells = row.map((value, index) => cell(`${letters[index]}${written}`, value))
      return `<row r="${written}">${cells.join('')}</row>`
    })
    rowsPart.push(encoder.encode(lines.join('')))
    return rowsPart
  }
  return {
    add: (rows) => void add(rows),
    end: () => {
      const part = add([])
      part.push(encoder.encode(sheetEnd(titles.length, written)), true)
      put('xl/workbook.xml', workbookPart(sheet, titles.length, written))
      zip.end()
    },
  }
}
