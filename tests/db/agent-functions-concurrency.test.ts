import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../support/accounts'
import { drivers, type TestBackend, testBackend } from '../support/backend'

const DEVICES = 12
const JOBS = 24

interface Device {
  device_id: string
  secret: string
}

// PGlite has one session, so what happens at once can only be seen on PostgreSQL.
describe.skipIf(!drivers().includes('postgres'))(
  'a fleet that does everything at once, on PostgreSQL',
  () => {
    let backend: TestBackend
    let company: string
    let token: string
    beforeAll(async () => {
      backend = await testBackend({ demo: false, driver: 'postgres' })
      company = await createCompany(backend)
      token = randomBytes(32).toString('hex')
      const [row] = await backend.sql<{ id: string }>(
        `insert into public.enrollment_tokens (company_id, name, hint) values ($1, 'Fleet', 'test') returning id`,
        [company],
      )
      await backend.sql('insert into app.enrollment_secrets values ($1, app.hash_secret($2))', [
        row?.id,
        token,
      ])
    })
    afterAll(() => backend.stop())

    async function call(
      name: string,
      payload: unknown,
    ): Promise<{ status: number; body: Record<string, unknown> }> {
      const response = await fetch(`${backend.url}/rest/v1/rpc/${name}`, {
        method: 'POST',
        headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify({ payload }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }

    async function enrol(machineId = randomUUID()): Promise<Device> {
      const { status, body } = await call('agent_enroll', {
        token,
        machine_id: machineId,
        hostname: 'pc',
        platform: 'linux',
        agent_version: '1',
      })
      expect(status).toBe(200)
      return { device_id: String(body.device_id), secret: String(body.secret) }
    }

    it('is offered each run once, deadlocks never, and leaves every job’s counters right', async () => {
      const devices = await Promise.all(Array.from({ length: DEVICES }, () => enrol()))
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
            call('agent_check_in', {
              ...device,
              inventory_hash: `${turn}`,
              inventory: { os: 'Ubuntu', software },
              running: [],
            }),
            call('agent_check_in', { ...device, inventory_hash: `${turn}`, running: [] }),
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
          const report = await call('agent_report', { ...device, results })
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
           or j.failed < (select count(*) from public.job_runs r where r.job_id = j.id and r.status = 'cancelled')
           or j.succeeded + j.failed > j.total)`,
          [company],
        ),
      ).toEqual([])
    })

    it('enrols one machine as one device, however many ask at once', async () => {
      const machine = randomUUID()
      const answers = await Promise.all(Array.from({ length: 8 }, () => enrol(machine)))
      expect(new Set(answers.map(({ device_id }) => device_id)).size).toBe(1)
      const checkIns = await Promise.all(
        answers.map((device) => call('agent_check_in', { ...device, running: [] })),
      )
      expect(checkIns.filter(({ status }) => status === 200)).toHaveLength(1)
    })
  },
)
