import { describe, expect, it, vi } from 'vitest'
import { writeFilters } from '@/data/postgrest'
import type { RowPage } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { fieldNameProblem, inspectReserved } from '@/resource/language/inspect/reserved'
import { LIST_PARAMS } from '@/resource/language/naming'
import { filterFromUrl, filterNames } from '@/resource/request/filter/from-url'
import { listColumns, listFields } from '@/resource/request/query/columns'
import { listRequest, writeCursor } from '@/resource/request/query/list-request'
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
import { filterGroups } from '@/resource/screens/list/filter-groups'
import { sentRequest } from '../../../../support/list-request'

const companies: Definition = { name: 'companies', tenant: false, fields: { name: { type: 'text' } } }
const groups: Definition = { name: 'groups', title: '{name}', fields: { name: { type: 'text' } } }
const printers: Definition = {
  name: 'printers',
  title: '{serial}',
  fields: {
    serial: { type: 'text', search: true, sort: 'serial_key' },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, filter: true },
    pages: { type: 'number', filter: true, sort: true },
    seen: { type: 'datetime', from: { table: 'printer_presence', column: 'seen_at' }, sort: 'offline_since' },
    model: { type: 'text' },
    hidden: { type: 'text', filter: false },
    data: { type: 'json' },
    added: { type: 'datetime', filter: true },
    bought: { type: 'date', filter: true },
    color: { type: 'boolean', filter: true },
    note: { type: 'text', filter: true },
    days: { type: 'tags' },
    paint: { type: 'color' },
    made: { type: 'computed', as: 'datetime' },
    rest: { type: 'computed' },
    company_id: { type: 'relation', to: 'companies', readonly: true },
    groups: {
      type: 'many-to-many',
      to: 'groups',
      through: 'group_printers',
      near: 'printer_id',
      far: 'group_id',
      filter: true,
    },
  },
  list: {
    columns: ['serial', { field: 'status', with: ['model'] }, 'seen', 'groups'],
    sort: 'serial',
    views: { old: { filter: { pages: { _gt: 1000 } }, sort: '-pages' } },
  },
}

const jobs: Definition = {
  name: 'jobs',
  fields: {
    note: { type: 'text' },
    printer_id: { type: 'relation', to: 'printers', filter: true },
    owner_id: { type: 'relation', to: 'companies' },
  },
  list: { columns: ['note', 'printer_id.status', { field: 'printer_id', with: ['printer_id.model'] }] },
}
const find = (name: string) => ({ companies, groups, printers, jobs })[name] ?? null
const parse = (query: string, definition = printers) =>
  parseListState(new URLSearchParams(query), definition, find)
const request = (query: string, companyId: string | null = 'c1', definition = printers) => {
  const fields = listFields(definition, listColumns(definition, companyId, find))
  return sentRequest(
    listRequest(definition, fields, parse(query, definition), { companyId, scope: {}, find }),
  )
}
const parametersOf = ({ where }: RowPage) => writeFilters(where ?? []).parameters

describe('the request of a list', () => {
  const limited = (definition: Definition) =>
    listRequest(definition, [], parse('', definition), {
      companyId: 'c1',
      scope: { isLimited: (resource) => resource === definition.name },
      find,
    })

  it('reads and counts the few rows of a row rule by the search, which finds them by their ids', () => {
    const { page, count } = limited(printers)
    for (const { meta } of [page, count]) expect(meta.readBy).toEqual({ name: 'search_printers', args: {} })
    expect(parametersOf(sentRequest(limited(printers)).page)).toEqual([])
  })

  it('reads the table for whoever lists all rows, and where nothing is searched', () => {
    expect(limited(companies).page.meta.readBy).toBeUndefined()
    const all = listRequest(printers, [], parse('', printers), { companyId: 'c1', scope: {}, find })
    expect(all.page.meta.readBy).toBeUndefined()
  })
})

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

