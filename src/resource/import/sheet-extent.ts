import { FileProblem } from '@/resource/import/file-problem'

/** Where a sheet ends, in Excel as in every other. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/** A table of the most rows may have a thousand columns. */
const MAX_CELLS = 10_000_000

const START = /<(?:[^\s<>/:"'=]+:)?(?:c|row)\b/g
/** No cell's own tag is longer; what is would be looked through again from each of its letters. */
const TAG = /<(?:[^\s<>/:"'=]+:)?(c|row)\b((?:[^<>"']|"[^"<]{0,200}"|'[^'<]{0,200}'){0,1000})>/g
const PLACE = /(?:^|[\s"'])(?:[^\s<>/:"'=]+:)?r\s*=\s*["']([^"']*)["']/g
const ROW = /^\d{1,7}$/
const CELL = /^([A-Z]{1,3})(\d{1,7})$/

function columnOf(letters: string): number {
  return [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
}

/**
 * Refuses a sheet whose few cells span more than a table: the library fills every gap before a cell, and what the
 * far end of a sheet asks for is more than the memory of the page. Throws a FileProblem.
 */
export function checkExtent(xml: string): void {
  let rows = 0
  let columns = 0
  let tags = 0
  /** Of the row that is open: its cells may say another, and the library believes both. */
  let open = 0
  for (const [, kind, attributes = ''] of xml.matchAll(TAG)) {
    tags++
    for (const [, place = ''] of attributes.matchAll(PLACE)) {
      const [, letters = '', number = kind === 'row' && ROW.test(place) ? place : ''] = CELL.exec(place) ?? []
      if (number === '' || (kind === 'c') !== (letters !== '')) throw new FileProblem('broken')
      if (Number(number) > LAST_ROW || columnOf(letters) > LAST_COLUMN) throw new FileProblem('bomb')
      if (kind === 'row') open = Number(number)
      // Formats alone reach far down and right in honest sheets; the library leaves those cells out.
      if (kind === 'row' || attributes.endsWith('/')) continue
      rows = Math.max(rows, Number(number), open)
      columns = Math.max(columns, columnOf(letters))
    }
  }
  if (tags !== (xml.match(START)?.length ?? 0)) throw new FileProblem('broken')
  if (rows * columns > MAX_CELLS) throw new FileProblem('bomb')
}
