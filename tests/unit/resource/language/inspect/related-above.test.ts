import { describe, expect, it } from 'vitest'
import type { Definition, Related } from '@/resource/language/definition.generated'
import { inspectReferences } from '@/resource/language/inspect/references'

const contracts: Definition = {
  name: 'contracts',
  fields: {
    name: { type: 'text' },
    starts_at: { type: 'datetime' },
    ends_on: { type: 'date' },
  },
  actions: {
    ask: { on: ['record'], rpc: 'ask_contracts', confirm: true },
    archive: { on: ['row'], rpc: 'archive_contracts' },
  },
}
const answers: Definition = {
  name: 'answers',
  fields: {
    contract_id: { type: 'relation', to: 'contracts' },
    status: { type: 'enum', values: { asked: 'gold', given: 'green' } },
  },
}
const problems = (definition: Definition) =>
  inspectReferences(definition, {
    find: (name) => ({ contracts, answers })[name] ?? null,
    names: ['contracts', 'answers'],
  }).map(({ pointer, message }) => `${pointer} | ${message}`)
const related = (given: Partial<Related>) =>
  problems({
    ...contracts,
    show: { related: [{ resource: 'answers', by: 'contract_id', create: false, ...given }] },
  })

describe('a related list that is made by an action, and shown above the overview', () => {
  it('is correct with an action of the record and fields of the list', () => {
    expect(
      related({ action: 'ask', above: { filter: { status: { _eq: 'asked' } }, fields: ['status'] } }),
    ).toEqual([])
  })

  it('names an action that is offered on the record, in place of its own button', () => {
    expect(related({ action: 'aks' })).toEqual(['/show/related/0/action | no action `aks`'])
    expect(related({ action: 'archive' })).toEqual([
      '/show/related/0/action | `archive` is not offered on a record',
    ])
    expect(related({ action: 'ask', create: true })).toEqual([
      '/show/related/0/create | the list would have two buttons that make its records',
    ])
  })

  it('filters by and shows fields of the list', () => {
    expect(related({ above: { filter: { state: { _eq: 'asked' } }, fields: ['stats'] } })).toEqual([
      '/show/related/0/above/filter/state | no field `state`',
      '/show/related/0/above/fields/0 | `answers` has no field `stats`',
    ])
  })
})

describe('a related list that is counted', () => {
  it('is correct where a column of another table refers here', () => {
    expect(related({ count: true })).toEqual([])
  })

  it('is no list of the own table, which a number field counts, or of a linked one', () => {
    const count = (given: Partial<Definition>, by: string, resource: string) =>
      problems({ ...contracts, ...given, show: { related: [{ resource, by, count: true }] } })
    const parent = { ...contracts.fields, parent_id: { type: 'relation', to: 'contracts' } } as const
    expect(count({ fields: parent }, 'name', 'contracts')).toContain(
      '/show/related/0/count | the list is not counted: its own records are counted by a number field with `counts`',
    )
    expect(
      inspectReferences(
        { ...contracts, show: { related: [{ resource: 'answers', by: 'contracts', count: true }] } },
        {
          find: (name) =>
            name === 'contracts'
              ? contracts
              : {
                  ...answers,
                  fields: {
                    contracts: {
                      type: 'many-to-many',
                      to: 'contracts',
                      through: 'links',
                      near: 'answer_id',
                      far: 'contract_id',
                    },
                  },
                },
          names: ['contracts', 'answers'],
        },
      ).map(({ message }) => message),
    ).toContain('the list is not counted: `contracts` of `answers` is no column')
  })
})

it('a span is between two moments of its record, and is read-only', () => {
  const span = (field: Record<string, unknown>) =>
    problems({
      ...contracts,
      fields: { ...contracts.fields, lasts: { type: 'duration', ...field } as never },
    })
  expect(span({ readonly: true, between: ['starts_at', 'starts_at'] })).toEqual([])
  expect(span({ readonly: true, between: ['starts_at', 'ends_on'] })).toEqual([
    '/fields/lasts/between/1 | `ends_on` is not a `datetime`',
  ])
  expect(span({ between: ['starts_at', 'starts_at'] })).toEqual([
    '/fields/lasts/between | a span between two moments is no value of its own',
  ])
})

it('the effects of an action are for one with a dialog', () => {
  const action = (given: Record<string, unknown>) =>
    problems({
      ...contracts,
      actions: { ask: { on: ['record'], rpc: 'ask_contracts', effects: 'ask_effects', ...given } as never },
    })
  expect(action({ confirm: true })).toEqual([])
  expect(action({})).toEqual(['/actions/ask/effects | the action has no dialog that could show fields'])
})

describe('a related list that is ticked and added to in place', () => {
  const items: Definition = {
    name: 'answers',
    fields: {
      contract_id: { type: 'relation', to: 'contracts', required: true },
      text: { type: 'text', required: true },
      done: { type: 'boolean' },
      made: { type: 'boolean', readonly: true },
      kind: { type: 'text', required: true, default: 'x' },
    },
  }
  const found = (given: Partial<Related>, fields: Definition['fields'] = {}) => {
    const target = { ...items, fields: { ...items.fields, ...fields } }
    return inspectReferences(
      { ...contracts, show: { related: [{ resource: 'answers', by: 'contract_id', ...given }] } },
      { find: (name) => ({ contracts, answers: target })[name] ?? null, names: ['contracts', 'answers'] },
    ).map(({ pointer, message }) => `${pointer} | ${message}`)
  }

  it('is correct with a boolean and a text that people edit', () => {
    expect(found({ tick: 'done', add: 'text' })).toEqual([])
  })

  it('names fields of the list that people edit', () => {
    expect(found({ tick: 'dune' })).toEqual(['/show/related/0/tick | `answers` has no field `dune`'])
    expect(found({ tick: 'made' })).toEqual([
      '/show/related/0/tick | `made` of `answers` is no `boolean` that people edit',
    ])
    expect(found({ add: 'done' })[0]).toBe(
      '/show/related/0/add | `done` of `answers` is no `text` that people edit',
    )
  })

  it('asks by one line only for what a record requires', () => {
    expect(found({ add: 'text' }, { owner: { type: 'text', required: true } })).toEqual([
      '/show/related/0/add | `owner` of `answers` is required, and the line asks only for `text`',
    ])
    expect(found({ add: 'text', create: false })).toEqual([
      '/show/related/0/add | no record of the list is created in the console',
    ])
  })
})
