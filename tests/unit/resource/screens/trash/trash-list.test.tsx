// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { TrashList } from '@/resource/screens/trash/trash-list'
import { fakeData, render } from '../../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'tickets',
  title: '#{number} · {subject}',
  trash: true,
  fields: { number: { type: 'number' }, subject: { type: 'text' } },
}
const TRASHED = {
  id: '5b1d0f0e-0000-4000-8000-000000000009',
  company_id: 'acme',
  deleted_at: new Date().toISOString(),
  ends_at: new Date(Date.now() + 86_400_000).toISOString(),
  deleted_name: 'Ada',
  record: { number: 7, subject: 'Printer' },
  total: 1,
}

/** The trash holds one ticket until it is deleted for good; the list is read again when the test says so. */
async function trash() {
  const data = fakeData()
  let isPurged = false
  let answer = () => {}
  const reread = new Promise<void>((resolve) => {
    answer = resolve
  })
  data.custom.mockImplementation(async ({ url }) => {
    if (url === 'rpc/purge_records') {
      isPurged = true
      return { data: [{ id: TRASHED.id, outcome: 'deleted', reason: null }] }
    }
    if (isPurged) await reread
    return { data: isPurged ? [] : [TRASHED] }
  })
  const { user } = await render(<TrashList definition={definition} />, { companyId: 'acme', data })
  await screen.findByText('#7 · Printer')
  const confirm = async (name: string) => {
    await user.click(screen.getByRole('button', { name: name === 'Empty trash' ? name : /^Delete forever/ }))
    const buttons = await screen.findAllByRole('button', { name })
    await user.click(buttons.at(-1) as HTMLElement)
  }
  return { confirm, answer: () => answer() }
}

it('the emptied trash of one ticket is said to be empty, without a title that was not read', async () => {
  const { confirm, answer } = await trash()
  answer()
  await confirm('Empty trash')
  expect(await screen.findByText('The trash was emptied')).toBeTruthy()
  expect(screen.queryByText(/was deleted for good/)).toBeNull()
})

it('a ticket is out of the list before it is said to be deleted for good', async () => {
  const { confirm, answer } = await trash()
  await confirm('Delete forever')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(screen.queryByText(/was deleted for good/)).toBeNull()
  answer()
  expect(await screen.findByText('#7 · Printer was deleted for good')).toBeTruthy()
  expect(screen.queryByText('#7 · Printer')).toBeNull()
})

it('records are found by a search, and all that are shown are restored at once', async () => {
  const data = fakeData()
  const two = [
    TRASHED,
    { ...TRASHED, id: TRASHED.id.replace(/9$/, '8'), record: { number: 8, subject: 'Phone' } },
  ]
  const restored = vi.fn()
  data.custom.mockImplementation(async ({ url, payload }) => {
    const asked = payload as { q?: string; ids?: string[] }
    if (url === 'rpc/restore_records') {
      restored(asked.ids)
      return { data: asked.ids?.map((id) => ({ id, outcome: 'changed', reason: null })) }
    }
    const found = two.filter(({ record }) => record.subject.includes(asked.q ?? ''))
    return { data: found.map((each) => ({ ...each, total: found.length })) }
  })
  const { user } = await render(<TrashList definition={definition} />, { companyId: 'acme', data })
  await screen.findByText('#8 · Phone')
  await user.click(screen.getByRole('checkbox', { name: 'Select all that are shown' }))
  expect(screen.getByText('2 selected')).toBeTruthy()
  await user.type(screen.getByRole('searchbox'), 'Printer')
  await waitFor(() => expect(screen.queryByText('#8 · Phone')).toBeNull())
  expect(screen.queryByRole('button', { name: 'Empty trash' })).toBeNull()
  // Only what is shown is restored.
  await user.click(screen.getByRole('button', { name: 'Restore' }))
  await waitFor(() => expect(restored).toHaveBeenCalledWith([TRASHED.id]))
})
