import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import { writeFilters } from '@/data/postgrest'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { matchingFilter } from '@/resource/request/filter/matching-filter'
import { MAX_LENGTH, parseWhere, whereFilter, whereStyle } from '@/resource/request/filter/where'
import { listRequest } from '@/resource/request/query/list-request'
import { parseListState, writeListState } from '@/resource/request/query/list-state'
import { describeWhere } from '@/resource/screens/list/filter-builder/describe'
import {
  type DraftGroup,
  type DraftNode,
  depthOf,
  fromWhere,
  newCondition,
  newGroup,
  toWhere,
} from '@/resource/screens/list/filter-builder/draft'
import { dropNode, stepNode } from '@/resource/screens/list/filter-builder/move-node'
import { operatorsOf } from '@/resource/screens/list/filter-builder/operators'
import words from '../../../../../locales/en/filters.json'
import { sentRequest } from '../../../../support/list-request'

const ID = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'
const printers: Definition = {
  name: 'printers',
  fields: {
    serial: { type: 'text', search: true, sort: 'serial_key' },
    secret: { type: 'text', filter: false },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, filter: true },
    model: { type: 'text', suggestions: ['A', 'B'], filter: true },
    pages: { type: 'number', filter: true, sort: true },
    cost: { type: 'money', currency: 'TRY', sort: true },
    seen: { type: 'datetime', from: { table: 'presence', column: 'seen_at' }, sort: 'offline_since' },
    added: { type: 'datetime', filter: true },
    bought: { type: 'date', filter: true },
    color: { type: 'boolean', filter: true },
    owner_id: { type: 'user', filter: true },
    group_id: { type: 'relation', to: 'groups', filter: true },
    days: { type: 'tags', suggestions: ['mon', 'tue'], closed: true },
    labels: { type: 'tags' },
    paint: { type: 'color' },
    tags: { type: 'many-to-many', to: 'tags', through: 'x', near: 'a', far: 'b', filter: true },
  },
}
const find = (name: string) => (name === 'printers' ? printers : null)
const parse = (filter: unknown) => parseWhere(JSON.stringify(filter), printers)
const nest = (depth: number): Filter =>
  depth === 0 ? { pages: { _gt: depth } } : { _or: [nest(depth - 1), { pages: { _gt: depth } }] }

