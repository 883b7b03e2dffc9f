// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { formatDateTime } from '@/i18n/format'
import { JoinWatch } from '@/pages/agents/join-watch'
import { liveProvider } from '@/refine/live-provider'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { fakeTopics } from '../../support/live'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

describe('JoinWatch', () => {
  it('waits for the device, and links to it as soon as it has joined', async () => {
    const data = fakeData()
    let devices: object[] = []
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
    const joined = (id: string, marks: object) => ({
      id,
      name: 'PC-1',
      serial: null,
      ip_address: null,
      enrolled_at: '2027-03-12T11:05:00Z',
      ...marks,
    })
    devices = [
      joined('device-1', { serial: '5CD1', ip_address: '10.0.0.8' }),
      joined('device-2', { ip_address: '10.0.0.9' }),
    ]
    topics.tell('company:company-1', { table: 'devices', op: 'insert', ids: ['device-1'] })
    const links = await screen.findAllByRole('link', { name: 'Open PC-1' })
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/devices/device-1', '/devices/device-2'])
    const at = formatDateTime('2027-03-12T11:05:00Z', 'en')
    expect(links.map((link) => link.nextElementSibling?.textContent)).toEqual([
      `5CD1 · 10.0.0.8 · ${at}`,
      `10.0.0.9 · ${at}`,
    ])
  })
})
