import { describe, expect, it } from 'vitest'
import { containsOperation } from '@/data/postgrest'
import { hasManyLists, multiplyingEmbed, readSelection } from '../../../supabase/embedded/http/embeds'
import { readLogicGroup } from '../../../supabase/embedded/http/logic-group'
import { queryRefusal } from '../../../supabase/embedded/http/query-bounds'

const ask = (parameters: Record<string, string>, isFunction = false) =>
  queryRefusal(`?${new URLSearchParams(parameters)}`, isFunction)

const DEEP = 'The request is nested too deep'
const steps = (count: number) => `parameters${'->a'.repeat(count)}`

describe('queryRefusal', () => {
  it('lets through what the console asks for', () => {
    const ids = Array.from({ length: 1000 }, () => crypto.randomUUID()).join(',')
    const allowed: Record<string, string>[] = [
      {
        select:
          'id,name,company:companies!devices_company_id_fkey(id,name),a:id,b:id,c:id,groups(id),tickets(id,x:id)',
        order: 'name.asc,id.asc',
        limit: '51',
      },
      { select: 'id', id: `in.(${ids})` },
      {
        or: '(and(name.eq.x,or(status.eq.online,os.in.("Windows 11",Ubuntu))),name.ilike.%a%)',
        offset: '100',
      },
      { name: 'imatch.\\u002a\\u002eexe', 'groups_match.group_id': 'in.(a,b)' },
      { or: '(and(name.not.imatch.a\\u002cb,name.eq.c))' },
      { name: 'eq.a.match.(x+)+', title: 'ilike.%.imatch.%' },
      { select: steps(8), [steps(8)]: 'eq.1' },
    ]
    for (const parameters of allowed) expect(ask(parameters)).toBeNull()
  })

  it.each([
    ['select', { select: steps(9) }],
    ['order', { order: `id,${steps(9)}.desc` }],
    ['an embed’s order', { 'tickets.order': steps(2000) }],
    ['columns', { columns: steps(9) }],
    ['a filter', { [steps(2000)]: 'eq.1' }],
    ['a group', { or: `(id.eq.1,and(${steps(9)}.eq.1))` }],
    ['an embed’s group', { 'tickets.not.or': `(${steps(9)}.eq.1)` }],
    ['an embed', { select: `tickets(${steps(9)})` }],
    ['embeds', { select: 'a(b(c(d(id))))' }],
    ['groups', { and: `${'(and'.repeat(70)}(a.eq.1)${')'.repeat(70)}` }],
  ])('refuses what is too deep in %s', (_where, parameters) => {
    expect(ask(parameters as unknown as Record<string, string>)).toBe(DEEP)
  })

  it('refuses what is too long or too wide', () => {
    const many = (count: number, of: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => of(n)).join(',')
    for (const parameters of [
      { name: `eq.${'x'.repeat(50_000)}` },
      Object.fromEntries(Array.from({ length: 151 }, (_, n) => [`c${n}`, 'eq.1'])),
      { or: `(${many(201, (n) => `a.eq.${n}`)})` },
      { or: `(${many(101, () => 'and(a.eq.1)')})` },
      { id: `in.(${many(2002, (n) => String(n))})` },
      { order: many(13, (n) => `c${n}`) },
      { select: many(1001, (n) => `c${n}`) },
      { select: many(33, (n) => `e${n}:tickets(id)`) },
      { select: many(5, (n) => `a${n}:output`) },
      { select: `id,runs:job_runs(${many(5, (n) => `a${n}:"output"::text`)}),b:name` },
      { select: many(5, (n) => `a${n}:changes->x`) },
      { or: `(${many(22, () => 'a.ilike.*a*b*c*d*e*f*g*h*i*')})` },
      { or: `(${many(106, () => 'a.not.ilike.*a*')})` },
      { and: `(${many(106, (n) => `a.imatch.x${n}`)})` },
      Object.fromEntries(Array.from({ length: 106 }, (_, n) => [`c${n}`, 'ilike.*a*'])),
    ])
      expect(ask(parameters as Record<string, string>)).toMatch(
        /^The (query|request) (is too|has too|names too|selects (too|a column too))/,
      )
  })

  it.each([
    { name: 'match.(a+)+$' },
    { name: 'not.imatch.^a' },
    { name: 'imatch.a.b' },
    { name: 'match(any).{a,b}' },
    { name: 'imatch.\\y' },
    { name: 'match.***:a' },
    { 'tickets.subject': 'match.a*' },
    { or: '(name.eq.1,name.match.(a|b)*)' },
    { or: '(name.eq.",",name.imatch.a*)' },
    { or: '(not.and(a.eq.1,or (b.not.match.a*)))' },
    { 'tickets.or': '(a.in.("(",x),subject.imatch.a*)' },
    { and: '(a.cs.{1,2},b.imatch.a*)' },
  ])('refuses the pattern in %j', (parameters) => {
    expect(ask(parameters as unknown as Record<string, string>)).toBe('Regular expressions are not supported')
    expect(ask(parameters as unknown as Record<string, string>, true)).toBe(
      'Regular expressions are not supported',
    )
  })

  const long = 'a'.repeat(201)
  it.each([
    { name: `ilike.%${long}%` },
    { name: `not.like.${long}*` },
    { name: `like(any).{${long}}` },
    { name: `ilike(all).{"${'a*'.repeat(11)}"}` },
    { name: `like.*${'_'.repeat(10)}b` },
    { 'tickets.subject': `like.${'%a'.repeat(11)}` },
    { or: `(id.eq.1,name.like."${long}")` },
    { or: `(and(id.eq.1,name.not.ilike.${'*a'.repeat(11)}))` },
    { and: `(or(name.like(any).{${long}}))` },
    { 'tickets.or': `("a.b".like.${long})` },
    { name: `imatch.${long}` },
    { or: `(name.not.imatch.${'\\u002a'.repeat(201)})` },
  ])('refuses the long pattern in %j', (parameters) => {
    const refusal = 'A search pattern takes at most 200 characters and 10 wildcards'
    expect(ask(parameters as unknown as Record<string, string>)).toBe(refusal)
    expect(ask(parameters as unknown as Record<string, string>, true)).toBe(refusal)
  })

  it('takes a text of 200 characters, whatever they are', () => {
    for (const sign of ['a', '%', '_', '*', '(', 'ş']) {
      const { operator, value } = containsOperation(sign.repeat(200))
      expect(ask({ name: `${operator}.${value}` })).toBeNull()
      expect(ask({ or: `(id.eq.1,name.not.${operator}.${value})` })).toBeNull()
    }
    expect(ask({ name: `eq.${'a*'.repeat(500)}` })).toBeNull()
  })

  it('refuses a group without brackets, which lite would read as a column', () => {
    expect(ask({ or: 'igin.imatch.(a+)+' })).not.toBeNull()
    expect(ask({ or: 'a.eq.1' })).not.toBeNull()
  })

  it('takes the arguments of a function as they are', () => {
    expect(ask({ q: 'C++ (x64), a->b->c->d->e->f->g->h->i->j' }, true)).toBeNull()
    expect(ask({ filter: '{"_and":['.repeat(70) }, true)).toBe(DEEP)
  })
})

