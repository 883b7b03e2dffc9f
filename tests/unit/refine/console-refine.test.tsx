// @vitest-environment happy-dom
import {
  type HttpError,
  useCreate,
  useInfiniteList,
  useList,
  useMany,
  useOne,
  useSelect,
} from '@refinedev/core'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

const resource = 'devices'

/** Reads by each hook of Refine, and says which of them failed. */
function Reads() {
  const queries = {
    one: useOne({ resource, id: '1' }).query,
    list: useList({ resource }).query,
    many: useMany({ resource, ids: ['1'] }).query,
    select: useSelect({ resource: 'groups' }).query,
    pages: useInfiniteList({ resource: 'tickets' }).query,
  }
  const failed = Object.entries(queries).flatMap(([name, { isError }]) => (isError ? [name] : []))
  return <output>{failed.join(' ')}</output>
}

it('a failed read of any hook opens no toast', async () => {
  await render(<Reads />, { data: fakeData() })
  expect(await screen.findByText('one list many select pages')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.queryByText(/status code/)).toBeNull()
})

function OwnWords() {
  useOne<{ id: string }, HttpError>({
    resource,
    id: '1',
    errorNotification: { type: 'error', message: 'The device was not read.' },
  })
  return null
}

it('a failed read opens the toast that its hook words itself', async () => {
  await render(<OwnWords />, { data: fakeData() })
  expect(await screen.findByText('The device was not read.')).toBeTruthy()
})

function Write() {
  const { mutate } = useCreate({ resource })
  return (
    <button type="button" onClick={() => mutate({ values: {} })}>
      Add
    </button>
  )
}

it('a failed write opens a toast unless its hook says otherwise', async () => {
  const { user } = await render(<Write />, { data: fakeData() })
  await user.click(screen.getByRole('button', { name: 'Add' }))
  expect(await screen.findByText(/No answer for create/)).toBeTruthy()
})
