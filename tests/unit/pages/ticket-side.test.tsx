// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Can } from '@/access/policy'
import { DeniedError, OfflineError } from '@/data/errors'
import { DevicePanel } from '@/pages/tickets/device-panel'
import { RequesterPanel } from '@/pages/tickets/requester-panel'
import { RunsPanel } from '@/pages/tickets/runs-panel'
import type { TicketSide } from '@/pages/tickets/ticket-side'
import { render } from '../../support/render'

afterEach(cleanup)

const record = {
  id: '10000000-0000-4000-8000-000000000000',
  company_id: 'acme',
  requester_name: 'Ayşe',
  device_id: '20000000-0000-4000-8000-000000000000',
}
const EMPTY: TicketSide = {
  requester: null,
  tickets: [],
  devices: [],
  device: null,
  alerts: [],
  runs: [],
  jobs: [],
}
const DEVICE: NonNullable<TicketSide['device']> = {
  id: record.device_id,
  name: 'ANKARA-PC-27',
  status: 'online',
  platform: 'linux',
  os: 'Ubuntu',
  ip_address: null,
  logged_in_user: null,
  open_alerts: 1,
  last_seen: null,
}

function show(
  panels: 'device' | 'all',
  answer: () => Promise<TicketSide>,
  { of = record, can }: { of?: object; can?: Can } = {},
) {
  const asked = { ...record, ...of }
  return render(
    <>
      <DevicePanel record={asked} resource="tickets" />
      {panels === 'all' ? (
        <>
          <RequesterPanel record={asked} resource="tickets" />
          <RunsPanel record={asked} resource="tickets" />
        </>
      ) : null}
    </>,
    {
      companyId: 'acme',
      data: { custom: async () => ({ data: await answer() }) } as never,
      ...(can ? { can } : {}),
    },
  )
}

it('says nothing of the device before the answer', async () => {
  await show('device', () => new Promise(() => undefined))
  expect(screen.queryByText(/No device|may not see/)).toBeNull()
  expect(screen.queryByRole('button', { name: /Run/ })).toBeNull()
})

it('says why it is denied', async () => {
  await show('device', async () => {
    throw new DeniedError('no', 'role')
  })
  expect(await screen.findByText(/Your role does not/)).toBeTruthy()
})

it('reads again after an error', async () => {
  let fails = true
  const { user } = await show('device', async () => {
    if (fails) throw new OfflineError('Failed to fetch')
    return { ...EMPTY, device: DEVICE }
  })
  const retry = await screen.findByRole('button', { name: /try again/i })
  fails = false
  await user.click(retry)
  expect(await screen.findByText('Online')).toBeTruthy()
})

it('tells a ticket without device, requester and runs from one whose device is hidden', async () => {
  await show('all', async () => EMPTY, { of: { device_id: null, requester_name: null } })
  expect(await screen.findByText('No device is chosen.')).toBeTruthy()
  expect(await screen.findByText('Nobody')).toBeTruthy()
  expect(screen.getByText('Nothing was run from this ticket yet.')).toBeTruthy()
  cleanup()
  await show('device', async () => EMPTY)
  expect(await screen.findByText('You may not see this device.')).toBeTruthy()
})

it('shows all of it in one request', async () => {
  let count = 0
  await show('all', async () => {
    count++
    return {
      requester: { id: '3', name: 'Ayşe', email: 'ayse@acme.test' },
      tickets: [
        {
          id: '4',
          number: 7,
          subject: 'Toner',
          status: 'new',
          status_name: 'Yeni',
          status_color: '#7a5cc0',
          created_at: '2026-01-01T00:00:00Z',
        },
      ],
      devices: [{ id: '5', name: 'ANKARA-PC-01', status: 'offline' }],
      device: DEVICE,
      alerts: [{ id: '6', message: 'Disk full', severity: 'critical', opened_at: '2026-01-01T00:00:00Z' }],
      runs: [{ id: '8', job_id: '9', name: 'Clean up', status: 'failed', queued_at: '2026-01-01T00:00:00Z' }],
      jobs: [
        {
          id: '10',
          name: 'uptime',
          outcome: 'running',
          run_status: 'queued',
          total: 1,
          succeeded: 0,
          failed: 0,
          created_at: '2026-01-01T00:00:00Z',
        },
      ],
    }
  })
  for (const name of ['#7 Toner', 'ANKARA-PC-01', 'Disk full', 'Clean up', 'uptime'])
    expect(await screen.findByRole('link', { name })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'ayse@acme.test' }).getAttribute('href')).toBe(
    'mailto:ayse@acme.test',
  )
  // A ticket by the company's own status, a task on one device by its run.
  expect(screen.getByText('Yeni')).toBeTruthy()
  expect(screen.getByText('Queued')).toBeTruthy()
  expect(count).toBe(1)
})

it('offers no run to whoever may start none', async () => {
  const can: Can = (_object, verb) =>
    verb === 'run' ? { allowed: false, reason: 'role' } : { allowed: true }
  await show('device', async () => ({ ...EMPTY, device: DEVICE }), { can })
  await waitFor(() => expect(screen.getByRole('button', { name: 'Remote session' })).toBeTruthy())
  expect(screen.queryByRole('button', { name: 'Run command' })).toBeNull()
})
