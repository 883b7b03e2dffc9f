import { describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { insertInto, literal } from '../support/as-user'
import {
  add,
  admin,
  as,
  backend,
  company,
  device,
  group,
  jobsOf,
  makeDue,
  openScheduleDesk,
  procedure,
  schedule,
  task,
  tick,
} from '../support/schedule-desk'

describe.each(drivers())('targets of scheduled tasks on %s', (driver) => {
  openScheduleDesk(driver)

  it('run on several devices or groups, or on what a filter finds when they are due', async () => {
    const [second] = await backend.sql<{ id: string }>(
      `select id from public.devices where company_id = $1 and name = 'SRV-2'`,
      [company],
    )
    const values = { company_id: company, name: 'Many', procedure_id: procedure, frequency: 'every' }
    const set = async (target: object) => {
      const answer = await as(
        admin,
        insertInto('scheduled_tasks', { ...values, every_minutes: 60, target: JSON.stringify(target) }),
        `select id, target_kind, set_by from public.scheduled_tasks where company_id = '${company}' order by created_at desc, id limit 1`,
      )
      expect(answer.code).toBeUndefined()
      return answer
    }
    const create = async (target: object) => schedule({ target: JSON.stringify(target), created_by: admin })
    expect(
      (await set({ kind: 'devices', device_ids: [device, second?.id, crypto.randomUUID()] })).probe,
    ).toMatchObject([{ target_kind: 'devices', set_by: admin }])
    expect((await set({ kind: 'devices', device_ids: [device] })).probe).toMatchObject([
      { target_kind: 'device' },
    ])
    const filter = { kind: 'filter', filter: { name: { _eq: 'SRV-2' } } }
    expect((await set(filter)).probe).toMatchObject([{ target_kind: 'filter', set_by: admin }])

    for (const [target, count] of [
      [{ kind: 'devices', device_ids: [device, second?.id] }, 2],
      [{ kind: 'groups', group_ids: [group, await add('groups', { name: 'None' })] }, 1],
      [filter, 1],
    ] as const) {
      const id = await create(target)
      await makeDue(id, '1 minute')
      await tick()
      expect(await task(id)).toMatchObject({ last_error: null })
      expect(await jobsOf(id)).toEqual([{ total: count, runs: count, created_by: admin }])
    }
  })

  it('say why nothing ran where the person who set the filter may no longer run scripts', async () => {
    const person = await createAccount(backend, 'Admin', company)
    const filter = JSON.stringify({ kind: 'filter', filter: { name: { _eq: 'SRV-2' } } })
    const id = await schedule({ target: filter, created_by: person.id })
    const due = async () => {
      await makeDue(id, '1 minute')
      await tick()
      return (await task(id)).last_error
    }
    expect(await due()).toBeNull()
    await backend.sql(`update public.user_roles set role = 'Standard' where user_id = $1`, [person.id])
    expect(await due()).toBe('person')
    const other = await createCompany(backend)
    await backend.sql(`update public.user_roles set role = 'Admin', company_id = $2 where user_id = $1`, [
      person.id,
      other,
    ])
    expect(await due()).toBe('person')
    await backend.sql('update public.scheduled_tasks set set_by = null where id = $1', [id])
    expect(await due()).toBe('person')
    expect(await jobsOf(id)).toHaveLength(1)
    // The claims of that person end with the question.
    expect(await backend.sql('select app.current_user_id() as id')).toEqual([{ id: null }])
  })

  it('take no target of another company, none without devices, and no filter that its writer may not ask', async () => {
    const other = await createCompany(backend)
    const [theirs] = await backend.sql<{ id: string }>(
      `${insertInto('devices', { company_id: other, name: 'THEIRS' })} returning id`,
    )
    const values = { name: 'Probe', procedure_id: procedure, frequency: 'every', every_minutes: 60 }
    const set = (who: string, target: object, at = company) =>
      as(who, insertInto('scheduled_tasks', { ...values, company_id: at, target: JSON.stringify(target) }))
    const theirDevice = { kind: 'devices', device_ids: [theirs?.id] }
    expect(await set(admin, theirDevice)).toMatchObject({ code: '23514', hint: 'device_gone' })
    // Nothing is told of a company that is not theirs.
    expect(await set(admin, theirDevice, other)).toMatchObject({ code: '42501' })
    expect(await set(admin, { kind: 'devices', device_ids: [crypto.randomUUID()] }, other)).toMatchObject({
      code: '42501',
    })
    expect(await set(admin, { kind: 'devices', device_ids: [] })).toMatchObject({
      hint: 'schedule_target_count',
    })
    expect(await set(admin, { kind: 'moon' })).toMatchObject({ hint: 'target_invalid' })
    const outputs = { kind: 'filter', filter: { 'job_runs.output': { _like: '%x%' } } }
    expect((await set(admin, outputs)).code).toBeDefined()
    const standard = (await createAccount(backend, 'Standard', company)).id
    expect(await set(standard, { kind: 'all' })).toMatchObject({ code: '42501' })
    const draft = literal(JSON.stringify({ frequency: 'daily', time_of_day: '09:00', timezone: 'UTC' }))
    expect(await as(standard, `select public.preview_schedule(${draft}::jsonb)`)).toMatchObject({
      code: '42501',
    })
  })

  it('keep the group that they alone run on', async () => {
    const [only, spare] = [await add('groups', { name: 'Only' }), await add('groups', { name: 'Spare' })]
    const remove = (id: string) => as(admin, `delete from public.groups where id = '${id}'`)
    const single = await schedule({ target_kind: 'group', group_id: only })
    expect(await remove(only)).toMatchObject({ code: '23514', hint: 'group_of_schedule' })
    await backend.sql('delete from public.scheduled_tasks where id = $1', [single])
    await schedule({ target: JSON.stringify({ kind: 'groups', group_ids: [only, spare] }) })
    expect(await remove(spare)).toMatchObject({ rows: 1 })
    await backend.sql('delete from public.groups where id = $1', [spare])
    expect(await remove(only)).toMatchObject({ hint: 'group_of_schedule' })
  })

  it('show a device what a filter or a list of devices has for it', async () => {
    const target = (value: object) => schedule({ target: JSON.stringify(value), created_by: admin })
    const [second] = await backend.sql<{ id: string }>(
      `select id from public.devices where company_id = $1 and name = 'SRV-2'`,
      [company],
    )
    const byFilter = await target({ kind: 'filter', filter: { name: { _eq: 'SRV-1' } } })
    const byList = await target({ kind: 'devices', device_ids: [device, second?.id] })
    await target({ kind: 'filter', filter: { name: { _eq: 'SRV-2' } } })
    const { data } = await as(admin, `select id, target from public.device_upcoming('${device}')`)
    expect(data?.map((row) => [row.id, row.target]).sort()).toEqual(
      [
        [byFilter, 'filter'],
        [byList, 'device'],
      ].sort(),
    )
  })

  it('say that one that ran once is done, and refuse one in the past', async () => {
    const state = async (id: string) =>
      (await backend.sql('select state from public.scheduled_tasks where id = $1', [id]))[0]
    const id = await schedule({ frequency: 'once', starts_at: new Date().toISOString() })
    expect(await state(id)).toEqual({ state: 'active' })
    await tick()
    expect(await state(id)).toEqual({ state: 'done' })
    const missed = await schedule({ frequency: 'once', starts_at: '2026-01-01T00:00:00Z' })
    await tick()
    expect(await state(missed)).toEqual({ state: 'missed' })
    const values = { company_id: company, name: 'Late', procedure_id: procedure, target_kind: 'all' }
    const late = insertInto('scheduled_tasks', { ...values, frequency: 'once', starts_at: '2026-01-01' })
    expect(await as(admin, late)).toMatchObject({
      code: '23514',
      hint: 'starts_in_past',
      constraint: 'scheduled_tasks_starts_at_check',
    })
    // The schedule's other fields are still changed.
    const rename = await as(admin, `update public.scheduled_tasks set name = 'Ran' where id = '${id}'`)
    expect(rename.rows).toBe(1)
  })

  it.each([
    ['Europe/Istanbul', 'Europe/Istanbul'],
    ['UTC', 'UTC'],
    ['Mars/Olympus', null],
    ["UTC'; drop table x", null],
    ['', null],
  ])('take %s of a device as the zone %s', async (given, zone) => {
    expect(await backend.sql('select app.known_zone($1) as zone', [given])).toEqual([{ zone }])
  })
})
