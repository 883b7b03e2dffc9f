import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type Device, fleetOf } from '../support/agent-functions-fleet'

const IS_THOROUGH = process.env.THOROUGH === '1'
const DEVICES = IS_THOROUGH ? 12 : 8
const JOBS = IS_THOROUGH ? 24 : 10

// PGlite has one session, so what happens at once can only be seen on PostgreSQL.
describe.skipIf(!drivers('locks').includes('postgres'))(
  'a fleet that does everything at once, on PostgreSQL',
  () => {
    let backend: TestBackend
    let company: string
    let fleet: ReturnType<typeof fleetOf>
    beforeAll(async () => {
      backend = await testBackend({ demo: false, driver: 'postgres' })
      company = await createCompany(backend)
      fleet = fleetOf(backend, company)
    })
    afterAll(() => backend.stop())

    it('is offered each run once, deadlocks never, and leaves every job’s counters right', async () => {
      const devices = await Promise.all(Array.from({ length: DEVICES }, () => fleet.enroll()))
      for (let n = 0; n < JOBS; n++)
        await backend.sql(
          `with job as (
           insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds, expires_at, total)
           values ($1, 'procedure', 'Greet', 'Bash', 'true', repeat('0', 64), 60, now() + interval '1 day', $2) returning id)
         insert into public.job_runs (company_id, job_id, device_id)
         select $1, job.id, d.id from job, public.devices d where d.company_id = $1`,
          [company, DEVICES],
        )
      const offered = new Map<string, number>()
      const failures: unknown[] = []
      const removed = devices[0]?.device_id ?? ''

      const work = async (device: Device, number: number) => {
        for (let turn = 0; ; turn++) {
          const software = Array.from({ length: 20 }, (_, i) => ({
            name: `p${(i * 7 + turn + number) % 40}`,
            version: '1',
          }))
          // Two at once, as an agent whose report and check-in overlap.
          const [first, second] = await Promise.all([
            fleet.call('agent_check_in', {
              ...device,
              inventory_hash: `${turn}`,
              inventory: { os: 'Ubuntu', software },
              running: [],
            }),
            fleet.call('agent_check_in', { ...device, inventory_hash: `${turn}`, running: [] }),
          ])
          const runs = [first, second].flatMap(({ status, body }) => {
            if (status === 200) return body.runs as { run_id: string; attempt: number }[]
            if (!(status === 401 && device.device_id === removed)) failures.push(body)
            return []
          })
          for (const { run_id } of runs) offered.set(run_id, (offered.get(run_id) ?? 0) + 1)
          if (runs.length === 0) return
          const results = runs
            .map(({ run_id, attempt }) => ({ run_id, attempt, state: 'succeeded', exit_code: 0 }))
            .reverse()
          const report = await fleet.call('agent_report', { ...device, results })
          if (report.status !== 200 && !(report.status === 401 && device.device_id === removed))
            failures.push(report.body)
        }
      }
      const disturb = async () => {
        const jobs = await backend.sql<{ id: string }>(
          'select id from public.jobs where company_id = $1 limit 4',
          [company],
        )
        for (const { id } of jobs) {
          await backend.sql(
            `select app.cancel_runs($1, array(select r.id from public.job_runs r where r.job_id = $2 and r.status in ('queued', 'claimed')))`,
            [company, id],
          )
          await backend.sql('select app.expire_runs()')
        }
        await backend.sql('delete from public.devices where id = $1', [removed])
      }
      await Promise.all([...devices.map(work), disturb()])

      expect(failures).toEqual([])
      expect([...offered.values()].filter((times) => times > 1)).toEqual([])
      expect(
        await backend.sql(
          `select count(*)::int as open from public.job_runs where company_id = $1 and status in ('queued', 'running')`,
          [company],
        ),
      ).toEqual([{ open: 0 }])
      // A removed device's finished runs stay counted, so a job may have counted more than it still has rows for.
      expect(
        await backend.sql(
          `select j.id from public.jobs j where j.company_id = $1 and (
           j.succeeded < (select count(*) from public.job_runs r where r.job_id = j.id and r.status = 'succeeded')
           or j.canceled < (select count(*) from public.job_runs r where r.job_id = j.id and r.status = 'cancelled')
           or j.succeeded + j.failed + j.canceled > j.total)`,
          [company],
        ),
      ).toEqual([])
    })

    it('enrolls one machine as one device, however many ask at once', async () => {
      const machine = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => fleet.askToEnroll(company, { machine_id: machine })),
      )
      // The first becomes the device; the others wait for approval, or are too many to wait.
      const enrolled = answers.filter(({ body }) => body.device_id !== undefined)
      expect(enrolled).toHaveLength(1)
      expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true)
      const [{ n } = { n: 0 }] = await backend.sql<{ n: number }>(
        'select count(*)::int as n from public.devices where machine_id = $1',
        [machine],
      )
      expect(n).toBe(1)
    })
  },
)