describe('a filter in the address', () => {
  it.each<Filter>([
    { status: { _eq: 'active' } },
    { status: { _nin: ['active', 'retired'] } },
    { model: { _in: ['A', 'other'] } },
    { serial: { _contains: 'ı, (x)' } },
    { model: { _contains: 'other, (x)' } },
    { pages: { _gte: -3 } },
    { cost: { _lt: 10.5 } },
    { bought: { _eq: '2024-02-29' } },
    { added: { _gte: '$now-7d', _lte: '$now' } },
    { bought: { _gte: '$now', _lte: '$now+30d' } },
    { added: { _lt: '$now-90d' } },
    { color: { _eq: false } },
    { owner_id: { _eq: '$user' } },
    { group_id: { _in: [ID, OTHER] } },
    { group_id: { _null: true } },
    { days: { _has_any: ['mon', 'tue'] } },
    { labels: { _has_all: ['a b', 'x,y'] } },
    { labels: { _empty: false } },
    { paint: { _in: ['#4d6a99', '#ffffff'] } },
    { paint: { _null: true } },
    nest(4),
  ])('is taken: %j', (filter) => {
    expect(parse(filter)).toEqual(filter)
    expect(toWhere(printers, fromWhere(printers, filter))).toEqual({ where: filter, missing: [] })
  })

  it.each<Filter>([
    { tags: { _in: [ID] } },
    { tags: { _none: [ID, OTHER] } },
    { tags: { _none: [] } },
    { tags: { _null: false } },
    { _or: [{ tags: { _in: [ID] } }, { status: { _eq: 'active' } }] },
  ])('takes links where the database evaluates it, and in no list: %j', (filter) => {
    const rule = parseWhere(JSON.stringify(filter), printers, 'links')
    expect(rule).toEqual(filter)
    expect(toWhere(printers, fromWhere(printers, filter))).toEqual({ where: filter, missing: [] })
    expect(parse(filter)).toBeNull()
  })

  it.each([
    { tags: { _in: [] } },
    { tags: { _in: ['x'] } },
    { tags: { _eq: ID } },
    { tags: { _null: true } },
    { tags: { _none: ID } },
    { tags: { _none: ['x'] } },
    { tags: { _none: [ID], _in: [OTHER] } },
    { status: { _none: ['active'] } },
    { group_id: { _none: [ID] } },
    { seen: { _lt: '2026-01-01' } },
  ])('is refused of links: %j', (filter) => {
    expect(parseWhere(JSON.stringify(filter), printers, 'links')).toBeNull()
  })

  it('names the table between for the database', () => {
    const filter = {
      _and: [{ tags: { _none: [ID] } }, { tags: { _in: [OTHER] } }, { tags: { _null: false } }],
    }
    expect(matchingFilter(printers, whereFilter(printers, filter), null, {})).toEqual({
      _and: [{ 'x.a.b': { _none: [ID] } }, { 'x.a.b': { _in: [OTHER] } }, { 'x.a.b': { _null: false } }],
    })
  })

  it.each([
    'status',
    7,
    null,
    [],
    {},
    { _and: [] },
    { _not: [{ pages: { _gt: 1 } }] },
    { _and: { pages: { _gt: 1 } } },
    { pages: { _gt: 1 }, status: { _eq: 'active' } },
    { pages: {} },
    { pages: { _gt: 1, _lt: 5 } },
    { pages: { _gt: '1' } },
    { pages: { _gt: 1.5 } },
    { pages: { _gt: 2 ** 31 } },
    { pages: { _gt: null } },
    { pages: { _regex: 1 } },
    { pages: { toString: 1 } },
    { pages: [1] },
    { status: { _eq: 'gone' } },
    { status: { _eq: 'constructor' } },
    { status: { _in: [] } },
    { status: { _in: 'active' } },
    { status: { _contains: 'a' } },
    { serial: { _contains: '' } },
    { serial: { _contains: 'x'.repeat(201) } },
    { serial: { _eq: 'a\u0000b' } },
    { serial: { _eq: '$user.email' } },
    { bought: { _eq: '2026-02-31' } },
    { bought: { _eq: '2026-13-01' } },
    { bought: { _eq: '0000-01-01' } },
    { bought: { _lt: '$now+99999d' } },
    { added: { _eq: '$now' } },
    { added: { _gte: ['$now-7d'] } },
    { added: { _gte: ['$now-7d'], _lte: '$now' } },
    { added: { _gte: '2026-01-01', _lte: '$now' } },
    { color: { _eq: 'true' } },
    { owner_id: { _in: ['$user'] } },
    { group_id: { _eq: '$user' } },
    { group_id: { _eq: '1 or true' } },
    { group_id: { _null: 'yes' } },
    { days: { _has_any: ['sun'] } },
    { days: { _has_any: [] } },
    { days: { _has_any: 'mon' } },
    { days: { _eq: 'mon' } },
    { days: { _null: true } },
    { labels: { _has_all: ['a"b'] } },
    { labels: { _has_any: ['{a}'] } },
    { serial: { _has_any: ['a'] } },
    { serial: { _empty: true } },
    { paint: { _eq: 'red' } },
    { secret: { _eq: 'x' } },
    { seen: { _lt: '2026-01-01' } },
    { tags: { _eq: ID } },
    { 'group_id.name': { _eq: 'x' } },
    { constructor: { _eq: 'x' } },
    JSON.parse('{"__proto__":{"_eq":"x"}}'),
    nest(5),
    { _or: Array.from({ length: 51 }, () => ({ pages: { _gt: 1 } })) },
    { _or: Array.from({ length: 40 }, () => ({ serial: { _contains: 'x'.repeat(200) } })) },
  ])('is refused, whole: %j', (filter) => {
    expect(parse(filter)).toBeNull()
    const address = new URLSearchParams({ where: JSON.stringify(filter), status: 'active' })
    const state = parseListState(address, printers, find)
    expect(state).toMatchObject({
      where: null,
      badWhere: JSON.stringify(filter),
      filters: { status: 'active' },
    })
    expect(writeListState(state, printers).get('where')).toBe(JSON.stringify(filter))
  })

  it('is refused where it is no JSON, or nested beyond reading', () => {
    for (const text of ['{', 'undefined', '%', '['.repeat(100_000)])
      expect(parseWhere(text, printers)).toBeNull()
  })

  it('is offered for every own column that can be filtered, unless the definition says no', () => {
    const offered = Object.keys(printers.fields).filter((name) => whereStyle(printers, name))
    expect(offered.join(' ')).toBe(
      'serial status model pages cost added bought color owner_id group_id days labels paint',
    )
    for (const name of offered) {
      const field = printers.fields[name]
      expect(field && operatorsOf(field).length).toBeGreaterThan(2)
    }
  })

  it('asks for a day of the calendar as the instants it is made of', () => {
    const start = new Date('2026-03-01T00:00:00').toISOString()
    const end = new Date('2026-03-02T00:00:00').toISOString()
    const of = (condition: object) => whereFilter(printers, { _or: [{ added: condition }] })._or?.[0]
    expect(of({ _eq: '2026-03-01' })).toEqual({ added: { _gte: start, _lt: end } })
    expect(of({ _neq: '2026-03-01' })).toEqual({ _or: [{ added: { _lt: start } }, { added: { _gte: end } }] })
    expect(of({ _lte: '2026-03-01' })).toEqual({ added: { _lt: end } })
    expect(of({ _gt: '2026-03-01' })).toEqual({ added: { _gte: end } })
    expect(of({ _lt: '$now-3d' })).toEqual({ added: { _lt: '$now-3d' } })
    expect(whereFilter(printers, { bought: { _eq: '2026-03-01' } })).toEqual({
      bought: { _eq: '2026-03-01' },
    })
  })

  it('asks the same question within a minute, or the list would ask without end', () => {
    const address = new URLSearchParams({ where: '{"added":{"_gte":"$now-7d","_lte":"$now"}}' })
    const request = () =>
      sentRequest(
        listRequest(printers, [], parseListState(address, printers, find), {
          companyId: null,
          scope: {},
          find,
        }),
      )
    expect(JSON.stringify(request().page.where)).toMatch(/:00\.000Z/)
  })

  it('at its longest makes a request that servers take', () => {
    const signs = Array.from({ length: 50 }, () => ({ serial: { _contains: '(,"*)'.repeat(6) } }))
    let filter: Filter = { _or: signs }
    while (!parse(filter)) filter = { _or: signs.splice(0, signs.length - 1) && signs }
    const ids = { _and: Array.from({ length: 50 }, () => ({ group_id: { _eq: ID } })) }
    expect(encodeURIComponent(JSON.stringify(ids)).length).toBeLessThan(MAX_LENGTH)
    for (const where of [filter, ids]) {
      const address = new URLSearchParams({ where: JSON.stringify(where) })
      const state = parseListState(address, printers, find)
      const request = sentRequest(
        listRequest(printers, ['serial'], state, { companyId: ID, scope: {}, find }),
      )
      const { parameters, groups } = writeFilters(request.page.where ?? [])
      const written = new URLSearchParams({ or: `(and(${groups}))` })
      for (const { column, operator, value } of parameters) written.set(column, `${operator}.${value}`)
      expect(groups.length).toBeGreaterThan(0)
      expect(written.toString().length).toBeLessThan(14_000)
    }
  })
})

