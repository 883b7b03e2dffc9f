import { describe, expect, it, vi } from 'vitest'
import { arrangeRuns, findRuns } from '@/pages/jobs/arrange-runs'
import { coalesce } from '@/pages/jobs/coalesce'
import { exitCodeBars, stillFailedDevices } from '@/pages/jobs/exit-codes'
import { givenValues } from '@/pages/jobs/given-values'
import { durationMs, isFailed, isOpen, RUN_STATUSES, tally } from '@/pages/jobs/run-status'
import { toParameters } from '@/pages/procedures/parameters'

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

describe('what a task was given', () => {
  const parameters = toParameters([
    { name: 'host', kind: 'text', label: 'Host name' },
    { name: 'force', kind: 'boolean' },
    { name: 'password', kind: 'secret', label: 'Password' },
    { name: 'pin', kind: 'secret' },
  ])

  it('has the labels and the order of the script, and says which secrets were given', () => {
    const given = givenValues(parameters, { force: false, host: 'a' }, ['password'])
    expect(given.map(({ label, value, isSecret }) => [label, value, isSecret])).toEqual([
      ['Host name', 'a', false],
      ['force', false, false],
      ['Password', true, true],
      ['pin', false, true],
    ])
  })

  it('says which values no version has: texts, numbers and secrets, without defaults and choices', () => {
    const own = toParameters([
      { name: 'path', kind: 'text', default: '/tmp' },
      { name: 'days', kind: 'number', default: '7' },
      { name: 'mode', kind: 'choice', choices: ['list', 'delete'], default: 'list' },
      { name: 'force', kind: 'boolean' },
      { name: 'token', kind: 'secret' },
    ])
    const free = (values: Record<string, unknown>, secrets: string[] = []) =>
      givenValues(own, values, secrets).flatMap(({ name, isFree }) => (isFree ? [name] : []))
    expect(free({ path: '/tmp', days: 7, mode: 'delete', force: true })).toEqual([])
    expect(free({ path: '/etc', days: 0, mode: 'list', force: false }, ['token'])).toEqual([
      'path',
      'days',
      'token',
    ])
    expect(free({ gone: 'x' }, ['pin'])).toEqual(['gone', 'pin'])
  })

  it('goes by its names once the script is deleted', () => {
    expect(
      givenValues([], { host: 'a', odd: { a: 1 } }, ['password']).map(({ label, value }) => [label, value]),
    ).toEqual([
      ['host', 'a'],
      ['odd', null],
      ['password', true],
    ])
  })
})

describe('coalescing refreshes', () => {
  it('acts at once, then at most once an interval, and never drops the last request', () => {
    vi.useFakeTimers()
    try {
      const action = vi.fn()
      const { request, stop } = coalesce(action, 1000)
      request()
      expect(action).toHaveBeenCalledTimes(1)
      for (let k = 0; k < 50; k += 1) request()
      expect(action).toHaveBeenCalledTimes(1)
      vi.advanceTimersByTime(1000)
      expect(action).toHaveBeenCalledTimes(2)
      vi.advanceTimersByTime(5000)
      expect(action).toHaveBeenCalledTimes(2)
      request()
      request()
      stop()
      vi.advanceTimersByTime(5000)
      expect(action).toHaveBeenCalledTimes(3)
    } finally {
      vi.useRealTimers()
    }
  })
})
