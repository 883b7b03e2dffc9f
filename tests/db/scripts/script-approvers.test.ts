import { describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { runIds } from '../support/agent-functions-fleet'
import {
  add,
  approve,
  approver,
  author,
  backend,
  company,
  decline,
  declined,
  device,
  edit,
  fleet,
  newest,
  openScriptDesk,
  type Person,
  person,
  queue,
  read,
  runOf,
  script,
  teknik,
} from '../support/script-desk'

describe.each(drivers())('who approves or declines a script on %s', (driver) => {
  openScriptDesk(driver)

  it('ends when somebody declines the version, and its later runs too, until it is approved', async () => {
    const job = await queue()
    await fleet.checkIn(device)
    expect((await decline()).error).toBeNull()
    expect(await runOf(job)).toEqual(declined)
    expect(await read()).toMatchObject({ waits: false, decline_reason: 'Deletes too much' })
    expect((await decline()).error?.hint).toBe('version_decided')
    const next = await queue()
    await fleet.checkIn(device)
    expect(await runOf(next)).toEqual({ ...declined, waits_for: null })
    expect((await approve()).error).toBeNull()
    expect(await read()).toMatchObject({ declined_name: null, decline_reason: null })
    expect((await decline()).error?.hint).toBe('version_decided')
    await queue()
    expect(runIds(await fleet.checkIn(device))).toHaveLength(1)
  })

  it('is declined by those who may approve, with a reason, unless it was edited since', async () => {
    const seen = await newest()
    const reasons = await Promise.all(
      [null, '   ', 'x'.repeat(501)].map((reason) => decline(approver, reason)),
    )
    expect(reasons.map(({ error }) => error?.hint)).toEqual(Array(3).fill('reason_invalid'))
    const stranger = await person('Admin', await createCompany(backend))
    const refused = [teknik, await person('Standard'), stranger]
    const codes = await Promise.all(refused.map(async (who) => (await decline(who)).error?.code))
    const anonymous = await (await backend.client()).rpc('decline_procedure', {
      version_id: seen,
      reason: 'x',
    })
    expect([...codes, anonymous.error?.code]).toEqual(['42501', '42501', 'PT404', '42501'])
    const own = await decline(author)
    expect([own.error?.code, own.error?.hint]).toEqual(['42501', 'own_version'])
    await edit('id; date')
    expect((await decline(approver, 'x', seen)).error?.hint).toBe('version_replaced')
    await backend.sql('update public.companies set license_end_date = current_date - 1 where id = $1', [
      company,
    ])
    expect((await decline()).error?.code).toBe('42501')
    expect(
      await backend.sql(
        'select 1 from public.procedure_versions where declined_at is not null and company_id = $1',
        [company],
      ),
    ).toEqual([])
  })

  it('is counted on the dashboard for who may approve: without their own versions', async () => {
    const approvals = async (who: Person) => (await who.client.rpc('dashboard')).data?.approvals
    expect(await approvals(approver)).toBe(0)
    await queue()
    await fleet.checkIn(device)
    expect(await Promise.all([approver, author, teknik].map(approvals))).toEqual([1, 0, null])
    expect(await approvals(await person('Admin', await createCompany(backend)))).toBe(0)
    await decline()
    expect(await approvals(approver)).toBe(0)
  })

  it('is counted before a run: by the policy that comes first for each device', async () => {
    const [far, free] = [await fleet.enroll(), await fleet.enroll()]
    const all = [device, far, free].map(({ device_id }) => device_id)
    const group = await add('groups', { company_id: company, name: 'Free' })
    await backend.sql('update public.policies set position = 10 where company_id = $1', [company])
    const exempt = await add('policies', {
      company_id: company,
      name: 'Free',
      kind: 'permission',
      position: 0,
    })
    await add('policy_groups', { company_id: company, policy_id: exempt, group_id: group })
    await add('group_devices', { company_id: company, group_id: group, device_id: free.device_id })
    const preview = async (args: Record<string, unknown>, who = teknik) =>
      who.client.rpc('preview_approval', { procedure_id: script, ...args })
    const [truth] = await backend.sql<{ devices: number }>(
      `select count(*)::int as devices from public.devices d
         cross join lateral app.policy_of(d.company_id, d.id, 'permission') p where d.company_id = $1 and p.needs_approval`,
      [company],
    )
    expect(truth).toEqual({ devices: 2 })
    const expected = { devices: 2, number: 1, declined_by: null }
    expect((await preview({ device_ids: all })).data).toEqual(expected)
    expect((await preview({ target: { kind: 'all', company_id: company } })).data).toEqual(expected)
    expect((await preview({ target: { kind: 'groups', group_ids: [group] } })).data?.devices).toBe(0)
    await decline()
    expect((await preview({ device_ids: all })).data?.declined_by).toBeTruthy()
    await approve()
    expect((await preview({ device_ids: all })).data).toEqual({ ...expected, devices: 0 })
    const [standard, stranger] = await Promise.all([
      person('Standard'),
      person('Admin', await createCompany(backend)),
    ])
    expect((await preview({ device_ids: all }, standard)).error?.code).toBe('42501')
    expect((await preview({ device_ids: all }, stranger)).error?.code).toBe('PT404')
    const anonymous = await (await backend.client()).rpc('preview_approval', { procedure_id: script })
    expect(anonymous.error?.code).toBe('42501')
  })

  it('has as many who may approve as the company has active people with that permission', async () => {
    const approvers = (who: Person, of = company) => who.client.rpc('count_approvers', { company: of })
    expect((await approvers(author)).data).toBe(2)
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [approver.id])
    expect((await approvers(author)).data).toBe(1)
    const stranger = await person('Admin', await createCompany(backend))
    expect((await approvers(stranger)).error?.code).toBe('PT404')
    const standard = await person('Standard')
    expect((await approvers(standard)).error?.code).toBe('42501')
    expect((await (await backend.client()).rpc('count_approvers', { company })).error?.code).toBe('42501')
  })
})
