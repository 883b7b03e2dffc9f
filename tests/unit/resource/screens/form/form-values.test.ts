import i18next from 'i18next'
import { describe, expect, it } from 'vitest'
import { CheckError, DuplicateError } from '@/data/errors'
import type { Definition } from '@/resource/language/definition.generated'
import { checkField } from '@/resource/screens/form/check-record'
import {
  changedFields,
  columnValues,
  mergeMine,
  newValues,
  recordValues,
} from '@/resource/screens/form/form-values'
import { fieldOfError } from '@/resource/screens/form/server-errors'

const printers: Definition = {
  name: 'printers',
  fields: {
    serial: { type: 'text', required: true, pattern: '^[A-Z]+$' },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, default: 'active' },
    reason: { type: 'textarea', required: true, when: { status: { _eq: 'retired' } } },
    pages: { type: 'number', min: 0, max: 10 },
    owner_id: { type: 'user', default: '$user' },
    bought_on: { type: 'date' },
    warranty: { type: 'date', check: { _gte: '$record.bought_on' } },
    trays: { type: 'rows', fields: { name: { type: 'text', required: true } } },
    groups: {
      type: 'many-to-many',
      to: 'groups',
      through: 'group_printers',
      near: 'printer_id',
      far: 'group_id',
    },
    seen: { type: 'datetime', readonly: true },
  },
}
const record = {
  id: 'p1',
  serial: 'AB',
  status: 'active',
  trays: [{ name: 'A4', size: 1 }],
  groups_row: [{ row: { id: 'g2' } }, { row: { id: 'g1' } }],
}

describe('what a form starts with', () => {
  it('is the defaults, variables filled in', () => {
    expect(newValues(printers, { user: { id: 'u1' } })).toMatchObject({
      serial: null,
      status: 'active',
      owner_id: 'u1',
      trays: [],
      groups: [],
    })
  })

  it('is the language of the author for a field whose values are languages, where it is one of them', async () => {
    const enumOf = (values: object): Definition =>
      ({
        name: 'pages',
        fields: { language: { type: 'enum', values, default: 'en', languages: true } },
      }) as Definition
    await i18next.init({ lng: 'tr' })
    expect(newValues(enumOf({ en: 'default', tr: 'default' }), {})).toEqual({ language: 'tr' })
    expect(newValues(enumOf({ en: 'default', de: 'default' }), {})).toEqual({ language: 'en' })
  })

  it('is the record, related records by their ids, and nothing that cannot be edited', () => {
    const values = recordValues(printers, record)
    expect(values).toMatchObject({ serial: 'AB', groups: ['g2', 'g1'], pages: null })
    expect(values).not.toHaveProperty('seen')
  })
})

describe('what changed', () => {
  const before = recordValues(printers, record)
  it('is compared by value: emptied text is nothing, order of keys and of relatives does not count', () => {
    const after = {
      ...before,
      pages: undefined,
      reason: ' ',
      trays: [{ size: 1, name: 'A4' }],
      groups: ['g1', 'g2'],
    }
    expect(changedFields(printers, before, after)).toEqual([])
  })

  it('is what is written, related records apart', () => {
    const after = { ...before, serial: 'XY', groups: [] }
    const changed = changedFields(printers, before, after)
    expect(changed).toEqual(['serial', 'groups'])
    expect(columnValues(printers, changed, after)).toEqual({ serial: 'XY' })
  })

  it('by me stands over theirs, and theirs over what I did not touch', () => {
    const mine = { ...before, serial: 'MINE' }
    const theirs = { ...before, serial: 'THEIRS', pages: 5 }
    expect(mergeMine(printers, before, mine, theirs)).toMatchObject({ serial: 'MINE', pages: 5 })
  })
})

describe('checks', () => {
  const check = (name: string, values: Record<string, unknown>) =>
    checkField(printers, name, values, {})?.key ?? null
  it('ask for required fields, only while they are shown', () => {
    expect(check('serial', { serial: '  ' })).toBe('required')
    expect(check('reason', { status: 'active' })).toBeNull()
    expect(check('reason', { status: 'retired' })).toBe('required')
  })

  it('know the kind, the bounds and the pattern', () => {
    expect(check('serial', { serial: 'ab' })).toBe('pattern')
    expect(check('pages', { pages: 11 })).toBe('max')
    expect(check('status', { status: 'lost' })).toBe('choice')
  })

  it('compare fields with each other', () => {
    expect(check('warranty', { warranty: '2026-01-01', bought_on: '2026-02-01' })).toBe('_gte')
    expect(check('warranty', { warranty: '2026-01-01', bought_on: null })).toBeNull()
  })

  it('look into the rows of an inner table', () => {
    const problem = checkField(printers, 'trays', { trays: [{ name: 'A4' }, { name: '' }] }, {})
    expect(problem).toMatchObject({ key: 'required', values: { row: 2, column: 'name' } })
  })
})

describe('a refused write lands on the field', () => {
  it('that the column or the constraint’s name says', () => {
    expect(fieldOfError(printers, new DuplicateError('', undefined, 'printers_company_id_serial_key'))).toBe(
      'serial',
    )
    expect(fieldOfError(printers, new CheckError('', '23514', undefined, 'printers_pages_check1'))).toBe(
      'pages',
    )
    expect(fieldOfError(printers, new CheckError('', '23502', 'serial'))).toBe('serial')
    expect(
      fieldOfError(printers, new CheckError('', '23514', undefined, 'other_pages_check')),
    ).toBeUndefined()
  })
})
