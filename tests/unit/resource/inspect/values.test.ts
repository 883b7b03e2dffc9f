import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { inspectReferences } from '@/resource/inspect/references'

const fields: Record<string, Field> = {
  name: { type: 'text', required: true, max_length: 5, pattern: '^[a-z]+$' },
  seats: { type: 'number', min: 1, max: 10 },
  cost: { type: 'money', currency: 'TRY' },
  bought_on: { type: 'date' },
  seen_at: { type: 'datetime' },
  status: { type: 'enum', values: { active: 'green', retired: 'gray' } },
  on: { type: 'boolean' },
  words: { type: 'tags' },
  device_id: { type: 'relation', to: 'devices' },
}
const devices: Definition = { name: 'devices', fields: { name: { type: 'text' } } }
const tickets: Definition = {
  name: 'tickets',
  fields: { device_id: { type: 'relation', to: 'devices' }, subject: { type: 'text' } },
}
const find = (name: string) => [devices, tickets].find((each) => each.name === name) ?? null

function check(more: Partial<Definition>, own: Record<string, Field> = {}): string[] {
  const definition = { name: 'printers', ...more, fields: { ...fields, ...own } } as Definition
  return inspectReferences(definition, { find, names: ['devices', 'tickets'] }).map(
    ({ pointer, message, hint }) => `${pointer} ${message} | ${hint}`,
  )
}
const filtered = (filter: object) => check({ list: { filter } as Definition['list'] })

describe('the values of filters and checks', () => {
  it.each([
    [{ name: { _eq: 'abc' }, seats: { _in: [1, 2] }, on: { _eq: false }, words: { _has_any: ['a'] } }],
    [{ bought_on: { _gte: '2026-01-31', _lt: '$now-30d' }, seen_at: { _gt: '2026-01-31T10:00:00Z' } }],
    [{ seen_at: { _gt: '2026-01-31' }, status: { _nin: ['retired'] }, cost: { _gt: 0.5, _neq: null } }],
    [{ _or: [{ name: { _contains: 'x' } }, { device_id: { _null: true } }] }],
    [{ created_at: { _gt: '$now-7d' }, bought_on: { _lte: '$record.seen_at' } }],
  ])('are right: %o', (filter) => {
    expect(filtered(filter)).toEqual([])
  })

  it.each([
    [{ bought_on: { _contains: '2026' } }, /_contains.*`date`.*Use `_gte`/],
    [{ status: { _contains: 'act' } }, /_contains.*`enum`.*Use `_eq`/],
    [{ bought_on: { _gt: 'soon' } }, /`"soon"` is not a value of `date` \| Write a day such as/],
    [{ bought_on: { _eq: '2026-02-30' } }, /not a value of `date`/],
    [{ seen_at: { _gt: 'yesterday' } }, /not a value of `datetime`/],
    [{ seats: { _eq: '3' } }, /`"3"` is not a value of `number` \| Write a number without quotes/],
    [{ cost: { _in: [1, 'two'] } }, /`"two"` is not a value of `money`/],
    [{ on: { _eq: 'yes' } }, /Write `true` or `false`/],
    [{ on: { _gt: false } }, /`boolean` values have no order/],
    [{ status: { _lt: 'retired' } }, /compares by order/],
    [{ status: { _in: ['active', 'retird'] } }, /`retird` is not among the values \| Did you mean `retired`/],
    [{ status: { _eq: 'lost' } }, /They are `active`, `retired`/],
    [{ name: { _eq: 5 } }, /`5` is not a value of `text`/],
    [{ seats: { _gt: '$now' } }, /`\$now` is a moment and cannot be compared with `number`/],
    [
      { bought_on: { _gte: '$record.cost' } },
      /`\$record.cost` is `money` and cannot be compared with `date`/,
    ],
  ])('are wrong: %o', (filter, expected) => {
    const found = filtered(filter)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(expected)
  })

  it('are looked at in checks, conditions and views too', () => {
    const found = check(
      { list: { views: { old: { filter: { seats: { _lt: 'few' } } } } } },
      {
        warranty: { type: 'date', check: { _gte: '$record.seats' } },
        reason: { type: 'text', when: { status: { _eq: 'gone' } } },
      },
    )
    expect(found.map((each) => each.split(' ')[0])).toEqual([
      '/fields/warranty/check/_gte',
      '/fields/reason/when/status/_eq',
      '/list/views/old/filter/seats/_lt',
    ])
  })
})

describe('the options of a field', () => {
  it.each<[Field, RegExp]>([
    [{ type: 'number', min: 5, max: 1 }, /\/min `min` 5 is above `max` 1/],
    [{ type: 'number', max: 10, default: 20 }, /\/default the default `20` breaks the rules of the field/],
    [{ type: 'text', max_length: 3, default: 'long' }, /\/default .* breaks the rules/],
    [{ type: 'text', pattern: '^[a-z]+$', default: 'A1' }, /\/default .* breaks the rules/],
    [{ type: 'text', pattern: '^(', default: 'A1' }, /\/pattern `\^\(` is not a regular expression/],
    [{ type: 'date', default: 'soon' }, /\/default `"soon"` is not a value of `date`/],
    [{ type: 'text', required: true, readonly: true }, /\/required .*no user can fill it in/],
  ])('%o are refused', (field, expected) => {
    expect(check({}, { other: field }).join()).toMatch(expected)
  })

  it('agree: a default within the limits, or one that is filled in later', () => {
    const own: Record<string, Field> = {
      a: { type: 'number', min: 1, max: 1, default: 1 },
      b: { type: 'date', default: '$now' },
      c: { type: 'tags', default: ['x'] },
    }
    expect(check({}, own)).toEqual([])
  })
})

describe('the parts of a screen', () => {
  it('name a list column once', () => {
    const columns = ['name', 'seats', { field: 'name' }]
    expect(check({ list: { columns } as Definition['list'] })).toEqual([
      '/list/columns/2 the list has the column `name` twice | Remove one.',
    ])
  })

  it('hold each required field of a form', () => {
    const lacking = /\/fields\/name\/required no part of the form holds the required field `name`/
    expect(check({ form: { sections: { main: ['seats'] } } }).join()).toMatch(lacking)
    expect(check({ form: { tabs: { one: { sections: { main: ['seats'] } } } } }).join()).toMatch(lacking)
    expect(check({ form: { sections: { main: ['seats name'] } } })).toEqual([])
    expect(check({ form: {} })).toEqual([])
    expect(check({ create: false, form: { sections: { main: ['seats'] } } })).toEqual([])
  })

  it('list related records by a field that points here', () => {
    const related = (by: string, name = 'printers') =>
      inspectReferences(
        { name, fields, show: { related: [{ resource: 'tickets', by }] } },
        { find, names: ['devices', 'tickets'] },
      ).map(({ message }) => message)
    expect(related('device_id', 'devices')).toEqual([])
    expect(related('device_id')).toEqual(['`device_id` of `tickets` points to `devices`, not to `printers`'])
    expect(related('subject')).toEqual(['`subject` of `tickets` is not a relation'])
  })
})
