import { describe, expect, it } from 'vitest'
import { readableDefinition } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { listRequest } from '@/resource/request/query/list-request'
import { parseListState } from '@/resource/request/query/list-state'
import { sentRequest } from '../../../../support/list-request'

const read = { object: 'license-costs', verb: 'list' }
const licenses: Definition = {
  name: 'licenses',
  fields: {
    name: { type: 'text', search: true, sort: 'name_key' },
    cost: { type: 'number', sort: true, guard: { read } },
    note: { type: 'text', sort: true, guard: { read } },
  },
  list: { columns: ['name', 'cost'] },
}
const find = () => null

describe('a list with hidden fields', () => {
  const request = (query: string, definition = licenses) =>
    sentRequest(
      listRequest(
        definition,
        Object.keys(definition.fields),
        parseListState(new URLSearchParams(query), definition, find),
        { companyId: 'c1', scope: {}, find },
      ),
    )

  it('filters and sorts by the functions that read them', () => {
    const { page, count } = request('cost=10..&sort=-cost')
    expect(page.order).toEqual([
      { column: 'hidden_cost', descending: true },
      { column: 'id', descending: true },
    ])
    for (const { where } of [page, count])
      expect(JSON.stringify(where)).toContain('{"field":"hidden_cost","operator":"gte","value":10}')
    expect(page.select.split(',')).toContain('hidden_cost')
    expect(request('sort=note').page.order[0]?.column).toBe('hidden_note_key')
    const either = request(`where=${JSON.stringify({ _or: [{ cost: { _lt: 5 } }, { name: { _eq: 'x' } }] })}`)
    expect(JSON.stringify(either.page.where)).toContain('"field":"hidden_cost"')
  })

  it('asks the rows of a search for the value that they hold', () => {
    const { page } = request('q=merlin&cost=10..&sort=cost')
    expect(page.order[0]).toEqual({ column: 'cost', descending: false })
    expect(JSON.stringify(page.where)).toContain('{"field":"cost","operator":"gte","value":10}')
  })

  it('asks for nothing of them where they may not be read, whatever an address or a saved view names', () => {
    const mine = readableDefinition(licenses, () => false)
    const sent = JSON.stringify(
      request(`cost=10..&sort=-cost&where=${JSON.stringify({ cost: { _gt: 5 } })}`, mine),
    )
    expect(sent).not.toContain('cost')
  })
})
