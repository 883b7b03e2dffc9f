import { describe, expect, it } from 'vitest'
import { cursorFrom, type KeyValue, rowsBeyond } from '@/data/keyset'
import { writeFilters } from '@/data/postgrest'

const by = (...columns: string[]) =>
  columns.map((name) => ({ column: name.replace('-', ''), descending: name.startsWith('-') }))
const beyond = (order: string[], values: KeyValue[], isRun = false) =>
  rowsBeyond(by(...order), { way: 'after', values, isRun })?.map((stretch) => {
    const { parameters, groups } = writeFilters(stretch)
    return [...parameters.map(({ column, operator, value }) => `${column}=${operator}.${value}`), ...groups]
  })

describe('the rows beyond a cursor', () => {
  it('are entered by a bound on the first column, which an index serves', () => {
    expect(beyond(['name', 'id'], ['a', 'x'])).toEqual([
      ['name=gte.a', 'or(name.gt.a,name.is.null,and(name.eq.a,id.gt.x))'],
      ['name=is.null'],
    ])
    expect(beyond(['-at', '-id'], [5, 'x'])).toEqual([['at=lte.5', 'or(at.lt.5,and(at.eq.5,id.lt.x))']])
  })

  it('follow empty values where the database puts them: last upwards, first downwards', () => {
    expect(beyond(['name', 'id'], [null, 'x'])).toEqual([['name=is.null', 'id=gt.x']])
    expect(beyond(['-name', '-id'], [null, 'x'])).toEqual([['name=is.null', 'id=lt.x'], ['name=not.is.null']])
  })

  it('are read as one run of equal values where the page was one', () => {
    expect(beyond(['os', 'id'], ['Ubuntu', 'x'], true)).toEqual([
      ['os=eq.Ubuntu', 'id=gt.x'],
      ['os=gt.Ubuntu'],
      ['os=is.null'],
    ])
  })

  it('weigh several columns one after the other', () => {
    expect(beyond(['-os', 'name', 'id'], ['b', null, 'x'])).toEqual([
      ['os=lte.b', 'or(os.lt.b,and(os.eq.b,name.is.null,id.gt.x))'],
    ])
  })

  it('have no request where a value has no writing that every backend reads', () => {
    for (const value of ['"', 'back\\slash', 'null', ' blank'])
      expect(beyond(['name', 'id'], [value, 'x'])).toBeUndefined()
    expect(beyond(['name', 'id'], ['x'])).toBeUndefined()
  })
})

describe('a cursor', () => {
  it('is made of the row at the edge, and notes whether the page was all one value', () => {
    const rows = [
      { id: '1', os: 'a' },
      { id: '2', os: 'a' },
    ]
    expect(cursorFrom(rows, by('os', 'id'), 'after')).toEqual({
      way: 'after',
      values: ['a', '2'],
      isRun: true,
    })
    expect(cursorFrom(rows, by('id'), 'before')).toMatchObject({ values: ['1'], isRun: false })
    expect(cursorFrom(rows, by('name', 'id'), 'after')).toBeNull()
    expect(cursorFrom([], by('id'), 'after')).toBeNull()
  })
})
