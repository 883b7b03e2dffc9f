import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { Language } from '@/i18n/language'
import { type CellValue, isFormula } from '@/resource/fields/file-values'
import { csvWriter } from '@/resource/tools/export/csv'
import { blobSink, fileName } from '@/resource/tools/export/export-file'
import { xlsxWriter } from '@/resource/tools/export/xlsx'
import { columnName, sheetName } from '@/resource/tools/export/xlsx-parts'

const text = (value: string): CellValue => ({ kind: 'text', text: value })
const number = (value: number): CellValue => ({ kind: 'number', number: value })
const day = (value: string): CellValue => ({ kind: 'day', day: value })
const instant = (...parts: [number, number, number, number, number, number]): CellValue => ({
  kind: 'instant',
  at: new Date(...parts),
})

const TURKISH = 'ışık İSTANBUL Çağrı ÖĞÜŞ ıIiİ'
const ATTACKS = [
  '=1+1',
  '+905321234567',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '  =HYPERLINK("http://x","y")',
  '＝1',
  "=cmd|' /C calc'!A0",
]

async function csv(titles: string[], rows: CellValue[][], language: Language): Promise<Uint8Array> {
  const sink = blobSink('csv')
  const writer = csvWriter(titles, language, sink.write)
  for (const row of rows) writer.add(row)
  await writer.end()
  return new Uint8Array(await (await sink.finish()).arrayBuffer())
}

/** As RFC 4180 has it, with any separator; it knows nothing of how the file was written. */
function parseCsv(bytes: Uint8Array, separator: string): string[][] {
  const source = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).slice(1)
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < source.length; at++) {
    const sign = source[at] ?? ''
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (source[at + 1] === '"') {
        cell += '"'
        at++
      } else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === separator || source.startsWith('\r\n', at)) {
      rows.at(-1)?.push(cell)
      cell = ''
      if (sign !== separator) {
        rows.push([])
        at++
      }
    } else cell += sign
  }
  expect(cell).toBe('')
  return rows.slice(0, -1)
}

interface SheetCell {
  style: string | undefined
  type: string | undefined
  value: string
}

async function xlsx(titles: string[], pages: CellValue[][][], language: Language = 'tr') {
  const sink = blobSink('xlsx')
  const writer = xlsxWriter(titles, { language, name: 'Cihazlar', write: sink.write })
  for (const page of pages) {
    for (const row of page) writer.add(row)
    await writer.flush()
  }
  await writer.end()
  const files = unzipSync(new Uint8Array(await (await sink.finish()).arrayBuffer()))
  const part = (path: string) => strFromU8(files[path] ?? new Uint8Array())
  const sheet = part('xl/worksheets/sheet1.xml')
  const cells = new Map<string, SheetCell>()
  for (const [, attributes = '', inner = ''] of sheet.matchAll(/<c ([^>]*)>(.*?)<\/c>/gs)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
    const value = /<(?:v|t)(?: [^>]*)?>(.*)<\/(?:v|t)>/s.exec(inner)?.[1] ?? ''
    cells.set(attribute('r') ?? '', {
      style: attribute('s'),
      type: attribute('t'),
      value: unescapeXml(value),
    })
  }
  return { files, part, sheet, cells }
}

