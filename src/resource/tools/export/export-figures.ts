import type { Language } from '@/i18n/language'
import type { CellValue } from '@/resource/fields/file-values'
import { csvWriter } from '@/resource/tools/export/csv'
import { blobSink, fileName, saveBlob } from '@/resource/tools/export/export-file'
import { formatShare } from '@/resource/tools/export/share'

export interface FigureLine {
  figure: string
  label?: string
  /** The first day of a period, in place of the label. */
  day?: string | null
  value: number | null
  /** The whole that `value` is a share of. */
  of?: number
  /** Whether the figure counts rows: then no value is zero. */
  isCount: boolean
}

const number = (value: number | null): CellValue =>
  value === null ? null : { kind: 'number', number: value }

/** The result, the count and the whole of a figure as the screen shows them. */
function resultCells({ value, of, isCount }: FigureLine, language: Language): CellValue[] {
  if (of === undefined) return [number(isCount ? (value ?? 0) : value), null, null]
  const share = formatShare(value ?? 0, of, language)
  return [share === null ? null : { kind: 'text', text: share }, number(value ?? 0), number(of)]
}

const wordCell = ({ label = '', day }: { label?: string; day?: string | null }): CellValue =>
  day ? { kind: 'day', day } : { kind: 'text', text: label }

/** A table of figures as it is on the screen: the rows, the columns and the totals of both. */
export interface FigureSheet {
  name: string
  titles: readonly string[]
  lines: readonly { label: string; values: readonly (number | null)[] }[]
}

const text = (word: string): CellValue => ({ kind: 'text', text: word })

const sheetRows = ({ lines }: FigureSheet) =>
  lines.map(({ label, values }) => [text(label), ...values.map(number)])

/**
 * Saves the figures of a list as CSV: a line a value, under five titles: figure, value, result, count and whole. Each
 * table follows as it is on the screen, under its name.
 */
export async function exportFigures(
  name: string,
  titles: readonly string[],
  lines: readonly FigureLine[],
  sheets: readonly FigureSheet[],
  language: Language,
): Promise<void> {
  const rows = lines.map((line) => [text(line.figure), wordCell(line), ...resultCells(line, language)])
  const tables = sheets.flatMap((sheet) => [
    [null],
    [text(sheet.name)],
    sheet.titles.map(text),
    ...sheetRows(sheet),
  ])
  await saveCsv(name, titles, [...rows, ...tables], language)
}

/** Saves one table of figures as CSV. */
export async function exportTable(sheet: FigureSheet, language: Language): Promise<void> {
  await saveCsv(sheet.name, sheet.titles, sheetRows(sheet), language)
}

async function saveCsv(
  name: string,
  titles: readonly string[],
  rows: readonly (readonly CellValue[])[],
  language: Language,
): Promise<void> {
  const sink = blobSink('csv')
  const writer = csvWriter(titles, language, sink.write)
  for (const row of rows) writer.add(row)
  await writer.end()
  saveBlob(await sink.finish(), fileName(name, 'csv', new Date()))
}
