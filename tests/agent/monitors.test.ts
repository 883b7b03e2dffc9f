import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  checkNetwork,
  checkPerformance,
  checkProcess,
  checkService,
  countEvents,
} from '../../agent/monitors/checks'
import { type Monitor, toMonitors } from '../../agent/monitors/monitor'
import { until } from './support/machine'
import { backend, company, device, openSite } from './support/site'

openSite()

let program: ChildProcess | undefined
let listener: Server | undefined
afterEach(() => {
  program?.kill('SIGKILL')
  listener?.close()
})

const freePort = () =>
  new Promise<number>((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => done(port))
    })
  })

describe('a device with monitors', () => {
  it.skipIf(process.platform !== 'linux')('reports what fails, and that it works again', async () => {
    const { machine, id } = await device()
    const port = await freePort()
    const name = `watched-${process.pid}`
    await backend.sql(
      `insert into public.monitors
         (company_id, name, type, process_name, probe, target, metric, above_percent, event_id, log_name, check_interval, repeat_count)
       values ($1, 'Program', 'Process', $2, 'ping', null, 'cpu', 90, null, null, 10, 1),
         ($1, 'Port', 'Network', null, 'tcp', $3, 'cpu', 90, null, null, 10, 1),
         ($1, 'Memory', 'Performance', null, 'ping', null, 'memory', 1, null, null, 10, 1),
         ($1, 'Events', 'Event ID', null, 'ping', null, 'cpu', 90, 41, 'System', 10, 1)`,
      [company, name, `127.0.0.1:${port}`],
    )
    const alerts = async () =>
      Object.fromEntries(
        (
          await backend.sql<{ name: string; status: string }>(
            `select m.name, a.status from public.alerts a join public.monitors m on m.id = a.monitor_id where a.device_id = $1`,
            [id],
          )
        ).map((alert) => [alert.name, alert.status]),
      )
    const shows = (wanted: Record<string, string>) => async () =>
      JSON.stringify(Object.entries(await alerts()).sort()) === JSON.stringify(Object.entries(wanted).sort())
    await machine.start([])
    await until('three of them fail', shows({ Program: 'open', Port: 'open', Memory: 'open' }))
    const file = join(machine.dataDir, name)
    copyFileSync('/bin/sleep', file)
    program = spawn(file, ['1000'], { stdio: 'ignore' })
    listener = createServer((socket) => socket.end()).listen(port, '127.0.0.1')
    await until('two work again', shows({ Program: 'resolved', Port: 'resolved', Memory: 'open' }))
  })
})

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
