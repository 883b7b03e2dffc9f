import { columnName } from '@/resource/tools/export/xlsx-parts'
import {
  FileProblem,
  type FileProblemKey,
  type FileRow,
  type FileTable,
  MAX_BYTES,
  MAX_COLUMNS,
  MAX_ROWS,
  type ReadOptions,
} from '@/resource/tools/import/file-table'
import { readText } from '@/resource/tools/import/read-text'
import { readWorkbook } from '@/resource/tools/import/read-workbook'

function startsWith(bytes: Uint8Array, ...start: number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte)
}

/** Whether the bytes contain the text as UTF-16, as in the directory of an old Office file. */
function holdsWide(bytes: Uint8Array, text: string): boolean {
  const wide = new Uint8Array([...text].flatMap((letter) => [letter.charCodeAt(0), 0]))
  let from = bytes.indexOf(wide[0] ?? 0)
  while (from !== -1) {
    if (wide.every((byte, index) => bytes[from + index] === byte)) return true
    from = bytes.indexOf(wide[0] ?? 0, from + 1)
  }
  return false
}

const KNOWN: readonly [FileProblemKey, ...number[]][] = [
  ['pdf', 0x25, 0x50, 0x44, 0x46],
  ['image', 0x89, 0x50, 0x4e, 0x47],
  ['image', 0xff, 0xd8, 0xff],
  ['image', 0x47, 0x49, 0x46, 0x38],
  ['image', 0x42, 0x4d],
  ['otherZip', 0x1f, 0x8b],
  ['otherZip', 0x52, 0x61, 0x72, 0x21],
  ['otherZip', 0x37, 0x7a, 0xbc, 0xaf],
]

/** Detects the format from the content, not from the file name. @throws FileProblem when it is neither. */
function kindOfFile(bytes: Uint8Array): 'workbook' | 'text' {
  if (bytes.length === 0) throw new FileProblem('empty')
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04)) return 'workbook'
  // Office files until 2003, and files that Office encrypts today, share one signature.
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0))
    throw new FileProblem(holdsWide(bytes, 'EncryptedPackage') ? 'encrypted' : 'oldExcel')
  for (const [key, ...start] of KNOWN) {
    // `BM` begins words too; a bitmap has zeros soon after it.
    if (startsWith(bytes, ...start) && (start.length > 2 || bytes.subarray(0, 20).includes(0)))
      throw new FileProblem(key)
  }
  return 'text'
}

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

function linesOfParts(rows: readonly FileRow[]): [first: number, last: number][] {
  return Array.from({ length: Math.ceil(rows.length / MAX_ROWS) }, (_none, index) => {
    const part = rows.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS)
    return [part[0]?.line ?? 0, part.at(-1)?.line ?? 0]
  })
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
  const { part } = options
  if (rows.length > MAX_ROWS && part === undefined) throw new FileProblem('tooMany', rows.length)
  const taken = part === undefined ? rows : rows.slice((part - 1) * MAX_ROWS, part * MAX_ROWS)
  return {
    titles: titlesOf(header, rows),
    rows: taken,
    ...(part === undefined ? {} : { parts: { number: part, lines: linesOfParts(rows) } }),
    formulas: book?.formulas ?? { count: 0, places: [] },
    ...(book ? { book: book.book } : {}),
    ...(text ? { text: { encoding: text.encoding, separator: text.separator } } : {}),
  }
}
