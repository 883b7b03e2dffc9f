import { describe, expect, it } from 'vitest'
import {
  defaultKeys,
  importFields,
  importModes,
  lookupField,
  matchColumns,
  missingFields,
} from '@/resource/tools/import/import-fields'
import { apps, find, licenses } from './import-licenses'

describe('what can be imported', () => {
  it('is a field that not everybody may read, for whoever sees it', () => {
    const hidden = { object: 'license-costs', verb: 'list' }
    const guarded = {
      ...licenses,
      fields: { ...licenses.fields, seats: { type: 'number' as const, guard: { read: hidden } } },
    }
    expect(importFields(guarded, new Set(), find)).toContain('seats')
  })

  it('the fields that this person may write, in one cell each', () => {
    expect(importFields(licenses, new Set(['secret']), find)).toEqual([
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
    expect(importModes(licenses)).toEqual(['upsert', 'insert', 'update'])
    expect(importModes({ ...licenses, create: false })).toEqual(['update'])
    expect(importModes({ ...licenses, edit: false })).toEqual(['insert'])
    expect(importModes({ ...licenses, form: false })).toEqual([])
    expect(importModes({ ...licenses, import: false })).toEqual([])
    expect(importModes({ ...licenses, form: { component: 'x/y' } })).toEqual([])
  })

  it('the title tells whether a record exists, where all of it is in the file', () => {
    expect(defaultKeys(licenses, ['seats', 'name'])).toEqual(['name'])
    expect(defaultKeys(apps, ['name'])).toEqual([])
    expect(defaultKeys(apps, ['name', 'version'])).toEqual(['name', 'version'])
  })

  it('a required field without a default is missed', () => {
    expect(missingFields(licenses, ['name'])).toEqual(['vendor_id'])
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
