// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { RecordForm } from '@/resource/screens/form/record-form'
import { fakeData, render } from '../../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'stages',
  fields: {
    name: { type: 'text', label: { en: 'Name' } },
    position: {
      type: 'number',
      required: true,
      min: 0,
      max: 100,
      default: 0,
      sort: true,
      label: { en: 'Position' },
    },
  },
  list: { columns: ['name'], order: 'position' },
  form: { sections: { main: ['name position'] } },
}

async function open(last: Row[], of: { record?: Row; preset?: Row } = {}) {
  const data = fakeData()
  data.getList.mockImplementation((async () => ({ data: last, total: last.length })) as never)
  data.create.mockImplementation((async () => ({ data: { id: '1' } })) as never)
  const { user } = await render(
    <RecordForm definition={definition} {...of} onSaved={() => undefined} onCancel={() => undefined} />,
    { companyId: 'acme', data },
  )
  const position = await screen.findByLabelText<HTMLInputElement>('Position')
  return { user, data, position }
}

it('a new record of a list in an order begins behind the last one, and is saved there', async () => {
  const { user, data, position } = await open([{ id: '9', position: 7 }])
  await waitFor(() => expect(position.value).toBe('8'))
  expect(data.getList.mock.calls[0]?.[0]).toMatchObject({
    sorters: [{ field: 'position', order: 'desc' }],
    pagination: { pageSize: 1 },
    meta: { companyId: 'acme' },
  })
  await user.type(await screen.findByLabelText('Name'), 'Done')
  await user.click(screen.getByRole('button', { name: 'Create' }))
  await waitFor(() => expect(data.create).toHaveBeenCalled())
  expect(data.create.mock.calls[0]).toMatchObject([{ variables: { name: 'Done', position: 8 } }])
})

it('a new record begins with the default in an empty list, and with the largest place behind a full one', async () => {
  const { position } = await open([])
  expect(position.value).toBe('0')
  cleanup()
  const full = await open([{ id: '9', position: 100 }])
  await waitFor(() => expect(full.position.value).toBe('100'))
})

it('a place that the database fills in is left to it', async () => {
  const { position } = definition.fields
  const filled: Definition = {
    ...definition,
    fields: { ...definition.fields, position: { ...position, required: false, filled: true } as never },
  }
  const data = fakeData()
  await render(<RecordForm definition={filled} onSaved={() => undefined} onCancel={() => undefined} />, {
    companyId: 'acme',
    data,
  })
  await screen.findByLabelText('Position')
  expect(data.getList).not.toHaveBeenCalled()
})

it('a place that another page gives stays, and that of an existing record', async () => {
  const given = await open([{ id: '9', position: 7 }], { preset: { position: 3 } })
  expect(given.position.value).toBe('3')
  cleanup()
  const kept = await open([{ id: '9', position: 7 }], {
    record: { id: '1', name: 'A', position: 2, version: 1 },
  })
  expect(kept.position.value).toBe('2')
  expect(kept.data.getList).not.toHaveBeenCalled()
})