describe('a filter while it is built', () => {
  const shape = (node: DraftNode): unknown =>
    node.kind === 'group' ? [node.join, ...node.items.map(shape)] : node.values[0]
  const leaf = (value: string): DraftNode => ({
    ...newCondition(printers, 'pages'),
    operator: 'is',
    values: [value],
  })
  const build = () => {
    const [a, b, c] = [leaf('1'), leaf('2'), leaf('3')]
    const inner = newGroup([b, c], '_or')
    return { root: newGroup([a, inner]), a, b, c, inner }
  }

  it('leaves out what is unfinished, and groups with nothing in them', () => {
    const open = newCondition(printers, 'status')
    const built = toWhere(printers, newGroup([leaf('1'), open, newGroup([newGroup()])]))
    expect(built).toEqual({ where: { pages: { _eq: 1 } }, missing: [open.id] })
    expect(toWhere(printers, newGroup())).toEqual({ where: null, missing: [] })
  })

  it('moves step by step through all of its places, and back', () => {
    const { root, a } = build()
    const steps: string[] = []
    let at: DraftGroup = root
    for (let step = 0; step < 4; step++) {
      at = stepNode(at, a.id, 1)
      steps.push(JSON.stringify(shape(at)))
    }
    expect(steps).toEqual([
      '["_and",["_or","1","2","3"]]',
      '["_and",["_or","2","1","3"]]',
      '["_and",["_or","2","3","1"]]',
      '["_and",["_or","2","3"],"1"]',
    ])
    expect(stepNode(at, a.id, 1)).toBe(at)
    for (let step = 0; step < 4; step++) at = stepNode(at, a.id, -1)
    expect(shape(at)).toEqual(shape(root))
  })

  it('never gets deeper than the address takes', () => {
    const deep = newGroup([leaf('1')])
    const other = newGroup([newGroup([newGroup([leaf('2')])])])
    const root = newGroup([newGroup([newGroup([deep])]), other])
    expect(depthOf(root, deep.id)).toBe(4)
    const moved = stepNode(root, other.id, -1)
    expect(moved.items[0]).toBe(other)
    expect(dropNode(root, other.id, deep.items[0]?.id ?? '', true)).toBe(root)
    expect(dropNode(root, other.id, other.items[0]?.id ?? '', true)).toBe(root)
  })

  it('is dropped before, after, and into what is empty', () => {
    const { root, a, c, inner } = build()
    expect(shape(dropNode(root, a.id, c.id, false))).toEqual(['_and', ['_or', '2', '1', '3']])
    expect(shape(dropNode(root, c.id, inner.id, true))).toEqual(['_and', '1', ['_or', '2'], '3'])
    const empty = newGroup()
    expect(shape(dropNode(newGroup([a, empty]), a.id, empty.id, true))).toEqual(['_and', ['_and', '1']])
  })
})

