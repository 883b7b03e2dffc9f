// @vitest-environment happy-dom
import type { LiveEvent, LiveProvider } from '@refinedev/core'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { act } from 'react'
import { afterEach, expect, it } from 'vitest'
import { TerminalTab } from '@/pages/devices/terminal-tab'
import { eventually } from '../../../support/eventually'
import { fakeData, render } from '../../../support/render'

afterEach(cleanup)

const device = { id: 'd', company_id: 'c', name: 'PC-1', platform: 'linux', status: 'online' }
const run = (status: string, more: object = {}) => ({
  id: 'r',
  company_id: 'c',
  job_id: 'j',
  device_id: 'd',
  status,
  attempt: 1,
  queued_at: '2026-11-22T10:00:00Z',
  started_at: '2026-11-22T10:00:00Z',
  finished_at: status === 'running' ? null : '2026-11-22T10:00:02Z',
  exit_code: null,
  error: null,
  cancel_requested_at: null,
  output: 'up 3 days\n',
  device: { id: 'd', name: 'PC-1', status: 'online' },
  ...more,
})

const listeners = new Set<(event: LiveEvent) => void>()
const liveProvider: LiveProvider = {
  subscribe: ({ callback }) => {
    listeners.add(callback)
    return callback
  },
  unsubscribe: (callback) => listeners.delete(callback),
}
/** Tells every listener that runs have changed. */
const tellRuns = () => {
  const change = { table: 'job_runs', op: 'update', ids: [], own: false }
  for (const listener of listeners)
    listener({ channel: '', type: 'updated', date: new Date(), payload: { ids: [], change } })
}

async function open(record: Record<string, unknown> = device) {
  const data = fakeData()
  data.custom.mockResolvedValue({ data: 'j' })
  data.getList.mockResolvedValue({ data: [run('running')], total: 1 })
  const rendered = await render(<TerminalTab record={record} resource="devices" />, {
    data,
    companyId: 'c',
    liveProvider,
  })
  return { ...rendered, data, prompt: screen.getByRole('textbox', { name: 'Command' }) }
}
const called = (data: ReturnType<typeof fakeData>) =>
  data.custom.mock.calls
    .map(([{ url, payload }]) => [url, payload])
    .filter(([url]) => url !== 'rpc/keep_terminal')

it('runs a command with Enter, shows what it prints, and stops it with Ctrl+C', async () => {
  const { user, data, prompt } = await open()
  await user.type(prompt, 'uptime{Enter}')
  expect(called(data)).toEqual([
    ['rpc/run_in_terminal', { type: 'Bash', command: 'uptime', device_id: 'd', session: expect.any(String) }],
  ])
  expect(await screen.findByText('› uptime')).toBeTruthy()
  expect(await screen.findByText('up 3 days')).toBeTruthy()
  expect(screen.getByText('Running…')).toBeTruthy()
  // Commands run one at a time: text that is typed meanwhile stays.
  await user.type(prompt, 'date{Enter}')
  expect(called(data)).toHaveLength(1)
  await user.keyboard('{Control>}c{/Control}')
  expect(called(data).at(-1)).toEqual(['rpc/cancel_run', { run_id: 'r' }])
  expect((prompt as HTMLTextAreaElement).value).toBe('date')
})

it('says how a command ended, takes the next one, and recalls earlier ones', async () => {
  const { user, data, prompt } = await open()
  data.getList.mockResolvedValue({ data: [run('failed', { exit_code: 3 })], total: 1 })
  await user.type(prompt, 'false{Enter}')
  expect(await screen.findByText(/Exit code 3$/)).toBeTruthy()
  await user.type(prompt, '{ArrowUp}')
  expect((prompt as HTMLTextAreaElement).value).toBe('false')
  await user.type(prompt, '{ArrowDown}')
  expect((prompt as HTMLTextAreaElement).value).toBe('')
  await user.type(prompt, 'one{Shift>}{Enter}{/Shift}two')
  expect((prompt as HTMLTextAreaElement).value).toBe('one\ntwo')
})

it('keeps what was typed when the server refuses it, and says why', async () => {
  const { user, data, prompt } = await open()
  data.custom.mockRejectedValue({ statusCode: 400, code: '23514', message: 'no', hint: 'devices_none' })
  await user.type(prompt, 'uptime{Enter}')
  expect(await screen.findByText(/^The command was not sent/)).toBeTruthy()
  await user.type(prompt, '{ArrowUp}')
  await waitFor(() => expect((prompt as HTMLTextAreaElement).value).toBe('uptime'))
})

it('offers the shells of the system, and says that a device is offline', async () => {
  await open({ ...device, platform: 'windows', status: 'offline' })
  expect(screen.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)).toEqual([
    'PowerShell',
    'CMD',
    'Python',
  ])
  expect(screen.getByText('The device is offline')).toBeTruthy()
})

it('keeps the device awake while it is shown, and runs all commands in one session', async () => {
  const { user, data, prompt } = await open()
  data.getList.mockResolvedValue({ data: [run('succeeded', { exit_code: 0 })], total: 1 })
  expect(data.custom.mock.calls[0]?.[0]).toMatchObject({
    url: 'rpc/keep_terminal',
    payload: { device_id: 'd' },
  })
  await user.type(prompt, 'cd /tmp{Enter}')
  await screen.findByText(/Exit code 0$/)
  await user.type(prompt, 'pwd{Enter}')
  const sessions = called(data).map(([, payload]) => (payload as { session: string }).session)
  expect(sessions).toHaveLength(2)
  expect(new Set(sessions).size).toBe(1)
})

it('says that the device of a running command is offline', async () => {
  const { user, data, prompt } = await open()
  data.getList.mockResolvedValue({
    data: [run('running', { device: { id: 'd', name: 'PC-1', status: 'offline' } })],
    total: 1,
  })
  await user.type(prompt, 'sleep 60{Enter}')
  expect(await screen.findByText('The device is offline')).toBeTruthy()
  expect(screen.queryByText('Running…')).toBeNull()
})

it('asks again for the command that runs, not for those that have ended', async () => {
  const { user, data, prompt } = await open()
  data.custom.mockResolvedValueOnce({ data: 'first' })
  data.getList.mockResolvedValue({ data: [run('succeeded', { exit_code: 0 })], total: 1 })
  await user.type(prompt, 'date{Enter}')
  await screen.findByText(/Exit code 0$/)
  data.getList.mockResolvedValue({ data: [run('running')], total: 1 })
  await user.type(prompt, 'sleep 60{Enter}')
  await screen.findByText('Running…')
  data.getList.mockClear()
  act(tellRuns)
  await eventually(() => expect(data.getList).toHaveBeenCalled())
  const asked = data.getList.mock.calls.map(([{ filters }]) => filters?.[0])
  expect(asked).toEqual(asked.map(() => ({ field: 'job_id', operator: 'eq', value: 'j' })))
})
