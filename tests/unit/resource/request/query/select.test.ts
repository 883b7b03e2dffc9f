import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { buildSelect } from '@/resource/request/query/select'

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

  it('brings along what decides over the color of a value', () => {
    const loans: Definition = {
      name: 'loans',
      fields: {
        due_on: { type: 'date', warn_days: 3, color_when: { returned_on: { _null: true } } },
        returned_on: { type: 'date' },
      },
    }
    expect(buildSelect(loans, ['due_on'], () => null).split(',')).toContain('returned_on')
  })
})

describe('several relations to one table', () => {
  const rooms: Definition = { name: 'rooms', fields: { name: { type: 'text' } } }
  const moves = (fields: Definition['fields']): Definition => ({ name: 'moves', fields })
  const embeds = (definition: Definition) =>
    buildSelect(definition, Object.keys(definition.fields), () => rooms)
      .split(/,(?![^(]*\))/)
      .filter((part) => part.includes('('))

  it('are named by their keys, one alone by its table', () => {
    const to: Definition['fields'][string] = { type: 'relation', to: 'rooms' }
    expect(embeds(moves({ from_id: to, to_id: to }))).toEqual([
      'from_id_row:rooms!moves_from_id_fkey(id,name)',
      'to_id_row:rooms!moves_to_id_fkey(id,name)',
    ])
    expect(embeds(moves({ to_id: to }))).toEqual(['to_id_row:rooms(id,name)'])
  })
})

describe('a relation to its own resource', () => {
  it('is read apart: PostgREST would bring the records that point here', () => {
    const jobs: Definition = {
      name: 'jobs',
      fields: { name: { type: 'text' }, retry_of: { type: 'relation', to: 'jobs' } },
    }
    expect(buildSelect(jobs, ['name', 'retry_of'], () => jobs)).toBe('id,name,retry_of,company_id,version')
  })
})
