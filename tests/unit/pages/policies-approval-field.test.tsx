// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { Form } from 'antd'
import { afterEach, describe, expect, it } from 'vitest'
import { ApprovalField } from '@/pages/policies/approval-field'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { fakeData, render } from '../../support/render'

const data = fakeData()
afterEach(cleanup)

const open = (count: number, value = true) => {
  data.custom.mockReset()
  data.custom.mockResolvedValue({ data: count } as never)
  const props = { value, record: {}, id: 'needs_approval' } as unknown as Parameters<typeof ApprovalField>[0]
  return render(
    <CompanyScopeContext.Provider value={{ companyId: 'c', setCompanyId: () => undefined, companies: [] }}>
      <Form>
        <ApprovalField {...props} />
      </Form>
    </CompanyScopeContext.Provider>,
    { data },
  )
}

describe('ApprovalField', () => {
  it('says how many may approve', async () => {
    await open(3)
    expect(await screen.findByText('3 people in the company may approve scripts.')).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/count_approvers',
      payload: { company: 'c' },
    })
  })

  it('warns where there is no second person, or nobody', async () => {
    await open(1)
    expect((await screen.findByRole('alert')).textContent).toMatch(/Only one person/)
    cleanup()
    await open(0)
    expect((await screen.findByRole('alert')).textContent).toMatch(/Nobody in the company/)
  })

  it('asks nothing while no approval is needed', async () => {
    await open(1, false)
    expect(screen.queryByRole('alert')).toBeNull()
    expect(data.custom).not.toHaveBeenCalled()
  })
})
