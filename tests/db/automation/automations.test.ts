import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto } from '../support/as-user'

/** The tables between an automation and what it bundles: table, column, and the table at the other end. */
const LINKS = [
  ['automation_monitors', 'monitor_id', 'monitors'],
  ['automation_steps', 'procedure_id', 'procedures'],
  ['automation_devices', 'device_id', 'devices'],
  ['automation_groups', 'group_id', 'groups'],
] as const

describe.each(drivers())('automations and policies on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let other: string
  let adminId: string
  let admin: SupabaseClient
  const ids: Record<'own' | 'other', Record<string, string>> = { own: {}, other: {} }

  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(`${insertInto(table, values)} returning id`)
    return row?.id ?? ''
  }

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    const account = await createAccount(backend, 'Admin', company)
    adminId = account.id
    admin = await backend.client(account.email)
    for (const [which, id] of Object.entries({ own: company, other })) {
      const kept = ids[which as 'own' | 'other']
      kept.automations = await add('automations', { company_id: id, name: 'Gece bakımı' })
      kept.policies = await add('policies', { company_id: id, name: 'Policy' })
      kept.monitors = await add('monitors', { company_id: id, name: 'Disk', type: 'Performance' })
      kept.procedures = await add('procedures', {
        company_id: id,
        name: 'Temizle',
        type: 'Bash',
        script: 'true',
      })
      kept.devices = await add('devices', { company_id: id, name: 'PC' })
      kept.groups = await add('groups', { company_id: id, name: 'Group' })
    }
  })
  afterAll(() => backend?.stop())

  it.each(LINKS)('%s holds records of one company only', async (table, column, target) => {
    const link = (id: string | undefined) => ({
      company_id: company,
      automation_id: ids.own.automations,
      [column]: id,
    })
    expect((await as(adminId, insertInto(table, link(ids.own[target])))).rows).toBe(1)
    expect((await as(adminId, insertInto(table, link(ids.other[target])))).code).toBe('23503')
    // Naming the other company does not help either.
    const foreign = { ...link(ids.other[target]), company_id: other }
    expect((await as(adminId, insertInto(table, foreign))).code).toBe('42501')
  })

  it('reads an automation with everything it bundles in one request', async () => {
    for (const [table, column, target] of LINKS)
      await admin
        .from(table)
        .insert({ company_id: company, automation_id: ids.own.automations, [column]: ids.own[target] })
        .throwOnError()
    const { data, error } = await admin
      .from('automations')
      .select(
        'name,monitors:automation_monitors(row:monitors(name)),procedures:automation_steps(row:procedures(name)),' +
          'devices:automation_devices(row:devices(name)),groups:automation_groups(row:groups(name))',
      )
      .single()
    expect(error).toBeNull()
    expect(data).toEqual({
      name: 'Gece bakımı',
      monitors: [{ row: { name: 'Disk' } }],
      procedures: [{ row: { name: 'Temizle' } }],
      devices: [{ row: { name: 'PC' } }],
      groups: [{ row: { name: 'Group' } }],
    })
  })

  it('knows who made a record, whatever was sent', async () => {
    const { data } = await admin
      .from('automations')
      .insert({ company_id: company, name: 'Mine' })
      .select('created_by')
      .single()
    expect(data).toEqual({ created_by: adminId })
    const forged = { company_id: company, name: 'Forged', created_by: adminId }
    expect((await as(adminId, insertInto('automations', forged))).code).toBe('42501')
  })

  it('keeps its rules in the database too', async () => {
    const tried = async (table: string, values: Record<string, unknown>) =>
      (await as(adminId, insertInto(table, { company_id: company, name: 'Tried', ...values }))).code
    expect(await tried('automations', { name: ' ' })).toBe('23514')
    expect(await tried('automations', { trigger: 'never' })).toBe('23514')
    expect(await tried('policies', { kind: 'never' })).toBe('23514')
    expect(await tried('policies', { position: -1 })).toBe('23514')
    expect(await tried('policies', { denied: '{everything}' })).toBe('23514')
    expect(await tried('policies', { check_in_seconds: 1 })).toBe('23514')
  })

  it('is closed without Pro, and Pro says so', async () => {
    const basic = await createCompany(backend, { licenseType: 'Basic' })
    const { id } = await createAccount(backend, 'Admin', basic)
    const answer = await as(id, insertInto('automations', { company_id: basic, name: 'Tried' }))
    expect(answer).toMatchObject({ code: '42501', hint: 'without-pro' })
    expect((await as(id, insertInto('policies', { company_id: basic, name: 'Tried' }))).rows).toBe(1)
  })

  it('puts a policy on groups, and a deleted group leaves the policy', async () => {
    const [other] = await backend.sql<{ id: string }>(
      `insert into public.groups (company_id, name) values ($1, 'Other') returning id`,
      [company],
    )
    for (const group_id of [ids.own.groups, other?.id])
      await admin
        .from('policy_groups')
        .insert({ company_id: company, policy_id: ids.own.policies, group_id })
        .throwOnError()
    await backend.sql('delete from public.groups where id = $1', [ids.own.groups])
    const { data } = await admin.from('policies').select('name,groups:policy_groups(group_id)')
    expect(data).toEqual([{ name: 'Policy', groups: [{ group_id: other?.id }] }])
  })
})
