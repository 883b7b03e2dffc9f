import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { insertInto } from '../support/as-user'

describe.each(drivers())('automations that cannot run on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: SupabaseClient
  let plain: string
  let asking: string
  let group: string
  let device: string
  let monitor: string

  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(`${insertInto(table, values)} returning id`)
    return row?.id ?? ''
  }
  beforeAll(async () => {
    backend = await sharedBackend(driver)
    company = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', company)).email)
    plain = await add('procedures', { company_id: company, name: 'Plain', type: 'Bash', script: 'true' })
    asking = await add('procedures', {
      company_id: company,
      name: 'Restart service',
      type: 'Bash',
      script: 'true',
    })
    await backend.sql('update public.procedures set parameters = $2 where id = $1', [
      asking,
      JSON.stringify([
        { name: 'mode', kind: 'text', required: true, default: 'fast' },
        { name: 'service', label: 'Service name', kind: 'text', required: true },
      ]),
    ])
    group = await add('groups', { company_id: company, name: 'Group' })
    device = await add('devices', { company_id: company, name: 'PC' })
    monitor = await add('monitors', { company_id: company, name: 'Disk', type: 'Performance' })
  })
  afterAll(() => backend?.stop())

  const create = async (trigger: string): Promise<string> => {
    const { data } = await admin
      .from('automations')
      .insert({
        company_id: company,
        name: `${trigger} ${crypto.randomUUID()}`,
        trigger,
        enabled: true,
        problem: undefined,
      })
      .select('id')
      .single()
      .throwOnError()
    return data.id
  }
  const row = async (id: string) => {
    const { data } = await admin
      .from('automations')
      .select('problem,version')
      .eq('id', id)
      .single()
      .throwOnError()
    return data as { problem: string | null; version: number }
  }
  const link = (part: string, id: string, values: Record<string, string>) =>
    admin.from(`automation_${part}`).insert({ company_id: company, automation_id: id, ...values })

  it('say that none of their devices runs any of their steps, and follow devices, groups and scripts', async () => {
    const own = (platform: string | null) => add('devices', { company_id: company, name: 'Own', platform })
    const linux = await own('linux')
    const team = await add('groups', { company_id: company, name: 'Team' })
    const shell = await add('procedures', {
      company_id: company,
      name: 'Shell',
      type: 'PowerShell',
      script: '1',
    })
    const id = await create('manual')
    const problem = async () => (await row(id)).problem
    await link('steps', id, { procedure_id: shell }).throwOnError()
    expect(await problem()).toBeNull()
    await link('devices', id, { device_id: linux }).throwOnError()
    expect(await problem()).toBe('no_platform')
    await link('steps', id, { procedure_id: plain }).throwOnError()
    expect(await problem()).toBeNull()
    await backend.sql('delete from public.automation_steps where automation_id = $1 and procedure_id = $2', [
      id,
      plain,
    ])
    expect(await problem()).toBe('no_platform')
    await link('groups', id, { group_id: team }).throwOnError()
    const windows = await own('windows')
    const member = { company_id: company, group_id: team, device_id: windows }
    await admin.from('group_devices').insert(member).throwOnError()
    expect(await problem()).toBeNull()
    await admin.from('group_devices').delete().match(member).throwOnError()
    expect(await problem()).toBe('no_platform')
    await admin
      .from('procedures')
      .update({ platforms: ['linux', 'windows'] })
      .eq('id', shell)
      .throwOnError()
    expect(await problem()).toBeNull()
    await admin
      .from('procedures')
      .update({ platforms: ['windows'] })
      .eq('id', shell)
      .throwOnError()
    expect(await problem()).toBe('no_platform')
    await backend.sql('update public.devices set platform = null where id = $1', [linux])
    expect(await problem()).toBeNull()
    await backend.sql(`update public.devices set platform = 'macos' where id = $1`, [linux])
    expect(await problem()).toBe('no_platform')
    await admin
      .from('automation_steps')
      .update({ procedure_id: plain })
      .eq('automation_id', id)
      .throwOnError()
    expect(await problem()).toBeNull()
  })

  it.each([
    ['manual', null, null],
    ['new_device', null, null],
    ['alert', 'no_monitors', () => ['monitors', { monitor_id: monitor }]],
    ['enters_group', 'no_groups', () => ['groups', { group_id: group }]],
    ['schedule', 'no_devices', () => ['devices', { device_id: device }]],
  ] as [string, string | null, (() => [string, Record<string, string>]) | null][])(
    'say what is missing: %s',
    async (trigger, problem, rest) => {
      const id = await create(trigger)
      const { version } = await row(id)
      expect((await row(id)).problem).toBe('no_steps')
      await link('steps', id, { procedure_id: plain }).throwOnError()
      expect((await row(id)).problem).toBe(problem)
      if (rest) await link(rest()[0], id, rest()[1]).throwOnError()
      // An open form is not outdated by it.
      expect(await row(id)).toEqual({ problem: null, version })
      await admin.from('automation_steps').delete().eq('automation_id', id).throwOnError()
      expect((await row(id)).problem).toBe('no_steps')
    },
  )

  it('follow another trigger, and nobody writes what is wrong with them', async () => {
    const id = await create('manual')
    await link('steps', id, { procedure_id: plain }).throwOnError()
    await admin.from('automations').update({ trigger: 'enters_group' }).eq('id', id).throwOnError()
    expect((await row(id)).problem).toBe('no_groups')
    const { error } = await admin.from('automations').update({ problem: null }).eq('id', id)
    expect(error?.code).toBe('42501')
  })

  it('take no script that asks for a value, and name it; nor do monitors and schedules', async () => {
    const id = await create('manual')
    const refusals = [
      await link('steps', id, { procedure_id: asking }),
      await admin.from('monitors').update({ procedure_id: asking }).eq('id', monitor),
      await admin.from('scheduled_tasks').insert({
        company_id: company,
        name: 'Nightly',
        procedure_id: asking,
        target_kind: 'all',
        time_of_day: '03:00',
      }),
    ]
    for (const { error } of refusals) {
      expect(error).toMatchObject({ code: '23514', hint: 'parameter_required' })
      expect(JSON.parse(error?.details ?? '')).toEqual({
        script: 'Restart service',
        parameter: 'Service name',
      })
    }
    expect((await admin.from('monitors').update({ procedure_id: plain }).eq('id', monitor)).error).toBeNull()
    const other = await createCompany(backend)
    const stranger = await backend.client((await createAccount(backend, 'Admin', other)).email)
    const foreign = await stranger
      .from('automation_steps')
      .insert({ company_id: company, automation_id: id, procedure_id: asking })
    expect(foreign.error?.code).toBe('42501')
    expect(JSON.stringify(foreign.error)).not.toContain('Restart')
  })
})
