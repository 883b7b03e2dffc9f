import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  checkNetwork,
  checkPerformance,
  checkProcess,
  checkService,
  countEvents,
} from '../../agent/monitors/checks'
import { type Monitor, toMonitors } from '../../agent/monitors/monitor'
import { MonitorWatch } from '../../agent/monitors/watch'

describe('a check', () => {
  const monitor = (more: Partial<Monitor>): Monitor => ({
    id: '00000000-0000-4000-8000-000000000000',
    type: 'Network',
    intervalSeconds: 60,
    repeatCount: 3,
    ...more,
  })

  it('measures against its limit, and says nothing of what it does not know', () => {
    const metrics = { cpu: null, memory: 93.21, disk: 50 }
    const of = (metric: string, abovePercent: number) =>
      checkPerformance(monitor({ metric, abovePercent }), metrics)
    expect(of('memory', 90)).toEqual({ isFailing: true, message: 'Memory at 93.2 %, above 90 %' })
    expect(of('memory', 94)?.isFailing).toBe(false)
    expect(of('cpu', 90)).toBeNull()
    expect(of('constructor', 1)).toBeNull()
  })

  it('knows a program by its name with and without .exe, in either case', async () => {
    const running = (processName: string, processState?: string) =>
      checkProcess(monitor({ processName, ...(processState ? { processState } : {}) }))
    // The parent of this test.
    expect((await running('NODE.exe'))?.isFailing).toBe(false)
    expect(await running('node', 'running')).toEqual({ isFailing: true, message: 'node is running' })
    expect(await running('no-such-program')).toEqual({
      isFailing: true,
      message: 'no-such-program is not running',
    })
  })

  it('hands no option and no shell to the programs of the system', async () => {
    for (const target of ['-c1000', '--help', 'a b', '$(id)', '`id`', 'a;b', ''])
      expect(await checkNetwork(monitor({ probe: 'ping', target })), target).toBeNull()
    for (const target of ['file:///etc/hostname', 'ftp://a', 'localhost'])
      expect(await checkNetwork(monitor({ probe: 'http', target })), target).toBeNull()
    for (const target of ['localhost', 'localhost:99999', ':80', '-x:80'])
      expect(await checkNetwork(monitor({ probe: 'tcp', target })), target).toBeNull()
    for (const serviceName of ['-H evil', '--user', '$(id)', ''])
      expect(await checkService(monitor({ type: 'Service', serviceName })), serviceName).toBeNull()
  })

  it('counts the events that Windows prints', () => {
    const text = [0, 1].map(
      (n) =>
        `Event[${n}]\r\n  Log Name: Security\r\n  Event ID: 4625\r\n  Description: Event[7] in a text\r\n\r\n`,
    )
    expect(countEvents(text.join(''))).toBe(2)
    expect(countEvents('')).toBe(0)
  })

  it('takes what the server sends within bounds, and leaves out what it cannot read', () => {
    const id = '00000000-0000-4000-8000-000000000001'
    expect(
      toMonitors([
        { id, type: 'Process', process_name: 'cron', interval_seconds: 0, repeat_count: 1e9, metric: 7 },
        { id: '../x', type: 'Process' },
        { id, type: 'Other' },
        null,
      ]),
    ).toEqual([
      { id, type: 'Process', processName: 'cron', intervalSeconds: 10, repeatCount: 100, restart: false },
    ])
    expect(toMonitors('x')).toEqual([])
  })
})

describe('a watch', () => {
  afterEach(() => vi.useRealTimers())

  it('tells of a check that cannot be made once it failed to be made three times, and of its return', async () => {
    vi.useFakeTimers()
    let cpu: number | null = null
    const watch = new MonitorWatch(
      async () => ({ cpu, memory: 1, disk: 1 }),
      () => undefined,
    )
    const id = '00000000-0000-4000-8000-000000000001'
    watch.replace([
      { id, type: 'Performance', metric: 'cpu', abovePercent: 90, intervalSeconds: 60, repeatCount: 1 },
    ])
    await vi.advanceTimersByTimeAsync(70_000)
    expect(watch.news).toEqual([])
    await vi.advanceTimersByTimeAsync(120_000)
    expect(watch.news).toMatchObject([{ monitor_id: id, state: 'unknown' }])
    cpu = 5
    await vi.advanceTimersByTimeAsync(60_000)
    expect(watch.news).toMatchObject([{ monitor_id: id, state: 'ok' }])
    watch.stop()
  })
})
