// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { ActivityTab } from '@/pages/devices/activity-tab'
import { EngineProvider } from '@/resource/engine-context'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

const entry = (id: number) => ({
  id: String(id),
  at: '2026-11-22T10:00:00Z',
  kind: 'alert',
  title: `Event ${id}`,
  status: null,
  actor: null,
  record_id: null,
  action: null,
  changes: null,
})

function renderTab(data: ReturnType<typeof fakeData>) {
  const scope = { companyId: 'c', setCompanyId: () => undefined, companies: [] }
  return render(
    <SessionContext.Provider value={{ user: { id: 'u' } } as unknown as SessionValue}>
      <CompanyScopeContext.Provider value={scope}>
        <EngineProvider components={{} as never}>
          <ActivityTab record={{ id: 'd', company_id: 'c' }} resource="devices" />
        </EngineProvider>
      </CompanyScopeContext.Provider>
    </SessionContext.Provider>,
    { data },
  )
}

it('reads a page of events, and the next one after its last event', async () => {
  const data = fakeData()
  data.custom.mockImplementation(async ({ payload }) => ({
    data: (payload as { before_id?: string }).before_id
      ? [entry(51)]
      : Array.from({ length: 50 }, (_, index) => entry(index + 1)),
  }))
  const { user } = await renderTab(data)
  await screen.findByText('Event 50')
  expect(data.custom).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: 'Load more' }))
  await screen.findByText('Event 51')
  expect(data.custom.mock.lastCall?.[0]).toMatchObject({
    url: 'rpc/device_timeline',
    payload: { device_id: 'd', before: '2026-11-22T10:00:00Z', before_id: '50' },
  })
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
  await user.click(screen.getByText('Alerts'))
  await eventually(() =>
    expect(data.custom.mock.lastCall?.[0].payload).toEqual({ device_id: 'd', kinds: ['alert'] }),
  )
})

it('shows a field that was emptied before and after, and a new record without a before', async () => {
  const data = fakeData()
  const change = (id: string, action: string, changes: unknown) => ({
    ...entry(1),
    id,
    kind: 'change',
    title: null,
    action,
    changes,
  })
  data.custom.mockResolvedValue({
    data: [
      change('1', 'edit', { maintenance_note: ['Disk swap', null] }),
      change('2', 'create', { name: 'PC-1' }),
    ],
  })
  await renderTab(data)
  const tables = await screen.findAllByRole('table')
  const heads = tables.map((table) =>
    within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent),
  )
  expect(heads).toEqual([
    ['Field', 'Before', 'After'],
    ['Field', 'Value'],
  ])
  expect(within(tables[0] as HTMLElement).getByText('Disk swap')).toBeTruthy()
})
