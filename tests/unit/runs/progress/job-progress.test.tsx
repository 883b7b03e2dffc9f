// @vitest-environment happy-dom
import type { BaseRecord } from '@refinedev/core'
import { act, cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Can } from '@/access/policy'
import { ResultsTab } from '@/pages/jobs/results-tab'
import { RunOutputTab } from '@/pages/jobs/run-output-tab'
import { useLatestResults } from '@/runs/progress/job-data'
import { JobProgress } from '@/runs/progress/job-progress'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
const job = { id: 'j', name: 'Clean up', expires_at: '2026-11-23T10:00:00Z', parameters: {} }

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})
beforeEach(() => data.getOne.mockResolvedValue({ data: job }))

const run = (name: string, status: string, deviceStatus: string) => ({
  id: name,
  company_id: 'c',
  job_id: 'j',
  device_id: name,
  status,
  attempt: 0,
  queued_at: '2026-11-22T10:00:00Z',
  started_at: null,
  finished_at: null,
  exit_code: null,
  error: null,
  cancel_requested_at: null,
  device: { id: name, name, status: deviceStatus },
})

async function open(...runs: BaseRecord[]) {
  data.getList.mockResolvedValue({ data: runs, total: runs.length })
  await render(
    <JobProgress jobId="j" companyId="c" onClose={() => undefined} onRunAgain={() => undefined} />,
    { data },
  )
  await screen.findByText(/^\d+ of \d+ finished$/)
}

describe('JobProgress', () => {
  it('speaks of offline devices only while one that is offline has yet to run', async () => {
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'offline'))
    expect(screen.queryByText(/Offline devices/)).toBeNull()
    cleanup()
    await open(run('PC-1', 'queued', 'offline'), run('PC-2', 'running', 'online'))
    expect(await screen.findByText(/Offline devices can still start the script until/)).toBeTruthy()
  })
})

