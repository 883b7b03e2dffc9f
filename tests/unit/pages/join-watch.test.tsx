// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { act } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type LiveChange, watchCompany } from '@/data/live'
import { countPending, readJoined } from '@/pages/agents/agent-data'
import { JoinWatch } from '@/pages/agents/join-watch'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { render } from '../../support/render'

vi.mock('@/pages/agents/agent-data')
vi.mock('@/data/live', async (load) => ({ ...(await load<object>()), watchCompany: vi.fn() }))

afterEach(cleanup)

describe('JoinWatch', () => {
  it('waits for the device, and links to it as soon as it has joined', async () => {
    vi.mocked(readJoined).mockResolvedValueOnce({ devices: [], total: 0 })
    vi.mocked(readJoined).mockResolvedValue({ devices: [{ id: 'device-1', name: 'PC-1' }], total: 1 })
    vi.mocked(countPending).mockResolvedValue(0)
    let tell: (change: LiveChange) => void = () => undefined
    vi.mocked(watchCompany).mockImplementation((_topic, listener) => {
      tell = listener
      return () => undefined
    })
    const scope = { companyId: 'company-1', setCompanyId: () => undefined, companies: [] }
    await render(
      <CompanyScopeContext.Provider value={scope}>
        <JoinWatch token={{ id: 'token-1', name: 'Rollout' }} />
      </CompanyScopeContext.Provider>,
    )
    await screen.findByText(/^Waiting for the first device/)
    act(() => tell({ table: 'devices', op: 'insert', ids: ['device-1'], own: false }))
    const link = await screen.findByRole('link', { name: 'Open PC-1' })
    expect(link.getAttribute('href')).toBe('/devices/device-1')
  })
})
