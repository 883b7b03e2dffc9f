// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findDefinition } from '@/resource/language/registry'
import { RecordForm } from '@/resource/screens/form/record-form'
import { eventually } from '../../../support/eventually'
import { render } from '../../../support/render'

vi.mock('@/ui/leave-guard', () => ({ LeaveGuard: () => null }))

afterEach(cleanup)

const CATEGORY = '8d7f0c9e-0000-4000-8000-000000000001'
const QUESTIONS = [
  { key: 'seats', label: 'Seats', kind: 'text', required: true },
  { key: 'room', label: 'Room', kind: 'text' },
  { key: 'agreed', label: 'Approved by my manager', kind: 'checkbox', required: true },
]

async function form() {
  const tickets = findDefinition('tickets')
  if (!tickets) throw new Error('there are tickets')
  const create = vi.fn(async () => ({ data: { id: '1' } }))
  const getMany = vi.fn(async () => ({ data: [{ id: CATEGORY, name: 'Access', fields: QUESTIONS }] }))
  const definition = { ...tickets, form: { sections: { main: ['subject', 'answers'] } } }
  const { user } = await render(
    <RecordForm
      definition={definition}
      preset={{ category_id: CATEGORY }}
      onSaved={() => undefined}
      onCancel={() => undefined}
    />,
    { companyId: 'acme', data: { create, getMany } as never },
  )
  await screen.findByRole('textbox', { name: /Seats/ })
  return { user, create, press: () => user.click(screen.getByRole('button', { name: 'Create' })) }
}

const errors = () =>
  [...document.querySelectorAll('.ant-form-item-explain-error')].map((each) => each.textContent)

describe('the questions of a form', () => {
  it('are marked with the other fields at the first press, each beside its own control', async () => {
    const { user, create, press } = await form()
    expect(errors()).toEqual([])
    await press()
    await eventually(() =>
      expect(errors()).toEqual([
        'Required: Subject.',
        'Answer this question.',
        'Answer this question.',
        'Answer the marked questions.',
      ]),
    )
    const seats = screen.getByRole('textbox', { name: /Seats/ })
    const marked = () =>
      ['Seats', 'Room', 'Approved'].map((name) =>
        screen.getByLabelText(new RegExp(name)).getAttribute('aria-invalid'),
      )
    expect(marked()).toEqual(['true', 'false', 'true'])
    await user.type(seats, '4')
    await eventually(() => expect(marked()).toEqual(['false', 'false', 'true']))
    expect(create).not.toHaveBeenCalled()
  })

  it('have the mark of a required field that the form has', async () => {
    await form()
    const marked = [...document.querySelectorAll('.ant-form-item-required')].map((each) => each.textContent)
    expect(marked).toEqual(['Subject', 'Seats'])
    expect(document.querySelector('.k-required')?.textContent).toBe('Approved by my manager')
  })
})
