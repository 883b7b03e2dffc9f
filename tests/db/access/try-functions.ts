import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type Answer, fleetOf, result } from '../support/agent-functions-fleet'
import type { Attempt } from '../support/as-user'
import type { Company, Verb } from './access'
import { FUNCTIONS, type FunctionAccess, OWN } from './functions'
import type { Actor, Stage } from './stage'

/** All that these functions can change. */
const CHANGED = `select (select count(*) from public.jobs) as jobs,
  (select jsonb_agg(array[r.status, r.cancel_requested_at::text] order by r.id) from public.job_runs r) as runs,
  (select jsonb_agg(r.status order by r.id) from public.automation_runs r) as automations,
  (select jsonb_agg(d.maintenance_until order by d.id) from public.devices d) as devices,
  (select jsonb_agg(t.revoked_at order by t.id) from public.enrollment_tokens t) as tokens,
  (select jsonb_agg(r.status order by r.id) from public.enrollment_requests r) as requests,
  (select jsonb_agg(u.deactivated_at order by u.user_id) from public.user_roles u) as users,
  (select jsonb_agg(v.approved_at order by v.id) from public.procedure_versions v) as versions,
  (select count(*) from public.procedure_favorites) as favorites,
  (select count(*) from public.corporate_app_files) as versions,
  (select jsonb_agg(f.is_current order by f.id) from public.corporate_app_files f) as files,
  (select count(*) from app.mail_outbox) as mails, (select count(*) from auth.sessions) as sessions`
const PROBE = `select md5(to_jsonb(c)::text) as state from (${CHANGED}) c`

/** Empty when the database did what it should; else what it did instead. */
function judge(
  { isSilent, isLicensed }: FunctionAccess,
  actor: Actor,
  isPermitted: boolean,
  company: Company,
  hasLicense: boolean,
  answer: Attempt,
  before: unknown,
): string {
  const isReached = actor.seesAll ? !isLicensed || hasLicense : actor.companyId === company.id
  const isRefused = answer.code === '42501' || answer.code === 'PT404'
  if (isPermitted && isReached) {
    // A rule of the records themselves may still say no, with a hint.
    const isRule = answer.code === 'PT409' || Boolean(answer.hint)
    return isRefused || (answer.code !== undefined && !isRule)
      ? `should work, got ${answer.code} ${answer.message}`
      : ''
  }
  // The database itself takes back a call that failed.
  if (answer.code === undefined && answer.probe?.[0]?.state !== before)
    return 'was denied and changed something'
  if (actor.id === null) return answer.code === '42501' ? '' : `should have no grant, got ${answer.code}`
  if (isRefused) return ''
  const value = answer.data?.[0]?.value
  const isEmpty =
    value === 0 ||
    answer.data?.length === 0 ||
    JSON.stringify(value) === '[]' ||
    /"points":\[\]|"outcome":"gone"/.test(JSON.stringify(value) ?? '')
  return isSilent && isEmpty ? '' : `should be refused, got ${answer.code ?? JSON.stringify(value)}`
}

