// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { useRecordTitles } from '@/resource/request/query/use-record-titles'
import { fakeData, render } from '../../../../support/render'

afterEach(cleanup)

const references = [
  { resource: 'agents', id: '1' },
  { resource: 'devices', id: '2' },
  { resource: 'groups', id: '3' },
  { resource: 'agents', id: '1' },
  // Names of people are read by those too who may not read accounts.
  { resource: 'users', id: '4' },
]

function Names() {
  const find = useRecordTitles(references, { companyId: 'c', filter: {} })
  return references
    .slice(0, 3)
    .map((reference) => <p key={reference.id}>{JSON.stringify(find(reference))}</p>)
}

it('reads all names at once, each record once and by its table, and says which are gone', async () => {
  const data = fakeData()
  data.custom.mockResolvedValue({
    data: [
      { resource: 'devices', id: '1', fields: { name: 'PC-1' } },
      { resource: 'devices', id: '2', fields: { name: 'PC-2' } },
    ],
  })
  await render(<Names />, { data })
  expect(await screen.findByText('{"name":"PC-1","id":"1"}')).toBeTruthy()
  expect(screen.getByText('{"name":"PC-2","id":"2"}')).toBeTruthy()
  expect(screen.getByText('null')).toBeTruthy()
  expect(data.custom.mock.calls.map(([{ url, payload }]) => [url, payload])).toEqual([
    [
      'rpc/record_titles',
      {
        wanted: {
          devices: { ids: ['1', '2'], fields: ['name'] },
          groups: { ids: ['3'], fields: ['name'] },
          people: { ids: ['4'], fields: ['name'] },
        },
      },
    ],
  ])
})
