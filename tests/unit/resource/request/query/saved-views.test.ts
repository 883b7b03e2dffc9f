import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { matchingFilter } from '@/resource/request/filter/matching-filter'
import { listFilter, listRequest } from '@/resource/request/query/list-request'
import { NO_VIEW, parseListState, writeListState } from '@/resource/request/query/list-state'
import {
  defaultView,
  isChanged,
  openingState,
  quickView,
  type SavedView,
  viewQuery,
  viewState,
  viewsOf,
} from '@/resource/request/query/saved-views'

const printers: Definition = {
  name: 'printers',
  fields: {
    serial: { type: 'text', search: true, sort: 'serial_key' },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, filter: true },
    pages: { type: 'number', filter: true, sort: true },
  },
  list: { columns: ['serial', 'status'], sort: 'serial', views: { old: { filter: { pages: { _gt: 9 } } } } },
}
const find = (name: string) => (name === 'printers' ? printers : null)
const ID = '00000000-0000-4000-8000-000000000001'
const view = (query: unknown, rest: Partial<SavedView> = {}): SavedView => ({
  id: ID,
  resource: 'printers',
  name: 'Busy',
  scope: 'mine',
  role: null,
  state: { query },
  is_default: false,
  version: 1,
  is_mine: true,
  ...rest,
})
const parse = (query: string) => parseListState(new URLSearchParams(query), printers, find)
const show = (query: unknown) => writeListState(viewState(view(query), printers, find), printers).toString()

describe('a saved view', () => {
  it('says nothing that the definition does not know', () => {
    expect(
      show('secret=1&status=active&sort=-nope,-pages&columns=status:90,password,pages&view=gone&pageSize=7'),
    ).toBe(`saved=${ID}&columns=status%3A90%2Cpages&sort=-pages&status=active`)
  })

  it('opens the plain list where its state is nonsense', () => {
    for (const query of [undefined, null, 7, { status: 'active' }, '%%%', '=&&='])
      expect(show(query)).toBe(`saved=${ID}`)
  })

  it('opens at the first page, whatever its state says, and under its own id only', () => {
    const state = viewState(view(`page=4&after=abc&saved=${NO_VIEW}&q=x`), printers, find)
    expect(state).toMatchObject({ page: 1, cursor: null, saved: ID, q: 'x' })
  })

  it('keeps what is seen: filters, order, columns, but not the page', () => {
    const seen = parse(`view=old&status=active&q=a&sort=-pages&page=3&saved=${ID}`)
    const query = viewQuery(seen, [{ field: 'pages', width: 120 }], printers)
    expect(viewState(view(query), printers, find)).toEqual({
      ...seen,
      page: 1,
      columns: [{ field: 'pages', width: 120 }],
    })
  })
})

describe('the list beside its view', () => {
  const changed = (query: string, chosen?: SavedView) => isChanged(parse(query), chosen, printers, find)

  it('is the same in any order of its filters and on any page', () => {
    const saved = view('status=active&pages=1..')
    expect(changed(`saved=${ID}&pages=1..&status=active&page=2`, saved)).toBe(false)
    expect(changed(`saved=${ID}&status=active`, saved)).toBe(true)
    expect(changed(`saved=${ID}&pages=1..&status=active&columns=pages`, saved)).toBe(true)
  })

  it('is plain, or a quick view, without anything added', () => {
    expect(changed('')).toBe(false)
    expect(changed(`saved=${NO_VIEW}`)).toBe(false)
    expect(changed('view=old')).toBe(false)
    expect(changed('view=old&status=active')).toBe(true)
    expect(changed('q=x')).toBe(true)
  })

  it('follows the link for a user who may not see the view', () => {
    const state = parse(`saved=${ID}&status=retired&columns=pages,serial`)
    expect(state.filters).toEqual({ status: 'retired' })
    expect(state.columns).toEqual([{ field: 'pages' }, { field: 'serial' }])
    expect(isChanged(state, undefined, printers, find)).toBe(true)
  })

  it('is left by a quick view: a saved one with all it set, a plain one with what was set by hand', () => {
    const state = parse(`saved=${ID}&status=retired&q=x`)
    expect(quickView(state, null, true, printers, find)).toEqual(parse(''))
    expect(quickView(parse('status=retired'), 'old', false, printers, find)).toEqual(
      parse('view=old&status=retired'),
    )
  })
})

