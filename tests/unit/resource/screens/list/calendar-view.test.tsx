// @vitest-environment happy-dom
import type { BaseRecord, GetListParams } from '@refinedev/core'
import { cleanup, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { parseListState } from '@/resource/request/query/list-state'
import { CalendarView } from '@/resource/screens/list/layouts/calendar-view'
import { fakeData, render } from '../../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'loans',
  title: '{name}',
  fields: {
    name: { type: 'text' },
    lent_on: { type: 'date', sort: true },
    returned_on: { type: 'date' },
    state: { type: 'enum', values: { fine: 'green', late: 'red' } },
  },
  list: {
    columns: ['name'],
    calendar: { from: 'lent_on', color: 'state', done_when: { returned_on: { _null: false } } },
  },
} as Definition

function Calendar() {
  const [state, setState] = useState({
    ...parseListState(new URLSearchParams(), definition, findDefinition),
    at: '2031-03',
  })
  return (
    <CalendarView
      definition={definition}
      words={useWords(definition)}
      columns={[]}
      state={state}
      scope={{ companyId: 'acme', filter: {} }}
      extra={undefined}
      runner={undefined as never}
      linkState={null}
      onHover={() => undefined}
      onChange={(change) => setState({ ...state, ...change } as typeof state)}
      rowMenu={null}
    />
  )
}

it('a month is said to be loading until it has been read, also after another one', async () => {
  const data = fakeData()
  const answers: ((rows: BaseRecord[]) => void)[] = []
  data.getList.mockImplementation(
    (_question: GetListParams) =>
      new Promise((resolve) => {
        answers.push((rows) =>
          resolve({ data: rows, total: rows.length, hasNext: false, hasPrevious: false } as never),
        )
      }),
  )
  const { user } = await render(<Calendar />, { companyId: 'acme', data })
  expect(await screen.findByText('March 2031', { selector: 'h2' })).toBeTruthy()
  expect(screen.getByText('Loading…', { exact: false })).toBeTruthy()
  expect(screen.queryByRole('table')).toBeNull()
  answers[0]?.([{ id: '1', name: 'Laptop', lent_on: '2031-03-31' }])
  expect(await screen.findByText('Laptop')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Next month' }))
  expect(await screen.findByText('April 2031', { selector: 'h2' })).toBeTruthy()
  expect(screen.queryByRole('table')).toBeNull()
  answers[1]?.([])
  expect(await screen.findByRole('table')).toBeTruthy()
})

it('a record has the color of its state, which is said in words, and one that is done has none', async () => {
  const data = fakeData()
  const loans = [
    { id: '1', name: 'Laptop', lent_on: '2031-03-31', state: 'fine', returned_on: null },
    { id: '2', name: 'Camera', lent_on: '2031-03-31', state: 'late', returned_on: null },
    { id: '3', name: 'Cable', lent_on: '2031-03-31', state: 'late', returned_on: '2031-04-02' },
  ]
  data.getList.mockResolvedValue({ data: loans, total: 3, hasNext: false, hasPrevious: false } as never)
  await render(<Calendar />, { companyId: 'acme', data })
  const item = async (name: string) => (await screen.findByText(name)).closest('li') as HTMLElement
  const [laptop, camera, cable] = [await item('Laptop'), await item('Camera'), await item('Cable')]
  expect(laptop.dataset).toMatchObject({ tone: 'success', done: 'false' })
  expect(laptop.title).toBe('Laptop · Fine')
  expect(within(laptop).getByText('Fine').className).toBe('k-visually-hidden')
  expect(camera.dataset).toMatchObject({ tone: 'error', done: 'false' })
  expect(within(camera).getByText('Late').className).toBe('k-calendar-state')
  expect(cable.dataset).toMatchObject({ done: 'true' })
  expect(cable.dataset.tone).toBeUndefined()
  expect(within(cable).getByText('Late, Done').className).toBe('k-visually-hidden')
  expect(JSON.stringify(data.getList.mock.calls[0])).toMatch(/state.*returned_on|returned_on.*state/)
})
