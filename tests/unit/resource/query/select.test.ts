import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/definition/definition.generated'
import { buildSelect } from '@/resource/query/select'

const licenses: Definition = {
  name: 'licenses',
  title: '{name}',
  fields: {
    name: { type: 'text' },
    cost: { type: 'money', currency: '$record.currency' },
    fee: { type: 'money', currency: 'TRY' },
    currency: { type: 'text' },
  },
}
const columns = (...fields: string[]) => buildSelect(licenses, fields, () => null).split(',')

describe('what a list reads', () => {
  it('brings along the field without which a value cannot be shown', () => {
    expect(columns('cost')).toContain('currency')
    expect(columns('fee')).not.toContain('currency')
  })
})
