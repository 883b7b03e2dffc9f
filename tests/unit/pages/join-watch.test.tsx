// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { JoinWatch } from '@/pages/agents/join-watch'
import { liveProvider } from '@/refine/live-provider'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { fakeTopics } from '../../support/live'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

describe('JoinWatch', () => {
  it('waits for the device, and links to it as soon as it has joined', async () => {
    const data = fakeData()
    let devices: { id: string; name: string }[] = []
    data.getList.mockImplementation(async ({ resource }) =>
      resource === 'devices' ? { data: devices, total: devices.length } : { data: [], total: 0 },
    )
    const topics = fakeTopics()
    const scope = { companyId: 'company-1', setCompanyId: () => undefined, companies: [] }
    await render(
      <CompanyScopeContext.Provider value={scope}>
        <JoinWatch token={{ id: 'token-1', name: 'Rollout' }} />
      </CompanyScopeContext.Provider>,
      { data, liveProvider },
    )
    await screen.findByText(/^Waiting for the first device/)
    devices = [{ id: 'device-1', name: 'PC-1' }]
    topics.tell('company:company-1', { table: 'devices', op: 'insert', ids: ['device-1'] })
    const link = await screen.findByRole('link', { name: 'Open PC-1' })
    expect(link.getAttribute('href')).toBe('/devices/device-1')
  })
})
