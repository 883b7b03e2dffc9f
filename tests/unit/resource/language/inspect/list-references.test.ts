import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { inspectReferences } from '@/resource/language/inspect/references'

const printers: Definition = {
  name: 'printers',
  fields: {
    serial: { type: 'text', sort: true },
    pages: { type: 'number', sort: true },
    room_id: { type: 'relation', to: 'rooms' },
  },
}
const rooms: Definition = {
  name: 'rooms',
  fields: {
    name: { type: 'text' },
    seen: { type: 'datetime', from: { table: 'room_presence', column: 'at' } },
  },
}
const inspect = (list: Definition['list']) =>
  inspectReferences({ ...printers, list }, { find: (name) => ({ printers, rooms })[name] ?? null }).map(
    ({ pointer, message, hint }) => [pointer, message, hint].filter(Boolean).join(' | '),
  )

describe('what a list names', () => {
  it('may be several sorts and fields of related records', () => {
    expect(inspect({ columns: ['serial', 'room_id.name'], sort: '-pages,serial' })).toEqual([])
    expect(inspect({ columns: [{ field: 'room_id', with: ['room_id.name'] }] })).toEqual([])
  })

  it('is looked up on both sides of the dot', () => {
    expect(inspect({ columns: ['romo_id.name'] })).toEqual([
      '/list/columns/0 | no field `romo_id` | Did you mean `room_id`?',
    ])
    expect(inspect({ columns: ['room_id.nmae'] })).toEqual([
      '/list/columns/0 | `rooms` has no field `nmae` | Did you mean `name`?',
    ])
    expect(inspect({ columns: ['serial.x'] })[0]).toContain('`serial` does not point to one record')
    expect(inspect({ columns: ['room_id.seen'] })[0]).toContain('is in yet another table')
  })

  it('filters by no kind that has no way to', () => {
    const words: Definition = { name: 'words', fields: { raw: { type: 'json', filter: true } } }
    expect(inspectReferences(words, {})).toEqual([
      {
        pointer: '/fields/raw/filter',
        message: 'a list cannot filter by a field of kind `json`',
        hint: 'Remove it.',
      },
    ])
  })

  it('compares tags by what they hold, and nothing else so', () => {
    const words: Definition = {
      name: 'words',
      fields: {
        tags: { type: 'tags' },
        serial: { type: 'text', when: { tags: { _has_any: ['a'] } } },
        note: { type: 'text', when: { _or: [{ serial: { _empty: true } }] } },
      },
    }
    expect(inspectReferences(words, {})).toEqual([
      {
        pointer: '/fields/note/when/_or/0/serial/_empty',
        message: '`_empty` compares tags, not `text`',
        hint: 'Use `_in`, `_contains` or `_null`.',
      },
    ])
  })

  it('sorts by sortable fields only, each of them', () => {
    expect(inspect({ columns: ['serial'], sort: 'serial,-room_id' })).toEqual([
      expect.stringContaining('/list/sort | the list cannot sort by `room_id`'),
    ])
  })
})

describe('how many tables a record is read from', () => {
  const wide = (relations: number, targets: number): Definition => ({
    name: 'wide',
    fields: Object.fromEntries(
      Array.from({ length: relations }, (_, n) => [
        `room_${n}_id`,
        { type: 'relation', to: `rooms_${n % targets}` },
      ]),
    ),
  })
  const found = (definition: Definition) =>
    inspectReferences(definition, { find: () => rooms }).map(
      ({ pointer, message }) => `${pointer} ${message}`,
    )

  it('is limited, as the API limits it', () => {
    expect(found(wide(30, 5))).toEqual([])
    expect(found(wide(31, 5))).toEqual([
      '/fields the fields refer to 31 tables; a record can be read with at most 30',
    ])
    expect(found(wide(8, 1))).toEqual([])
    expect(found(wide(9, 1))).toEqual([
      '/fields 9 fields refer to `rooms_0`; a record can be read with at most 8',
    ])
  })
})
