import Papa from 'papaparse'
import {
  type Encoding,
  FileProblem,
  type FileRow,
  type ReadOptions,
  SEPARATORS,
  type Separator,
} from '@/resource/tools/import/file-table'

function markOf(bytes: Uint8Array): Encoding | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

const PROBE = 4000

/** UTF-16 without its mark: of Latin letters every second byte is zero. */
function wideOf(bytes: Uint8Array): Encoding | undefined {
  const probe = bytes.subarray(0, PROBE)
  let even = 0
  let odd = 0
  for (let at = 0; at < probe.length; at++) if (probe[at] === 0) at % 2 === 0 ? even++ : odd++
  const half = probe.length / 2
  if (odd > half * 0.6 && even < half * 0.1) return 'utf-16le'
  if (even > half * 0.6 && odd < half * 0.1) return 'utf-16be'
  return undefined
}

function decode(bytes: Uint8Array, encoding: Encoding, fatal = false): string {
  return new TextDecoder(encoding, { fatal }).decode(bytes)
}

/**
 * The text of a file. Not given an encoding: by its mark, else UTF-8 where every byte fits, else Windows-1254,
 * which is what Turkish Windows writes. @throws FileProblem when it is not text.
 */
function decodeText(bytes: Uint8Array, given?: Encoding): { text: string; encoding: Encoding } {
  const encoding = given ?? markOf(bytes) ?? wideOf(bytes)
  if (encoding !== undefined) return { text: checked(decode(bytes, encoding)), encoding }
  // Before the fallback, which takes any byte for a letter.
  if (bytes.subarray(0, PROBE).includes(0)) throw new FileProblem('binary')
  try {
    return { text: checked(decode(bytes, 'utf-8', true)), encoding: 'utf-8' }
  } catch (error) {
    if (error instanceof FileProblem) throw error
    return { text: checked(decode(bytes, 'windows-1254')), encoding: 'windows-1254' }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what no text has.
const CONTROLS = /[\u0001-\u0008\u000e-\u001a\u001c-\u001f]/g

function checked(text: string): string {
  const probe = text.slice(0, PROBE)
  if ((probe.match(CONTROLS)?.length ?? 0) > probe.length / 100) throw new FileProblem('binary')
  return text
}

const BREAK = /\r\n|\r|\n/g
/** Excel says so itself which separator it takes: `sep=;` in the first line. */
const HINT = /^sep=(.)\s*$/i

function isSeparator(text: string | undefined): text is Separator {
  return (SEPARATORS as readonly string[]).includes(text ?? '')
}

/** The separator divides the first lines all alike; a file of one column has none, and any will do. */
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

function breaksIn(cells: readonly string[]): number {
  return cells.reduce((breaks, cell) => breaks + (cell.match(BREAK)?.length ?? 0), 0)
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
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: separator })
  const open = errors.find(({ code }) => code === 'MissingQuotes')?.row
  const rows: FileRow[] = []
  let line = 1
  for (const [index, cells] of data.entries()) {
    // The rest of the file is inside its last cell.
    if (index === open) throw new FileProblem('openQuote', line + breaksIn(cells.slice(0, -1)))
    const isHint = line === 1 && HINT.test(cells.join(separator))
    if (!isHint && cells.some((cell) => cell !== '')) rows.push({ line, cells })
    // A quoted value may span several lines.
    line += 1 + breaksIn(cells)
  }
  return { rows, encoding, separator }
}
