import { describe, expect, it } from 'vitest'
import { arrangeRuns, findRuns } from '@/runs/progress/arrange-runs'
import { exitCodeBars, stillFailedDevices } from '@/runs/progress/exit-codes'
import { durationMs, isFailed, isOpen, RUN_STATUSES, tally } from '@/runs/progress/run-status'

describe('run status', () => {
  it('puts every status into exactly one of queued, running, succeeded, failed, canceled', () => {
    const counts = tally(RUN_STATUSES.map((status) => ({ status })))
    expect(counts).toEqual({ total: 8, queued: 1, running: 2, succeeded: 1, failed: 3, canceled: 1 })
    expect(RUN_STATUSES.filter((status) => isOpen(status) && isFailed(status))).toEqual([])
  })

  it('measures a run, and refuses nonsense', () => {
    expect(durationMs({ started_at: '2026-11-21T10:00:00Z', finished_at: '2026-11-21T10:00:01.500Z' })).toBe(
      1500,
    )
    expect(durationMs({ started_at: null, finished_at: '2026-11-21T10:00:00Z' })).toBeNull()
    expect(durationMs({ started_at: '2026-11-21T10:00:01Z', finished_at: '2026-11-21T10:00:00Z' })).toBeNull()
  })
})

describe('a list of runs', () => {
  const run = (name: string, status: string) => ({ status, device: { name } })
  const runs = [
    run('PC-10', 'failed'),
    run('PC-9', 'queued'),
    run('Işık', 'succeeded'),
    run('Ayşe', 'running'),
  ]
  const namesOf = (found: readonly { device: { name: string } | null }[]) =>
    found.map(({ device }) => device?.name)

  it('is searched by device, whatever case and accents', () => {
    expect(namesOf(findRuns(runs, 'isik'))).toEqual(['Işık'])
    expect(namesOf(findRuns(runs, ' pc 10 '))).toEqual(['PC-10'])
    expect(findRuns(runs, '')).toHaveLength(4)
    expect(findRuns([{ status: 'failed', device: null }], 'x')).toEqual([])
  })

  it('is ordered by device, or by status: running, failed, waiting, done', () => {
    expect(namesOf(arrangeRuns(runs, '', 'device'))).toEqual(['Ayşe', 'Işık', 'PC-9', 'PC-10'])
    expect(namesOf(arrangeRuns(runs, '', 'status'))).toEqual(['Ayşe', 'PC-10', 'PC-9', 'Işık'])
    const ranked = RUN_STATUSES.map((status) => run(status, status))
    expect(namesOf(arrangeRuns(ranked, '', 'status'))).toEqual([
      'running',
      'claimed',
      'failed',
      'timed_out',
      'expired',
      'queued',
      'succeeded',
      'cancelled',
    ])
  })

  it('leaves a run that is being read where it was', () => {
    const shown = runs.map((each) => ({ ...each, id: each.device.name }))
    const kept = new Map([['Işık', 'running']])
    expect(namesOf(arrangeRuns(shown, '', 'status', kept))).toEqual(['Ayşe', 'Işık', 'PC-10', 'PC-9'])
  })
})

describe('exit codes', () => {
  it('counts ended runs, most frequent first, and names those that were stopped', () => {
    const bars = exitCodeBars([
      { status: 'succeeded', exit_code: 0 },
      { status: 'succeeded', exit_code: 0 },
      { status: 'succeeded', exit_code: 0 },
      { status: 'failed', exit_code: 2 },
      { status: 'failed', exit_code: null },
      { status: 'timed_out', exit_code: null },
      { status: 'cancelled', exit_code: 143 },
      { status: 'cancelled', exit_code: null },
      { status: 'running', exit_code: null },
    ])
    expect(bars.map(({ key, code, count }) => [key, code, count])).toEqual([
      ['succeeded:0', 0, 3],
      ['cancelled', null, 2],
      ['failed:2', 2, 1],
      ['failed', null, 1],
      ['timed_out', null, 1],
    ])
    expect(bars.map(({ share }) => share)).toEqual([1, 2 / 3, 1 / 3, 1 / 3, 1 / 3])
    expect(exitCodeBars([])).toEqual([])
  })

  it('repeats a device only when its latest run failed', () => {
    const runs = [
      { device_id: 'a', status: 'failed' },
      { device_id: 'b', status: 'succeeded' },
      { device_id: 'b', status: 'failed' },
      { device_id: 'c', status: 'running' },
      { device_id: 'c', status: 'failed' },
      { device_id: 'a', status: 'succeeded' },
      { device_id: 'd', status: 'expired' },
    ]
    expect(stillFailedDevices(runs, isFailed)).toEqual(['a', 'd'])
  })
})
