import type { CrudFilter } from '@refinedev/core'
import { describe, expect, it } from 'vitest'
import { writeFilters } from '@/data/postgrest'
import type { Filter } from '@/resource/language/definition.generated'
import { toCrudFilters } from '@/resource/request/filter/crud-filters'

/** The parameters of a definition's filter, and the conditions in its group. */
function written(filter: Filter) {
  const { parameters, groups } = writeFilters(toCrudFilters(filter))
  return [...parameters.map(({ column, operator, value }) => `${column}=${operator}.${value}`), ...groups]
}

describe('a filter as PostgREST reads it', () => {
  it('has a parameter for the first condition on a column, and a group for further ones', () => {
    expect(written({ status: { _eq: 'online' }, size: { _gte: 3, _lt: 9 } })).toEqual([
      'status=eq.online',
      'size=gte.3',
      'size.lt.9',
    ])
  })

  it('has a group for each further condition on a column of an embedded table', () => {
    const filters: CrudFilter[] = [
      { field: 'company_id', operator: 'eq', value: 'acme' },
      { field: 'device_match.os', operator: 'ne', value: 'a,b' },
      { field: 'device_match.os', operator: 'ne', value: 'c,d' },
    ]
    const { parameters, groups, embedded } = writeFilters(filters, ['company_id'])
    expect(parameters).toEqual([{ column: 'device_match.os', operator: 'neq', value: 'a,b' }])
    expect(groups).toEqual(['company_id.eq.acme'])
    expect([...embedded]).toEqual([['device_match', ['os.not.in.("c,d")']]])
  })

  it('nests groups and quotes what would end a value', () => {
    const filter = {
      _or: [{ _and: [{ a: { _eq: 'x,y' } }, { b: { _in: ['p"q', 'r\\s'] } }] }, { c: { _contains: '50%' } }],
    }
    expect(written(filter)).toEqual(['or(and(a.in.("x,y"),b.in.("p\\"q","r\\\\s")),c.ilike.%50\\%%)'])
  })

  it('writes emptiness as is null', () => {
    expect(written({ a: { _null: true }, b: { _null: false }, c: { _eq: null } })).toEqual([
      'a=is.null',
      'b=not.is.null',
      'c=is.null',
    ])
  })

  it('writes an empty list of words, and one with words, without `{}`', () => {
    expect(written({ tags: { _empty: true } })).toEqual([
      'or(tags.is.null,and(tags.cd.{""},tags.not.cs.{""}))',
    ])
    expect(written({ tags: { _empty: false } })).toEqual(['or(tags.not.cd.{""},tags.cs.{""})'])
  })

  it('keeps null in a list apart from its values', () => {
    expect(written({ a: { _in: ['x', null] } })).toEqual(['or(a.in.(x),a.is.null)'])
    expect(written({ a: { _nin: ['x', null] } })).toEqual(['a=not.in.(x)', 'a.not.is.null'])
  })

  it('matches no row for an empty choice and for a variable without a value', () => {
    const never = ['and(id.is.null,id.not.is.null)']
    expect(written({ a: { _in: [] } })).toEqual(never)
    expect(written({ _or: [] })).toEqual(never)
    expect(written({ a: { _eq: '$user' } })).toEqual(never)
    expect(written({ a: { _nin: [] } })).toEqual([])
  })

  it('looks for a literal asterisk by regular expression, since a pattern cannot hold one', () => {
    expect(written({ a: { _contains: '*.exe' } })).toEqual(['a=imatch.\\u002a\\u002eexe'])
  })

  it('never writes a word that the embedded backend takes for emptiness without quotes', () => {
    for (const word of ['null', 'unknown']) {
      expect(written({ state: { _eq: word } })).toEqual([`state=in.("${word}")`])
      expect(written({ state: { _neq: word } })).toEqual([`state=not.in.("${word}")`])
      expect(written({ state: { _in: [word, 'ok'] } })).toEqual([`state=in.("${word}",ok)`])
    }
  })
})