it('reads a logic group as lite does', () => {
  expect(readLogicGroup('(a.eq.1,and(b.in.(1,2),c.eq."x,y)"),d.cs.{1,2})')).toEqual({
    conditions: ['a.eq.1', 'b.in.(1,2)', 'c.eq."x,y)"', 'd.cs.{1,2}'],
    groups: 2,
    listItems: 1,
  })
  expect(readLogicGroup('a.eq.1')).toBeNull()
})

describe('embeds', () => {
  const key = (table: string, column: string, ref_table: string) => ({
    table,
    column,
    ref_table,
    ref_column: 'id',
    foreign_key_name: `${table}_${column}_fkey`,
  })
  const keys = [
    key('devices', 'company_id', 'companies'),
    key('tickets', 'device_id', 'devices'),
    key('device_groups', 'device_id', 'devices'),
    key('device_groups', 'group_id', 'groups'),
    key('devices', 'parent_id', 'devices'),
    key('companies', 'main_device_id', 'devices'),
    key('groups', 'company_id', 'companies'),
  ]
  const multiplying = (select: string) => multiplyingEmbed(readSelection(select).embeds, keys)

  it('are read with aliases, hints and spreads', () => {
    expect(readSelection('id,a:b!c!inner(d,...e(f)),amount.sum(),"x(y"')).toMatchObject({
      embeds: [{ name: 'b', embeds: [{ name: 'e', embeds: [] }] }],
      embedCount: 2,
      depth: 2,
    })
  })

  it('may be a few lists, and no table again and again', () => {
    const isRefused = (select: string, table: string) =>
      hasManyLists(readSelection(select).embeds, table, keys)
    const times = (count: number, of: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => of(n)).join(',')
    expect(isRefused('tickets(id),x:tickets!inner(),device_groups(row:groups(id))', 'devices')).toBe(false)
    expect(
      isRefused(
        times(8, (n) => `x${n}:devices!hint_${n}(id)`),
        'tickets',
      ),
    ).toBe(false)
    // A count is one number of each row.
    expect(
      isRefused(`${times(6, (n) => `unknown_${n}(*)`)},x:tickets(count),y:tickets(count)`, 'devices'),
    ).toBe(false)
    for (const [select, table] of [
      [times(13, (n) => `x${n}:unknown_${n}(count)`), 'devices'],
      [times(3, (n) => `x${n}:tickets(*)`), 'devices'],
      ['tickets(*),tickets_device_id_fkey(*),x:tickets(*)', 'devices'],
      [times(9, (n) => `x${n}:devices(*)`), 'tickets'],
      [times(7, (n) => `unknown_${n}(*)`), 'devices'],
      [times(3, (n) => `x${n}:tickets(*)`), 'unknown_function'],
      [`device_groups(${times(9, (n) => `x${n}:groups(*)`)})`, 'devices'],
    ] as const)
      expect(isRefused(select, table), select).toBe(true)
  })

  it('may hold one record each, never a list inside of another embed', () => {
    for (const select of [
      'device_groups(row:groups(id,name))',
      'tickets(device:devices!tickets_device_id_fkey(name))',
      'tickets(id),device_groups(id)',
    ])
      expect(multiplying(select)).toBeNull()
    for (const [select, name] of [
      ['company:companies(devices(*))', 'devices'],
      ['company_id(groups(*))', 'groups'],
      ['devices_company_id_fkey(devices(*))', 'devices'],
      ['x:devices(y:tickets(*))', 'tickets'],
      ['tickets(devices(devices(*)))', 'devices'],
      ['groups(devices(*))', 'devices'],
      ['anything(anything_else(*))', 'anything_else'],
    ])
      expect(multiplying(select ?? '')).toBe(name)
  })
})