function unescapeXml(value: string): string {
  return value
    .replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

describe('an exported CSV', () => {
  it('begins with the mark of UTF-8 and keeps Turkish letters', async () => {
    const bytes = await csv(['Ad', 'Şube'], [[text(TURKISH), text('Üsküdar')]], 'tr')
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(parseCsv(bytes, ';')).toEqual([
      ['Ad', 'Şube'],
      [TURKISH, 'Üsküdar'],
    ])
  })

  it('has the separator, the decimals and the dates of its language', async () => {
    const row = [number(1234.5), number(-7), day('2026-01-09'), instant(2026, 0, 9, 4, 5, 6), null, text('a')]
    const titles = ['1', '2', '3', '4', '5', '6']
    expect(parseCsv(await csv(titles, [row], 'tr'), ';')[1]).toEqual([
      '1234,5',
      '-7',
      '09.01.2026',
      '09.01.2026 04:05:06',
      '',
      'a',
    ])
    expect(parseCsv(await csv(titles, [row], 'en'), ',')[1]).toEqual([
      '1234.5',
      '-7',
      '09/01/2026',
      '09/01/2026 04:05:06',
      '',
      'a',
    ])
    expect(parseCsv(await csv(['n'], [[number(1e21)], [number(1e-7)]], 'en'), ',').slice(1)).toEqual([
      ['1000000000000000000000'],
      ['0.0000001'],
    ])
  })

  it('quotes whatever could end a cell, in either way of separating', async () => {
    const values = ['a;b', 'a,b', 'say "no"', 'two\r\nlines', 'two\nlines', ' blank ', 'tab\there', '"']
    for (const [language, separator] of [
      ['tr', ';'],
      ['en', ','],
    ] as const) {
      const bytes = await csv(
        ['v', 'w'],
        values.map((value) => [text(value), text('end')]),
        language,
      )
      expect(parseCsv(bytes, separator).slice(1)).toEqual(values.map((value) => [value, 'end']))
    }
    const other = new TextDecoder().decode(await csv(['v'], [[text('a,=1+1')]], 'tr'))
    expect(other).toContain('"a,=1+1"')
  })

  it('has an apostrophe before every text that a spreadsheet would run, titles too, and none before figures', async () => {
    const bytes = await csv(
      ['=title'],
      [...ATTACKS.map((value) => [text(value)]), [number(-5)], [text('a=1')]],
      'en',
    )
    expect(parseCsv(bytes, ',').flat()).toEqual([
      "'=title",
      ...ATTACKS.map((value) => `'${value}`),
      '-5',
      'a=1',
    ])
  })
})

describe('an exported workbook', () => {
  it('has numbers as numbers, dates as dates and text as text', async () => {
    const row = [
      text(TURKISH),
      number(12.5),
      day('2026-11-21'),
      instant(2026, 10, 21, 12, 0, 0),
      null,
      text('007'),
    ]
    const { cells, part } = await xlsx(['Ad', 'Puan', 'Gün', 'An', 'Boş', 'Kod'], [[row]])
    expect(cells.get('A1')).toMatchObject({ value: 'Ad', type: 'inlineStr', style: '1' })
    expect(cells.get('A2')).toMatchObject({ value: TURKISH, type: 'inlineStr' })
    expect(cells.get('B2')).toEqual({ value: '12.5', type: undefined, style: undefined })
    // 21 November 2026 in days since the end of 1899, and noon half a day later.
    expect(cells.get('C2')).toEqual({ value: '46347', type: undefined, style: '2' })
    expect(cells.get('D2')).toEqual({ value: '46347.5', type: undefined, style: '3' })
    expect(cells.has('E2')).toBe(false)
    expect(cells.get('F2')).toMatchObject({ value: '007', type: 'inlineStr' })
    expect(part('xl/styles.xml')).toContain('formatCode="dd.mm.yyyy"')
  })

  it('holds formulas as text that stays text when it is edited, and no formula at all', async () => {
    const { cells, sheet, part } = await xlsx(['v'], [ATTACKS.map((value) => [text(value)])])
    expect(sheet).not.toMatch(/<f[ >]/)
    ATTACKS.forEach((value, index) => {
      expect(cells.get(`A${index + 2}`)).toEqual({ value, type: 'inlineStr', style: '4' })
    })
    const styles = [...part('xl/styles.xml').matchAll(/<xf [^>]*xfId="0"[^>]*>/g)].map(([style]) => style)
    expect(styles[4]).toContain('quotePrefix="1"')
    expect(styles.filter((style) => style.includes('quotePrefix'))).toHaveLength(1)
  })

  it('freezes its header, filters all its rows and fits its columns', async () => {
    const page = (from: number) => [1, 2, 3].map((n) => [text(`row ${from + n}`), number(n)])
    const { sheet, part, cells } = await xlsx(['Name', 'n'], [page(0), page(3), page(6)])
    expect(sheet).toMatch(/<pane ySplit="1" topLeftCell="A2" [^>]*state="frozen"\/>/)
    expect(sheet).toContain('<autoFilter ref="A1:B10"/>')
    expect(part('xl/workbook.xml')).toContain("'Cihazlar'!$A$1:$B$10")
    expect(sheet.match(/<col /g)).toHaveLength(2)
    expect(sheet.match(/<row r="(\d+)"/g)).toHaveLength(10)
    expect(cells.get('A10')?.value).toBe('row 9')
    expect(Object.keys((await xlsx(['a'], [])).files)).toHaveLength(6)
  })

  it('keeps every character that XML has, and leaves out those it has not', async () => {
    const values = ['<b>&"\'', '_x0041_', 'a\nb', '😀', ' x ']
    const all = [...values, 'a\u0000\u000bb\ud800c\udc00']
    const { cells } = await xlsx(all, [[all.map(text)]])
    values.forEach((value, index) => {
      expect(cells.get(`${columnName(index)}2`)?.value).toBe(value)
    })
    expect(cells.get(`${columnName(values.length)}2`)?.value).toBe('abc')
    const long = (await xlsx(['v'], [[[text('ş'.repeat(40_000))]]])).cells.get('A2')?.value
    expect(long).toHaveLength(32_767)
  })
})

it('tells what a spreadsheet would run from what it would not', () => {
  expect(ATTACKS.every(isFormula)).toBe(true)
  expect(['', 'a', 'a-b', '1-2', 'ışık', "'=1", 'mail@x.y'].some(isFormula)).toBe(false)
})

it('names columns, sheets and files as systems take them', () => {
  expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA'])
  expect(sheetName("'Ağ/İzleme: [1] x'")).toBe('Ağ İzleme   1  x')
  expect(sheetName('x'.repeat(40))).toHaveLength(31)
  expect(sheetName('///')).toBe('Sheet1')
  expect(fileName('Ağ/İzleme', 'csv', new Date(2026, 10, 1, 9, 5))).toBe('Ağ İzleme 2026-11-01 0905.csv')
})
