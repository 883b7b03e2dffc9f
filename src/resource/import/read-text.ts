import Papa from 'papaparse'
import { decodeText } from '@/resource/import/decode-text'
import { FileProblem } from '@/resource/import/file-problem'
import { type FileRow, type ReadOptions, SEPARATORS, type Separator } from '@/resource/import/file-table'

const BREAK = /\r\n|\r|\n/g
/** Excel says so itself which separator it takes: `sep=;` in the first line. */
const HINT = /^sep=(.)\s*$/i

function isSeparator(text: string | undefined): text is Separator {
  return (SEPARATORS as readonly string[]).includes(text ?? '')
}

/** By the first lines: the one that divides them all alike; a file of one column has none, and any will do. */
function separatorOf(text: string): Separator {
  const hinted = HINT.exec(text.slice(0, 10).split(/\r?\n/, 1)[0] ?? '')?.[1]
  if (isSeparator(hinted)) return hinted
  const counts = SEPARATORS.map((separator) => {
    const { data } = Papa.parse<string[]>(text.slice(0, 20_000), { delimiter: separator, preview: 20 })
    const widths = data.filter((row) => row.length > 1 || row[0] !== '').map((row) => row.length)
    const first = widths[0] ?? 1
    const alike = widths.filter((width) => width === first).length / Math.max(1, widths.length)
    return { separator, score: first > 1 ? alike * 100 + Math.min(first, 50) / 100 : 0 }
  })
  const best = counts.reduce((most, each) => (each.score > most.score ? each : most))
  return best.score > 0 ? best.separator : ';'
}

export interface TextRows {
  rows: FileRow[]
  encoding: NonNullable<ReadOptions['encoding']>
  separator: Separator
}

/** The rows of a CSV or TSV, empty ones left out, each with the line in which it begins. */
export function readText(bytes: Uint8Array, options: ReadOptions): TextRows {
  const { text, encoding } = decodeText(bytes, options.encoding)
  if (text.trim() === '') throw new FileProblem('empty')
  const separator = options.separator ?? separatorOf(text)
  const { data } = Papa.parse<string[]>(text, { delimiter: separator })
  const rows: FileRow[] = []
  let line = 1
  for (const cells of data) {
    const isHint = line === 1 && HINT.test(cells.join(separator))
    if (!isHint && cells.some((cell) => cell !== '')) rows.push({ line, cells })
    // What stands in quotes may go over several lines.
    line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(BREAK)?.length ?? 0), 0)
  }
  return { rows, encoding, separator }
}
