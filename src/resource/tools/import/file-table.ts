/** A cell as the file holds it. A moment without a zone, as sheets have them, is a Date whose UTC parts it is. */
export type Cell = string | number | boolean | Date | null

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

export function isEmptyCell(cell: Cell | undefined): boolean {
  return cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')
}

export interface FileRow {
  /** The row's line in a text file or its number in a sheet, from 1. */
  line: number
  cells: Cell[]
}

export const ENCODINGS = [
  'utf-8',
  'windows-1254',
  'iso-8859-9',
  'windows-1252',
  'utf-16le',
  'utf-16be',
] as const
export type Encoding = (typeof ENCODINGS)[number]
export const SEPARATORS = [';', ',', '\t', '|'] as const
export type Separator = (typeof SEPARATORS)[number]

/** How a file is to be read; what is not given is found out. */
export interface ReadOptions {
  encoding?: Encoding
  separator?: Separator
  sheet?: string
  /** The part of a file that has more rows than one import takes, counted from 1. */
  part?: number
}

export interface FileTable {
  /** The titles of its columns; those without one are named after their letter. */
  titles: string[]
  rows: FileRow[]
  /** How a text file was read. */
  text?: { encoding: Encoding; separator: Separator }
  /** The sheets of a workbook, and the sheet that was read. */
  book?: { sheets: string[]; sheet: string }
  /** The current part of a file that is imported in parts, and the lines of each part. */
  parts?: { number: number; lines: [first: number, last: number][] }
  /** Cells whose value is a formula's stored result: how many, and the first of them (`C7`). */
  formulas: { count: number; places: string[] }
}

export const MAX_BYTES = 20 * 1024 * 1024
export const MAX_ROWS = 10_000
/** As many as a table of the database has, with room; each is a line of the form in which they are matched. */
export const MAX_COLUMNS = 500

/** Why a file cannot be read: a key under `import:problem` and what it is filled with. */
export type FileProblemKey =
  | 'empty'
  | 'tooBig'
  | 'tooMany'
  | 'tooWide'
  | 'pdf'
  | 'image'
  | 'oldExcel'
  | 'encrypted'
  | 'otherTable'
  | 'otherZip'
  | 'broken'
  | 'bomb'
  | 'binary'
  | 'openQuote'
  | 'noHeader'
  | 'noRows'

export class FileProblem extends Error {
  readonly key: FileProblemKey
  /** Figures that the sentence names. */
  readonly count: number
  constructor(key: FileProblemKey, count = 0) {
    super(key)
    this.name = 'FileProblem'
    this.key = key
    this.count = count
  }
}