describe('why runs wait', () => {
  const openJob = async (more: object, ...runs: BaseRecord[]) => {
    data.getOne.mockResolvedValue({
      data: { ...job, total: 2, succeeded: 0, failed: 0, canceled: 0, max_running: null, ...more },
    })
    await open(...runs)
  }
  const waiting = (name: string, more: object) => ({ ...run(name, 'queued', 'online'), ...more })

  it('is said: for a place, for an approval, for its time', async () => {
    await openJob(
      { max_running: 10, procedure_id: 'p' },
      waiting('PC-1', { waits_for: 'approval' }),
      waiting('PC-2', { start_after: new Date(Date.now() + 600_000).toISOString() }),
    )
    expect(await screen.findByText('Waiting: at most 10 at once')).toBeTruthy()
    expect(screen.getByText(/1 device waits until a second person approves/)).toBeTruthy()
    expect(screen.getByText('Waits for approval of the script')).toBeTruthy()
    expect(screen.getByText(/^Starts/)).toBeTruthy()
  })

  it('and that nobody approved it in time, once it has expired', async () => {
    await openJob(
      {},
      { ...run('PC-1', 'expired', 'online'), waits_for: 'approval' },
      run('PC-2', 'queued', 'online'),
    )
    expect(await screen.findByText('The script was not approved in time')).toBeTruthy()
    expect(screen.queryByText(/waits until a second person/)).toBeNull()
  })

  it('and what to do where they ended because the version was replaced, or declined', async () => {
    await openJob(
      { procedure_id: 'p' },
      { ...run('PC-1', 'failed', 'online'), error: 'replaced' },
      { ...run('PC-2', 'failed', 'online'), error: 'declined' },
    )
    expect(await screen.findByText(/^1 run ended because the script was changed/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Run the script again' })).toBeTruthy()
    expect(screen.getByText(/^1 run ended because this version/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Open the script' }).getAttribute('href')).toBe('/procedures/p')
  })

  it('a task with more runs than its page lists counts by its own counters', async () => {
    data.getOne.mockResolvedValue({
      data: {
        ...job,
        total: 9000,
        succeeded: 4000,
        failed: 1000,
        canceled: 500,
        max_running: null,
        procedure_id: null,
      },
    })
    data.getList.mockResolvedValue({
      data: [run('PC-1', 'running', 'online'), run('PC-2', 'failed', 'online')],
      total: 2,
    })
    await render(<JobProgress jobId="j" companyId="c" onRunAgain={() => undefined} />, { data })
    expect(await screen.findByText('5500 of 9000 finished')).toBeTruthy()
    expect(screen.getByText('1000 failed')).toBeTruthy()
    expect(screen.getByText('500 canceled')).toBeTruthy()
    // Only some of those that failed are known here: the task's own action runs them all again.
    expect(screen.queryByRole('button', { name: /again/ })).toBeNull()
  })
})

describe('the runs of a task', () => {
  it('are stopped by those who may cancel, and the license is named to others', async () => {
    data.getOne.mockResolvedValue({ data: job })
    const runs = [run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'online')]
    data.getList.mockResolvedValue({ data: runs, total: 2 })
    const can: Can = (_object, verb) =>
      verb === 'cancel' ? { allowed: false, reason: 'read-only' } : { allowed: true }
    await render(<JobProgress jobId="j" companyId="c" />, { data, can })
    const all = await screen.findByRole('button', { name: 'Stop all' })
    const each = screen.getAllByRole('button', { name: /^Stop .* on PC-/ })
    expect(each).toHaveLength(2)
    for (const button of [all, ...each]) {
      expect(button.getAttribute('aria-disabled')).toBe('true')
      expect(button.getAttribute('aria-description')).toMatch(/license is not active/)
    }
  })

  it('are counted queued and running apart', async () => {
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'claimed', 'online'))
    expect(screen.getByText('1 queued')).toBeTruthy()
    expect(screen.getByText('1 running')).toBeTruthy()
  })

  it('show how often each exit code came, once some have ended', async () => {
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'online'))
    expect(screen.queryByRole('region', { name: 'Exit codes' })).toBeNull()
    cleanup()
    const ended = (name: string, exit_code: number) => ({
      ...run(name, exit_code === 0 ? 'succeeded' : 'failed', 'online'),
      exit_code,
    })
    data.getList.mockResolvedValue({ data: [ended('PC-1', 0), ended('PC-2', 3), ended('PC-3', 3)], total: 3 })
    await render(<JobProgress jobId="j" companyId="c" />, { data })
    const codes = await screen.findByRole('region', { name: 'Exit codes' })
    expect(
      within(codes)
        .getAllByRole('listitem')
        .map((bar) => bar.textContent),
    ).toEqual(['32', '01'])
    cleanup()
    const stopped = [
      run('PC-1', 'timed_out', 'online'),
      run('PC-2', 'cancelled', 'online'),
      run('PC-3', 'failed', 'online'),
    ]
    data.getList.mockResolvedValue({ data: stopped, total: 3 })
    await render(<JobProgress jobId="j" companyId="c" />, { data })
    const named = within(await screen.findByRole('region', { name: 'Exit codes' })).getAllByRole('listitem')
    expect(named.map((bar) => bar.textContent)).toEqual(['Timed out1', 'Canceled1', 'No exit code1'])
    const colors = named.map((bar) => bar.querySelector<HTMLElement>('[style]')?.style.background)
    expect(new Set(colors).size).toBe(3)
  })

  it('are read again until the last one has ended, also when no live message comes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'online'))
    const ended = [run('PC-1', 'succeeded', 'online'), run('PC-2', 'succeeded', 'online')]
    data.getList.mockClear().mockResolvedValue({ data: ended, total: 2 })
    await act(() => vi.advanceTimersByTimeAsync(10_000))
    expect(await screen.findByText('2 of 2 finished')).toBeTruthy()
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(data.getList).toHaveBeenCalledOnce()
  })

  it('are stopped by a question that names the script and the device', async () => {
    const user = userEvent.setup()
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'online'))
    await user.click(await screen.findByRole('button', { name: 'Stop Clean up on PC-2' }))
    expect(await screen.findByText('Stop “Clean up” on PC-2?')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Stop all' }))
    expect(await screen.findByText('Stop 2 runs of “Clean up”?')).toBeTruthy()
  })

  it('are ordered by urgency, past the first page too, and are searched by device or sorted by it', async () => {
    const user = userEvent.setup()
    const many = Array.from({ length: 11 }, (_, n) => run(`PC-${n + 1}`, 'succeeded', 'online'))
    data.getList.mockResolvedValue({
      data: [
        ...many,
        run('Wait', 'queued', 'online'),
        run('Yak', 'failed', 'online'),
        run('Zeta', 'running', 'online'),
      ],
      total: 14,
    })
    await render(<JobProgress jobId="j" companyId="c" />, { data })
    await screen.findByText('Zeta')
    const names = () => screen.getAllByText(/^(PC-\d+|Wait|Yak|Zeta)$/).map(({ textContent }) => textContent)
    expect(names().slice(0, 4)).toEqual(['Zeta', 'Yak', 'Wait', 'PC-1'])
    await user.click(screen.getByRole('combobox', { name: 'Sort by' }))
    await user.click(await screen.findByText('Device', { selector: '.ant-select-item-option-content' }))
    expect(names()[0]).toBe('PC-1')
    expect(screen.queryByText('Zeta')).toBeNull()
    await user.type(screen.getByRole('searchbox', { name: 'Search by device' }), 'pc-7')
    expect(screen.getByText('PC-7')).toBeTruthy()
    expect(screen.queryByText('PC-1')).toBeNull()
    await user.type(screen.getByRole('searchbox', { name: 'Search by device' }), 'x')
    await user.click(screen.getByRole('button', { name: 'Clear search' }))
    expect(await screen.findByText('PC-1')).toBeTruthy()
  })

  it('open by a click anywhere on the row; the device is a link', async () => {
    const user = userEvent.setup()
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'online'))
    const toggle = screen.getByRole('button', { name: 'Show output of PC-2' })
    const device = screen.getByRole('link', { name: 'PC-2' })
    const fact = device.closest('li')?.querySelector('time')
    expect(toggle.getAttribute('aria-expanded')).toBe('false')
    await user.click(fact as HTMLElement)
    expect(toggle.getAttribute('aria-expanded')).toBe('true')
    await user.click(toggle)
    expect(toggle.getAttribute('aria-expanded')).toBe('false')
    await user.click(await screen.findByRole('button', { name: 'Stop Clean up on PC-2' }))
    expect(toggle.getAttribute('aria-expanded')).toBe('false')
    expect(device.getAttribute('href')).toBe('/devices/PC-2')
  })

  it('of a larger task than is listed, those that run or failed are read apart', async () => {
    data.getOne.mockResolvedValue({
      data: {
        ...job,
        total: 3000,
        succeeded: 0,
        failed: 1,
        canceled: 0,
        max_running: null,
        procedure_id: null,
      },
    })
    data.getList.mockImplementation(async ({ filters }) => ({
      data: filters?.some((filter) => 'field' in filter && filter.field === 'status')
        ? [run('Zeta', 'running', 'online')]
        : [run('PC-1', 'queued', 'online'), run('PC-2', 'queued', 'online')],
      total: 0,
    }))
    await render(<JobProgress jobId="j" companyId="c" />, { data })
    expect(await screen.findByText('Zeta')).toBeTruthy()
    const names = screen.getAllByText(/^(PC-\d|Zeta)$/).map(({ textContent }) => textContent)
    expect(names).toEqual(['Zeta', 'PC-1', 'PC-2'])
  })
})

