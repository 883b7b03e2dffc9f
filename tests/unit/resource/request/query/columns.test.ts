import { describe, expect, it } from 'vitest'
import { FIELD_TYPES } from '#definition-validator'
import type { Definition } from '@/resource/language/definition.generated'
import { filterNames } from '@/resource/request/filter/from-url'
import {
  checkColumns,
  listColumns,
  moveColumn,
  narrowColumns,
  offeredColumns,
  parseColumns,
  readColumns,
  writeColumns,
} from '@/resource/request/query/columns'
import { chosenColumns } from '@/resource/request/query/saved-views'

const printers: Definition = {
  name: 'printers',
  fields: {
    serial: { type: 'text' },
    status: { type: 'enum', values: { active: 'green' } },
    model: { type: 'text' },
    script: { type: 'code' },
    company_id: { type: 'relation', to: 'companies', readonly: true },
  },
  list: { columns: ['serial', { field: 'status', with: ['model'], width: 90 }] },
}
const find = (name: string) => (name === 'printers' ? printers : null)

describe('columns', () => {
  it('are below the name on a narrow screen, where the definition names them', () => {
    const all = listColumns(printers, null, find)
    expect(narrowColumns(printers, all)).toBe(all)
    const narrow: Definition = {
      ...printers,
      list: { columns: ['serial', 'status', 'model'], narrow: ['model'] },
    }
    const fields = listColumns(narrow, null, find)
    expect(narrowColumns(narrow, fields)).toEqual([{ field: 'serial', with: ['company_id', 'model'] }])
    // A field in smaller type may be named as well.
    const besides: Definition = {
      ...printers,
      list: { columns: ['serial', { field: 'status', with: ['model'] }], narrow: ['model'] },
    }
    expect(narrowColumns(besides, listColumns(besides, 'acme', find))).toEqual([
      { field: 'serial', with: ['model'] },
    ])
    // A column that the user has hidden is hidden here too.
    const chosen = listColumns(narrow, 'acme', find, undefined, [{ field: 'serial' }, { field: 'status' }])
    expect(narrowColumns(narrow, chosen)).toEqual([{ field: 'serial', with: [] }])
  })

  it('offered are the declared ones, then the other fields; never whole texts, never the company', () => {
    expect(offeredColumns(printers, find)).toEqual(['serial', 'status', 'model'])
  })

  it('offered beyond the declared ones can all be filtered', () => {
    const fields = Object.fromEntries(
      FIELD_TYPES.map((type) => [
        type.replace(/-/g, '_'),
        { type, to: 'printers', through: 'x', far: 'y', near: 'z' },
      ]),
    )
    const shown = { type: 'computed', as: 'number' }
    const every = {
      name: 'every',
      fields: { ...fields, shown },
      list: { columns: ['text'] },
    } as unknown as Definition
    const offered = offeredColumns(every, () => every)
    expect(offered).toContain('shown')
    expect(filterNames(every, () => every)).toEqual(expect.arrayContaining(offered))
  })

  it('survive the address and the server; widths stay within reason', () => {
    const choices = [{ field: 'model', width: 120 }, { field: 'serial' }]
    expect(parseColumns(writeColumns(choices))).toEqual(choices)
    expect(readColumns(JSON.parse(JSON.stringify(choices)))).toEqual(choices)
    expect(parseColumns('a:1,b:99999,c:x,d:-5')).toEqual([
      { field: 'a', width: 60 },
      { field: 'b', width: 800 },
      { field: 'c' },
      { field: 'd' },
    ])
  })

  it('that are nonsense are no choice', () => {
    for (const stored of [null, 'serial', {}, 7]) expect(readColumns(stored)).toBeNull()
    expect(readColumns([null, 7, { field: 7 }, { width: 3 }, { field: 'serial', width: 'wide' }])).toEqual([
      { field: 'serial' },
    ])
    expect(checkColumns(parseColumns('password,company_id,script'), printers, find)).toBeNull()
    expect(checkColumns(parseColumns('model,password,model:90'), printers, find)).toEqual([
      { field: 'model' },
    ])
    expect(parseColumns('')).toBeNull()
  })

  it('chosen show in their order, with what the definition shows beside them', () => {
    const chosen = [{ field: 'model' }, { field: 'status', width: 200 }]
    expect(listColumns(printers, 'c1', find, undefined, chosen)).toEqual([
      { field: 'model' },
      { field: 'status', with: ['model'], width: 90, sized: 200 },
    ])
    // With all companies in view every row says whose it is.
    expect(listColumns(printers, null, find, undefined, chosen)[2]).toEqual({ field: 'company_id' })
  })

  it('are the address’s before the person’s before the definition’s', () => {
    const settings = {
      views: [],
      preferences: [{ resource: 'printers', columns: [{ field: 'model' }], density: 'compact' as const }],
    }
    expect(chosenColumns(printers, { columns: [{ field: 'serial' }] }, settings, find)).toEqual([
      { field: 'serial' },
    ])
    expect(chosenColumns(printers, { columns: null }, settings, find)).toEqual([{ field: 'model' }])
    expect(chosenColumns(printers, { columns: null }, undefined, find)).toBeNull()
  })

  it('move to a place and never out of the list', () => {
    expect(moveColumn(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(moveColumn(['a', 'b', 'c'], 2, -4)).toEqual(['c', 'a', 'b'])
    expect(moveColumn(['a'], 3, 0)).toEqual(['a'])
  })
})
