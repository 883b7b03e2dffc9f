import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { mergedValues, mergeFields, sideOf } from '@/resource/screens/form/merge-values'

const printers: Definition = {
  name: 'printers',
  fields: {
    name: { type: 'text' },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' } },
    pages: { type: 'number' },
    notes: { type: 'textarea' },
    approval: { type: 'text' },
    groups: { type: 'many-to-many', to: 'groups', through: 'gp', near: 'printer_id', far: 'group_id' },
    seen: { type: 'datetime', readonly: true },
  },
}
const base = { name: 'A', status: 'active', pages: 1, notes: null, approval: null, groups: ['g1', 'g2'] }
const mine = { ...base, name: 'mine', pages: 2, notes: '  ', groups: ['g2', 'g1'] }
const theirs = { ...base, name: 'theirs', status: 'retired', approval: 'yes' }
const sides = { base, mine, theirs, refused: new Set(['approval']) }

describe('two versions of a record', () => {
  it('are compared by value: what is equal, read-only or not theirs to write is no question', () => {
    expect(mergeFields(printers, sides)).toEqual([
      { name: 'name', changedBy: 'both' },
      { name: 'status', changedBy: 'theirs' },
      { name: 'pages', changedBy: 'mine' },
    ])
  })

  it('start from whoever changed a field, and where both did, from the one who decides', () => {
    const start = mergeFields(printers, sides).map((field) => sideOf(field, {}))
    expect(start).toEqual(['mine', 'theirs', 'mine'])
    expect(mergedValues(printers, sides, {})).toMatchObject({
      name: 'mine',
      status: 'retired',
      pages: 2,
      approval: 'yes',
    })
  })

  it('are merged as chosen, field by field', () => {
    const merged = mergedValues(printers, sides, { name: 'theirs', status: 'mine', pages: 'theirs' })
    expect(merged).toMatchObject({ name: 'theirs', status: 'active', pages: 1, approval: 'yes' })
  })

  it('that say the same leave nothing to choose', () => {
    expect(mergeFields(printers, { ...sides, mine: theirs })).toEqual([])
  })
})
