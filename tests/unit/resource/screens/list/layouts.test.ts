import { describe, expect, it } from 'vitest'
import type { Definition, Figure } from '@/resource/language/definition.generated'
import { parseWhere, toWhere } from '@/resource/request/filter/where'
import { type ListState, parseListState } from '@/resource/request/query/list-state'
import { boardValues, referenceColumns } from '@/resource/screens/list/layouts/board-columns'
import { recordsByDay } from '@/resource/screens/list/layouts/calendar-view'
import { figureState, tableState } from '@/resource/screens/list/layouts/figures'
import { addDays, addMonths, dayOfValue, weeksOf } from '@/resource/screens/list/layouts/month'

const definition = {
  name: 'loans',
  fields: {
    status: { type: 'enum', values: { open: 'blue', late: 'red', done: 'green' }, required: true },
    mood: { type: 'enum', values: { good: 'green', bad: 'red' } },
    lent_on: { type: 'date' },
    back_on: { type: 'date' },
    called_at: { type: 'datetime' },
  },
} as const satisfies Definition

describe('the columns of a board', () => {
  const of = (by: string, filter: object) => boardValues(definition, { by }, filter as never, {})

  it('are the values of the field, in the order of the definition', () => {
    expect(of('status', {})).toEqual(['open', 'late', 'done'])
  })

  it('include one for records without a value, where the field may be empty', () => {
    expect(of('mood', {})).toEqual(['good', 'bad', null])
  })

  it('leave out what the filter of the list rules out', () => {
    expect(
      of('status', { _and: [{ status: { _in: ['open', 'late'] } }, { status: { _neq: 'late' } }] }),
    ).toEqual(['open'])
    expect(of('mood', { mood: { _null: true } })).toEqual([null])
  })

  it('are all there for a filter of another field', () => {
    expect(of('status', { _and: [{ mood: { _eq: 'good' } }] })).toEqual(['open', 'late', 'done'])
  })
})

describe('the columns of a board by a relation', () => {
  const steps: Definition = {
    name: 'steps',
    title: '{name}',
    fields: {
      name: { type: 'text' },
      kind: { type: 'enum', values: { open: 'blue', late: 'red', done: 'green' } },
      color: { type: 'color' },
      active: { type: 'boolean' },
    },
  }
  const loans: Definition = {
    ...definition,
    fields: {
      ...definition.fields,
      step_id: { type: 'relation', to: 'steps', color: 'color', where: { active: { _eq: true } } },
    },
  }
  const records = [
    { id: 'b', name: 'Called', kind: 'late', color: '#aa0000', active: true },
    { id: 'a', name: 'Lent', kind: 'open', color: '#0000aa', active: true },
    { id: 'c', name: 'Lost', kind: 'late', color: null, active: false },
  ]
  const of = (filter: object, counts: [string, number][] = [], hasKinds = true) =>
    referenceColumns(records, {
      definition: loans,
      board: { by: 'step_id', ...(hasKinds ? { kinds: { field: 'status', of: 'kind' } } : {}) },
      target: steps,
      filter: filter as never,
      scope: {},
      counts: new Map(counts),
      none: 'No value',
    })

  it('are its records in the order in which they were read, with their kind and color', () => {
    expect(of({})).toEqual([
      { value: 'b', kind: 'late', label: 'Called', isOpen: true, color: '#aa0000' },
      { value: 'a', kind: 'open', label: 'Lent', isOpen: true, color: '#0000aa' },
    ])
  })

  it('keep a record that can no longer be chosen while it has cards, and it takes none', () => {
    expect(of({}, [['c', 2]]).at(-1)).toEqual({ value: 'c', kind: 'late', label: 'Lost', isOpen: false })
    expect(of({}, [['c', 0]])).toHaveLength(2)
  })

  it('leave out the records, and the kinds, that the filter of the list rules out', () => {
    expect(of({ status: { _in: ['open'] } }).map(({ value }) => value)).toEqual(['a'])
    expect(of({ step_id: { _in: ['b'] } }).map(({ value }) => value)).toEqual(['b'])
  })

  it('include one for records without a value, unless each has a kind', () => {
    expect(of({}, [], false).at(-1)).toEqual({ value: null, kind: null, label: 'No value', isOpen: true })
    expect(of({ step_id: { _null: false } }, [], false)).toHaveLength(2)
  })
})

