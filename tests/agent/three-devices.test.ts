import { copyFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../support/accounts'
import { patience } from '../support/patience'
import { type Machine, until } from './support/machine'
import { backend, company, device, openSite } from './support/site'

interface Run {
  id: string
  device_id: string
  status: string
  output: string | null
}

describe.skipIf(process.platform !== 'linux')('three devices of a company', () => {
  openSite()
  let admin: SupabaseClient
  beforeAll(async () => {
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
  })

  let listener: Server | undefined
  afterEach(() => {
    listener?.close()
  })

  const freePort = () =>
    new Promise<number>((done) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as { port: number }
        probe.close(() => done(port))
      })
    })
  const call = async <R>(name: string, args: Record<string, unknown>): Promise<R> =>
    (await admin.rpc(name, args).throwOnError()).data as R
  const create = async (table: string, row: Record<string, unknown>): Promise<string> => {
    const { data } = await admin
      .from(table)
      .insert({ company_id: company, ...row })
      .select('id')
      .single()
      .throwOnError()
    return (data as { id: string }).id
  }
  const runsOf = (job: string) =>
    backend.sql<Run>(
      'select id, device_id, status, output from public.job_runs where job_id = $1 order by device_id',
      [job],
    )
  const statuses = async (job: string) => (await runsOf(job)).map(({ status }) => status).sort()
  const ended = (job: string, wanted: string[]) =>
    until(`the runs are ${wanted.join(', ')}`, async () => (await statuses(job)).join() === wanted.join())

  it(
    'run commands with their output, stop, give up, and try again where it failed; watch, repair and report',
    async () => {
      const devices = [await device(), await device(), await device()]
      const ids = devices.map(({ id }) => id)
      const [first = '', second = '', third = ''] = ids
      const machine: Machine | undefined = devices[0]?.machine
      if (!machine) throw new Error('no machine')
      for (const each of devices) await each.machine.start([])

      const group = await create('groups', { name: 'Two of them' })
      for (const device_id of [first, second])
        await admin
          .from('group_devices')
          .insert({ company_id: company, group_id: group, device_id })
          .throwOnError()

      // Output while it runs, on a group; one is canceled, the other goes on to its end.
      const streamed = await call<string>('run_command', {
        type: 'Bash',
        command: 'echo started; sleep 12; echo over',
        device_ids: [first, second],
      })
      await until('both show what they printed so far', async () =>
        (await runsOf(streamed)).every(
          ({ output, status }) => status === 'running' && output === 'started\n',
        ),
      )
      await call('cancel_run', {
        run_id: (await runsOf(streamed)).find((run) => run.device_id === first)?.id,
      })
      await ended(streamed, ['cancelled', 'succeeded'])

      // A time limit on the one device that makes the folder, and once more there.
      const mark = join(machine.dataDir, 'tried')
      const limited = await call<string>('run_command', {
        type: 'Bash',
        command: `if mkdir ${mark} 2>/dev/null; then sleep 60; fi`,
        device_ids: ids,
        timeout_seconds: 2,
      })
      await ended(limited, ['succeeded', 'succeeded', 'timed_out'])
      const retried = await call<string>('retry_job', { job_id: limited })
      await ended(retried, ['succeeded'])

      // A program that is gone: alert, ticket, and a script that starts it again.
      const port = await freePort()
      const name = `watched-${process.pid}`
      const file = join(machine.dataDir, name)
      copyFileSync('/bin/sleep', file)
      const repair = await create('procedures', {
        name: 'Start it',
        type: 'Bash',
        script: `(setsid ${file} 45 >/dev/null 2>&1 < /dev/null &)\nsleep 0.2\n`,
      })
      const only = async (monitor: string) =>
        admin
          .from('monitor_groups')
          .insert({ company_id: company, group_id: group, monitor_id: monitor })
          .throwOnError()
      await only(
        await create('monitors', {
          name: 'Program',
          type: 'Process',
          process_name: name,
          check_interval: 10,
          repeat_count: 1,
          procedure_id: repair,
          open_ticket: true,
        }),
      )
      await create('monitors', {
        name: 'Port',
        type: 'Network',
        probe: 'tcp',
        target: `127.0.0.1:${port}`,
        check_interval: 10,
        repeat_count: 1,
      })
      const memory = await create('monitors', {
        name: 'Memory',
        type: 'Performance',
        metric: 'memory',
        above_percent: 1,
        check_interval: 10,
        repeat_count: 1,
      })
      const alerts = async () =>
        (
          await backend.sql<{ name: string; status: string; devices: number }>(
            `select m.name, a.status, count(*)::int as devices from public.alerts a join public.monitors m on m.id = a.monitor_id
           where a.company_id = $1 group by 1, 2 order by 1, 2`,
            [company],
          )
        ).map((row) => `${row.name} ${row.status} ${row.devices}`)
      const shows = (...wanted: string[]) =>
        until(`alerts are ${wanted.join(', ')}`, async () => {
          const now = await alerts()
          return wanted.every((line) => now.includes(line))
        })
      // The third is in no group: it checks port and memory alone.
      await shows('Memory open 3', 'Port open 3')
      await until('the program runs again, by the script of the alert', async () =>
        (await alerts()).some((line) => line.startsWith('Program resolved')),
      )
      expect(
        (
          await backend.sql<{ n: number }>(
            'select count(*)::int as n from public.tickets where company_id = $1',
            [company],
          )
        )[0]?.n,
      ).toBeGreaterThan(0)
      listener = createServer((socket) => socket.end()).listen(port, '127.0.0.1')
      await admin.from('monitors').update({ above_percent: 100 }).eq('id', memory).throwOnError()
      await shows('Memory resolved 3', 'Port resolved 3')
      expect(
        await backend.sql(
          `select 1 from public.alerts a join public.monitors m on m.id = a.monitor_id where a.device_id = $1 and m.name = 'Program'`,
          [third],
        ),
      ).toEqual([])

      // A schedule, ticked by two at once.
      const procedure = await create('procedures', { name: 'Hourly', type: 'Bash', script: 'echo tick' })
      const schedule = await create('scheduled_tasks', {
        name: 'Hourly',
        procedure_id: procedure,
        target_kind: 'all',
        frequency: 'once',
      })
      await Promise.all([1, 2].map(() => backend.sql('select app.tick()')))
      const jobs = await backend.sql<{ id: string }>('select id from public.jobs where schedule_id = $1', [
        schedule,
      ])
      expect(jobs).toHaveLength(1)
      await ended(jobs[0]?.id ?? '', ['succeeded', 'succeeded', 'succeeded'])
    },
    patience(240_000),
  )
})
