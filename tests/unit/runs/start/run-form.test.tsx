// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ProcedureChoice } from '@/runs/start/procedure-data'
import { RunForm } from '@/runs/start/run-form'
import type { TargetPreset } from '@/runs/targets/target-data'
import type { Target } from '@/runs/targets/targets'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
data.getList.mockResolvedValue({ data: [], total: 0 })
data.custom.mockResolvedValue({ data: 'job-1' })

afterEach(cleanup)
beforeEach(() => data.custom.mockClear())

/** The calls that queue a job, without previews. */
const started = () => data.custom.mock.calls.filter(([asked]) => !asked.url.startsWith('rpc/preview_'))

const device = (name: string, platform: string, more: Partial<Target> = {}): Target => ({
  id: name,
  name,
  company_id: 'c',
  platform,
  status: 'online',
  ...more,
})

const procedure: ProcedureChoice = {
  id: 'p',
  company_id: 'c',
  name: 'Clean up',
  description: null,
  type: 'Batch',
  category: null,
  timeout_seconds: 60,
  platforms: [],
  parameters: [],
}

async function open(on: Target[] | TargetPreset, script = procedure, language: 'en' | 'tr' = 'en') {
  const onStarted = vi.fn()
  const targets = Array.isArray(on) ? { devices: on } : on
  const result = await render(
    <CompanyScopeContext.Provider value={{ companyId: null, setCompanyId: () => undefined, companies: [] }}>
      <RunForm preset={{ procedure: script, targets }} onStarted={onStarted} onClose={() => undefined} />
    </CompanyScopeContext.Provider>,
    { language, data },
  )
  return { ...result, onStarted }
}

describe('RunForm', () => {
  const fleet = [
    device('PC-1', 'windows'),
    device('PC-2', 'windows'),
    device('PC-3', 'windows'),
    device('SRV', 'linux'),
  ]

  it('promises and runs only what can run, and names the others with the reason', async () => {
    const { user, onStarted } = await open(fleet)
    expect(screen.getByRole('alert').textContent).toBe(
      '1 of 4 devices is left out: the script runs on Windows onlySRV',
    )
    expect(screen.queryByRole('button', { name: 'Run on 4 devices' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Run on 3 devices' }))
    await waitFor(() => expect(onStarted).toHaveBeenCalledOnce())
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/run_procedure',
      payload: { procedure_id: 'p', device_ids: ['PC-1', 'PC-2', 'PC-3'], parameters: {} },
    })
    expect(onStarted.mock.lastCall?.[0].targets).toHaveLength(3)
  })

  it('leaves out devices of another company, in Turkish too', async () => {
    await open(
      [device('PC-1', 'windows'), device('PC-9', 'windows', { company_id: 'other' })],
      procedure,
      'tr',
    )
    expect(screen.getByRole('alert').textContent).toBe(
      '1 cihaz kapsam dışındaBetikten başka bir şirkete ait: PC-9',
    )
    expect(screen.getByRole('button', { name: '1 cihazda çalıştır' })).toBeTruthy()
  })

  it('cannot start where no device can run the script', async () => {
    await open([device('SRV', 'linux')])
    expect(screen.getByRole('button', { name: 'Run' })).toHaveProperty('disabled', true)
  })

  it('speaks of offline devices only where one of those it runs on is offline', async () => {
    await open([device('PC-1', 'windows'), device('SRV', 'linux', { status: 'offline' })])
    expect(screen.queryByText(/offline/)).toBeNull()
    cleanup()
    await open([device('PC-1', 'windows', { status: 'offline' })])
    expect(screen.getByText(/1 is offline and starts when it checks in/)).toBeTruthy()
  })

  it('refuses a secret that is too short to be masked', async () => {
    const pin = {
      name: 'pin',
      kind: 'secret',
      label: 'PIN',
      isRequired: true,
      initial: null,
      choices: [],
    } as const
    const { user } = await open([device('PC-1', 'windows')], {
      ...procedure,
      parameters: [{ ...pin, choices: [] }],
    })
    await user.type(screen.getByLabelText('PIN'), '123')
    await user.click(screen.getByRole('button', { name: 'Run on 1 device' }))
    expect(await screen.findByText('PIN must have at least 4 characters.')).toBeTruthy()
    expect(started()).toEqual([])
    await user.type(screen.getByLabelText('PIN'), '4')
    await user.click(screen.getByRole('button', { name: 'Run on 1 device' }))
    await waitFor(() => expect(started()).toHaveLength(1))
  })

  it('has the server find the devices of a filter, of the platforms that can run it, so many at once', async () => {
    const preview = {
      companies: ['c'],
      platforms: [
        { platform: 'linux', devices: 700, offline: 0, names: ['l'] },
        { platform: 'windows', devices: 2400, offline: 7, names: ['w-1', 'w-2'] },
      ],
    }
    data.custom.mockImplementation(async (asked?: { url: string }) => ({
      data: (asked?.url === 'rpc/preview_target' ? preview : 'job-2') as never,
    }))
    const matching = { filter: { status: { _eq: 'online' } }, q: 'pc' }
    const { user, onStarted } = await open({ matching })
    const start = await screen.findByRole('button', { name: 'Run on 2400 devices' })
    expect(screen.getByText(/2,400 devices/)).toBeTruthy()
    expect(screen.getByRole('alert').textContent).toContain(
      '700 of 3,100 devices are left out: the script runs on Windows only',
    )
    await user.type(screen.getByLabelText(/Devices at once/), '50')
    await user.click(start)
    expect(await screen.findByText('Type 2400, the number of devices.')).toBeTruthy()
    await user.type(screen.getByLabelText(/Type 2400 to confirm/), '2400')
    await user.click(start)
    await waitFor(() => expect(onStarted).toHaveBeenCalledOnce())
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/run_on_target',
      payload: {
        target: { kind: 'filter', company_id: 'c', ...matching, platforms: ['windows'] },
        call: 'run_procedure',
        args: { procedure_id: 'p', max_running: 50 },
      },
    })
  })
})
