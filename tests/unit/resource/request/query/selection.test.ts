// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { parseListState } from '@/resource/request/query/list-state'
import { useSelection } from '@/resource/request/query/use-list-setup'

const printers: Definition = {
  name: 'printers',
  title: '{serial}',
  fields: {
    serial: { type: 'text', search: true, sort: true },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, filter: true },
  },
  list: { columns: ['serial', 'status'] },
}
const one = { id: '1', serial: 'A' }
const two = { id: '2', serial: 'B' }

function selectionIn(query: string, visible = [one, two]) {
  const props = (address: string, rows: readonly { id: string }[]) => ({
    definition: printers,
    state: parseListState(new URLSearchParams(address), printers, () => null),
    extra: undefined,
    visible: rows,
  })
  const { result, rerender } = renderHook(useSelection, { initialProps: props(query, visible) })
  return {
    result,
    show: (address: string, rows: readonly { id: string }[] = visible) => rerender(props(address, rows)),
  }
}

it.each([
  ['another page', 'page=2'],
  ['a search', 'q=B'],
  ['another order', 'sort=-serial'],
])('a selection survives %s, and says how many of its rows are not shown', (_, address) => {
  const { result, show } = selectionIn('')
  act(() => result.current.toggleAll())
  expect(result.current).toMatchObject({ rows: [one, two], unseen: 0 })
  show(address, [two])
  expect(result.current).toMatchObject({ rows: [one, two], unseen: 1 })
})

it('a selection ends with the filter of its list, and does not come back with it', () => {
  const { result, show } = selectionIn('')
  act(() => result.current.toggle(one))
  show('status=retired', [two])
  expect(result.current).toMatchObject({ rows: [], unseen: 0 })
  show('', [one, two])
  expect(result.current.rows).toEqual([])
})
