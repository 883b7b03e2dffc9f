import { describe, expect, it } from 'vitest'
import type { Children, Definition } from '@/resource/language/definition.generated'
import { inspectReferences } from '@/resource/language/inspect/references'

const contracts: Definition = { name: 'contracts', fields: { name: { type: 'text' } } }
const lines: Definition = {
  name: 'lines',
  fields: {
    contract_id: { type: 'relation', to: 'contracts', required: true },
    label: { type: 'text', required: true },
    amount: { type: 'number', required: true, default: 1 },
    made_at: { type: 'datetime', readonly: true },
  },
}
const inspect = (children: Partial<Children>) =>
  inspectReferences(
    { ...contracts, form: { children: [{ resource: 'lines', by: 'contract_id', ...children }] } },
    { find: (name) => ({ contracts, lines })[name] ?? null, names: ['contracts', 'lines'] },
  ).map(({ pointer, message, hint }) => [pointer, message, hint].filter(Boolean).join(' | '))

describe('the children that a form edits', () => {
  it('may be all fields of their form, or some', () => {
    expect(inspect({})).toEqual([])
    expect(inspect({ fields: ['label'] })).toEqual([])
  })

  it('are looked up', () => {
    expect(inspect({ resource: 'line' })).toEqual([
      '/form/children/0/resource | no resource `line` | Did you mean `lines`?',
    ])
    expect(inspect({ by: 'label' })[0]).toContain('`label` of `lines` is not a relation')
    expect(inspect({ fields: ['lable', 'label'] })).toEqual([
      '/form/children/0/fields/0 | `lines` has no field `lable` | Did you mean `label`?',
    ])
  })

  it('can be edited and created there', () => {
    expect(inspect({ fields: ['label', 'made_at'] })[0]).toContain(
      '`made_at` of `lines` cannot be edited here',
    )
    expect(inspect({ fields: ['label', 'contract_id'] })[0]).toContain('It follows from the record itself')
    expect(inspect({ fields: ['amount'] })).toEqual([
      '/form/children/0/fields | `lines` requires `label`, which is not among the fields: nothing could be added | Add "label".',
    ])
  })
})
