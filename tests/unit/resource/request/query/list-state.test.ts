import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { fieldNameProblem, inspectReserved } from '@/resource/language/inspect/reserved'
import { LIST_PARAMS } from '@/resource/language/naming'
import { filterNames } from '@/resource/request/filter/from-url'
import { writeCursor } from '@/resource/request/query/list-request'
import {
  changeList,
  type ListState,
  parseListState,
  parseSort,
  sortBy,
  sortFurtherBy,
  writeListState,
  writeSort,
} from '@/resource/request/query/list-state'
import { find, parse, printers, request } from './printers'

describe('the list in its URL', () => {
  it('survives being written and read', () => {
    const query =
      'q=ışık&view=old&sort=-pages%2Cserial&page=3&after=abc&pageSize=20&status=active%2Cretired&pages=10..'
    expect(parse(writeListState(parse(query), printers).toString())).toEqual(parse(query))
  })

  it('applies the default filter until a filter, a view or an advanced filter asks for its field', () => {
    const definition: Definition = {
      ...printers,
      list: { ...printers.list, default_filter: { color: { _eq: false } } },
    }
    const asked = (query: string) => JSON.stringify(request(query, 'c1', definition))
    for (const query of ['', 'status=active', 'view=old', 'where={"pages":{"_gt":1}}'])
      expect([query, asked(query).includes('color')]).toEqual([query, true])
    expect(asked('')).not.toBe(JSON.stringify(request('')))
    expect(asked('color=true')).toBe(JSON.stringify(request('color=true')))
    const where = 'where={"color":{"_eq":true}}'
    expect(asked(where)).toBe(JSON.stringify(request(where)))
    const list = { ...printers.list, views: { old: { filter: { color: { _eq: true } } } } }
    const [plain, view] = [undefined, { color: { _eq: false } }].map((default_filter) =>
      JSON.stringify(
        request('view=old', 'c1', {
          ...printers,
          list: { ...list, ...(default_filter && { default_filter }) },
        }),
      ),
    )
    expect(view).toBe(plain)
  })

  it('says nothing of what is as by default', () => {
    expect(writeListState(parse(''), printers).toString()).toBe('')
  })

  it('ignores what the definition does not offer', () => {
    expect(parse('view=nope&sort=model&page=-4&pageSize=7&hidden=x&constructor=y')).toEqual(parse(''))
  })

  it('holds no NUL, which the database refuses in every text', () => {
    expect(parse('q=%00&note=%00&status=act%00ive')).toEqual(parse('status=active'))
    expect(parse('q=a%00b').q).toBe('ab')
  })

  it('goes on as it is scrolled, which the address says by a word', () => {
    expect(parse('pageSize=scroll').pageSize).toBe(10_000)
    expect(writeListState(parse('pageSize=scroll'), printers).toString()).toBe('pageSize=scroll')
    expect(writeListState(parse('pageSize=1000'), printers).toString()).toBe('pageSize=1000')
    expect(parse('pageSize=scroll&page=9').page).toBe(2)
  })

  it('starts again at the first page when it is narrowed differently', () => {
    expect(changeList(parse('page=4&after=abc'), { q: 'x' })).toMatchObject({ page: 1, cursor: null, q: 'x' })
  })

  it('skips to a page by its number only as far as a database reads in no time', () => {
    expect(parse('page=9999').page).toBe(201)
    expect(parse('page=9999&after=abc').page).toBe(9999)
  })
})

describe('sorting by several columns', () => {
  it('is written with commas, each column once', () => {
    expect(parseSort('-opened_at,name,-name,')).toEqual([
      { field: 'opened_at', descending: true },
      { field: 'name', descending: false },
    ])
    expect(writeSort(parseSort('-opened_at,name'))).toBe('-opened_at,name')
    expect(parse('sort=-model,-pages,serial').sort.map(({ field }) => field)).toEqual(['pages', 'serial'])
  })

  it('begins anew with one press, and goes on with Shift', () => {
    const press = (text: string, field: string) => writeSort(sortBy(parseSort(text), field))
    const shift = (text: string, field: string) => writeSort(sortFurtherBy(parseSort(text), field))
    expect(press('', 'serial')).toBe('serial')
    expect(press('serial', 'serial')).toBe('-serial')
    expect(press('-serial', 'serial')).toBe('serial')
    expect(press('serial,pages', 'serial')).toBe('serial')
    expect(shift('serial', 'pages')).toBe('serial,pages')
    expect(shift('serial,pages', 'pages')).toBe('serial,-pages')
    expect(shift('serial,-pages', 'pages')).toBe('serial')
    expect(shift('a,b,c,d', 'e')).toBe('a,b,c,d')
  })
})

