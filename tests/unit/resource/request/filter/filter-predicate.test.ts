import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompareAs } from '@/resource/language/compare-as'
import type { Filter } from '@/resource/language/definition.generated'
import { matches, passes } from '@/resource/request/filter/predicate'

const kinds: Record<string, CompareAs> = { size: 'number', at: 'instant', day: 'date', on: 'boolean' }
const kindOf = (field: string): CompareAs => kinds[field] ?? 'text'
const holds = (filter: Filter, row: Record<string, unknown>) => matches(filter, row, {}, kindOf)

describe('one condition', () => {
  it('compares text by code point, as the database does under the C collation', () => {
    expect(holds({ name: { _lt: 'ı' } }, { name: 'z' })).toBe(true)
    // U+FF61 is below U+1F600, though its UTF-16 unit is above.
    expect(holds({ name: { _lt: '\u{1F600}' } }, { name: '\uFF61' })).toBe(true)
  })

  it('compares numbers as numbers, also when they arrive as text', () => {
    expect(holds({ size: { _gt: 9 } }, { size: '10' })).toBe(true)
  })

  it('compares instants whatever their offset', () => {
    expect(holds({ at: { _eq: '2026-01-01T12:00:00+03:00' } }, { at: '2026-01-01T09:00:00Z' })).toBe(true)
  })

  it('compares a day with the day of an instant', () => {
    expect(holds({ day: { _lte: '2026-01-01T09:00:00Z' } }, { day: '2026-01-01' })).toBe(true)
  })

  it('finds text inside text whatever its case, a letter at a time as the database does', () => {
    expect(holds({ name: { _contains: 'SRV' } }, { name: 'ankara-srv-1' })).toBe(true)
    expect(holds({ name: { _contains: 'ŞUBE' } }, { name: 'şube' })).toBe(true)
    expect(holds({ name: { _contains: 'ısı' } }, { name: 'ISI' })).toBe(false)
  })

  it('takes null as a value to mean emptiness', () => {
    expect(holds({ name: { _eq: null } }, { name: null })).toBe(true)
    expect(holds({ name: { _neq: null } }, { name: 'a' })).toBe(true)
  })

  it('matches nothing by an order relation with an empty field', () => {
    for (const operator of ['_eq', '_neq', '_lt', '_lte', '_gt', '_gte'] as const)
      expect(holds({ name: { [operator]: 'a' } }, { name: null })).toBe(false)
    expect(holds({ name: { _nin: ['a'] } }, { name: null })).toBe(false)
  })

  it('throws on an operator that does not exist', () => {
    expect(() => holds({ name: { _like: 'a' } as never }, { name: 'a' })).toThrow('_like')
  })
})

describe('variables', () => {
  it('stand for the user, the record and a moment', () => {
    const scope = { user: { id: 'u1', companyId: 'c1' }, now: new Date('2026-06-15T00:00:00Z') }
    expect(matches({ owner: { _eq: '$user' } }, { owner: 'u1' }, scope)).toBe(true)
    expect(matches({ company: { _eq: '$user.company_id' } }, { company: 'c1' }, scope)).toBe(true)
    expect(matches({ at: { _lt: '$now-30d' } }, { at: '2026-05-01T00:00:00Z' }, scope, kindOf)).toBe(true)
    expect(matches({ b: { _eq: '$record.a' } }, { a: 'x', b: 'x' }, scope)).toBe(true)
  })

  it('read a field of the related record, as long as that record was loaded', () => {
    const check = { _lte: '$record.plan_id.seats' }
    const row = (plan: unknown) => ({ size: 6, plan_id: 'p1', plan_id_row: plan })
    expect(passes('size', check, row({ id: 'p1', seats: 5 }), {}, kindOf)).toBe(false)
    expect(passes('size', check, row({ id: 'p1', seats: 6 }), {}, kindOf)).toBe(true)
    expect(passes('size', check, row({ id: 'p2', seats: 5 }), {}, kindOf)).toBe(true)
    expect(passes('size', check, row(null), {}, kindOf)).toBe(true)
  })

  it('that stand for nothing are neither true nor false', () => {
    expect(matches({ owner: { _eq: '$user' } }, { owner: null })).toBe(false)
    expect(matches({ _or: [{ b: { _eq: '$record.a' } }, { b: { _eq: 'y' } }] }, { b: 'y' })).toBe(true)
  })

  it('leave other texts with a dollar sign alone', () => {
    expect(matches({ price: { _eq: '$4.50' } }, { price: '$4.50' })).toBe(true)
  })
})

describe('a check', () => {
  it('passes where the database constraint would: only a false comparison is refused', () => {
    const check = { _gte: '$record.bought_on' }
    expect(
      passes('warranty', check, { bought_on: '2026-01-01', warranty: '2026-01-02' }, {}, () => 'date'),
    ).toBe(true)
    expect(
      passes('warranty', check, { bought_on: '2026-01-02', warranty: '2026-01-01' }, {}, () => 'date'),
    ).toBe(false)
    expect(passes('warranty', check, { bought_on: null, warranty: '2026-01-01' }, {}, () => 'date')).toBe(
      true,
    )
  })
})

const value = fc.oneof(fc.constant(null), fc.constantFrom('a', 'b', 'c', ''))
const row = fc.record({ x: value, y: value })
const condition = fc.oneof(
  fc.record({ _eq: fc.constantFrom('a', 'b') }),
  fc.record({ _neq: fc.constantFrom('a', 'b') }),
  fc.record({ _in: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }) }),
  fc.record({ _nin: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }) }),
  fc.record({ _null: fc.boolean() }),
)
const filter: fc.Arbitrary<Filter> = fc.letrec<{ node: Filter }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.record({ x: condition }),
    fc.record({ y: condition }),
    fc.record({ _and: fc.array(tie('node'), { maxLength: 3 }) }),
    fc.record({ _or: fc.array(tie('node'), { maxLength: 3 }) }),
  ),
})).node

describe('laws', () => {
  it('and means all of them', () => {
    fc.assert(
      fc.property(filter, filter, row, (a, b, r) => {
        expect(holds({ _and: [a, b] }, r)).toBe(holds(a, r) && holds(b, r))
      }),
    )
  })

  it('or means one of them', () => {
    fc.assert(
      fc.property(filter, filter, row, (a, b, r) => {
        expect(holds({ _or: [a, b] }, r)).toBe(holds(a, r) || holds(b, r))
      }),
    )
  })

  it('in is a chain of equals, and its opposite never holds with it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), row, (list, r) => {
        const inside = holds({ x: { _in: list } }, r)
        expect(inside).toBe(holds({ _or: list.map((item) => ({ x: { _eq: item } })) }, r))
        expect(inside && holds({ x: { _nin: list } }, r)).toBe(false)
        if (r.x !== null) expect(inside).toBe(!holds({ x: { _nin: list } }, r))
      }),
    )
  })

  it('nothing to fulfill is always fulfilled, nothing to choose from never', () => {
    fc.assert(
      fc.property(row, (r) => {
        expect(holds({}, r)).toBe(true)
        expect(holds({ _and: [] }, r)).toBe(true)
        expect(holds({ _or: [] }, r)).toBe(false)
      }),
    )
  })
})
