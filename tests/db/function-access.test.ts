import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../support/accounts'
import { drivers, type TestBackend, testBackend } from '../support/backend'
import { type Answer, fleetOf, result } from './agent-functions-fleet'
import { type AsUser, asUser, idsLiteral, literal } from './as-user'
import type { Company } from './table-access/access'
import { furnishCompany } from './table-access/furnish-company'

interface Actor {
  name: string
  /** Null is anonymous. */
  id: string | null
  companyId: string | null
  seesAll?: boolean
}

interface Access {
  /** The permission it needs: object and verb. */
  needs: [object: string, verb: string]
  call: (company: Company) => string
  /** Where it answers nothing instead of refusing. */
  isSilent?: true
  /** Whether even a Super Admin gets it only where the company's license has it. */
  isLicensed?: true
}

const id = (company: Company, table: string) => String(company.rows[table]?.id)
const devices = (company: Company) => idsLiteral([id(company, 'devices')])

/**
 * Every function that runs as its owner and that people may call. All others run as their caller: row-level security
 * holds for them, which `table-access.test.ts` tries.
 */
const FUNCTIONS: Record<string, Access> = {
  run_procedure: {
    needs: ['procedures', 'run'],
    call: (c) => `run_procedure(${literal(id(c, 'procedures'))}, ${devices(c)})`,
  },
  run_command: {
    needs: ['custom-commands', 'run'],
    call: (c) => `run_command('Bash', 'id', ${devices(c)})`,
  },
  run_task: { needs: ['devices', 'run'], call: (c) => `run_task('reboot', ${devices(c)})` },
  install_patches: {
    needs: ['device_patches', 'run'],
    call: (c) => `install_patches(${idsLiteral([id(c, 'device_patches')])})`,
  },
  run_app: {
    needs: ['apps', 'run'],
    call: (c) => `run_app(${literal(id(c, 'apps'))}, 'install', ${devices(c)})`,
  },
  run_corporate_app: {
    needs: ['corporate_apps', 'run'],
    call: (c) => `run_corporate_app(${literal(id(c, 'corporate_apps'))}, ${devices(c)})`,
  },
  license_preview: {
    needs: ['software_licenses', 'list'],
    call: (c) => `license_preview('office', 'device', ${literal(c.id)})`,
  },
  package_limits: {
    needs: ['corporate_apps', 'list'],
    call: (c) => `package_limits(${literal(id(c, 'corporate_apps'))})`,
  },
  begin_package_upload: {
    needs: ['corporate_apps', 'edit'],
    call: (c) => `begin_package_upload(${literal(id(c, 'corporate_apps'))}, '3.0', 'erp.msi', 10)`,
  },
  use_package_file: {
    needs: ['corporate_apps', 'edit'],
    call: (c) => `use_package_file(${literal(id(c, 'corporate_app_files'))})`,
  },
  app_store_state: {
    needs: ['apps', 'list'],
    call: (c) => `app_store_state(${idsLiteral([id(c, 'apps')])}, ${literal(c.id)})`,
    isSilent: true,
  },
  app_outdated_devices: {
    needs: ['apps', 'run'],
    call: (c) => `app_outdated_devices(${literal(id(c, 'apps'))}, ${literal(c.id)})`,
    isSilent: true,
  },
  run_automation: {
    needs: ['automations', 'run'],
    call: (c) => `run_automation(${literal(id(c, 'automations'))}, ${devices(c)})`,
    isLicensed: true,
  },
  preview_retry: {
    needs: ['custom-commands', 'run'],
    call: (c) => `preview_retry(${literal(id(c, 'jobs'))})`,
  },
  retry_job: { needs: ['custom-commands', 'run'], call: (c) => `retry_job(${literal(id(c, 'jobs'))})` },
  cancel_job: { needs: ['jobs', 'cancel'], call: (c) => `cancel_job(${literal(id(c, 'jobs'))})` },
  cancel_run: { needs: ['job_runs', 'cancel'], call: (c) => `cancel_run(${literal(id(c, 'job_runs'))})` },
  cancel_automation_run: {
    needs: ['automation_runs', 'cancel'],
    call: (c) => `cancel_automation_run(${literal(id(c, 'automation_runs'))})`,
  },
  set_maintenance: { needs: ['devices', 'edit'], call: (c) => `set_maintenance(${devices(c)}, 60)` },
  test_monitor: {
    needs: ['monitors', 'run'],
    call: (c) => `test_monitor(${literal(id(c, 'monitors'))}, ${devices(c)})`,
  },
  approve_procedure: {
    needs: ['procedures', 'approve'],
    call: (c) => `approve_procedure(${literal(id(c, 'procedure_versions'))})`,
  },
  decline_procedure: {
    needs: ['procedures', 'approve'],
    call: (c) => `decline_procedure(${literal(id(c, 'procedure_versions'))}, 'No')`,
  },
  count_approvers: { needs: ['policies', 'list'], call: (c) => `count_approvers(${literal(c.id)})` },
  test_script: {
    needs: ['procedures', 'create'],
    call: (c) => `test_script(${literal(id(c, 'devices'))}, 'Bash', 'id')`,
  },
  mark_favorite: {
    needs: ['procedures', 'list'],
    call: (c) => `mark_favorite(${literal(id(c, 'procedures'))})`,
  },
  create_enrollment_token: {
    needs: ['enrollment_tokens', 'create'],
    call: (c) => `create_enrollment_token(${literal(c.id)}, 'Tried')`,
  },
  revoke_enrollment_token: {
    needs: ['enrollment_tokens', 'delete'],
    call: (c) => `revoke_enrollment_token(${literal(id(c, 'enrollment_tokens'))})`,
  },
  approve_enrollment: {
    needs: ['enrollment_requests', 'approve'],
    call: (c) => `approve_enrollment(${literal(id(c, 'enrollment_requests'))})`,
  },
  reject_enrollments: {
    needs: ['enrollment_requests', 'approve'],
    call: (c) => `reject_enrollments(${idsLiteral([id(c, 'enrollment_requests')])})`,
    isSilent: true,
  },
  deactivate_users: {
    needs: ['users', 'edit'],
    call: (c) => `deactivate_users(${idsLiteral([c.memberId])})`,
  },
  reactivate_users: {
    needs: ['users', 'edit'],
    call: (c) => `reactivate_users(${idsLiteral([c.memberId])})`,
  },
  end_user_sessions: {
    needs: ['users', 'edit'],
    call: (c) => `end_user_sessions(${idsLiteral([c.memberId])})`,
  },
  send_password_links: {
    needs: ['users', 'invite'],
    call: (c) => `send_password_links(${idsLiteral([c.memberId])})`,
  },
  patch_compliance: {
    needs: ['device_patches', 'list'],
    call: (c) => `patch_compliance(${literal(c.id)})`,
  },
  patch_rings: {
    needs: ['policies', 'list'],
    call: (c) => `patch_rings(${literal(id(c, 'patches'))})`,
    isSilent: true,
  },
  device_holds: {
    needs: ['policies', 'list'],
    call: (c) => `device_holds(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
  dashboard: { needs: ['dashboard', 'show'], call: (c) => `dashboard(${literal(c.id)})` },
  device_history: {
    needs: ['device_presence', 'list'],
    call: (c) => `device_history(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
  rollout_status: { needs: ['agents', 'list'], call: (c) => `rollout_status(${literal(c.id)})` },
  device_windows: {
    needs: ['policies', 'list'],
    call: (c) => `device_windows(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
  device_policies: {
    needs: ['policies', 'list'],
    call: (c) => `device_policies(${literal(id(c, 'devices'))})`,
    isSilent: true,
  },
}
/** What concerns nobody but the caller. */
const OWN = ['finish_package_upload', 'my_policy']

/** All that these functions can change. */
const PROBE = `select (select count(*) from public.jobs) as jobs,
  (select jsonb_agg(array[r.status, r.cancel_requested_at::text] order by r.id) from public.job_runs r) as runs,
  (select jsonb_agg(r.status order by r.id) from public.automation_runs r) as automations,
  (select jsonb_agg(d.maintenance_until order by d.id) from public.devices d) as devices,
  (select jsonb_agg(t.revoked_at order by t.id) from public.enrollment_tokens t) as tokens,
  (select jsonb_agg(r.status order by r.id) from public.enrollment_requests r) as requests,
  (select jsonb_agg(u.deactivated_at order by u.user_id) from public.user_roles u) as users,
  (select jsonb_agg(v.approved_at order by v.id) from public.procedure_versions v) as versions,
  (select count(*) from public.procedure_favorites) as favorites,
  (select count(*) from app.package_uploads) as uploads,
  (select jsonb_agg(f.is_current order by f.id) from public.corporate_app_files f) as files,
  (select count(*) from app.mail_outbox) as mails, (select count(*) from auth.sessions) as sessions`

let attempts = 0

describe.each(drivers('roles'))('every function × actor × company on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let companies: Record<'own' | 'other' | 'expired' | 'basic' | 'suspended', Company>
  let actors: Actor[]

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    as = await asUser(backend)
    companies = {
      own: await furnishCompany(backend),
      other: await furnishCompany(backend),
      expired: await furnishCompany(backend, { status: 'Expired', endsIn: '-1 day' }),
      basic: await furnishCompany(backend, { licenseType: 'Basic' }),
      suspended: await furnishCompany(backend, { status: 'Suspended' }),
    }
    await backend.sql(`update public.patches set approval = 'approved'`)
    await backend.sql(
      `update public.automation_steps s set procedure_id = p.id
       from public.procedures p where p.company_id = s.company_id and p.name = 'Script' and s.procedure_id is null`,
    )
    const actor = async (name: string, role: string | null, company: Company | null): Promise<Actor> => ({
      name,
      id: (await createAccount(backend, role, company?.id ?? null)).id,
      companyId: company?.id ?? null,
      seesAll: role === 'Super Admin',
    })
    actors = [
      await actor('Super Admin', 'Super Admin', null),
      await actor('Admin', 'Admin', companies.own),
      await actor('Teknik', 'Teknik', companies.own),
      await actor('Standard', 'Standard', companies.own),
      await actor('another company’s Admin', 'Admin', companies.other),
      await actor('Admin whose license has ended', 'Admin', companies.expired),
      await actor('Admin without Pro', 'Admin', companies.basic),
      await actor('Admin of a suspended company', 'Admin', companies.suspended),
      await actor('signed in without a role', null, null),
      { name: 'anonymous', id: null, companyId: null },
    ]
  })
  afterAll(async () => {
    await backend?.stop()
    console.log(`function access: ${attempts} attempts so far, ${driver} included`)
  })

  it('names every function that runs as its owner', async () => {
    const rows = await backend.sql<{ name: string }>(
      `select proname as name from pg_proc
       where pronamespace = 'public'::regnamespace and prosecdef and has_function_privilege('authenticated', oid, 'execute')
         and proname !~ '^(agent_|search_)' order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual([...Object.keys(FUNCTIONS), ...OWN].sort())
  })

  const judge = async (
    { needs: [object, verb], call, isSilent, isLicensed }: Access,
    actor: Actor,
    company: Company,
    before: unknown,
  ): Promise<string> => {
    attempts++
    const may = await as(actor.id, `select app.can(${literal(object)}, ${literal(verb)}) as can`)
    const isPermitted = may.data?.[0]?.can === true
    const hasLicense = company === companies.own || company === companies.other
    const isReached = actor.seesAll ? !isLicensed || hasLicense : actor.companyId === company.id
    const answer = await as(actor.id, `select public.${call(company)} as value`, PROBE)
    const isRefused = answer.code === '42501' || answer.code === 'PT404'
    const isUnchanged = JSON.stringify(answer.probe) === before
    if (isPermitted && isReached) {
      // A rule of the records themselves may still say no, with a hint.
      const isRule = answer.code === 'PT409' || Boolean(answer.hint)
      return isRefused || (answer.code !== undefined && !isRule)
        ? `should work, got ${answer.code} ${answer.message}`
        : ''
    }
    if (!isUnchanged) return 'was denied and changed something'
    if (actor.id === null) return answer.code === '42501' ? '' : `should have no grant, got ${answer.code}`
    if (isRefused) return ''
    const value = answer.data?.[0]?.value
    const isEmpty =
      value === 0 || JSON.stringify(value) === '[]' || JSON.stringify(value)?.includes('"points":[]')
    return isSilent && isEmpty ? '' : `should be refused, got ${answer.code ?? JSON.stringify(value)}`
  }

  it.each(Object.entries(FUNCTIONS))('%s', async (name, access) => {
    const before = JSON.stringify((await as(null, 'select 1', PROBE)).probe)
    const wrong: string[] = []
    let worked = 0
    for (const actor of actors)
      for (const [whose, company] of Object.entries(companies)) {
        const said = await judge(access, actor, company, before)
        if (said) wrong.push(`${name} as ${actor.name} for ${whose}: ${said}`)
        else worked++
      }
    expect(wrong).toEqual([])
    expect(worked).toBe(actors.length * Object.keys(companies).length)
  })

  it('the calls of agents', async () => {
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
})