describe('a filter in words', () => {
  const t = ((key: string, values: Record<string, unknown> = {}) => {
    const plural = values.count === 1 ? `${key}_one` : `${key}_other`
    const look = (path: string) =>
      path
        .split('.')
        .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], words)
    const text = String(look(key) ?? look(plural))
    return text.replace(/\{\{(\w+)\}\}/g, (_slot, name: string) => String(values[name]))
  }) as unknown as TFunction<'filters'>
  const say = (where: Filter) =>
    describeWhere(printers, where, {
      t,
      language: 'en',
      yes: 'Yes',
      no: 'No',
      field: (name) => name,
      value: (_field, value) => value.toUpperCase(),
      record: (_field, id) => (id === ID ? 'Ankara' : id.slice(0, 8)),
    })

  it('is one sentence with its groups in brackets', () => {
    expect(
      say({
        _and: [
          { status: { _eq: 'active' } },
          { _or: [{ group_id: { _eq: ID } }, { added: { _gte: '$now-7d', _lte: '$now' } }] },
        ],
      }),
    ).toBe('status is ACTIVE and (group_id is Ankara or added in the last 7 days)')
  })

  it('has words for every operator', () => {
    expect(say({ status: { _nin: ['active', 'retired'] } })).toBe('status is not ACTIVE or RETIRED')
    expect(say({ pages: { _gte: 1000 } })).toBe('pages is at least 1,000')
    expect(say({ added: { _lt: '$now-1d' } })).toBe('added is before 1 day ago')
    expect(say({ bought: { _eq: '2026-03-01' } })).toBe('bought is on 1 Mar 2026')
    expect(say({ owner_id: { _eq: '$user' } })).toBe('owner_id is me')
    expect(say({ serial: { _contains: 'x' } })).toBe('serial contains “x”')
    expect(say({ color: { _eq: true } })).toBe('color is Yes')
    expect(say({ group_id: { _null: false } })).toBe('group_id is not empty')
    expect(say({ days: { _has_any: ['mon', 'tue'] } })).toBe('days contains MON or TUE')
    expect(say({ labels: { _has_all: ['a', 'b'] } })).toBe('labels contains “a” and “b”')
    expect(say({ labels: { _empty: true } })).toBe('labels is empty')
    expect(say({ tags: { _in: [ID] } })).toMatch(/^tags contains /)
    expect(say({ tags: { _none: [ID] } })).toMatch(/^tags does not contain /)
    expect(say({ tags: { _none: [] } })).toBe('tags is empty')
    expect(say({ tags: { _null: false } })).toBe('tags is not empty')
  })
})