describe('a view with a layout', () => {
  const tables: Definition = {
    ...printers,
    list: {
      ...printers.list,
      layouts: ['table', 'dashboard'],
      views: { old: { filter: { pages: { _gt: 9 } } }, report: { filter: {}, layout: 'dashboard' } },
    },
  }
  const read = (query: string) => parseListState(new URLSearchParams(query), tables, find)
  const write = (query: string) => writeListState(read(query), tables).toString()

  it('opens in it, and the address says another one', () => {
    expect(read('view=report').layout).toBe('dashboard')
    expect(read('view=report&as=table').layout).toBe('table')
    expect([write('view=report'), write('view=report&as=table')]).toEqual([
      'view=report',
      'view=report&as=table',
    ])
  })

  it('takes its layout along when it is left, and leaves one that was chosen by hand', () => {
    expect(quickView(read('view=report'), 'old', false, tables, find).layout).toBe('table')
    expect(quickView(read(''), 'report', false, tables, find).layout).toBe('dashboard')
    expect(quickView(read('as=dashboard'), 'old', false, tables, find).layout).toBe('dashboard')
  })
})

describe('the default view', () => {
  it('is one’s own before the role’s before the company’s', () => {
    const company = view('', { id: 'c', scope: 'company', is_default: true })
    const role = view('', { id: 'r', scope: 'role', role: 'Admin', is_default: true })
    const mine = view('', { id: 'm', is_default: true })
    expect(defaultView([company, role, mine])?.id).toBe('m')
    expect(defaultView([company, role])?.id).toBe('r')
    expect(defaultView([company])?.id).toBe('c')
    expect(defaultView([view('')])).toBeUndefined()
  })

  it('is the declared one for users without a saved default, as far as they may see it', () => {
    const can = (verb: string) => (_object: string, asked: string) =>
      asked === verb ? ({ allowed: false, reason: 'role' } as const) : ({ allowed: true } as const)
    const declared: Definition = {
      ...printers,
      list: {
        default_view: 'old',
        views: { old: { filter: { pages: { _gt: 9 } }, policy: { object: 'printers', verb: 'assign' } } },
      },
    }
    expect(openingState(undefined, declared, find, can('none'))).toMatchObject({ view: 'old', saved: null })
    expect(openingState(view('status=retired'), declared, find, can('none'))).toMatchObject({
      view: null,
      saved: ID,
    })
    expect(openingState(undefined, declared, find, can('assign'))).toBeNull()
    expect(openingState(undefined, printers, find, can('none'))).toBeNull()
  })

  it('is the list’s own', () => {
    const views = [view('', { resource: 'groups', is_default: true })]
    expect(viewsOf({ views, preferences: [] }, 'printers')).toEqual([])
    expect(viewsOf(undefined, 'printers')).toEqual([])
  })
})

describe('a quick view over links', () => {
  const scripts: Definition = {
    name: 'scripts',
    fields: {
      name: { type: 'text' },
      favorites: {
        type: 'many-to-many',
        to: 'profiles',
        through: 'stars',
        near: 'script_id',
        far: 'user_id',
      },
    },
    list: { columns: ['name'], views: { starred: { filter: { favorites: { _in: ['$user'] } } } } },
  }

  it('narrows by the rows of the table between, joined once', () => {
    const state = { ...parseListState(new URLSearchParams(), scripts, () => null), view: 'starred' }
    const { page, count } = listRequest(scripts, ['name'], state, {
      companyId: null,
      scope: { user: { id: ID, companyId: null, email: 'a@b.test' } },
      find: () => null,
    })
    expect(page.meta.select).toContain('favorites_match:stars!inner()')
    expect(count.meta.select).toBe('id,favorites_match:stars!inner()')
    expect(JSON.stringify(page.filters)).toContain('"field":"favorites_match.user_id"')
    expect(JSON.stringify(page.filters)).toContain(ID)
    expect(
      matchingFilter(scripts, listFilter(scripts, state, { find: () => null }), null, {
        user: { id: ID, companyId: null, email: '' },
      }),
    ).toMatchObject({ _and: [{ 'stars.script_id.user_id': { _in: [ID] } }, {}] })
  })
})
