import { describe, expect, it } from 'vitest'
import { sentFilter } from '../../support/list-request'

describe('the filter as PostgREST reads it', () => {
  it('gives a condition a parameter of its own', () => {
    expect(sentFilter({ status: { _eq: 'online' }, size: { _gte: 3, _lt: 9 } })).toMatchObject([
      { column: 'status', operator: 'eq', value: 'online' },
      { column: 'size', operator: 'gte', value: '3' },
      { column: 'size', operator: 'lt', value: '9' },
    ])
  })

  it('nests groups and quotes what would end a value', () => {
    const filter = {
      _or: [{ _and: [{ a: { _eq: 'x,y' } }, { b: { _in: ['p"q', 'r\\s'] } }] }, { c: { _contains: '50%' } }],
    }
    expect(sentFilter(filter)).toMatchObject([
      { or: 'and(a.in.("x,y"),b.in.("p\\"q","r\\\\s")),c.ilike.%50\\%%' },
    ])
  })

  it('writes emptiness as is null', () => {
    expect(sentFilter({ a: { _null: true }, b: { _null: false }, c: { _eq: null } })).toMatchObject([
      { column: 'a', operator: 'is', value: 'null' },
      { column: 'b', operator: 'not.is', value: 'null' },
      { column: 'c', operator: 'is', value: 'null' },
    ])
  })

  it('keeps null in a list apart from its values', () => {
    expect(sentFilter({ a: { _in: ['x', null] } })).toMatchObject([{ or: 'a.in.(x),a.is.null' }])
    expect(sentFilter({ a: { _nin: ['x', null] } })).toMatchObject([
      { column: 'a', operator: 'not.in', value: '(x)' },
      { column: 'a', operator: 'not.is', value: 'null' },
    ])
  })

  it('says never for an empty choice and for a variable that stands for nothing', () => {
    const never = [{ or: 'and(id.is.null,id.not.is.null)' }]
    expect(sentFilter({ a: { _in: [] } })).toMatchObject(never)
    expect(sentFilter({ _or: [] })).toMatchObject(never)
    expect(sentFilter({ a: { _eq: '$user' } })).toMatchObject(never)
    expect(sentFilter({ a: { _nin: [] } })).toMatchObject([])
  })

  it('looks for a literal asterisk by regular expression, since a pattern cannot hold one', () => {
    expect(sentFilter({ a: { _contains: '*.exe' } })).toMatchObject([
      { column: 'a', operator: 'imatch', value: '\\u002a\\u002eexe' },
    ])
  })

  it('never writes a word that the embedded backend takes for emptiness without quotes', () => {
    for (const word of ['null', 'unknown']) {
      const list = { column: 'state', value: `("${word}")` }
      expect(sentFilter({ state: { _eq: word } })).toMatchObject([{ ...list, operator: 'in' }])
      expect(JSON.stringify(sentFilter({ state: { _neq: word } }))).toContain(`in.(\\"${word}\\")`)
      expect(sentFilter({ state: { _in: [word, 'ok'] } })).toMatchObject([{ value: `("${word}",ok)` }])
    }
  })
})
