import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApi, Refused } from '../../agent/api'
import { createCompany } from '../support/accounts'
import { sharedBackend, type TestBackend } from '../support/backend'
import { createToken, queueRun, readRun } from './support/console'

let backend: TestBackend
let company: string
beforeAll(async () => {
  backend = await sharedBackend()
  company = await createCompany(backend)
})
afterAll(() => backend.stop())

interface Credentials {
  device_id: string
  secret: string
}

const api = () => createApi(backend.url, null)

async function enroll(owner: string): Promise<Credentials> {
  const { device_id, secret } = await api().call('agent_enroll', {
    token: await createToken(backend, owner),
    machine_id: randomUUID(),
    hostname: 'impostor',
    platform: 'linux',
    agent_version: '1',
  })
  return { device_id: String(device_id), secret: String(secret) }
}

async function claimedRun(owner: string): Promise<{ device: Credentials; runId: string }> {
  const device = await enroll(owner)
  const runId = await queueRun(backend, owner, device.device_id, { type: 'Bash', text: 'echo hello' })
  await api().call('agent_check_in', { ...device, running: [] })
  expect(await readRun(backend, runId)).toMatchObject({ status: 'claimed', attempt: 1 })
  return { device, runId }
}

const result = (run_id: string, more: Record<string, unknown> = {}) => ({
  run_id,
  attempt: 1,
  state: 'succeeded',
  exit_code: 0,
  output: 'forged',
  ...more,
})

/** An enrolled device is no friend: whoever owns it may send whatever they like under its own name. */
describe('an enrolled device that lies', () => {
  it('cannot answer for another device, of its own company or of another', async () => {
    const liar = await enroll(company)
    const neighbor = await claimedRun(company)
    const stranger = await claimedRun(await createCompany(backend))
    const answer = await api().call('agent_report', {
      ...liar,
      results: [result(neighbor.runId), result(stranger.runId), result(randomUUID())],
    })
    expect(answer.accepted).toEqual([])
    expect((answer.refused as { reason: string }[]).map(({ reason }) => reason)).toEqual([
      'not_found',
      'not_found',
      'not_found',
    ])
    for (const { runId } of [neighbor, stranger])
      expect(await readRun(backend, runId)).toMatchObject({ status: 'claimed', output: null })
  })

  it('cannot take over another device’s runs by naming them, nor keep their leases alive', async () => {
    const liar = await enroll(company)
    const { runId } = await claimedRun(company)
    const lapsed = "update public.job_runs set lease_until = now() - interval '1 minute' where id = $1"
    await backend.sql(lapsed, [runId])
    const answer = await api().call('agent_check_in', { ...liar, running: [runId] })
    expect(answer).toMatchObject({ runs: [], cancel: [runId] })
    const [run] = await backend.sql(
      'select lease_until < now() as lapsed from public.job_runs where id = $1',
      [runId],
    )
    expect(run).toEqual({ lapsed: true })
  })

  it('cannot rewrite what it once reported', async () => {
    const { device, runId } = await claimedRun(company)
    const report = (output: string) =>
      api().call('agent_report', { ...device, results: [result(runId, { output })] })
    expect((await report('first')).accepted).toEqual([runId])
    expect(await report('second')).toEqual({
      accepted: [],
      refused: [{ run_id: runId, reason: 'result_exists' }],
    })
    expect(await readRun(backend, runId)).toMatchObject({ output: 'first' })
  })

  it('cannot fill the database with its output', async () => {
    const { device, runId } = await claimedRun(company)
    await api().call('agent_report', {
      ...device,
      results: [result(runId, { output: 'ş'.repeat(1_000_000) })],
    })
    const run = await readRun(backend, runId)
    expect(run.output_truncated).toBe(true)
    expect(Buffer.byteLength(run.output ?? '')).toBeLessThanOrEqual(1_048_576)
    const [log] = await backend.sql<{ length: number }>(
      'select length(output) from public.procedure_logs where job_run_id = $1',
      [runId],
    )
    expect(log).toEqual({ length: 8000 })
    const flood = { ...device, results: [result(runId, { output: 'x'.repeat(5_000_000) })] }
    await expect(api().call('agent_report', flood)).rejects.toMatchObject({ status: 413 })
  })

  it('cannot move itself to another company', async () => {
    const other = await createCompany(backend)
    const device = await enroll(company)
    await api().call('agent_check_in', {
      ...device,
      company_id: other,
      inventory_hash: 'h',
      inventory: { company_id: other, hostname: 'moved', status: 'offline', notes: 'mine', software: [] },
      running: [],
    })
    const rows = await backend.sql(
      'select company_id, hostname, status, notes from public.devices where id = $1',
      [device.device_id],
    )
    expect(rows).toEqual([{ company_id: company, hostname: 'moved', status: 'online', notes: null }])
  })

  it('cannot use another device’s secret with its own id', async () => {
    const [one, two] = [await enroll(company), await enroll(company)]
    const mixed = { device_id: one.device_id, secret: two.secret, running: [] }
    await expect(api().call('agent_check_in', mixed)).rejects.toThrow(Refused)
  })
})
