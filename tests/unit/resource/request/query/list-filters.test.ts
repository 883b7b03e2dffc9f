import { describe, expect, it, vi } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { filterFromUrl, filterNames } from '@/resource/request/filter/from-url'
import { listColumns } from '@/resource/request/query/columns'
import { listRequest } from '@/resource/request/query/list-request'
import { filterGroups } from '@/resource/screens/list/filter-groups'
import { sentRequest } from '../../../../support/list-request'
import { companies, find, jobs, parametersOf, parse, printers, request } from './printers'

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
