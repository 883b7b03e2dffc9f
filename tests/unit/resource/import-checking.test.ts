import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { csvWriter } from '@/resource/export/csv'
import { exportColumns } from '@/resource/export/export-columns'
import { xlsxWriter } from '@/resource/export/xlsx'
import { checkRows, type ImportPlan } from '@/resource/import/check-rows'
import type { Cell } from '@/resource/import/file-table'
import {
  defaultKeys,
  importFields,
  importModes,
  lookupField,
  missingFields,
} from '@/resource/import/import-fields'
import { matchColumns } from '@/resource/import/match-columns'
import { readTable } from '@/resource/import/read-table'
import { readValue } from '@/resource/import/read-value'
import { fileText, serverMistakes } from '@/resource/import/server-mistakes'
import { findDateForm, findNumberForm, parseDay, parseInstant } from '@/resource/import/written-forms'
import { embedKey } from '@/resource/queries/select'
import type { ResourceWords } from '@/resource/words'

const vendors: Definition = { name: 'vendors', title: '{name}', fields: { name: { type: 'text' } } }
const apps: Definition = {
  name: 'apps',
  title: '{name} {version}',
  fields: { name: { type: 'text' }, version: { type: 'text' } },
}
const licences: Definition = {
  name: 'licences',
  title: '{name}',
  fields: {
    name: { type: 'text', required: true, max_length: 20, search: true },
    vendor_id: { type: 'relation', to: 'vendors', required: true },
    app_id: { type: 'relation', to: 'apps' },
    type: { type: 'enum', required: true, values: { device: 'blue', site: 'cyan' }, default: 'device' },
    seats: { type: 'number', required: true, min: 1, max: 5000, default: 1 },
    cost: { type: 'money', currency: '$record.currency', min: 0 },
    currency: { type: 'enum', values: { TRY: 'default', EUR: 'default' } },
    active: { type: 'boolean' },
    contact: { type: 'email' },
    bought_on: { type: 'date' },
    ends_on: { type: 'date', check: { _gte: '$record.bought_on' } },
    reason: { type: 'textarea', when: { type: { _eq: 'site' } } },
    tags: { type: 'tags' },
    detected: { type: 'number', readonly: true },
    titles: { type: 'many-to-many', to: 'apps', through: 'x', near: 'a', far: 'b' },
    steps: { type: 'rows', fields: { name: { type: 'text' } } },
    secret: { type: 'text', guard: { write: { object: 'licences', verb: 'approve' } } },
    company_id: { type: 'relation', to: 'companies', required: true },
  },
}
const find = (name: string) => ({ vendors, apps, licences })[name] ?? null

const TURKISH: Record<string, string> = { device: 'Cihaz', site: 'Yerleşke' }
const speak = (value: (field: string, value: string) => string) => ({ value }) as unknown as ResourceWords
const words = [
  speak((_field, value) => value.charAt(0).toUpperCase() + value.slice(1)),
  speak((_field, value) => TURKISH[value] ?? value),
]
const plan: ImportPlan = {
  columns: [],
  mode: 'upsert',
  keys: [],
  clears: false,
  forms: { number: 'comma', date: 'day' },
}

async function check(header: (string | null)[], rows: Cell[][], change: Partial<ImportPlan> = {}) {
  return checkRows({
    definition: licences,
    plan: { ...plan, columns: header, ...change },
    table: {
      titles: header.map(String),
      rows: rows.map((cells, index) => ({ line: index + 2, cells })),
      formulas: { count: 0, places: [] },
    },
    words,
    scope: {},
    isStopped: () => false,
  })
}

describe('what can be imported', () => {
  it('the fields that this person may write, in one cell each', () => {
    expect(importFields(licences, new Set(['secret']), find)).toEqual([
      'name',
      'vendor_id',
      'type',
      'seats',
      'cost',
      'currency',
      'active',
      'contact',
      'bought_on',
      'ends_on',
      'reason',
      'tags',
    ])
    expect(lookupField({ type: 'relation', to: 'vendors' }, find)).toBe('name')
    // Two fields make its title: no one of them names it.
    expect(lookupField({ type: 'relation', to: 'apps' }, find)).toBeNull()
  })

  it('what can be done follows what the console itself offers', () => {
    expect(importModes(licences)).toEqual(['upsert', 'insert', 'update'])
    expect(importModes({ ...licences, create: false })).toEqual(['update'])
    expect(importModes({ ...licences, edit: false })).toEqual(['insert'])
    expect(importModes({ ...licences, form: false })).toEqual([])
    expect(importModes({ ...licences, import: false })).toEqual([])
    expect(importModes({ ...licences, form: { component: 'x/y' } })).toEqual([])
  })

  it('the title tells whether a record exists, where all of it is in the file', () => {
    expect(defaultKeys(licences, ['seats', 'name'])).toEqual(['name'])
    expect(defaultKeys(apps, ['name'])).toEqual([])
    expect(defaultKeys(apps, ['name', 'version'])).toEqual(['name', 'version'])
  })

  it('a required field without a default is missed', () => {
    expect(missingFields(licences, ['name'])).toEqual(['vendor_id'])
  })
})

describe('columns', () => {
  const fields = [
    { field: 'name', names: ['Name', 'Ad'] },
    { field: 'seats', names: ['Seats', 'Koltuk sayısı'] },
    { field: 'cost', names: ['Cost', 'Tutar'] },
    { field: 'expires_on', names: ['Expires on', 'Bitiş tarihi'] },
  ]
  it.each([
    [
      ['Ad', 'KOLTUK SAYISI', 'Tutar (TRY)', 'bitis_tarihi'],
      ['name', 'seats', 'cost', 'expires_on'],
    ],
    [
      ['EXPIRES ON', 'seats [pcs]', 'Other'],
      ['expires_on', 'seats', null],
    ],
    [
      ['Name', 'name', 'Cost (x)', 'cost'],
      ['name', null, null, 'cost'],
    ],
  ])('%j', (titles, expected) => {
    expect(matchColumns(titles, fields)).toEqual(expected)
  })
})