describe('the weeks of a month', () => {
  it('begin on Monday and end on Sunday', () => {
    const weeks = weeksOf('2026-11')
    expect(weeks[0]).toEqual([
      '2026-10-26',
      '2026-10-27',
      '2026-10-28',
      '2026-10-29',
      '2026-10-30',
      '2026-10-31',
      '2026-11-01',
    ])
    expect(weeks.at(-1)?.at(-1)).toBe('2026-12-06')
    expect(weeks.every((week) => week.length === 7)).toBe(true)
  })

  it('are four for a February that begins on Monday', () => {
    expect(weeksOf('2027-02')).toHaveLength(4)
  })

  it('hold each day once, across a change of the clock', () => {
    for (const month of ['2026-03', '2026-10', '2024-02', '2026-12']) {
      const days = weeksOf(month).flat()
      expect(new Set(days).size).toBe(days.length)
      expect(days).toEqual(days.map((_, index) => addDays(days[0] ?? '', index)))
    }
  })

  it('follow each other over the end of a year', () => {
    expect(addMonths('2026-12', 1)).toBe('2027-01')
    expect(addMonths('2027-01', -1)).toBe('2026-12')
  })
})

describe('the records of a month', () => {
  const days = weeksOf('2026-11').flat()
  const on = (rows: object[], day: string) =>
    recordsByDay(definition, { from: 'lent_on', until: 'back_on' }, rows as never, days)
      .get(day)
      ?.map(({ id }) => id)

  it('are on each day that they last, also from the month before', () => {
    const rows = [{ id: 'a', lent_on: '2026-09-01', back_on: '2026-11-02' }]
    expect(on(rows, '2026-10-26')).toEqual(['a'])
    expect(on(rows, '2026-11-02')).toEqual(['a'])
    expect(on(rows, '2026-11-03')).toEqual([])
  })

  it('are on their first day alone without an end, and on none without a day', () => {
    const rows = [
      { id: 'a', lent_on: '2026-11-05', back_on: null },
      { id: 'b', lent_on: null, back_on: null },
    ]
    expect(on(rows, '2026-11-05')).toEqual(['a'])
    expect(on(rows, '2026-11-06')).toEqual([])
  })

  it('end where a wrong year would go on for ever', () => {
    const rows = [{ id: 'a', lent_on: '2026-11-05', back_on: '9999-12-31' }]
    expect(on(rows, '2026-12-06')).toEqual(['a'])
  })

  it('take a moment by the reader’s clock', () => {
    const noon = new Date(2026, 10, 27, 12).toISOString()
    expect(dayOfValue(noon, true)).toBe('2026-11-27')
    expect(dayOfValue('broken', true)).toBeNull()
    expect(dayOfValue('2026-11-27', false)).toBe('2026-11-27')
  })
})