describe('the layout of a list', () => {
  const shown: Definition = {
    ...printers,
    list: {
      ...(printers.list || {}),
      layouts: ['table', 'board', 'calendar'],
      board: { by: 'status' },
      calendar: { from: 'seen' },
    },
  }
  const parse = (query: string, definition = shown) =>
    parseListState(new URLSearchParams(query), definition, find)

  it('is the first one that the definition offers', () => {
    expect(parse('').layout).toBe('table')
    expect(
      parse('', { ...shown, list: { ...shown.list, layouts: ['board', 'table'] } } as Definition).layout,
    ).toBe('board')
  })

  it('is what the address says, as far as the definition offers it', () => {
    expect(parse('as=board').layout).toBe('board')
    expect(parse('as=board', printers).layout).toBe('table')
    expect(parse('as=rows').layout).toBe('table')
  })

  it('is left out of the address where it is the first', () => {
    expect(writeListState(parse('as=table'), shown).toString()).toBe('')
    expect(writeListState(parse('as=board&in=2026-02'), shown).toString()).toBe('as=board')
    expect(writeListState(parse('as=calendar&in=2026-02'), shown).toString()).toBe('as=calendar&in=2026-02')
  })

  it.each(['2026-13', '2026-2', 'x', '99999-01'])('ignores the month %s', (month) => {
    expect(parse(`as=calendar&in=${month}`).at).toBeNull()
  })
})

describe('the words of the address', () => {
  const everything: ListState = {
    q: 'laser',
    view: 'old',
    saved: 'none',
    columns: [{ field: 'serial' }],
    sort: parseSort('-pages'),
    page: 3,
    cursor: { way: 'after', key: 'x' },
    pageSize: 10,
    filters: {},
    where: null,
    badWhere: '{',
    layout: 'calendar',
    at: '2026-11',
  }

  it('are all reserved', () => {
    const before: ListState = { ...everything, cursor: { way: 'before', key: 'x' } }
    const written = [everything, before].flatMap((state) => [...writeListState(state, printers).keys()])
    // `tab` is the record's around the list.
    expect(new Set([...written, 'tab'])).toEqual(LIST_PARAMS)
  })

  it.each([...LIST_PARAMS])('cannot name a field: %s', (name) => {
    const definition: Definition = { name: 'printers', fields: { [name]: { type: 'text' } } }
    expect(filterNames(definition, find)).toEqual([])
    expect(inspectReserved(definition).map(({ pointer }) => pointer)).toEqual([`/fields/${name}`])
    expect(fieldNameProblem(name, { isNew: true })).not.toBeNull()
  })
})

describe('a cursor in the address', () => {
  const rows = [
    { id: '1', pages: 7, serial_key: 'a' },
    { id: '2', pages: null, serial_key: 'çam, "x"' },
  ]
  const { order } = request('sort=-pages,serial').page
  const query = (way: 'after' | 'before', sort: string) => {
    const cursor = writeCursor(rows, order, way)
    return request(`sort=${sort}&page=3&${way}=${cursor?.key}`).page
  }

  it('holds the row at the page’s edge, whatever its values', () => {
    expect(query('after', '-pages,serial').cursor).toEqual({
      way: 'after',
      values: [null, 'çam, "x"', '2'],
      isRun: false,
    })
    expect(query('before', '-pages,serial').cursor?.values).toEqual([7, 'a', '1'])
  })

  it('is null for another order, or when it was made up; the page is then reached by its number', () => {
    expect(query('after', 'pages').cursor).toBeNull()
    expect(request('page=3&after=WzFd').page).toMatchObject({ page: 3, cursor: null })
    expect(request('page=99999&after=WzFd').page.page).toBe(201)
    expect(writeCursor([{ id: '1' }], order, 'after')).toBeNull()
  })
})