describe('numbers and dates as they are written', () => {
  it.each([
    [['1.234,56'], 'comma', false],
    [['1,234.56'], 'point', false],
    [['1.234', '12,5'], 'comma', false],
    [['1.234.567'], 'comma', false],
    [['1,234'], 'comma', true],
    [['12', 'x'], 'comma', false],
    [['0.125'], 'point', false],
  ] as const)('decimals of %j', (cells, form, isOpen) => {
    expect(findNumberForm(cells, 'comma')).toEqual({ form, isOpen })
  })

  it.each([
    [['21/11/2026', '01/02/2026'], 'day', false],
    [['11/21/2026'], 'month', false],
    [['01/02/2026'], 'day', true],
    [['01.02.2026'], 'day', false],
    [['2026-11-21'], 'day', false],
  ] as const)('days of %j', (cells, form, isOpen) => {
    expect(findDateForm(cells, 'day')).toEqual({ form, isOpen })
  })

  it.each([
    ['21.11.2026', 'day', '2026-11-21'],
    ['2026-11-21', 'month', '2026-11-21'],
    ['11/21/2026', 'month', '2026-11-21'],
    ['1/2/26', 'day', '2026-02-01'],
    ['21.11.2026 14:05', 'day', '2026-11-21'],
    ['31.02.2026', 'day', undefined],
    ['11/21/2026', 'day', undefined],
    ['yesterday', 'day', undefined],
    ['21.11.2026 99:00', 'day', undefined],
  ] as const)('%s, %s first', (text, form, day) => {
    expect(parseDay(text, form)?.day).toBe(day)
  })

  it('moments are on the reader’s clock unless they say otherwise', () => {
    expect(parseInstant('21.11.2026 14:05:06', 'day')).toBe(new Date(2026, 10, 21, 14, 5, 6).toISOString())
    expect(parseInstant('11/21/2026 2:05 PM', 'month')).toBe(new Date(2026, 10, 21, 14, 5).toISOString())
    expect(parseInstant('2026-11-21T14:05:00+03:00', 'day')).toBe('2026-11-21T11:05:00.000Z')
    expect(parseInstant('', 'day')).toBeNull()
  })

  const reader = { forms: plan.forms, choice: () => undefined }
  const number: Field = { type: 'number' }
  it.each([
    ['1.234,56', number, 1234.56],
    ['₺ 1.234,5', number, 1234.5],
    ['12,5 TL', number, 12.5],
    ['% 40', number, 40],
    ['-7', number, -7],
    ['1,5E+3', number, 1500],
    ['12345678901234567890', number, '12345678901234567890'],
    [12.5, number, 12.5],
    ['Evet', { type: 'boolean' }, true],
    ['HAYIR', { type: 'boolean' }, false],
    [false, { type: 'boolean' }, false],
    [new Date('2026-11-21T00:00:00Z'), { type: 'date' }, '2026-11-21'],
    [12, { type: 'text' }, '12'],
    [0.1, { type: 'text' }, '0.1'],
    ['  x ', { type: 'text' }, '  x '],
    [' a@b.co ', { type: 'email' }, 'a@b.co'],
    ["'=1+1", { type: 'text' }, '=1+1'],
    ["'s", { type: 'text' }, "'s"],
    ['a, b;c', { type: 'tags' }, ['a', 'b', 'c']],
    ['{"a":1}', { type: 'json' }, { a: 1 }],
  ] as [Cell, Field, unknown][])('%j becomes %j: %j', (cell, field, value) => {
    expect(readValue(cell, field, reader)).toEqual({ value })
  })

  it.each([
    ['twelve', number, 'number'],
    ['abc12', number, 'number'],
    ['perhaps', { type: 'boolean' }, 'boolean'],
    [46000, { type: 'date' }, 'date'],
    ['x', { type: 'enum', values: { a: 'blue' } }, 'choice'],
  ] as [Cell, Field, string][])('%j is no %j: %s', (cell, field, key) => {
    expect(readValue(cell, field, reader)).toEqual({ problem: { key } })
  })
})

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

  it('10,000 rows are checked in well under a second or two', async () => {
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

describe('what our export writes', () => {
  const fileWords = {
    column: (path: string) => path,
    field: (_definition: Definition, name: string) => name,
    value: (_resource: string, _field: string, value: string) => TURKISH[value] ?? value,
    yes: 'Evet',
    no: 'Hayır',
    seconds: 'sn',
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
  const columns = exportColumns(licences, paths, fileWords, find)

  it.each(['csv', 'xlsx'] as const)('comes back as it was: %s', async (format) => {
    const parts: Uint8Array[] = []
    const emit = (bytes: Uint8Array<ArrayBuffer>) => void parts.push(bytes)
    const titles = columns.map(({ title }) => title)
    const writer =
      format === 'csv'
        ? csvWriter(titles, 'tr', emit)
        : xlsxWriter(titles, { language: 'tr', name: 'x', emit })
    writer.add([columns.map(({ read }) => read({ ...stored, [embedKey('vendor_id')]: stored.vendors }))])
    writer.end()
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
      definition: licences,
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
          message: 'duplicate key value violates unique constraint "licences_company_id_name_key"',
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
