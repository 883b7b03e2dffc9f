import { strFromU8, unzipSync, type Zippable, zipSync } from 'fflate'
import readWorkbookFile from 'read-excel-file/web-worker'
import type { Cell, FileRow, FileTable } from '@/resource/tools/import/file-table'
import { FileProblem } from '@/resource/tools/import/file-table'

/** Where a sheet ends, in Excel as in every other. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/** A table with the maximum number of rows may have a thousand columns. */
const MAX_CELLS = 10_000_000

const START = /<(?:[^\s<>/:"'=]+:)?(?:c|row)\b/g
/** No cell's tag is longer. Without a limit, the pattern would search a longer text again from each character. */
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
function checkExtent(xml: string): void {
  let rows = 0
  let columns = 0
  let tags = 0
  /** The number of the open row: its cells may say another, and the library believes both. */
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

/**
 * A workbook with the largest number of rows unpacks to well below this; a more tightly packed file is meant to do
 * harm.
 */
const MAX_UNPACKED = 200 * 1024 * 1024
const MAX_PARTS = 2000
const NEEDED = /^(\[Content_Types\]\.xml|_rels\/.*|xl\/(workbook|sharedStrings|styles)\.xml|xl\/_rels\/.*)$/i
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i
const PLACES = 20

type Parts = Record<string, Uint8Array>

/** The parts that hold values, after a look at the sizes: nothing is unpacked that would fill the memory. */
function unpack(bytes: Uint8Array): Parts {
  let size = 0
  let count = 0
  const names = new Set<string>()
  try {
    const parts = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        names.add(name)
        count++
        const isNeeded = NEEDED.test(name) || SHEET.test(name)
        if (isNeeded) size += originalSize
        if (size > MAX_UNPACKED || count > MAX_PARTS) throw new FileProblem('bomb')
        return isNeeded
      },
    })
    if (parts['xl/workbook.xml']) return parts
  } catch (error) {
    if (error instanceof FileProblem) throw error
    throw new FileProblem('broken')
  }
  const isTable = names.has('xl/workbook.bin') || (names.has('mimetype') && names.has('content.xml'))
  throw new FileProblem(isTable ? 'otherTable' : 'otherZip')
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_all, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_all, name: string) => ENTITIES[name] ?? '')
}

interface Sheet {
  tag: string
  name: string
  path: string
}

function sheetsOf(parts: Parts): Sheet[] {
  const read = (name: string) => strFromU8(parts[name] ?? new Uint8Array())
  const links = new Map(
    [...read('xl/_rels/workbook.xml.rels').matchAll(/<(?:\w+:)?Relationship\b[^<>]*>/g)].map(([tag]) => [
      attribute(tag, 'Id') ?? '',
      (attribute(tag, 'Target') ?? '').replace(/^\/?(xl\/)?/, 'xl/'),
    ]),
  )
  return [...read('xl/workbook.xml').matchAll(/<(?:\w+:)?sheet\b[^<>]*>/g)].flatMap(([tag]) => {
    const path = links.get(/\s\w+:id\s*=\s*["']([^"']*)["']/.exec(tag)?.[1] ?? '')
    return path !== undefined && parts[path] ? [{ tag, name: plain(attribute(tag, 'name') ?? ''), path }] : []
  })
}

/** Cells with a formula: their places, for the reader has only their results. */
function formulasOf(xml: string): FileTable['formulas'] {
  const places: string[] = []
  let count = 0
  for (const [, tag = ''] of xml.matchAll(/<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f[\s/>]/g)) {
    count++
    if (places.length < PLACES) places.push(attribute(tag, 'r') ?? '?')
  }
  return { count, places }
}

/** A formula whose result was never stored has no value: as a cell without one, not as a broken file. */
function withoutMissing(xml: string): string {
  return xml.replace(
    /(<(?:\w+:)?c\b[^>]*?)\st="(?:str|b|e)"([^>]*>\s*<(?:\w+:)?f\b(?:[^>]*\/>|[^>]*>[^<]*<\/(?:\w+:)?f>)\s*<\/(?:\w+:)?c>)/g,
    '$1$2',
  )
}

interface SheetRows {
  rows: FileRow[]
  book: NonNullable<FileTable['book']>
  formulas: FileTable['formulas']
}

/**
 * The rows of one sheet; the first, if none is named. The library is given only that sheet, packed anew: it is
 * spared the others, and sees no size that was not counted here.
 */
export async function readWorkbook(bytes: Uint8Array, wanted?: string): Promise<SheetRows> {
  const parts = unpack(bytes)
  const sheets = sheetsOf(parts)
  const chosen = sheets.find(({ name }) => name === wanted) ?? sheets[0]
  if (!chosen) throw new FileProblem('broken')
  const xml = strFromU8(parts[chosen.path] ?? new Uint8Array())
  checkExtent(xml)
  const workbook = strFromU8(parts['xl/workbook.xml'] ?? new Uint8Array()).replace(
    /<(?:\w+:)?sheet\b[^<>]*>/g,
    (tag) => (tag === chosen.tag ? tag : ''),
  )
  const kept: Zippable = {}
  for (const [name, part] of Object.entries(parts)) if (NEEDED.test(name)) kept[name] = part
  const encode = (text: string) => new TextEncoder().encode(text)
  kept['xl/workbook.xml'] = encode(workbook)
  kept[chosen.path] = encode(withoutMissing(xml))
  const rows = await readRows(zipSync(kept, { level: 0 }))
  return {
    rows,
    book: { sheets: sheets.map(({ name }) => name), sheet: chosen.name },
    formulas: formulasOf(xml),
  }
}

async function readRows(packed: Uint8Array<ArrayBuffer>): Promise<FileRow[]> {
  try {
    const [sheet] = await readWorkbookFile(packed.slice().buffer, { trim: false })
    const data: Cell[][] = (sheet?.data ?? []).map((row) => [...row] as Cell[])
    return data
      .map((cells, index) => ({ line: index + 1, cells }))
      .filter(({ cells }) => cells.some((cell) => cell !== null && cell !== ''))
  } catch {
    throw new FileProblem('broken')
  }
}
