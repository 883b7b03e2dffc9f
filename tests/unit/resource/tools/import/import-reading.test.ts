import { strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { CellValue } from '@/resource/fields/file-values'
import { csvWriter } from '@/resource/tools/export/csv'
import type { Write } from '@/resource/tools/export/export-file'
import { xlsxWriter } from '@/resource/tools/export/xlsx'
import { FileProblem } from '@/resource/tools/import/file-table'
import { readTable } from '@/resource/tools/import/read-table'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** Windows-1254, the letters where it differs from Latin-1. */
const LETTERS: Record<string, number> = {
  ğ: 0xf0,
  ü: 0xfc,
  ş: 0xfe,
  ı: 0xfd,
  İ: 0xdd,
  ö: 0xf6,
  ç: 0xe7,
  Ş: 0xde,
}
const turkish = (text: string) =>
  Uint8Array.from([...text].map((letter) => LETTERS[letter] ?? letter.charCodeAt(0)))

function wide(text: string, bigEndian: boolean, marked: boolean): Uint8Array {
  const units = [...(marked ? [0xfeff] : []), ...Array.from(text, (letter) => letter.charCodeAt(0))]
  return Uint8Array.from(
    units.flatMap((unit) => (bigEndian ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8])),
  )
}

async function bytesBy(run: (write: Write) => Promise<void>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  await run(async (bytes) => void parts.push(bytes.slice()))
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

function book(titles: string[], rows: CellValue[][]): Promise<Uint8Array> {
  return bytesBy(async (write) => {
    const writer = xlsxWriter(titles, { language: 'tr', name: 'Lisanslar', write })
    for (const row of rows) writer.add(row)
    await writer.end()
  })
}

const emptyBook = await book(['x'], [])
const smallBook = await book(['a'], [[{ kind: 'text', text: 'b' }]])

/** A workbook whose sheets are written by hand. */
function handmade(sheets: Record<string, string>, data = (cells: string) => cells): Uint8Array {
  const parts = unzipSync(emptyBook)
  const names = Object.keys(sheets)
  const entries = names.map(
    (name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`,
  )
  const links = names.map(
    (_name, index) =>
      `<Relationship Id="s${index}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  )
  const strings = (path: string, replace: (text: string) => string) => {
    parts[path] = strToU8(replace(new TextDecoder().decode(parts[path])))
  }
  strings('xl/workbook.xml', (text) =>
    text
      .replace(/<definedNames>.*<\/definedNames>/s, '')
      .replace(/<sheets>.*<\/sheets>/s, `<sheets>${entries.join('')}</sheets>`),
  )
  strings('xl/_rels/workbook.xml.rels', (text) =>
    text.replace(/<Relationship [^>]*worksheet"[^>]*\/>/, links.join('')),
  )
  for (const [index, name] of names.entries())
    parts[`xl/worksheets/sheet${index + 1}.xml`] = strToU8(
      `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${data(sheets[name] ?? '')}</sheetData></worksheet>`,
    )
  return zipSync(parts)
}

async function problemOf(bytes: Uint8Array): Promise<string> {
  try {
    await readTable(bytes)
    return 'none'
  } catch (error) {
    return error instanceof FileProblem ? `${error.key} ${error.count}` : String(error)
  }
}

const TEXT = 'Ad;Açıklama\r\nğüşıİöç;Şu\r\n'

describe('encodings', () => {
  it.each([
    ['utf-8', utf8(`\uFEFF${TEXT}`)],
    ['utf-8', utf8(TEXT)],
    ['windows-1254', turkish(TEXT)],
    ['utf-16le', wide(TEXT, false, true)],
    ['utf-16be', wide(TEXT, true, true)],
  ])('%s is found out', async (encoding, bytes) => {
    const table = await readTable(bytes)
    expect(table.text).toEqual({ encoding, separator: ';' })
    expect(table.titles).toEqual(['Ad', 'Açıklama'])
    expect(table.rows).toEqual([{ line: 2, cells: ['ğüşıİöç', 'Şu'] }])
  })

  it('UTF-16 without its mark', async () => {
    const table = await readTable(wide('name,seats\nabc,1\n', false, false))
    expect(table.text?.encoding).toBe('utf-16le')
    expect(table.rows[0]?.cells).toEqual(['abc', '1'])
  })

  it('the one that is chosen is obeyed', async () => {
    const table = await readTable(turkish(TEXT), { encoding: 'windows-1252' })
    expect(table.rows[0]?.cells[0]).toBe('ðüþýÝöç')
  })
})

describe('separators and lines', () => {
  it.each([
    [';', 'a;b;c\n1,5;x;y\n2,5;x;y\n'],
    [',', 'a,b,c\n"1;2",x;y,y\n3,x,y\n'],
    ['\t', 'a\tb\n1,2\tx;y\n'],
    ['|', 'a|b\n1,2|x\n'],
    [';', 'sep=;\na;b\n1;2\n'],
  ])('%j', async (separator, text) => {
    const table = await readTable(utf8(text))
    expect(table.text?.separator).toBe(separator)
    expect(table.titles[0]).toBe('a')
  })

  it('a row has the line in which it begins; empty lines and breaks in quotes count', async () => {
    const table = await readTable(utf8('a,b\r\n1,"x\r\ny"\r\n\r\n2,"say ""hi"""\r\n,\r\n3,z'))
    expect(table.rows).toEqual([
      { line: 2, cells: ['1', 'x\r\ny'] },
      { line: 5, cells: ['2', 'say "hi"'] },
      { line: 7, cells: ['3', 'z'] },
    ])
  })

  it('one column needs no separator, and a column without a title goes by its letter', async () => {
    expect((await readTable(utf8('name\nAcme\n'))).titles).toEqual(['name'])
    expect((await readTable(utf8('a,,c\n1,2,3,4\n,,,,\n'))).titles).toEqual(['a', 'B', 'c', 'D'])
  })
})

describe('workbooks', () => {
  it('our own comes back as it was written', async () => {
    const table = await readTable(
      await book(
        ['Ad', 'Koltuk', 'Gün', 'Saat'],
        [
          [
            { kind: 'text', text: '  =ğüşıİöç\nx' },
            { kind: 'number', number: 12.5 },
            { kind: 'day', day: '2026-11-21' },
            { kind: 'instant', at: new Date(2026, 10, 21, 23, 59, 30) },
          ],
          [null, null, null, null],
          [{ kind: 'text', text: '0012' }, null, null, null],
        ],
      ),
    )
    expect(table.book).toEqual({ sheets: ['Lisanslar'], sheet: 'Lisanslar' })
    expect(table.titles).toEqual(['Ad', 'Koltuk', 'Gün', 'Saat'])
    expect(table.rows).toEqual([
      {
        line: 2,
        cells: ['  =ğüşıİöç\nx', 12.5, new Date('2026-11-21T00:00:00Z'), new Date('2026-11-21T23:59:30Z')],
      },
      { line: 4, cells: ['0012', null, null, null] },
    ])
  })

  it('formulas give their stored result, and where they stand is told', async () => {
    const cells = `<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>
      <row r="3"><c r="A3"><f>1+1</f><v>2</v></c><c r="B3" t="str"><f>A1&amp;"x"</f><v>ax</v></c></row>
      <row r="4"><c r="A4"><f>NOW()</f></c><c r="B4" t="b"><v>1</v></c></row>
      <row r="5"><c r="A5" t="str"><f>B1</f></c><c r="B5"><v>7</v></c></row>`
    const table = await readTable(handmade({ One: cells }))
    expect(table.formulas).toEqual({ count: 4, places: ['A3', 'B3', 'A4', 'A5'] })
    expect(table.rows).toEqual([
      { line: 3, cells: [2, 'ax'] },
      { line: 4, cells: [null, true] },
      { line: 5, cells: [null, 7] },
    ])
  })

  it('a sheet can be chosen', async () => {
    const row = (text: string) =>
      [1, 2].map((at) => `<row r="${at}"><c r="A${at}" t="inlineStr"><is><t>${text}${at}</t></is></c></row>`)
    const bytes = handmade({ One: row('x').join(''), 'Two &amp; three': row('y').join('') })
    const table = await readTable(bytes, { sheet: 'Two & three' })
    expect(table.book).toEqual({ sheets: ['One', 'Two & three'], sheet: 'Two & three' })
    expect(table.titles).toEqual(['y1'])
    expect((await readTable(bytes)).titles).toEqual(['x1'])
  })
})

describe('what cannot be imported', () => {
  const far = (place: string, row = '2') =>
    `<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row><row r="${row}"><c r="${place}"><v>1</v></c></row>`
  const zip = (parts: Record<string, string>) =>
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))
  const old = (text: string) =>
    Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, ...wide(text, false, false), ...new Array(100).fill(0)])
  it.each([
    ['nothing', 'empty 0', new Uint8Array()],
    ['blanks', 'empty 0', utf8(' \n\n')],
    ['a PDF', 'pdf 0', utf8('%PDF-1.7 …')],
    ['a PNG', 'image 0', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10])],
    ['an old workbook', 'oldExcel 0', old('Workbook')],
    ['an encrypted workbook', 'encrypted 0', old('EEncryptedPackage')],
    ['a document', 'otherZip 0', zip({ 'word/document.xml': '<x/>' })],
    ['an OpenDocument table', 'otherTable 0', zip({ mimetype: 'x', 'content.xml': '<x/>' })],
    ['a binary workbook', 'otherTable 0', zip({ 'xl/workbook.bin': 'x' })],
    ['a workbook cut off', 'broken 0', smallBook.slice(0, 900)],
    ['a workbook without sheets', 'broken 0', zip({ 'xl/workbook.xml': '<workbook/>' })],
    ['bytes', 'binary 0', Uint8Array.from([77, 90, 0, 3, 0, 0, 4, 9])],
    ['a header alone', 'noRows 0', utf8('name;seats\n')],
    ['20 MB and one byte', `tooBig ${20 * 1024 * 1024 + 1}`, new Uint8Array(20 * 1024 * 1024 + 1)],
    ['too many columns', 'tooWide 501', utf8(`${'n;'.repeat(501)}\n${'x;'.repeat(501)}`)],
    ['a row beyond the end of a sheet', 'bomb 0', handmade({ One: far('A9999999') })],
    ['a row of which nobody knows the number', 'broken 0', handmade({ One: far('A1e9') })],
    ['a column beyond the end of a sheet', 'bomb 0', handmade({ One: far('ZZZ2') })],
    ['two cells that span more than the memory', 'bomb 0', handmade({ One: far('XFD1048576') })],
    ['a cell that is in another row than it says', 'bomb 0', handmade({ One: far('XFD2', '1048576') })],
    ['a far cell behind a sign in a tag', 'bomb 0', handmade({ One: far('XFD1048576" x=">') })],
    ['tags that never end', 'broken 0', handmade({ One: '<c '.repeat(100_000) })],
    ['a tag without end', 'broken 0', handmade({ One: `<row r="1"><c${' t="str"'.repeat(100_000)}>` })],
    ['too many rows', 'tooMany 100000', utf8(`name\n${'x\n'.repeat(100_000)}`)],
  ])('%s: %s', async (_what, problem, bytes) => {
    expect(await problemOf(bytes)).toBe(problem)
  })

  it('a workbook that unpacks to more than any honest one', async () => {
    const bytes = await book(['a'], [])
    const name = strToU8('xl/worksheets/sheet1.xml')
    const at = bytes.findLastIndex((_byte, from) => name.every((byte, index) => bytes[from + index] === byte))
    // The size that the directory tells stands 22 bytes before the name.
    new DataView(bytes.buffer).setUint32(at - 22, 300 * 1024 * 1024, true)
    expect(await problemOf(bytes)).toBe('bomb 0')
  })

  it('a quote that is never closed is told by its line, also behind values of several lines', async () => {
    const problem = async (text: string) => {
      const error = await readTable(utf8(text)).catch((reason: unknown) => reason)
      return error instanceof FileProblem ? [error.key, error.count] : error
    }
    expect(await problem('name\tnote\r\n"unclosed\t1\r\nb\t2\r\nc\t3\r\n')).toEqual(['openQuote', 2])
    expect(await problem('name;note\na;"two\nlines"\nb;"open\nc;d\n')).toEqual(['openQuote', 4])
    expect(await problem('name;note\n"two\nlines";"open\nc;d\n')).toEqual(['openQuote', 3])
  })

  it('more rows than one import takes are read in parts, each with its own lines', async () => {
    const file = utf8(`id;note\n${Array.from({ length: 20_001 }, (_none, index) => `${index};a`).join('\n')}`)
    const second = await readTable(file, { part: 2 })
    expect(second.rows).toHaveLength(10_000)
    expect(second.rows[0]).toEqual({ line: 10_002, cells: ['10000', 'a'] })
    expect(second.parts).toEqual({
      number: 2,
      lines: [
        [2, 10_001],
        [10_002, 20_001],
        [20_002, 20_002],
      ],
    })
    expect((await readTable(file, { part: 3 })).rows).toEqual([{ line: 20_002, cells: ['20000', 'a'] }])
  })

  it('10,000 rows are not too many', async () => {
    expect((await readTable(utf8(`name\n${'x\n'.repeat(10_000)}`))).rows).toHaveLength(10_000)
  })
})

it('a CSV of ours is read with its guard against formulas still on', async () => {
  const bytes = await bytesBy(async (write) => {
    const writer = csvWriter(['Ad'], 'tr', write)
    writer.add([{ kind: 'text', text: '=1+1' }])
    writer.add([{ kind: 'number', number: 1.5 }])
    await writer.end()
  })
  expect((await readTable(bytes)).rows.map(({ cells }) => cells[0])).toEqual(["'=1+1", '1,5'])
})
