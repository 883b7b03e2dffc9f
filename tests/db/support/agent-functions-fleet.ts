import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { TestBackend } from '../../support/backend'

export interface Answer {
  status: number
  body: Record<string, unknown>
}

export interface Device {
  device_id: string
  secret: string
}

type Name = 'agent_enroll' | 'agent_check_in' | 'agent_report'

export const runIds = (answer: Answer): string[] =>
  (answer.body.runs as { run_id: string }[]).map(({ run_id }) => run_id)

export const result = (runId: string, more: Record<string, unknown> = {}) => ({
  run_id: runId,
  attempt: 1,
  state: 'succeeded',
  exit_code: 0,
  output: 'hello\n',
  truncated: false,
  ...more,
})

/** The calls of a company's devices, over HTTP as devices make them. */
export function fleetOf(backend: TestBackend, company: string, headers: Record<string, string> = {}) {
  const call = async (name: Name, payload: unknown): Promise<Answer> => {
    const response = await fetch(`${backend.url}/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers: { ...headers, apikey: backend.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ payload }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  const idOf = async (query: string, params: readonly unknown[]): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(query, params)
    if (!row) throw new Error(`No row: ${query}`)
    return row.id
  }

  const createToken = async (owner = company, maxUses: number | null = null): Promise<string> => {
    const token = randomBytes(32).toString('hex')
    const id = await idOf(
      `insert into public.enrollment_tokens (company_id, name, hint, max_uses) values ($1, 'Test', 'test', $2) returning id`,
      [owner, maxUses],
    )
    await backend.sql('insert into app.enrollment_secrets values ($1, app.hash_secret($2))', [id, token])
    return token
  }

  const askToEnroll = async (owner = company, more: Record<string, unknown> = {}): Promise<Answer> =>
    call('agent_enroll', {
      token: await createToken(owner),
      machine_id: randomUUID(),
      hostname: 'pc-1',
      platform: 'linux',
      agent_version: '1.0',
      ...more,
    })

  const enroll = async (owner = company, more: Record<string, unknown> = {}): Promise<Device> => {
    const { status, body } = await askToEnroll(owner, more)
    expect(status).toBe(200)
    return { device_id: String(body.device_id), secret: String(body.secret) }
  }

  const checkIn = (device: Device, more: Record<string, unknown> = {}): Promise<Answer> =>
    call('agent_check_in', {
      ...device,
      metrics: {},
      inventory_hash: 'h1',
      running: [],
      agent_version: '1.0',
      ...more,
    })

  const report = (device: Device, results: unknown): Promise<Answer> =>
    call('agent_report', { ...device, results })

  const queueRun = async (owner: string, deviceId: string, script = 'echo hello'): Promise<string> => {
    const job = await idOf(
      `insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds, expires_at, total)
       values ($1, 'procedure', 'Greet', 'Bash', $2, encode(sha256(convert_to($2, 'UTF8')), 'hex'), 60, now() + interval '1 day', 1)
       returning id`,
      [owner, script],
    )
    return idOf(
      'insert into public.job_runs (company_id, job_id, device_id) values ($1, $2, $3) returning id',
      [owner, job, deviceId],
    )
  }

  const claimed = async (owner = company): Promise<{ device: Device; runId: string }> => {
    const device = await enroll(owner)
    const runId = await queueRun(owner, device.device_id)
    expect(runIds(await checkIn(device))).toEqual([runId])
    return { device, runId }
  }

  const run = async (id: string): Promise<Record<string, unknown> | undefined> =>
    (
      await backend.sql<Record<string, unknown>>(
        `select status, attempt, exit_code, output, output_truncated, error, lease_until > now() as leased
         from public.job_runs where id = $1`,
        [id],
      )
    ).at(0)

  return { call, createToken, askToEnroll, enroll, checkIn, report, queueRun, claimed, run }
}
