import { describe, expect, it } from 'vitest'
import { readableQuery } from '../../../supabase/embedded/http/filter-values'

const read = (parameters: Record<string, string>) => {
  const query = readableQuery(`?${new URLSearchParams(parameters)}`)
  return query === null ? null : Object.fromEntries(new URLSearchParams(query))
}
const group = (or: string) => read({ or })?.or ?? null

describe('a parameter', () => {
  it.each([
    ['eq.null', 'in.("null")'],
    ['eq.NULL', 'in.("NULL")'],
    ['neq.unknown', 'not.in.("unknown")'],
    ['not.eq.null', 'not.in.("null")'],
    ['not.neq.null', 'in.("null")'],
    ['eq.1.50', 'in.("1.50")'],
    ['eq."quoted"', 'in.("\\"quoted\\"")'],
    ['eq. blank ', 'in.(" blank ")'],
  ])('%s means the text', (value, expected) => {
    expect(read({ hostname: value })).toEqual({ hostname: expected })
  })

  it.each([
    'is.null',
    'not.is.null',
    'eq.null pc',
    'eq.15',
    'eq.true',
    'in.(null,a)',
    'eq.say "hi"',
    'gt.null',
  ])('%s stays as it is', (value) => {
    const query = `?hostname=${value}`
    expect(readableQuery(query)).toBe(query)
  })

  it('that is no condition stays as it is', () => {
    const query = '?select=id,name&order=name.desc&limit=1.50'
    expect(readableQuery(query)).toBe(query)
  })
})

describe('a group', () => {
  it.each([
    ['(hostname.eq."say \\"hi\\" pc")', '(hostname.match.^say\\u0020\\u0022hi\\u0022\\u0020pc$)'],
    ['(hostname.neq."C:\\\\pc")', '(hostname.not.match.^C\\u003a\\u005cpc$)'],
    ['(hostname.eq."a,b(c)",os.is.null)', '(hostname.in.("a,b(c)"),os.is.null)'],
    ['(ids.eq."{a,b}",ids.cs."{a}")', '(ids.in.("{a,b}"),ids.cs.{a})'],
    ['(hostname.eq."a)b")', '(hostname.match.^a\\u0029b$)'],
    ['(hostname.neq."{a")', '(hostname.not.match.^\\u007ba$)'],
    ['(hostname.in.("a)b",c,"d,e"))', '(or(hostname.match.^a\\u0029b$,hostname.in.("c","d,e")))'],
    ['(hostname.not.in.("(","\\""))', '(not.or(hostname.match.^\\u0028$,hostname.match.^\\u0022$))'],
    ['(and(hostname.in.("]",x),b.gt."a}b"))', '(and(hostname.in.("]",x),b.gt."a}b"))'],
    [
      '(hostname.eq.null,and(a.not.eq."null",b.gt.1))',
      '(hostname.in.("null"),and(a.not.in.("null"),b.gt.1))',
    ],
    ['(not.or(a.in.("x","y(1)"),b.cs.{p,q}))', '(not.or(a.in.("x","y(1)"),b.cs.{p,q}))'],
    ['(hostname.ilike."*abc*",at.gte."2026-03-01")', '(hostname.ilike.*abc*,at.gte.2026-03-01)'],
    ['(name.fts(english).word,hostname.eq.pc-1)', '(name.fts(english).word,hostname.eq.pc-1)'],
  ])('%s', (given, expected) => {
    expect(group(given)).toBe(expected)
  })

  it('with a value that the backend cannot be asked for is refused', () => {
    expect(group('(hostname.like."a\\"b*")')).toBeNull()
    expect(group('(hostname.gt."a\\\\b")')).toBeNull()
    expect(group('(hostname.ilike."a}b")')).toBeNull()
    const list = (count: number) => `(hostname.in.(${Array(count).fill('")"').join(',')}))`
    expect(group(list(100))).not.toBeNull()
    expect(group(list(101))).toBeNull()
    expect(read({ or: list(60), and: list(60) })).toBeNull()
    expect(group('(hostname.isdistinct."a)b")')).toBeNull()
  })

  it('that is malformed is left to the backend, which refuses it', () => {
    for (const text of ['hostname.eq.x', '(hostname.eq."open)', '(hostname)', '(a.eq.1'])
      expect(group(text)).toBe(text)
  })
})
