// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { Form, type FormInstance, Input } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PolicyImpact } from '@/pages/policies/policy-groups-field'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
let form: FormInstance

function PolicyForm() {
  form = Form.useForm()[0]
  return (
    <Form form={form}>
      <Form.Item name="kind">
        <Input />
      </Form.Item>
      <PolicyImpact policyId={undefined} groups={['group-1']} />
    </Form>
  )
}

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('PolicyImpact', () => {
  it('asks once the form has its kind and company, and says how many devices another policy keeps', async () => {
    data.custom.mockResolvedValue({
      data: { devices: 12, lost: [{ id: 'policy-1', name: 'Servers first', devices: 5 }] },
    })
    await render(<PolicyForm />, { data, companyId: 'company-1' })
    act(() => form.setFieldsValue({ kind: 'patch' }))
    await screen.findByText(/7 devices/)
    expect(screen.getByText(/Servers first/).textContent).toMatch(/5/)
    for (const [{ payload }] of data.custom.mock.calls as [{ payload: object }][])
      expect(payload).toMatchObject({ kind: 'patch', company: 'company-1', group_ids: ['group-1'] })
  })

  it('shows why the devices could not be counted', async () => {
    data.custom.mockRejectedValue({ message: 'no', statusCode: 403 })
    await render(<PolicyForm />, { data, companyId: 'company-1' })
    act(() => form.setFieldsValue({ kind: 'patch' }))
    expect((await screen.findByRole('status')).textContent).not.toBe('')
  })
})
