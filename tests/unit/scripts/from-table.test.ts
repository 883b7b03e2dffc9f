import { describe, expect, it } from 'vitest'
import { describeTable, refuseNames } from '../../../scripts/resource/from-table'
import type { CatalogColumn } from '../../../supabase/embedded/catalog'
import { column, tableOf } from '../../support/catalog'

interface Found {
  check?: string
  /** The table that a foreign key of the column points at. */
  target?: string
  /** The foreign key in SQL. */
  key?: string
}

/** The field that a column becomes in a definition. */
function described(found: CatalogColumn, { check, target, key = '' }: Found = {}): unknown {
  const { name } = found
  const table = tableOf('printers', [found], {
    indexes: [{ name: 'i', columns: ['company_id', name], isPartial: false, isUnique: false }],
    checks: check ? [{ name: 'c', columns: [name], definition: check }] : [],
    keys: target ? [{ name: 'k', columns: [name], definition: key, target, targetColumns: ['id'] }] : [],
  })
  return describeTable(table, new Map([['devices', 'devices']]), []).fields[name]
}

const length = (name: string, max: number) => `CHECK ((length(${name}) <= ${max}))`

describe('a definition from a table', () => {
  it.each<[string, CatalogColumn, Found, object]>([
    [
      'a short text',
      column('serial', 'text'),
      { check: length('serial', 80) },
      { type: 'text', max_length: 80 },
    ],
    [
      'a text of one form',
      column('serial', 'text'),
      { check: "CHECK ((serial ~ '^[A-Z]+$'::text))" },
      { type: 'text', pattern: '^[A-Z]+$' },
    ],
    [
      'a long text',
      column('note', 'text'),
      { check: length('note', 4000) },
      { type: 'textarea', max_length: 4000 },
    ],
    [
      'an address',
      column('contact_email', 'text'),
      { check: length('contact_email', 255) },
      { type: 'email' },
    ],
    [
      'a web address, however long',
      column('website', 'varchar'),
      { check: length('website', 4000) },
      { type: 'url', max_length: 4000 },
    ],
    [
      'one of some values',
      column('status', 'text'),
      { check: "CHECK ((status = ANY (ARRAY['a'::text, 'b'::text])))" },
      { type: 'enum', values: { a: 'green', b: 'orange' }, filter: true },
    ],
    [
      'a number',
      column('cost', 'numeric', { sqlType: 'numeric(10,2)' }),
      { check: 'CHECK (((cost >= (0)::numeric) AND (cost <= (9)::numeric)))' },
      { type: 'number', decimals: 2, min: 0, max: 9 },
    ],
    ['a switch', column('active', 'bool'), {}, { type: 'boolean', filter: true }],
    ['a day', column('bought_on', 'date'), {}, { type: 'date', filter: true }],
    ['a moment', column('seen_at', 'timestamptz'), {}, { type: 'datetime', filter: true }],
    ['words', column('labels', '_text'), {}, { type: 'tags' }],
    ['JSON', column('data', 'jsonb'), {}, { type: 'json' }],
    ['a machine', column('address', 'inet'), {}, { type: 'ip', filter: false }],
    [
      'a key of nothing known',
      column('other_id', 'uuid'),
      { target: 'others' },
      { type: 'text', filter: false },
    ],
    [
      'a key',
      column('device_id', 'uuid'),
      { target: 'devices' },
      { type: 'relation', to: 'devices', on_delete: 'restrict', filter: true },
    ],
    [
      'a key that is emptied',
      column('device_id', 'uuid'),
      { target: 'devices', key: 'FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE SET NULL' },
      { type: 'relation', to: 'devices', filter: true },
    ],
    [
      'a key that takes the row along',
      column('device_id', 'uuid'),
      { target: 'devices', key: 'FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE' },
      { type: 'relation', to: 'devices', on_delete: 'cascade', filter: true },
    ],
    ['a person', column('owner_id', 'uuid'), { target: 'profiles' }, { type: 'user' }],
    ['anything else', column('area', 'polygon'), {}, { type: 'computed' }],
  ])('has %s', (_what, found, more, field) => {
    expect(described(found, more)).toEqual(field)
  })

  it('is refused with a remedy for names that would need quotes', () => {
    const table = tableOf('Printers', [
      column('id', 'uuid'),
      column('Ser No', 'text'),
      column('order', 'text'),
    ])
    expect(() => refuseNames(table)).toThrow(
      /alter table public\."Printers" rename column "Ser No" to ser_no;[\s\S]*rename column "order" to order_name;[\s\S]*rename to printers;/,
    )
    expect(() => refuseNames(tableOf('printers', [column('name', 'text')]))).toThrow('no column `id`')
    expect(() => refuseNames(tableOf('printers', [column('id', 'uuid')]))).not.toThrow()
  })
})
