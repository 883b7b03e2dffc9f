import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { exportColumns, exportFields } from '@/resource/tools/export/export-columns'

const companies: Definition = { name: 'companies', tenant: false, fields: { name: { type: 'text' } } }
const vendors: Definition = {
  name: 'vendors',
  title: '{name}',
  fields: { name: { type: 'text' }, level: { type: 'enum', values: { gold: 'gold' } } },
}
const printers: Definition = {
  name: 'printers',
  title: '{serial}',
  fields: {
    serial: { type: 'text' },
    status: { type: 'enum', values: { active: 'green' } },
    color: { type: 'boolean' },
    pages: { type: 'number', unit: 'pages' },
    memory: { type: 'bytes', unit: 'MB' },
    load: { type: 'percent' },
    cost: { type: 'money', currency: '$record.currency' },
    rent: { type: 'money', currency: 'TRY' },
    currency: { type: 'enum', values: { TRY: 'default' } },
    bought: { type: 'date' },
    seen: { type: 'datetime', from: { table: 'presence', column: 'seen_at' } },
    vendor_id: { type: 'relation', to: 'vendors' },
    owner: { type: 'user' },
    vendors: { type: 'many-to-many', to: 'vendors', through: 'v', near: 'a', far: 'b' },
    tags: { type: 'tags', closed: true },
    size: { type: 'computed', as: 'number' },
    steps: { type: 'rows', fields: { name: { type: 'text' } } },
    extra: { type: 'json' },
  },
}
const find = (name: string) => ({ companies, vendors, printers })[name] ?? null
const words = {
  column: (path: string) => path.toUpperCase(),
  field: (_definition: Definition, name: string) => name,
  value: (resource: string, field: string, value: string) => `${resource}/${field}/${value}`,
  yes: 'Evet',
  no: 'Hayır',
  unit: (unit: string) => unit,
}
const columnsOf = (...paths: string[]) => exportColumns(printers, paths, words, find)
const read = (path: string, row: Record<string, unknown>) => columnsOf(path)[0]?.read(row)
const text = (value: string) => ({ kind: 'text', text: value })

describe('the columns of an export', () => {
  it('are those of the list, smaller type and the currency of amounts included, each once', () => {
    const columns = [
      { field: 'serial', with: ['status'] },
      { field: 'cost' },
      { field: 'status' },
      { field: 'rent' },
    ]
    expect(exportFields(printers, columns)).toEqual(['serial', 'status', 'cost', 'currency', 'rent'])
  })

  it('are titled as in the list, with the unit of their figures', () => {
    const paths = [
      'serial',
      'pages',
      'memory',
      'load',
      'cost',
      'rent',
      'vendor_id.level',
      'gone',
      'vendor_id.gone',
    ]
    expect(columnsOf(...paths).map(({ title }) => title)).toEqual([
      'SERIAL',
      'PAGES (pages)',
      'MEMORY (MB)',
      'LOAD (%)',
      'COST',
      'RENT (TRY)',
      'VENDOR_ID.LEVEL',
    ])
  })

  it('have words for choices and yes or no, and titles for other records', () => {
    expect(read('status', { status: 'active' })).toEqual(text('printers/status/active'))
    expect(read('color', { color: true })).toEqual(text('Evet'))
    expect(read('color', { color: false })).toEqual(text('Hayır'))
    expect(read('tags', { tags: ['a', 'b'] })).toEqual(text('printers/tags/a, printers/tags/b'))
    const vendor = { id: 'v1', name: 'Şişli', level: 'gold' }
    expect(read('vendor_id', { vendor_id: 'v1', vendor_id_row: vendor })).toEqual(text('Şişli'))
    expect(read('vendor_id.level', { vendor_id_row: vendor })).toEqual(text('vendors/level/gold'))
    expect(read('vendors', { vendors_row: [{ row: vendor }, { row: { id: 'x', name: 'B' } }] })).toEqual(
      text('Şişli, B'),
    )
    // Another record that the user may not see is not given away by its key.
    expect(read('vendor_id', { vendor_id: 'v1', vendor_id_row: null })).toBeNull()
    expect(read('vendor_id.level', { vendor_id_row: null })).toBeNull()
  })

  it('have figures and dates as such', () => {
    expect(read('pages', { pages: 12 })).toEqual({ kind: 'number', number: 12 })
    expect(read('cost', { cost: '12.50' })).toEqual({ kind: 'number', number: 12.5 })
    expect(read('pages', { pages: '12345678901234567890' })).toEqual(text('12345678901234567890'))
    expect(read('size', { size: 0 })).toEqual({ kind: 'number', number: 0 })
    expect(read('steps', { steps: [{}, {}] })).toEqual({ kind: 'number', number: 2 })
    expect(read('bought', { bought: '2026-11-21' })).toEqual({ kind: 'day', day: '2026-11-21' })
    expect(read('seen', { presence_from: { seen_at: '2026-11-21T10:00:00+00:00' } })).toEqual({
      kind: 'instant',
      at: new Date('2026-11-21T10:00:00Z'),
    })
    expect(read('extra', { extra: { a: 1 } })).toEqual(text('{"a":1}'))
  })

  it('are empty where there is nothing', () => {
    for (const path of Object.keys(printers.fields)) expect(read(path, {})).toBeNull()
    expect(read('serial', { serial: '' })).toBeNull()
  })
})