/** Every function × actor × company, and the calls of agents. Gives how many were tried. */
export function tryFunctions(stage: () => Stage): () => number {
  let attempts = 0
  let asked: { actor: Actor; may: (verb: Verb) => boolean }[]

  beforeAll(async () => {
    const { backend, actors, verdictsOf } = stage()
    await backend.sql(`update public.patches set approval = 'approved'`)
    await backend.sql(
      `update public.automation_steps s set procedure_id = p.id
       from public.procedures p where p.company_id = s.company_id and p.name = 'Script' and s.procedure_id is null`,
    )
    const verbs = Object.values(FUNCTIONS).map(({ needs }) => needs)
    asked = await Promise.all(actors.map(async (actor) => ({ actor, may: await verdictsOf(actor, verbs) })))
  })

  it('names every function that runs as its owner', async () => {
    const rows = await stage().backend.sql<{ name: string }>(
      `select proname as name from pg_proc
       where pronamespace = 'public'::regnamespace and prosecdef and has_function_privilege('authenticated', oid, 'execute')
         and proname !~ '^(agent_|search_)' order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual([...Object.keys(FUNCTIONS), ...OWN].sort())
  })

  it.each(Object.entries(FUNCTIONS))('%s', async (name, access) => {
    const { tryAll, companies } = stage()
    const [untouched] = await tryAll([{ who: null, statement: 'select 1', probe: PROBE }])
    const before = untouched?.probe?.[0]?.state
    expect(before).toEqual(expect.any(String))
    const tried = asked.flatMap(({ actor, may }) =>
      Object.entries(companies).map(([whose, company]) => ({ actor, may, whose, company })),
    )
    const answers = await tryAll(
      tried.map(({ actor, company }) => ({
        who: actor.id,
        statement: `select public.${access.call(company)} as value`,
        probe: PROBE,
      })),
    )
    attempts += answers.length
    const wrong = tried.flatMap(({ actor, may, whose, company }, index) => {
      const hasLicense = company === companies.own || company === companies.other
      const isPermitted = may(access.needs)
      const said = judge(access, actor, isPermitted, company, hasLicense, answers[index] ?? {}, before)
      return said ? [`${name} as ${actor.name} for ${whose}: ${said}`] : []
    })
    expect(wrong).toEqual([])
    expect(answers).toHaveLength(asked.length * Object.keys(companies).length)
  })

  it('the calls of agents', async () => {
    const { backend, companies } = stage()
    const { own, other } = companies
    const fleet = fleetOf(backend, own.id)
    const [device, neighbor, removed, foreign] = [
      await fleet.enroll(),
      await fleet.enroll(),
      await fleet.enroll(),
      await fleet.enroll(other.id),
    ]
    await backend.sql('delete from public.devices where id = $1', [removed.device_id])
    const strangers: [string, Record<string, unknown>][] = [
      ['no credential', {}],
      ['no secret', { device_id: device.device_id }],
      ['a wrong secret', { ...device, secret: `${device.secret}x` }],
      ['an empty secret', { ...device, secret: '' }],
      ['the secret of a neighbor', { ...device, secret: neighbor.secret }],
      ['the secret of another company’s device', { ...device, secret: foreign.secret }],
      ['a device that was removed', { ...removed }],
      ['a device that never was', { device_id: randomUUID(), secret: device.secret }],
      ['an id that is not one', { device_id: "' or true --", secret: device.secret }],
      ['a hash in place of the secret', { ...device, secret: 'a'.repeat(64) }],
      ['a list as secret', { ...device, secret: [device.secret] }],
    ]
    const wrong: string[] = []
    const call = async (name: string, payload: unknown): Promise<Answer> => {
      attempts++
      const path = name === 'package' ? 'agent/package' : `rest/v1/rpc/${name}`
      const response = await fetch(`${backend.url}/${path}`, {
        method: 'POST',
        headers: { apikey: backend.publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify({ payload }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const messages = new Set<string>()
    for (const [who, credential] of strangers)
      for (const name of ['agent_check_in', 'agent_report', 'package']) {
        const sent = { ...credential, results: [], running: [], run_id: randomUUID() }
        const { status, body } = await call(name, sent)
        messages.add(String(body.message))
        if (status !== 401) wrong.push(`${name} with ${who}: ${status} ${JSON.stringify(body)}`)
      }
    // A refusal never tells which part of the credential was wrong.
    expect([...messages]).toHaveLength(1)

    const runOf = async (company: Company) =>
      (
        await backend.sql<{ id: string; status: string }>(
          'select id, status from public.job_runs where company_id = $1 order by id',
          [company.id],
        )
      )[0]
    for (const company of [own, other]) {
      const run = await runOf(company)
      const { status, body } = await call('agent_report', { ...device, results: [result(String(run?.id))] })
      expect(status).toBe(200)
      expect(body.accepted).toEqual([])
      expect((await runOf(company))?.status).toBe(run?.status)
    }
    expect(wrong).toEqual([])
  })

  return () => attempts
}
