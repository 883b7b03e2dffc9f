import { columnName } from '@/resource/export/xlsx-parts'
import { kindOfFile } from '@/resource/import/file-kind'
import { FileProblem } from '@/resource/import/file-problem'
import {
  type FileRow,
  type FileTable,
  MAX_BYTES,
  MAX_COLUMNS,
  MAX_ROWS,
  type ReadOptions,
} from '@/resource/import/file-table'
import { readText } from '@/resource/import/read-text'
import { readWorkbook } from '@/resource/import/read-workbook'

function titlesOf(header: FileRow | undefined, rows: readonly FileRow[]): string[] {
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), header?.cells.length ?? 0)
  return Array.from({ length: width }, (_none, index) => {
    const title = header?.cells[index]
    const text = title instanceof Date ? title.toISOString().slice(0, 10) : String(title ?? '').trim()
    return text === '' ? columnName(index) : text
  })
}

/** Rows that trailing separators made longer than the rest have nothing there. */
function narrowed(rows: FileRow[]): FileRow[] {
  const used = rows.reduce((most, { cells }) => {
    let width = cells.length
    while (width > most && (cells[width - 1] === '' || cells[width - 1] === null)) width--
    return Math.max(most, width)
  }, 0)
  return rows.map((row) => (row.cells.length > used ? { ...row, cells: row.cells.slice(0, used) } : row))
}

/** The file as a table: its first row are the titles. Throws a FileProblem for what cannot be imported. */
export async function readTable(bytes: Uint8Array, options: ReadOptions = {}): Promise<FileTable> {
  if (bytes.length > MAX_BYTES) throw new FileProblem('tooBig', bytes.length)
  const isBook = kindOfFile(bytes) === 'workbook'
  const book = isBook ? await readWorkbook(bytes, options.sheet) : null
  const text = isBook ? null : readText(bytes, options)
  const all = narrowed(book?.rows ?? text?.rows ?? [])
  const [header, ...rows] = all
  // An empty sheet among others is no wrong file: another can be chosen.
  if (!header && (book?.book.sheets.length ?? 0) <= 1) throw new FileProblem('noHeader')
  if (header && rows.length === 0 && (book?.book.sheets.length ?? 0) <= 1) throw new FileProblem('noRows')
  const width = all.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  if (width > MAX_COLUMNS) throw new FileProblem('tooWide', width)
  if (rows.length > MAX_ROWS) throw new FileProblem('tooMany', rows.length)
  return {
    titles: titlesOf(header, rows),
    rows,
    formulas: book?.formulas ?? { count: 0, places: [] },
    ...(book ? { book: book.book } : {}),
    ...(text ? { text: { encoding: text.encoding, separator: text.separator } } : {}),
  }
}