describe('the dialog that started a task', () => {
  it('says how many run, which devices are offline, and where the task is', async () => {
    await open(run('PC-1', 'queued', 'offline'), run('PC-2', 'running', 'online'))
    expect(screen.getByText('Queued for 2 devices')).toBeTruthy()
    expect(screen.getByText('1 device is offline. It runs the script when it is back online.')).toBeTruthy()
    expect(screen.getByText('PC-1', { selector: 'strong' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Open the task' }).getAttribute('href')).toBe('/tasks/j')
    cleanup()
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'online'))
    expect(screen.getByText('Queued for 2 devices')).toBeTruthy()
  })
})

describe('the page of a task', () => {
  it('shows each device with its state, and nothing to close', async () => {
    const runs = [run('PC-1', 'running', 'online'), run('PC-2', 'queued', 'online')]
    data.getList.mockResolvedValue({ data: runs, total: 2 })
    await render(<ResultsTab record={{ id: 'j', company_id: 'c' }} resource="jobs" />, { data })
    expect(await screen.findByText('PC-1')).toBeTruthy()
    expect(screen.getByText('PC-2')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Close' })).toBeNull()
    expect(screen.queryByText(/Queued for/)).toBeNull()
  })
})

describe('the page of a run', () => {
  it('shows its output, and why it failed in words', async () => {
    data.getOne.mockResolvedValue({
      data: { output: 'it went wrong', output_truncated: false, error: 'timed_out' },
    })
    await render(
      <RunOutputTab
        record={{
          id: 'r',
          company_id: 'c',
          status: 'timed_out',
          queued_at: '2026-11-22T10:00:00Z',
          exit_code: 3,
        }}
        resource="job_runs"
      />,
      { data },
    )
    expect(await screen.findByText(/it went wrong/)).toBeTruthy()
    expect(screen.getByText('3')).toBeTruthy()
    expect(screen.getByText('The script ran longer than its time limit and was stopped.')).toBeTruthy()
  })
})

describe('lists of runs', () => {
  it('never read the output, which may be a megabyte a run, and all runs by one request', async () => {
    data.getList.mockClear()
    data.getList.mockResolvedValue({ data: [], total: 0 })
    const History = () => <p>{useLatestResults('p', 'c').isSuccess ? 'read' : null}</p>
    await render(
      <>
        <JobProgress jobId="j" companyId="c" />
        <History />
      </>,
      { data },
    )
    await screen.findByText('read')
    await screen.findByText('This task has no runs.')
    expect(data.getList).toHaveBeenCalledTimes(2)
    for (const [{ meta, pagination }] of data.getList.mock.calls) {
      expect(meta?.select).not.toMatch(/output|\*/)
      expect(meta?.companyId).toBe('c')
      expect(pagination?.mode).toBe('off')
    }
  })
})
