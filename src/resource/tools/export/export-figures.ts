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
  /** The column of a table of figures. */
  column?: { label: string } | { day: string | null }
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

/** The third title, which only a dashboard with a table needs. */
const COLUMN_PLACE = 2

/** Saves the figures of a list as CSV, a line a value, under six titles: figure, value, column, result, count and whole. */
export async function exportFigures(
  name: string,
  titles: readonly string[],
  lines: readonly FigureLine[],
  language: Language,
): Promise<void> {
  const hasColumns = lines.some(({ column }) => column)
  const rows = lines.map((line) => [
    { kind: 'text', text: line.figure } as const,
    wordCell(line),
    ...(hasColumns ? [wordCell(line.column ?? {})] : []),
    ...resultCells(line, language),
  ])
  await saveCsv(name, hasColumns ? titles : titles.toSpliced(COLUMN_PLACE, 1), rows, language)
}

interface TableLine {
  label: string
  values: readonly (number | null)[]
}

/** Saves a table of figures as CSV, as it is on the screen: the rows, the columns and the totals of both. */
export async function exportTable(
  name: string,
  titles: readonly string[],
  lines: readonly TableLine[],
  language: Language,
): Promise<void> {
  const rows = lines.map(({ label, values }) => [
    { kind: 'text', text: label } as const,
    ...values.map(number),
  ])
  await saveCsv(name, titles, rows, language)
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
