// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CreateTokenDialog } from '@/pages/agents/create-token-dialog'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

const data = fakeData()

async function open(companyId: string | null) {
  const onCreated = vi.fn()
  data.getList.mockResolvedValue({ data: [], total: 0 })
  const scope = {
    companyId,
    setCompanyId: () => undefined,
    companies: [{ id: 'c', name: 'Acme' }],
  } as never
  const rendered = await render(
    <CompanyScopeContext.Provider value={scope}>
      <CreateTokenDialog onCreated={onCreated} onClose={() => undefined} />
    </CompanyScopeContext.Provider>,
    { data },
  )
  return { ...rendered, onCreated }
}

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('CreateTokenDialog', () => {
  it('creates the token by its function, and shows it once', async () => {
    data.create.mockResolvedValue({ data: { id: 'token-1', token: 'kt_secret' } } as never)
    const { user, onCreated } = await open('c')
    await user.type(await screen.findByLabelText('Name'), '  Rollout  ')
    await user.click(screen.getByRole('button', { name: 'Create token' }))
    await eventually(() => expect(onCreated).toHaveBeenCalledWith({ id: 'token-1', name: 'Rollout' }))
    expect(data.create.mock.lastCall?.[0]).toMatchObject({
      resource: 'enrollment_tokens',
      variables: {
        company_id: 'c',
        name: 'Rollout',
        group_id: null,
        max_uses: null,
        requires_approval: false,
      },
      meta: { createBy: 'create_enrollment_token' },
    })
    expect(screen.getAllByText(/kt_secret/).length).toBeGreaterThan(0)
  })

  it('asks for a name, and for the company where all are in view', async () => {
    const { user } = await open(null)
    await user.click(await screen.findByRole('button', { name: 'Create token' }))
    await screen.findByText('Choose the company that the devices belong to.')
    await screen.findByText('Enter a name of at most 120 characters.')
    expect(data.create).not.toHaveBeenCalled()
  })

  it('keeps what was typed and says why when it fails, once', async () => {
    data.create.mockRejectedValue(new Error('refused'))
    const { user, onCreated } = await open('c')
    await user.type(await screen.findByLabelText('Name'), 'Rollout')
    await user.click(screen.getByRole('button', { name: 'Create token' }))
    expect((await screen.findAllByRole('alert')).length).toBe(1)
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Rollout')
    expect(onCreated).not.toHaveBeenCalled()
  })
})
