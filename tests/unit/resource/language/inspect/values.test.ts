import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { inspectReferences } from '@/resource/language/inspect/references'

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
const devices: Definition = {
  name: 'devices',
  fields: {
    name: { type: 'text' },
    ports: { type: 'number' },
    bought_on: { type: 'date' },
    memory_mb: { type: 'number', readonly: true },
    disks: { type: 'rows', fields: { name: { type: 'text' } } },
    words: { type: 'tags' },
    groups: { type: 'many-to-many', to: 'tickets', through: 'x', near: 'a', far: 'b' },
    seen_at: { type: 'datetime', from: { table: 'presence', column: 'seen_at' } },
    ticket_id: { type: 'relation', to: 'tickets' },
  },
}
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
    [{ created_at: { _gt: '$now-7d' }, bought_on: { _lte: '$now' } }],
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
    [{ status: { _eq: 'lost' } }, /There are `active`, `retired`/],
    [{ name: { _eq: 5 } }, /`5` is not a value of `text`/],
    [{ seats: { _gt: '$now' } }, /`\$now` is a moment and cannot be compared with `number`/],
    [{ seats: { _eq: '$user' } }, /`\$user` is a user and cannot be compared with `number`/],
  ])('are wrong: %o', (filter, expected) => {
    const found = filtered(filter)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(expected)
  })

  it.each([
    [{ type: 'number', check: { _gte: 0, _lte: '$record.device_id.ports' } }, /^$/],
    [{ type: 'datetime', check: { _gt: '$record.device_id.bought_on' } }, /^$/],
    [
      { type: 'number', check: { _lte: '$record.device_id.port' } },
      /no field `port` \| Did you mean `ports`/,
    ],
    [{ type: 'number', check: { _lte: '$record.device.ports' } }, /no field `device`/],
    [{ type: 'number', check: { _lte: '$record.seats.ports' } }, /`seats` does not point to one record/],
    [
      { type: 'date', check: { _lte: '$record.device_id.ports' } },
      /is `number` and cannot be compared with `date`/,
    ],
    [{ type: 'boolean', check: { _lt: '$record.device_id.ports' } }, /values have no order/],
    [{ type: 'text', check: { _eq: '$record.device_id.disks' } }, /cannot compare a value of `rows`/],
    [
      { type: 'text', check: { _eq: '$record.device_id.words' } },
      /is `tags` and cannot be compared with `text`/,
    ],
    [{ type: 'text', check: { _eq: '$record.device_id.groups' } }, /in yet another table/],
    [{ type: 'datetime', check: { _lt: '$record.device_id.seen_at' } }, /in yet another table/],
    [{ type: 'number', check: { _lte: '$record.device_id.memory_mb' } }, /written by the console itself/],
    [{ type: 'text', check: { _eq: '$record.device_id.ticket_id.subject' } }, /more than one relation away/],
    [{ type: 'text', check: { _eq: '$record.owner_id.email' } }, /`owner_id` points at a person/],
    [{ type: 'number', check: { _in: [1, '$record.device_id.ports'] } }, /only the `check` .* one at a time/],
    [{ type: 'text', when: { name: { _eq: '$record.device_id.name' } } }, /only the `check` of a field/],
    [
      { type: 'rows', fields: { a: { type: 'number', check: { _lte: '$record.device_id.ports' } } } },
      /only the `check` of a field/,
    ],
  ])('of a related record: %j', (field, expected) => {
    expect(check({}, { owner_id: { type: 'user' }, other: field as Field }).join()).toMatch(expected)
  })

  it('are looked at in checks, conditions and views too', () => {
    const found = check(
      { list: { views: { old: { filter: { seats: { _lt: 'few' } } } } } },
      {
        warranty: { type: 'date', check: { _gte: '$record.seats' } },
        returned: { type: 'date', check: { _gte: '$record.seen_at' } },
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

describe('what follows the deletion of a related record', () => {
  const owner = (more: object) =>
    check({}, { owner_id: { type: 'relation', to: 'devices', ...more } as Field })

  it('cannot empty a required field', () => {
    expect(owner({ required: true, on_delete: 'set_null' })[0]).toContain(
      '/fields/owner_id/on_delete the field is required',
    )
    for (const right of [
      { required: true, on_delete: 'cascade' },
      { required: true },
      { on_delete: 'set_null' },
    ])
      expect(owner(right)).toEqual([])
  })
})
