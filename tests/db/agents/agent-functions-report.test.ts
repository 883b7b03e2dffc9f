import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { fleetOf, result } from '../support/agent-functions-fleet'

let backend: TestBackend
let company: string
let fleet: ReturnType<typeof fleetOf>
beforeAll(async () => {
  backend = await sharedBackend()
  company = await createCompany(backend)
  fleet = fleetOf(backend, company)
})
afterAll(() => backend.stop())

describe('agent_report', () => {
  it('moves a run from claimed to running to its end, and answers a replay without changing anything', async () => {
    const { device, runId } = await fleet.claimed()
    expect((await fleet.report(device, [{ run_id: runId, attempt: 1, state: 'running' }])).body).toEqual({
      accepted: [runId],
      refused: [],
    })
    expect(await fleet.run(runId)).toMatchObject({ status: 'running', leased: true, output: null })
    expect((await fleet.report(device, [result(runId)])).body.accepted).toEqual([runId])
    const after = await fleet.run(runId)
    expect(after).toMatchObject({ status: 'succeeded', exit_code: 0, output: 'hello\n', error: null })
    const replay = await fleet.report(device, [
      result(runId, { state: 'failed', exit_code: 1, output: 'changed' }),
    ])
    expect(replay.body).toEqual({ accepted: [], refused: [{ run_id: runId, reason: 'result_exists' }] })
    expect(await fleet.run(runId)).toEqual(after)
    expect(
      await backend.sql('select status from public.procedure_logs where job_run_id = $1', [runId]),
    ).toEqual([{ status: 'success' }])
  })

  it('refuses a run of another device, company or nobody alike, and an attempt that was never made', async () => {
    const mine = await fleet.claimed()
    const neighbor = await fleet.claimed()
    const stranger = await fleet.claimed(await createCompany(backend))
    const queued = await fleet.queueRun(company, mine.device.device_id)
    const nothing = randomUUID()
    const { body } = await fleet.report(mine.device, [
      result(neighbor.runId),
      result(stranger.runId),
      result(nothing),
      result('no uuid'),
      result(mine.runId, { attempt: 2 }),
      result(queued, { attempt: 0 }),
      result(mine.runId, { attempt: 1, state: 'exploded' }),
      'nonsense',
    ])
    expect(body).toEqual({
      accepted: [],
      refused: [
        { run_id: neighbor.runId, reason: 'not_found' },
        { run_id: stranger.runId, reason: 'not_found' },
        { run_id: nothing, reason: 'not_found' },
        { run_id: 'no uuid', reason: 'not_found' },
        { run_id: mine.runId, reason: 'unknown_attempt' },
        { run_id: queued, reason: 'unknown_attempt' },
        { run_id: mine.runId, reason: 'unknown_state' },
      ],
    })
    for (const id of [mine.runId, neighbor.runId, stranger.runId])
      expect(await fleet.run(id)).toMatchObject({ status: 'claimed', output: null })
  })

  it('takes a late result of a run that was given up, and puts the counters right', async () => {
    const { device, runId } = await fleet.claimed()
    await backend.sql(
      `update public.job_runs set lease_until = now() - interval '1 day', claimed_at = now() - interval '1 day' where id = $1`,
      [runId],
    )
    await backend.sql(
      `update public.jobs set expires_at = now() - interval '1 hour' where id = (select job_id from public.job_runs where id = $1)`,
      [runId],
    )
    await backend.sql('select app.expire_runs()')
    const counts = () =>
      backend.sql(
        'select j.status, j.succeeded, j.failed from public.jobs j join public.job_runs r on r.job_id = j.id where r.id = $1',
        [runId],
      )
    expect(await counts()).toEqual([{ status: 'finished', succeeded: 0, failed: 1 }])
    expect(
      (await fleet.report(device, [{ run_id: runId, attempt: 1, state: 'running' }])).body.refused,
    ).toEqual([{ run_id: runId, reason: 'not_open' }])
    expect((await fleet.report(device, [result(runId)])).body.accepted).toEqual([runId])
    expect(await fleet.run(runId)).toMatchObject({ status: 'succeeded', error: null })
    expect(await counts()).toEqual([{ status: 'finished', succeeded: 1, failed: 0 }])
  })

  it.each([
    ['failed', 'failed', null],
    ['timed_out', 'timed_out', 'timed_out'],
    ['interrupted', 'failed', 'interrupted'],
    ['cancelled', 'cancelled', 'cancelled'],
    ['refused', 'failed', 'refused'],
  ])('writes %s as %s with the error %s', async (state, status, error) => {
    const { device, runId } = await fleet.claimed()
    await fleet.report(device, [result(runId, { state, exit_code: null })])
    expect(await fleet.run(runId)).toMatchObject({ status, error, exit_code: null })
  })

  it.each(['hash_mismatch', 'no_interpreter', 'start_failed', 'already_installed', 'interrupted'])(
    'takes the reason %s of an agent',
    async (reason) => {
      const { device, runId } = await fleet.claimed()
      await fleet.report(device, [result(runId, { state: 'failed', reason })])
      expect(await fleet.run(runId)).toMatchObject({ status: 'failed', error: reason })
    },
  )

  it.each([
    ...['values_denied', 'no_right', 'denied', 'unapproved', 'replaced', 'declined', 'expired', 'lost'],
    'Denied by the policy of your company',
    7,
  ])('takes no reason from a device that only the server gives: %s', async (reason) => {
    for (const [state, error] of [
      ['failed', null],
      ['refused', 'refused'],
      ['interrupted', 'interrupted'],
    ]) {
      const { device, runId } = await fleet.claimed()
      const sent = await fleet.report(device, [result(runId, { state, reason })])
      expect(sent.body).toEqual({ accepted: [runId], refused: [] })
      expect(await fleet.run(runId)).toMatchObject({ status: 'failed', error })
    }
  })

  it('keeps a megabyte of output whole', async () => {
    const { device, runId } = await fleet.claimed()
    const output = `${'x'.repeat(255)}\n`.repeat(4_096)
    expect((await fleet.report(device, [result(runId, { output })])).body.accepted).toEqual([runId])
    const written = await fleet.run(runId)
    expect(written?.output_truncated).toBe(false)
    expect(written?.output === output).toBe(true)
  })

  it('cuts a longer output in its middle, between characters, and says what is missing', async () => {
    const { device, runId } = await fleet.claimed()
    const output = `a${'ş'.repeat(400_000)}\n${'ş\n'.repeat(300_000)}end`
    await fleet.report(device, [result(runId, { output })])
    const written = await fleet.run(runId)
    const kept = String(written?.output)
    expect(written?.output_truncated).toBe(true)
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(1_048_576)
    expect(kept).not.toContain('\uFFFD')
    const [head = '', bytes = '', lines = '', tail = ''] = kept.split(
      /\n… ([\d,]+) bytes \(([\d,]+) lines\) cut here …\n/,
    )
    expect(output.startsWith(head) && output.endsWith(tail)).toBe(true)
    const cut = output.slice(head.length, output.length - tail.length)
    expect(Number(bytes.replaceAll(',', ''))).toBe(Buffer.byteLength(cut))
    expect(Number(lines.replaceAll(',', ''))).toBe(cut.split('\n').length - 1)
  })

  it('believes no type', async () => {
    const { device, runId } = await fleet.claimed()
    await fleet.report(device, [result(runId, { exit_code: 99_999_999_999, truncated: 'no', started_at: 5 })])
    expect(await fleet.run(runId)).toMatchObject({ output_truncated: false, exit_code: null })
    const second = await fleet.claimed()
    await fleet.report(second.device, [result(second.runId, { output: { a: 1 }, exit_code: 'one' })])
    expect(await fleet.run(second.runId)).toMatchObject({
      output: null,
      exit_code: null,
      output_truncated: false,
    })
  })

  it('takes 64 results at once and no more, and of two for one run the one that ended it', async () => {
    const { device, runId } = await fleet.claimed()
    const many = Array.from({ length: 65 }, () => result(randomUUID()))
    expect((await fleet.report(device, many)).status).toBe(413)
    expect((await fleet.report(device, many.slice(1))).status).toBe(200)
    expect((await fleet.report(device, 'none')).status).toBe(400)
    await fleet.report(device, [
      { run_id: runId, attempt: 1, state: 'running' },
      result(runId),
      result(runId, { output: 'second' }),
    ])
    expect(await fleet.run(runId)).toMatchObject({ status: 'succeeded', output: 'hello\n' })
  })

  it('reckons with the server’s clock, whatever the device’s says', async () => {
    const { device, runId } = await fleet.claimed()
    await fleet.report(device, [
      result(runId, { started_at: '1999-01-01T00:00:00.000Z', finished_at: '1999-01-01T00:00:09.000Z' }),
    ])
    const [times] = await backend.sql(
      `select finished_at > now() - interval '1 minute' as now, started_at >= claimed_at as after_claim, started_at <= finished_at as in_order
       from public.job_runs where id = $1`,
      [runId],
    )
    expect(times).toEqual({ now: true, after_claim: true, in_order: true })
  })

  it.each([
    ['a right clock', 0],
    ['a clock two hours ahead', 7_200_000],
    ['a clock of 1970', 86_400_000 - Date.now()],
  ])('ends a run when its process ended, not when it was reported: %s', async (_name, skew) => {
    const { device, runId } = await fleet.claimed()
    await backend.sql(
      `update public.job_runs set status = 'running', claimed_at = now() - interval '600 seconds', started_at = now() - interval '600 seconds' where id = $1`,
      [runId],
    )
    const now = Date.now() + skew
    const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString()
    const sent = [result(runId, { started_at: at(600), finished_at: at(480.4) })]
    await fleet.call('agent_report', { ...device, results: sent, time: at(0) })
    expect(
      await backend.sql(
        `select duration_seconds between 119 and 150 as two_minutes, extract(epoch from reported_at - finished_at)::float as before_report
         from public.job_runs where id = $1`,
        [runId],
      ),
    ).toEqual([{ two_minutes: true, before_report: 480.4 }])
  })

  it.each([
    ['later than now', -3600],
    ['before the run was claimed', 86_400],
  ])('takes no end that cannot be: %s', async (_name, secondsAgo) => {
    const { device, runId } = await fleet.claimed()
    const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
    const sent = [result(runId, { started_at: at(secondsAgo + 9), finished_at: at(secondsAgo) })]
    await fleet.call('agent_report', { ...device, results: sent, time: at(0) })
    const [times] = await backend.sql(
      `select finished_at between claimed_at and now() as possible, started_at between claimed_at and finished_at as in_order
       from public.job_runs where id = $1`,
      [runId],
    )
    expect(times).toEqual({ possible: true, in_order: true })
  })

  it.each([3_221_225_477, -1_073_741_819, 2_147_942_402, 4_294_967_295, -2_147_483_648, -1, 256, 3010])(
    'keeps the exit code %d as it is',
    async (code) => {
      const { device, runId } = await fleet.claimed()
      await fleet.report(device, [result(runId, { state: 'failed', exit_code: code })])
      expect(await fleet.run(runId)).toMatchObject({ status: 'failed', exit_code: code })
    },
  )

  it.each([
    ['NUL', 'V\u0000o\u0000l\u0000', 'Vol'],
    ['half of a character', 'icon \ud83d end', 'icon \ufffd end'],
    ['the other half first', '\udc00\ud83d', '\ufffd\ufffd'],
    ['an escaped backslash before u0000', 'C:\\u0000 \\ud83d \ud83d\ude00', 'C:\\u0000 \\ud83d 😀'],
    ['controls and noncharacters', 'a\u0080\u009f\u007fb\uffff\ufffe', 'a\u0080\u009f\u007fb\uffff\ufffe'],
  ])('takes output with %s', async (_name, output, kept) => {
    for (const padding of ['', 'x'.repeat(20_000)]) {
      const { device, runId } = await fleet.claimed()
      const answer = await fleet.report(device, [result(runId, { output: output + padding })])
      expect(answer).toMatchObject({ status: 200, body: { accepted: [runId] } })
      expect((await fleet.run(runId))?.output).toBe(kept + padding)
    }
  })
})
