// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Can } from '@/access/policy'
import { DeniedError } from '@/data/errors'
import { findDefinition } from '@/resource/language/registry'
import { RelatedList } from '@/resource/screens/show/related-list'
import { fakeData, render } from '../../../../support/render'

const ITEM = {
  id: 'i1',
  company_id: 'acme',
  ticket_id: 't1',
  text: 'Order a cable',
  done: false,
  done_by_name: null,
  done_at: null,
  position: 1,
  version: 4,
}
const tickets = findDefinition('tickets')
const related = { resource: 'ticket_checklist_items', by: 'ticket_id', tick: 'done', add: 'text' }

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

async function show({ rows = [ITEM], can }: { rows?: object[]; can?: Can } = {}) {
  if (!tickets) throw new Error('no definition of tickets')
  const data = fakeData()
  data.getList.mockImplementation(async () => ({ data: rows as { id: string }[], total: rows.length }))
  const shown = await render(
    <RelatedList definition={tickets} related={related} record={{ id: 't1', company_id: 'acme' }} />,
    { data, companyId: 'acme', ...(can ? { can } : {}) },
  )
  return { ...shown, data }
}

const box = () => screen.findByRole<HTMLInputElement>('checkbox', { name: 'Done: Order a cable' })

it('a box before the record is set in place, under the version that is shown', async () => {
  const { user, data } = await show()
  let save: () => void = () => undefined
  data.update.mockImplementation(
    () =>
      new Promise((resolve) => {
        save = () => resolve({ data: { ...ITEM, done: true } })
      }),
  )
  const shown = await box()
  expect(shown.checked).toBe(false)
  shown.focus()
  await user.keyboard(' ')
  expect(data.update).toHaveBeenCalledWith(
    expect.objectContaining({
      id: 'i1',
      variables: { done: true },
      meta: expect.objectContaining({ version: 4 }),
    }),
  )
  expect((await box()).checked).toBe(true)
  expect(document.activeElement).toBe(await box())
  save()
  // The answer of this test still says no.
  await waitFor(async () => expect((await box()).checked).toBe(false))
})

it('there is one box a row, and no column that says the same', async () => {
  await show()
  await box()
  expect(screen.getAllByRole('checkbox')).toHaveLength(1)
  expect(screen.getAllByRole('columnheader', { name: 'Done' })).toHaveLength(1)
})

it('a box that failed to save goes back and says why', async () => {
  const { user, data } = await show()
  data.update.mockRejectedValue(new DeniedError('no', 'role'))
  await user.click(await box())
  expect(await screen.findByText(/was not saved/)).toBeTruthy()
  expect((await box()).checked).toBe(false)
})

it('whoever may not edit the record reads the box, and gets no line', async () => {
  await show({
    can: (_object, verb) => (verb === 'list' ? { allowed: true } : { allowed: false, reason: 'role' }),
  })
  expect((await box()).disabled).toBe(true)
  expect(screen.queryByRole('textbox', { name: 'Add checklist item' })).toBeNull()
})

it('the line adds a record by its text and waits for the next one', async () => {
  const { user, data } = await show()
  data.create.mockResolvedValue({ data: { id: 'i2' } })
  const line = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Add checklist item' })
  await user.type(line, '  Test it  {Enter}')
  expect(data.create).toHaveBeenCalledWith(
    expect.objectContaining({ variables: { text: 'Test it', ticket_id: 't1', company_id: 'acme' } }),
  )
  await waitFor(() => expect(line.value).toBe(''))
  expect(document.activeElement).toBe(line)
  expect(screen.queryByRole('button', { name: /^New/ })).toBeNull()
})

it('the line keeps what was refused, and adds nothing without text', async () => {
  const { user, data } = await show()
  const line = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Add checklist item' })
  await user.type(line, '   {Enter}')
  expect(data.create).not.toHaveBeenCalled()
  data.create.mockRejectedValue(new DeniedError('no', 'role'))
  await user.type(line, 'Cable{Enter}')
  expect((await screen.findByRole('alert')).textContent).toMatch(/role/)
  expect(line.value.trim()).toBe('Cable')
})