describe('filters in the URL', () => {
  const filter = (raw: Record<string, string>) => filterFromUrl(printers, raw, find)._and
  it('mean what their kind says', () => {
    expect(filter({ status: 'active' })).toEqual([{ status: { _eq: 'active' } }])
    expect(filter({ status: 'active,retired' })).toEqual([{ status: { _in: ['active', 'retired'] } }])
    expect(filter({ pages: '10..20' })).toEqual([{ pages: { _gte: 10, _lte: 20 } }])
    expect(filter({ color: 'true' })).toEqual([{ color: { _eq: true } }])
    expect(filter({ days: 'mon,tue' })).toEqual([{ days: { _has_any: ['mon', 'tue'] } }])
    expect(filter({ days: ',' })).toEqual([])
    expect(filter({ paint: '#4d6a99' })).toEqual([{ paint: { _eq: '#4d6a99' } }])
    expect(filter({ made: '2026-01-01..' })).toEqual([
      { made: { _gte: new Date('2026-01-01T00:00:00').toISOString() } },
    ])
    expect(filter({ note: 'a,b' })).toEqual([{ note: { _contains: 'a,b' } }])
    expect(filter({ note: 'x'.repeat(300) })).toEqual([{ note: { _contains: 'x'.repeat(200) } }])
    expect(filter({ bought: '2026-01-01..2026-02-01' })).toEqual([
      { bought: { _gte: '2026-01-01', _lte: '2026-02-01' } },
    ])
  })

  it('ask for no day that the calendar does not have', () => {
    for (const day of ['2026-99-99', '2026-02-31', '0000-01-01', '2026-1-1', 'today'])
      for (const field of ['added', 'bought']) expect(filter({ [field]: `${day}..${day}` })).toEqual([])
  })

  it('take whole days of the reader’s calendar for a moment', () => {
    const [condition] = filter({ added: '2026-01-01..2026-01-01' }) ?? []
    const { _gte, _lt } = (condition?.added ?? {}) as { _gte?: string; _lt?: string }
    expect(Date.parse(_lt ?? '') - Date.parse(_gte ?? '')).toBe(86_400_000)
  })

  it('take a day before today for the reader’s calendar day', () => {
    vi.useFakeTimers({ now: new Date(2026, 2, 1, 15) })
    try {
      expect(filter({ bought: '$now-7d..$now' })).toEqual([
        { bought: { _gte: '2026-02-22', _lte: '2026-03-01' } },
      ])
      expect(filter({ bought: '..$now-31d' })).toEqual([{ bought: { _lte: '2026-01-29' } }])
      expect(filter({ added: '$now..$now' })).toEqual([
        { added: { _gte: new Date(2026, 2, 1).toISOString(), _lt: new Date(2026, 2, 2).toISOString() } },
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('that mean nothing narrow nothing, except where they name records that cannot be', () => {
    expect(filter({ pages: 'x..y', bought: 'tomorrow' })).toEqual([])
    expect(filter({ groups: 'not-an-id' })).toEqual([{ 'groups_match.group_id': { _in: [] } }])
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

describe('the request of a list', () => {
  it('carries the tenant, the search function, a unique order and only what is shown', () => {
    const { page, count } = request('q=hp&sort=-pages&page=2')
    expect(page).toMatchObject({
      table: 'printers',
      companyId: 'c1',
      search: { function: 'search_printers', text: 'hp' },
      order: [
        { column: 'pages', descending: true },
        { column: 'id', descending: true },
      ],
      page: 2,
      pageSize: 50,
    })
    expect(page.select).toBe(
      'id,serial,status,model,pages,company_id,version,' +
        'groups_row:group_printers(row:groups(id,name)),printer_presence_from:printer_presence(seen_at)',
    )
    expect(count.select).toBe('id')
  })

  it('sorts by the column that holds a field’s order, the view’s sort before the list’s', () => {
    expect(request('').page.order[0]).toEqual({ column: 'serial_key', descending: false })
    expect(request('view=old').page.order[0]).toEqual({ column: 'pages', descending: true })
    expect(request('sort=-seen').page.order[0]).toEqual({ column: 'offline_since', descending: true })
  })

  it('leaves out rows without the chosen relative, and still shows all relatives of the others', () => {
    const { page, count } = request('groups=8a0d4f5e-0000-4000-8000-000000000001')
    expect(parametersOf(page)).toContainEqual(
      expect.objectContaining({
        column: 'groups_match.group_id',
        operator: 'eq',
        value: '8a0d4f5e-0000-4000-8000-000000000001',
      }),
    )
    expect(page.select).toContain('groups_row:group_printers(row:groups(id,name))')
    expect(page.select).toContain('groups_match:group_printers!inner()')
    expect(count.select).toBe('id,groups_match:group_printers!inner()')
  })

  it('shows the company of each row as soon as all companies are in view', () => {
    expect(listColumns(printers, 'c1', find).map(({ field }) => field)).not.toContain('company_id')
    expect(listColumns(printers, null, find)[2]).toEqual({ field: 'company_id' })
    expect(request('', null).page.select).toContain(
      'company_id_row:companies!printers_company_id_fkey(id,name)',
    )
  })
})

describe('filters', () => {
  it('reach every field that can be filtered, unless the definition says no', () => {
    expect(filterNames(printers, find).join(' ')).toBe(
      'serial status pages seen model added bought color note days paint made company_id groups',
    )
  })

  it('reach a table beside the own one, whose other columns still show', () => {
    const { page, count } = request('seen=2026-01-01..')
    expect(page.select).toContain('printer_presence_from:printer_presence(seen_at)')
    expect(page.select).toContain('seen_match:printer_presence!inner()')
    expect(count.select).toBe('id,seen_match:printer_presence!inner()')
    expect(parametersOf(page)).toEqual([
      expect.objectContaining({ column: 'seen_match.seen_at', operator: 'gte' }),
    ])
  })

  it('are grouped as the record groups its fields', () => {
    const shown: Definition = {
      ...jobs,
      show: { sections: { main: ['printer_id note'] } },
    }
    expect(filterGroups(shown, filterNames(jobs, find))).toEqual([
      { key: 'main', names: ['note', 'printer_id'] },
      { key: '.printer_id', names: ['printer_id.status', 'printer_id.model'] },
      { key: null, names: ['owner_id'] },
    ])
  })
})

describe('columns of related records', () => {
  it('come with the relation, once, and narrow through it', () => {
    const { page, count } = request('printer_id.status=active', 'c1', jobs)
    expect(page.select).toContain('printer_id_row:printers(id,serial,status,model)')
    expect(page.select).toContain('printer_id_match:printers!inner()')
    expect(count.select).toBe('id,printer_id_match:printers!inner()')
    expect(parametersOf(page)).toEqual([
      expect.objectContaining({ column: 'printer_id_match.status', operator: 'eq', value: 'active' }),
    ])
  })

  it('filter where the list shows them', () => {
    expect(filterNames(jobs, find)).toEqual([
      'note',
      'printer_id',
      'owner_id',
      'printer_id.status',
      'printer_id.model',
    ])
    expect(parse('printer_id.model=x&printer_id.pages=1..2&owner_id.name=x&view.x=1', jobs).filters).toEqual({
      'printer_id.model': 'x',
    })
  })

  it('that lead nowhere, or to another table again, are left out', () => {
    const wrong: Definition = {
      ...jobs,
      list: { columns: ['note', 'printer_id.seen', 'printer_id.groups', 'note.x', 'x.y.z'] },
    }
    expect(listColumns(wrong, 'c1', find)).toEqual([{ field: 'note' }])
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
