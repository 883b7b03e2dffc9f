// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { afterEach, expect, it } from 'vitest'
import { RunProcedureDialog } from '@/runs/start/run-procedure-dialog'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { fakeData, render } from '../../../support/render'

afterEach(cleanup)

const scope = { companyId: null, setCompanyId: () => undefined, companies: [] }

const open = (data: ReturnType<typeof fakeData>, resource: string, ...ids: string[]) =>
  render(
    <CompanyScopeContext.Provider value={scope}>
      <RunProcedureDialog records={ids.map((id) => ({ id }))} resource={resource} onClose={() => undefined} />
    </CompanyScopeContext.Provider>,
    { data },
  )

const device = (id: string) => ({ id, name: `PC-${id}`, company_id: 'c', status: 'online' })

it('opens with the devices it was opened for', async () => {
  const data = fakeData()
  data.getList.mockResolvedValue({ data: [], total: 0 })
  data.getMany.mockResolvedValue({ data: [device('2'), device('1')] } as never)
  await open(data, 'devices', '1', '2')
  expect(await screen.findByText(/^2 devices/)).toBeTruthy()
})

it('opens with groups, whose members the server counts', async () => {
  const data = fakeData()
  data.getList.mockImplementation(async ({ resource }) =>
    resource === 'groups'
      ? {
          data: [
            { id: 'a', name: 'Servers' },
            { id: 'b', name: 'Offices' },
          ] as never,
          total: 2,
        }
      : { data: [], total: 0 },
  )
  data.custom.mockResolvedValue({
    data: {
      companies: ['c'],
      platforms: [{ platform: 'linux', devices: 1500, offline: 0, names: ['PC-1'] }],
    },
  } as never)
  await open(data, 'groups', 'a', 'b')
  expect(await screen.findByText(/^1,500 devices/)).toBeTruthy()
  expect(screen.getByText('Servers, Offices')).toBeTruthy()
  expect(data.custom.mock.lastCall?.[0]).toMatchObject({
    url: 'rpc/preview_target',
    payload: { target: { kind: 'groups', group_ids: ['a', 'b'] } },
  })
})

it('opens with all its words, so that nothing hides it and takes the focus later', async () => {
  const data = fakeData()
  data.getList.mockResolvedValue({ data: [], total: 0 })
  let arrive = () => {}
  const come = new Promise<void>((done) => {
    arrive = done
  })
  await render(
    <CompanyScopeContext.Provider value={scope}>
      <Suspense fallback={<p>Waiting</p>}>
        <RunProcedureDialog records={[]} resource="devices" onClose={() => undefined} />
      </Suspense>
    </CompanyScopeContext.Provider>,
    { wordsLater: { names: ['devices', 'jobs', 'access'], come }, data },
  )
  expect(screen.getByText('Waiting')).toBeTruthy()
  arrive()
  expect(await screen.findByRole('dialog', { name: 'Run a script' })).toBeTruthy()
  expect(screen.queryByText('Waiting')).toBeNull()
})
