import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  checkEvents,
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
    expect(of('cpu', 90)).toEqual({ isFailing: null, message: 'CPU is not measured on this device' })
    expect(of('constructor', 1).isFailing).toBeNull()
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
      expect((await checkNetwork(monitor({ probe: 'ping', target }))).isFailing, target).toBeNull()
    for (const target of ['file:///etc/hostname', 'ftp://a', 'localhost'])
      expect((await checkNetwork(monitor({ probe: 'http', target }))).isFailing, target).toBeNull()
    for (const target of ['localhost', 'localhost:99999', ':80', '-x:80'])
      expect((await checkNetwork(monitor({ probe: 'tcp', target }))).isFailing, target).toBeNull()
    for (const serviceName of ['-H evil', '--user', '$(id)', ''])
      expect(
        (await checkService(monitor({ type: 'Service', serviceName }))).isFailing,
        serviceName,
      ).toBeNull()
  })

  it('says why a device cannot make it', async () => {
    const why = async (more: Partial<Monitor>) => {
      const { type } = monitor(more)
      const check = type === 'Service' ? checkService : type === 'Event ID' ? checkEvents : checkNetwork
      return check(monitor(more))
    }
    const unknown = (message: string) => ({ isFailing: null, message })
    expect(await why({ probe: 'tcp', target: 'localhost' })).toEqual(
      unknown('The target is not host:port: localhost'),
    )
    expect(await why({ probe: 'http', target: 'localhost' })).toEqual(
      unknown('The target is no web address: localhost'),
    )
    expect(await why({ probe: 'ping', target: 'a b' })).toEqual(unknown('The target is no host: a b'))
    expect(await why({ type: 'Service', serviceName: '--user' })).toEqual(
      unknown('This is no name of a service: --user'),
    )
    expect((await why({ type: 'Service', serviceName: 'no-such-service' })).message).toMatch(
      /^This device has no service (manager|no-such-service)$/,
    )
    if (process.platform !== 'win32')
      expect(await why({ type: 'Event ID', eventId: 1, logName: 'System' })).toEqual(
        unknown('Only devices with Windows have event logs'),
      )
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
    expect(watch.news).toMatchObject([
      { monitor_id: id, state: 'unknown', message: 'CPU is not measured on this device' },
    ])
    cpu = 5
    await vi.advanceTimersByTimeAsync(60_000)
    expect(watch.news).toMatchObject([{ monitor_id: id, state: 'ok' }])
    watch.stop()
  })

  it('tells a failure again when its figure moved by a whole one, at most every five minutes', async () => {
    vi.useFakeTimers()
    let cpu = 95
    const watch = new MonitorWatch(
      async () => ({ cpu, memory: 1, disk: 1 }),
      () => undefined,
    )
    const id = '00000000-0000-4000-8000-000000000001'
    watch.replace([
      { id, type: 'Performance', metric: 'cpu', abovePercent: 90, intervalSeconds: 60, repeatCount: 1 },
    ])
    const told = async (next: number, minutes: number) => {
      watch.confirm(watch.news)
      cpu = next
      await vi.advanceTimersByTimeAsync(minutes * 60_000)
      return watch.news.map(({ message }) => message)
    }
    expect(await told(95, 1)).toEqual(['CPU at 95.0 %, above 90 %'])
    expect(await told(99, 2)).toEqual([])
    expect(await told(99, 4)).toEqual(['CPU at 99.0 %, above 90 %'])
    expect(await told(99.3, 10)).toEqual([])
    watch.stop()
  })
})
