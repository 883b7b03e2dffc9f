// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CheckError, OfflineError } from '@/data/errors'
import type { Definition } from '@/resource/definition/definition.generated'
import { RecordForm } from '@/resource/form/record-form'
import { render } from '../../../support/render'

vi.mock('@/ui/leave-guard', () => ({ LeaveGuard: () => null }))

afterEach(cleanup)

const printers: Definition = {
  name: 'printers',
  fields: { name: { type: 'text' }, serial: { type: 'text', required: true, label: { en: 'Serial' } } },
  form: { sections: { main: ['name'] } },
}

async function save(error: Error) {
  const create = vi.fn<() => Promise<{ data: object }>>().mockRejectedValueOnce(error)
  create.mockResolvedValue({ data: { id: '1' } })
  const onSaved = vi.fn()
  const { user } = await render(
    <RecordForm definition={printers} onSaved={onSaved} onCancel={() => undefined} />,
    { companyId: 'acme', data: { create } },
  )
  await user.type(await screen.findByRole('textbox'), 'P1')
  const press = () => user.click(screen.getByRole('button', { name: 'Create' }))
  await press()
  return { press, onSaved }
}
const notice = async () =>
  (await within(document.querySelector('form') as HTMLElement).findByRole('alert')).textContent

describe('an error that no field of the form can show', () => {
  it('is above the form and names the field', async () => {
    const { press, onSaved } = await save(new CheckError('null value in column "serial"', '23502', 'serial'))
    expect(await notice()).toMatch(/^Not savedSerial: .+ This form does not show the field\.$/)
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('P1')
    await press()
    await vi.waitFor(() => expect(onSaved).toHaveBeenCalled())
    expect(screen.queryByText(/does not show the field/)).toBeNull()
  })

  it('is above the form when it is about no field', async () => {
    await save(new OfflineError('Failed to fetch'))
    expect(await notice()).toMatch(/^Not saved./)
  })

  it('leaves the error of a shown field at the field', async () => {
    await save(new CheckError('too long', '23514', 'name'))
    await vi.waitFor(() => expect(document.querySelector('.ant-form-item-explain-error')).toBeTruthy())
    expect(screen.queryByText('Not saved')).toBeNull()
  })
})
