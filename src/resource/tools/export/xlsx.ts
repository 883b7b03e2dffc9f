import type { Language } from '@/i18n/language'
import { type CellValue, isFormula } from '@/resource/fields/file-values'
import type { ExportWriter, Write } from '@/resource/tools/export/export-file'
import { textBuffer } from '@/resource/tools/export/text-buffer'
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
} from '@/resource/tools/export/xlsx-parts'
import { zipWriter } from '@/resource/tools/export/zip'

/** A sheet holds no more rows, its header among them. */
export const MAX_ROWS = 1_048_576
/** A cell holds no more characters; Excel calls a file with more broken. */
const MAX_CHARACTERS = 32_767
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
  if (text.length <= MAX_CHARACTERS) return text
  return `${text.slice(0, MAX_CHARACTERS - 1)}…`
}

type Lines = ReturnType<typeof textBuffer>

function addText(lines: Lines, text: string, style: number): void {
  lines.add('" s="')
  lines.add(String(style))
  lines.add('" t="inlineStr"><is><t xml:space="preserve">')
  lines.add(xmlText(cut(text)))
  lines.add('</t></is></c>')
}

function addNumber(lines: Lines, number: number, style?: number): void {
  if (style !== undefined) {
    lines.add('" s="')
    lines.add(String(style))
  }
  lines.add('"><v>')
  lines.add(String(number))
  lines.add('</v></c>')
}

/** Piece by piece: a sheet is ten times as long as what is in it, and no string is made of it. */
function addCell(lines: Lines, column: string, row: string, value: CellValue): void {
  if (value === null) return
  lines.add('<c r="')
  lines.add(column)
  lines.add(row)
  if (value.kind === 'number') addNumber(lines, value.number)
  else if (value.kind === 'day') addNumber(lines, daySerial(value.day), STYLE.day)
  else if (value.kind === 'instant') addNumber(lines, instantSerial(value.at), STYLE.instant)
  // A text is never run, but editing it would make a formula of it: so it bears the apostrophe of its own kind.
  else addText(lines, value.text, isFormula(value.text) ? STYLE.apostrophe : STYLE.plain)
}

function widthOf(value: CellValue): number {
  if (value === null) return 0
  if (value.kind === 'text') return value.text.split('\n', 1)[0]?.length ?? 0
  if (value.kind === 'number') return String(value.number).length
  return WIDTH[value.kind]
}

/** Writes the workbook as its rows come; nothing of them is kept but what has been packed. */
export function xlsxWriter(
  titles: readonly string[],
  { language, name, write }: { language: Language; name: string; write: Write },
): ExportWriter {
  const letters = titles.map((_title, index) => columnName(index))
  const sheet = sheetName(name)
  const zip = zipWriter(write)
  const lines = textBuffer()
  // The button of the filter takes the room of three letters.
  const wanted = titles.map((title) => title.length + 3)
  let rowsPart: Awaited<ReturnType<typeof zip.open>> | null = null
  let written = 1

  const begin = async () => {
    await zip.add('[Content_Types].xml', CONTENT_TYPES)
    await zip.add('_rels/.rels', PACKAGE_LINKS)
    await zip.add('xl/_rels/workbook.xml.rels', WORKBOOK_LINKS)
    await zip.add('xl/styles.xml', stylesPart(DAY_FORMS[language]))
    const part = await zip.open('xl/worksheets/sheet1.xml')
    const widths = wanted.map((width) => Math.min(WIDTH.most, Math.max(WIDTH.least, width + 1)))
    const start = textBuffer()
    start.add(sheetStart(widths))
    start.add('<row r="1">')
    for (const [index, title] of titles.entries()) {
      start.add(`<c r="${letters[index]}1`)
      addText(start, title, STYLE.header)
    }
    start.add('</row>')
    await start.drain(part.write)
    return part
  }
  const flush = async () => {
    rowsPart ??= await begin()
    await lines.drain(rowsPart.write)
    return rowsPart
  }
  return {
    add: (row) => {
      if (written >= MAX_ROWS) throw new RangeError('A sheet holds no more rows')
      written++
      // Widths follow the header and the first rows: the file has the widths before its rows, and nobody waits for the
      // last row.
      if (!rowsPart)
        for (const [index, value] of row.entries())
          wanted[index] = Math.max(wanted[index] ?? 0, widthOf(value))
      const place = String(written)
      lines.add('<row r="')
      lines.add(place)
      lines.add('">')
      for (const [index, value] of row.entries()) addCell(lines, letters[index] ?? '', place, value)
      lines.add('</row>')
    },
    flush: async () => void (await flush()),
    end: async () => {
      const part = await flush()
      lines.add(sheetEnd(titles.length, written))
      await lines.drain(part.write)
      await part.end()
      await zip.add('xl/workbook.xml', workbookPart(sheet, titles.length, written))
      await zip.end()
    },
  }
}
