import { describe, expect, it } from 'vitest'
import type { CallRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { embedKey } from '@/resource/language/embed-keys'
import { csvWriter } from '@/resource/tools/export/csv'
import { exportColumns } from '@/resource/tools/export/export-columns'
import { xlsxWriter } from '@/resource/tools/export/xlsx'
import { fileText, findMissing, serverMistakes } from '@/resource/tools/import/import-call'
import { matchColumns } from '@/resource/tools/import/import-fields'
import { readTable } from '@/resource/tools/import/read-table'
import { check, find, licenses, plan, TURKISH } from './import-licenses'

describe('the check before the database', () => {
  it('takes values in either language and keeps empty cells as they are', async () => {
    const { rows, mistakes } = await check(
      ['name', 'type', 'seats', 'vendor_id', null],
      [
        ['A', 'YERLEŞKE', '5', ' Acme ', 'left out'],
        ['B', 'Device', '', 'Acme', ''],
      ],
    )
    expect(mistakes).toEqual([])
    expect(rows).toEqual([
      { line: 2, values: { name: 'A', type: 'site', seats: 5, vendor_id: 'Acme' } },
      { line: 3, values: { name: 'B', type: 'device', vendor_id: 'Acme' } },
    ])
  })

  it('names the line, the field and what is wrong by the form’s own checks', async () => {
    const { rows, mistakes } = await check(
      ['name', 'type', 'seats', 'contact', 'bought_on', 'ends_on'],
      [
        ['Good', 'site', '5', 'a@b.co', '01.02.2026', '02.02.2026'],
        ['x'.repeat(21), 'space', '0', 'nobody', '02.02.2026', '01.02.2026'],
        ['', 'site', 'many', '', '31.02.2026', ''],
      ],
      { keys: ['name'] },
    )
    expect(rows).toHaveLength(1)
    expect(mistakes.map(({ line, field, problem }) => `${line} ${field} ${problem.key}`)).toEqual([
      '3 type choice',
      '3 name tooLong',
      '3 seats min',
      '3 contact email',
      '3 ends_on _gte',
      '4 seats number',
      '4 bought_on date',
      '4 name required',
    ])
    expect(mistakes[2]?.text).toBe('0')
  })

  it('empties what is empty when told so, but nothing required', async () => {
    const { rows, mistakes } = await check(
      ['name', 'contact', 'active', 'tags'],
      [
        ['A', '', '', ''],
        ['', 'a@b.co', '', ''],
      ],
      { clears: true },
    )
    expect(rows).toEqual([{ line: 2, values: { name: 'A', contact: null, active: false, tags: [] } }])
    expect(mistakes.map(({ problem }) => problem.key)).toEqual(['required'])
  })

  it('does not judge by fields that are not in the file, and leaves out what the others hide', async () => {
    const alone = await check(['name', 'ends_on', 'reason'], [['A', '01.01.2020', 'because']])
    expect(alone.rows[0]?.values).toEqual({ name: 'A', ends_on: '2020-01-01', reason: 'because' })
    const hidden = await check(['name', 'type', 'reason'], [['A', 'device', 'because']])
    expect(hidden.rows[0]?.values).toEqual({ name: 'A', type: 'device' })
  })

  it('formulas stay text and are counted', async () => {
    const { rows, formulas } = await check(
      ['name', 'seats'],
      [
        ['=1+1', '5'],
        ["'@cmd", '5'],
      ],
    )
    expect(formulas).toEqual({ count: 2, places: ['2', '3'] })
    expect(rows.map(({ values }) => values.name)).toEqual(['=1+1', '@cmd'])
  })

  it('goes through 10,000 rows in slices, and leaves none out', async () => {
    const rows = Array.from({ length: 10_000 }, (_none, index) => [
      `N${index}`,
      'Cihaz',
      '5',
      'a@b.co',
      '01.02.2026',
    ])
    const { rows: good } = await check(['name', 'type', 'seats', 'contact', 'bought_on'], rows)
    expect(good).toHaveLength(10_000)
  })
})

describe('rows with other mistakes', () => {
  const columns = ['name', 'type', 'seats', 'vendor_id']
  const rows = [
    ['A', 'site', '5', 'Acme'],
    ['B', 'space', '0', 'Nobody'],
    ['', 'site', 'many', ''],
  ]
  const request = async () => ({
    definition: licenses,
    plan: { ...plan, columns },
    companyId: 'c',
    find,
    rows: (await check(columns, rows, { keys: ['name'] })).wrong,
  })

  it('are asked for what they name, by what could be read of them', async () => {
    const asked: unknown[] = []
    const errors = ['lookup_missing', null, 'bad_value'].map((hint) => ({ line: 3, hint }))
    const call = (async (_name: string, args: object) => {
      asked.push(args)
      return { errors, more: true }
    }) as unknown as CallRpc
    expect(await findMissing(call, await request())).toEqual({ errors: [errors[0]], more: true })
    expect(asked).toMatchObject([
      {
        rows: [{ line: 3, values: { name: 'B', vendor_id: 'Nobody' } }],
        lookups: { vendor_id: 'name' },
        dry_run: true,
      },
    ])
    const { rows: wrong, ...rest } = await request()
    expect(await findMissing(call, { ...rest, rows: wrong.slice(1) })).toEqual({ errors: [], more: false })
    expect(asked).toHaveLength(1)
  })
})

describe('what our export writes', () => {
  const fileWords = {
    column: (path: string) => path,
    field: (_definition: Definition, name: string) => name,
    value: (_resource: string, _field: string, value: string) => TURKISH[value] ?? value,
    yes: 'Evet',
    no: 'Hayır',
    unit: (unit: string) => unit,
  }
  const stored = {
    name: '=1+1',
    vendor_id: 'v1',
    vendors: { id: 'v1', name: 'Çağrı A.Ş.' },
    type: 'site',
    seats: 1234,
    cost: 1234.5,
    currency: 'EUR',
    active: true,
    contact: 'a@b.co',
    bought_on: '2026-02-01',
    reason: ' -x\r\ny',
    tags: ['a', 'b'],
  }
  const paths = Object.keys(stored).filter((name) => name !== 'vendors')
  const columns = exportColumns(licenses, paths, fileWords, find)

  it.each(['csv', 'xlsx'] as const)('comes back as it was: %s', async (format) => {
    const parts: Uint8Array[] = []
    const write = async (bytes: Uint8Array<ArrayBuffer>) => void parts.push(bytes.slice())
    const titles = columns.map(({ title }) => title)
    const writer =
      format === 'csv'
        ? csvWriter(titles, 'tr', write)
        : xlsxWriter(titles, { language: 'tr', name: 'x', write })
    writer.add(columns.map(({ read }) => read({ ...stored, [embedKey('vendor_id')]: stored.vendors })))
    await writer.end()
    const table = await readTable(Uint8Array.from(parts.flatMap((part) => [...part])))
    const mapped = matchColumns(
      table.titles,
      paths.map((field) => ({ field, names: [] })),
    )
    expect(mapped).toEqual(paths)
    const { rows, mistakes } = await check(
      mapped,
      table.rows.map(({ cells }) => cells),
    )
    expect(mistakes).toEqual([])
    const { vendors: _vendor, ...expected } = stored
    expect(rows[0]?.values).toEqual({ ...expected, vendor_id: 'Çağrı A.Ş.' })
  })
})

describe('what the database finds', () => {
  it('is told with the field and the text of the file', () => {
    const table = { rows: [{ line: 4, cells: ['Acme', 'Nobody'] }] }
    const columns = ['name', 'vendor_id']
    const request = {
      definition: licenses,
      rows: [{ line: 4, values: { name: 'Acme', vendor_id: 'Nobody' } }],
      plan: { ...plan, columns, keys: ['name'] },
    }
    const base = {
      line: 4,
      column: null,
      code: '22023',
      message: 'm',
      details: null,
      hint: null,
      other_line: null,
    }
    const mistakes = serverMistakes(
      request,
      [
        { ...base, column: 'vendor_id', hint: 'lookup_missing' },
        { ...base, hint: 'duplicate_key_in_file', other_line: 2 },
        {
          ...base,
          code: '23505',
          message: 'duplicate key value violates unique constraint "licenses_company_id_name_key"',
        },
      ],
      fileText(table, columns),
    )
    expect(mistakes.map(({ field, text, problem }) => [field, text, problem.key])).toEqual([
      ['vendor_id', 'Nobody', 'lookup_missing'],
      ['name', 'Acme', 'duplicate_key_in_file'],
      ['name', 'Acme', 'server.23505'],
    ])
    expect(mistakes[1]?.problem.values?.other).toBe(2)
  })
})