describe('the list behind a figure', () => {
  const lists: Definition = {
    ...definition,
    list: { layouts: ['dashboard', 'table'], dashboard: { all: { show: 'number' } } },
  }
  const state = parseListState(new URLSearchParams('where={"mood":{"_eq":"bad"}}'), lists, () => null)
  const where = (figure: Figure, key?: string | null, from: ListState = state) => {
    const next = figureState(from, figure, key)
    expect(next.layout).toBe('table')
    if (next.where) expect(parseWhere(JSON.stringify(next.where), lists)).toEqual(next.where)
    return next.where
  }
  const late: Figure = {
    show: 'number',
    filter: { status: { _in: ['open', 'late'] }, lent_on: { _gte: '2026-01-01' } },
  }

  it('is the figure’s filter with the one of the address, one condition a node', () => {
    expect(where(late)).toEqual({
      _and: [
        { mood: { _eq: 'bad' } },
        { status: { _in: ['open', 'late'] } },
        { lent_on: { _gte: '2026-01-01' } },
      ],
    })
    expect(where({ show: 'number' }, undefined, { ...state, where: null })).toBeNull()
  })

  it('leaves the view where the figure does not follow it, and keeps its other conditions', () => {
    const view = { status: { _in: ['open'] }, mood: { _eq: 'bad' } }
    const from = { ...state, view: 'open', where: null }
    const list = (figure: Figure) => {
      const next = figureState(from, figure, undefined, view)
      return [next.view, next.where]
    }
    expect(list({ show: 'number', ignores: ['status'] })).toEqual([null, { mood: { _eq: 'bad' } }])
    expect(list({ show: 'number', filter: { status: { _eq: 'late' } } })).toEqual([
      null,
      { _and: [{ mood: { _eq: 'bad' } }, { status: { _eq: 'late' } }] },
    ])
    const same: Figure = { show: 'number', filter: { status: { _in: ['open'] } } }
    expect(list(same)).toEqual(['open', { status: { _in: ['open'] } }])
  })

  it('is the part of a share', () => {
    expect(where({ show: 'share', part: { status: { _eq: 'late' } } })).toEqual({
      _and: [{ mood: { _eq: 'bad' } }, { status: { _eq: 'late' } }],
    })
  })

  it('is one value, or the rows without any', () => {
    const top: Figure = { show: 'top', by: 'status' }
    expect(where(top, 'done', { ...state, where: null })).toEqual({ status: { _eq: 'done' } })
    expect(where(top, null, { ...state, where: null })).toEqual({ status: { _null: true } })
  })

  it.each([
    ['day', '2026-12-31', '2027-01-01'],
    ['week', '2026-10-26', '2026-11-02'],
    ['month', '2026-12-01', '2027-01-01'],
  ] as const)('is one %s of a series', (every, key, end) => {
    expect(where({ show: 'series', by: 'called_at', every }, key, { ...state, where: null })).toEqual({
      _and: [{ called_at: { _gte: key } }, { called_at: { _lt: end } }],
    })
  })

  it('is a cell of a table, a whole row, a whole column or all of it', () => {
    const table: Figure = { show: 'table', by: 'status', across: 'called_at', every: 'month' }
    const from = { ...state, where: null }
    const periods = ['2026-11-01', '2026-12-01']
    const of = (place: object) => tableState(from, table, { periods, ...place }).where
    const until = (first: string, end: string) => [
      { called_at: { _gte: first } },
      { called_at: { _lt: end } },
    ]
    expect(of({ row: 'late', column: '2026-11-01' })).toEqual({
      _and: [{ status: { _eq: 'late' } }, ...until('2026-11-01', '2026-12-01')],
    })
    expect(of({ row: null })).toEqual({
      _and: [{ status: { _null: true } }, ...until('2026-11-01', '2027-01-01')],
    })
    expect(of({ column: '2026-12-01' })).toEqual({ _and: until('2026-12-01', '2027-01-01') })
    expect(of({})).toEqual({ _and: until('2026-11-01', '2027-01-01') })
    const plain: Figure = { show: 'table', by: 'status', across: 'mood' }
    expect(tableState(from, plain, { row: 'late', column: null }).where).toEqual({
      _and: [{ status: { _eq: 'late' } }, { mood: { _null: true } }],
    })
    expect(tableState(from, plain, {}).where).toBeNull()
  })

  it('keeps an “any of” as it is', () => {
    expect(
      toWhere({ _or: [{ status: { _eq: 'open' }, mood: { _null: true } }, { mood: { _eq: 'bad' } }] }),
    ).toEqual({
      _or: [{ _and: [{ status: { _eq: 'open' } }, { mood: { _null: true } }] }, { mood: { _eq: 'bad' } }],
    })
  })
})
