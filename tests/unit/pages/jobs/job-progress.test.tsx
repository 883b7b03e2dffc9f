// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { JobProgress } from '@/pages/jobs/job-progress'
import { ResultsTab } from '@/pages/jobs/results-tab'
import { RunOutputTab } from '@/pages/jobs/run-output-tab'
import { render } from '../../../support/render'

const selects = vi.hoisted(() => [] as string[])
const answers = vi.hoisted(() => ({ runs: [] as unknown }))

/** Answers every read of runs with `answers.runs`, and remembers which columns were asked for. */
vi.mock('@/data/client', () => {
  const query = (data: unknown) => {
    const chain: Record<string, unknown> = {}
    for (const step of ['eq', 'in', 'order', 'limit', 'range', 'single', 'overrideTypes'])
      chain[step] = () => chain
    // biome-ignore lint/suspicious/noThenProperty: supabase's query builders are awaited
    chain.then = (done: (answer: unknown) => unknown) =>
      Promise.resolve({ data, error: null, count: 0 }).then(done)
    return chain
  }
  const job = { id: 'j', company_id: 'c', name: 'Clean up', expires_at: '2026-11-23T10:00:00Z' }
  return {
    supabase: {
      from: (table: string) => ({
        select: (columns: string) => {
          if (table === 'job_runs') selects.push(columns)
          return query(table === 'jobs' ? job : answers.runs)
        },
      }),
    },
  }
})
vi.mock('@/data/live', () => ({
  watchCompany: () => () => undefined,
  companyTopic: () => '',
  isReadUntil: () => () => false,
}))

afterEach(cleanup)

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

async function open(...runs: unknown[]) {
  answers.runs = runs
  await render(<JobProgress jobId="j" companyId="c" onClose={() => undefined} onRunAgain={() => undefined} />)
  await screen.findByText('0 of 2 ended')
}

describe('JobProgress', () => {
  it('speaks of offline devices only while one that is offline has yet to run', async () => {
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'offline'))
    expect(screen.queryByText(/Devices that are offline/)).toBeNull()
    cleanup()
    await open(run('PC-1', 'queued', 'offline'), run('PC-2', 'running', 'online'))
    expect(
      await screen.findByText(/Devices that are offline run the script as soon as they check in/),
    ).toBeTruthy()
  })
})

describe('the dialog that started a task', () => {
  it('says how many run, which devices are offline, and where the task is', async () => {
    await open(run('PC-1', 'queued', 'offline'), run('PC-2', 'running', 'online'))
    expect(screen.getByText('Started on 2 devices, 1 offline: starts when it is back')).toBeTruthy()
    expect(screen.getByText('PC-1', { selector: 'strong' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Open the task' }).getAttribute('href')).toBe('/tasks/j')
    cleanup()
    await open(run('PC-1', 'queued', 'online'), run('PC-2', 'running', 'online'))
    expect(screen.getByText('Started on 2 devices')).toBeTruthy()
  })
})

describe('the page of a task', () => {
  it('shows each device with its state, and nothing to close', async () => {
    answers.runs = [run('PC-1', 'running', 'online'), run('PC-2', 'queued', 'online')]
    await render(<ResultsTab record={{ id: 'j', company_id: 'c' }} resource="jobs" />)
    expect(await screen.findByText('PC-1')).toBeTruthy()
    expect(screen.getByText('PC-2')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Close' })).toBeNull()
    expect(screen.queryByText(/Started on/)).toBeNull()
  })
})

describe('the page of a run', () => {
  it('shows its output, and why it failed in words', async () => {
    answers.runs = { output: 'it went wrong', output_truncated: false, error: 'timed_out' }
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
    )
    expect(await screen.findByText(/it went wrong/)).toBeTruthy()
    expect(screen.getByText('3')).toBeTruthy()
    expect(screen.getByText('The script ran longer than its time limit and was stopped.')).toBeTruthy()
  })
})

describe('lists of runs', () => {
  it('never read the output, which may be a megabyte a run', async () => {
    const data = await import('@/pages/jobs/job-data')
    selects.length = 0
    answers.runs = []
    await data.readJobRuns('j', 'c')
    await data.readProcedureRuns('p', 'c')
    expect(selects).toHaveLength(2)
    for (const columns of selects) expect(columns).not.toMatch(/output|\*/)
  })
})
