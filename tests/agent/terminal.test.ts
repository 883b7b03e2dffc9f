import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import type { SupabaseClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { createAccount } from '../support/accounts'
import { until } from './support/machine'
import { backend, company, device, firstOf, openSite, outcomeOf } from './support/site'

openSite()

interface Terminal {
  client: SupabaseClient
  deviceId: string
  /** Runs a command and waits for how it ended. */
  run: (command: string, more?: { session?: string; type?: string }) => ReturnType<typeof outcomeOf>
}

/** A device with an agent, and somebody who opened its terminal. */
async function openTerminal(): Promise<Terminal> {
  const { id, queue } = await device()
  const { email } = await createAccount(backend, 'Teknik', company)
  const client = await backend.client(email)
  await client.rpc('keep_terminal', { device_id: id }).throwOnError()
  // Starts the agent, which notices the terminal when it first checks in.
  const first = firstOf(await queue({ type: 'Bash', text: 'true' }))
  await until('the agent is there', async () => {
    const [run] = await backend.sql(
      'select 1 from public.job_runs where id = $1 and reported_at is not null',
      [first],
    )
    return run
  })
  const own = randomUUID()
  const run: Terminal['run'] = async (command, { session = own, type = 'Bash' } = {}) => {
    const { data } = await client
      .rpc('run_in_terminal', { device_id: id, session, type, command })
      .throwOnError()
    return outcomeOf(data as string)
  }
  return { client, deviceId: id, run }
}

const HOME = realpathSync(homedir())
const TMP = realpathSync(tmpdir())

describe('a terminal', () => {
  it('keeps the folder of a session from command to command, whatever a command ends with', async () => {
    const { run } = await openTerminal()
    expect(await run('pwd -P')).toMatchObject({ status: 'succeeded', output: `${HOME}\n` })
    expect(await run(`cd ${TMP}; cd .; exit 7`)).toMatchObject({ status: 'failed', exit_code: 7 })
    expect(await run('pwd -P')).toMatchObject({ output: `${TMP}\n`, exit_code: 0 })
    expect(await run('import os; print(os.getcwd())', { type: 'Python' })).toMatchObject({
      output: `${TMP}\n`,
    })
    expect(await run('false')).toMatchObject({ status: 'failed', exit_code: 1 })
    // Another window has a folder of its own.
    expect(await run('pwd -P', { session: randomUUID() })).toMatchObject({ output: `${HOME}\n` })
    // A folder that is gone does not end the session.
    await run(`mkdir -p ${TMP}/gone-$PPID && cd ${TMP}/gone-$PPID && rmdir "$PWD"`)
    expect((await run('pwd -P')).status).toBe('succeeded')
  })

  it('has its answers at once: the device does not wait for its next check-in', async () => {
    const { deviceId, run } = await openTerminal()
    await run('true')
    for (let count = 0; count < 9; count++) {
      await run(`echo here ${count}`)
      // Not in step with the agent.
      await new Promise((done) => setTimeout(done, 40 * count))
    }
    const [waited] = await backend.sql<{ ms: number }>(
      `select 1000 * percentile_cont(0.5) within group (order by extract(epoch from r.claimed_at - r.queued_at))::float as ms
       from public.job_runs r join public.jobs j on j.id = r.job_id where r.device_id = $1 and j.script like 'echo here%'`,
      [deviceId],
    )
    // A device with no open terminal takes 2.5 of the 5 seconds between check-ins on average.
    expect(waited?.ms).toBeLessThan(1_000)
  })

  it('ends a command that is stopped, while the device answers its terminal', async () => {
    const { client, deviceId } = await openTerminal()
    const { data } = await client
      .rpc('run_in_terminal', {
        device_id: deviceId,
        session: randomUUID(),
        type: 'Bash',
        command: 'sleep 300',
      })
      .throwOnError()
    const [row] = await backend.sql<{ id: string }>('select id from public.job_runs where job_id = $1', [
      data,
    ])
    await until('it runs', async () => {
      const [run] = await backend.sql(`select 1 from public.job_runs where id = $1 and status = 'running'`, [
        row?.id,
      ])
      return run
    })
    await client.rpc('cancel_run', { run_id: row?.id }).throwOnError()
    expect((await outcomeOf(data as string)).status).toBe('cancelled')
  })
})
