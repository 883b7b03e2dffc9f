import type { SupabaseClient } from '@supabase/supabase-js'
import { beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import { insertInto } from '../support/as-user'
import { add, admin, backend, company, group, members, openGroupDesk, set, tick } from '../support/group-desk'

describe.each(drivers())('groups by rule on %s', (driver) => {
  openGroupDesk(driver)

  describe('that a permission policy names', () => {
    let teknik: SupabaseClient
    let policy: string
    let kiosk: string
    const deviceOf = async (name: string) =>
      (
        await backend.sql<{ id: string }>(
          'select id from public.devices where company_id = $1 and name = $2',
          [company, name],
        )
      )[0]?.id ?? ''
    const tagging = async (client: SupabaseClient, name: string, id = kiosk) =>
      (
        await client
          .from('device_tags')
          .insert({ company_id: company, device_id: await deviceOf(name), tag_id: id })
      ).error
    const untagging = async (client: SupabaseClient, name: string) =>
      (
        await client
          .from('device_tags')
          .delete()
          .eq('device_id', await deviceOf(name))
          .eq('tag_id', kiosk)
      ).error
    const renaming = async (client: SupabaseClient, name: string) =>
      (
        await client
          .from('devices')
          .update({ name: `${name}2` })
          .eq('id', await deviceOf(name))
      ).error

    beforeEach(async () => {
      teknik = await backend.client((await createAccount(backend, 'Teknik', company)).email)
      kiosk = await add('tags', { name: 'Kiosk' })
      policy = await add('policies', { name: 'No scripts', kind: 'permission' })
      await backend.sql(
        insertInto('policy_groups', { company_id: company, policy_id: policy, group_id: group }),
      )
      expect(await tagging(admin, 'a')).toBeNull()
    })

    it('keep their tags from who may not edit policies, with the reason', async () => {
      expect((await set(admin, { tags: { _in: [kiosk] } })).error).toBeNull()
      const refused = await untagging(teknik, 'a')
      expect(refused).toMatchObject({ code: '23514', hint: 'field_of_policy' })
      expect(JSON.parse(refused?.details ?? '{}')).toEqual({ group: 'Linux', policy: 'No scripts' })
      expect((await tagging(teknik, 'b'))?.hint).toBe('field_of_policy')
      await tick()
      expect(await members()).toEqual(['a'])
      expect(await renaming(teknik, 'c')).toBeNull()
      expect(await untagging(admin, 'a')).toBeNull()
    })

    it('keep a tag that they ask for from being deleted by who may not edit policies', async () => {
      await set(admin, { tags: { _in: [kiosk] } })
      const line = `'p', 'Teknik', 'tags', 'delete', 'allow'`
      await backend.sql(`insert into app.policy_rule (ptype, v0, v1, v2, v3) values (${line})`)
      expect((await teknik.from('tags').delete().eq('id', kiosk)).error?.hint).toBe('field_of_policy')
      await backend.sql(`delete from app.policy_rule where (ptype, v0, v1, v2, v3) = (${line})`)
      expect((await admin.from('tags').delete().eq('id', kiosk)).error).toBeNull()
    })

    it('keep names and notes, and leave other fields and devices’ own facts alone', async () => {
      await set(admin, { _or: [{ name: { _contains: 'a' } }, { notes: { _contains: 'kiosk' } }] })
      expect((await renaming(teknik, 'b'))?.hint).toBe('field_of_policy')
      const noted = await teknik
        .from('devices')
        .update({ notes: 'kiosk' })
        .eq('id', await deviceOf('b'))
      expect(noted.error?.hint).toBe('field_of_policy')
      expect(await tagging(teknik, 'b')).toBeNull()
      await backend.sql(`update public.devices set name = 'd' where company_id = $1 and name = 'c'`, [
        company,
      ])
      expect(await renaming(admin, 'b')).toBeNull()
      // A disabled policy is enabled again one day; one that is gone holds nothing.
      await backend.sql('update public.policies set enabled = false where id = $1', [policy])
      expect((await renaming(teknik, 'a'))?.hint).toBe('field_of_policy')
      await backend.sql('delete from public.policies where id = $1', [policy])
      expect(await renaming(teknik, 'a')).toBeNull()
    })

    it('keep nothing in another company, and a device is deleted with its tags', async () => {
      await set(admin, { tags: { _in: [kiosk] } })
      const other = await createCompany(backend)
      const theirs = await backend.client((await createAccount(backend, 'Teknik', other)).email)
      const id = await add('devices', { name: 'x' }, other)
      const tag = await add('tags', { name: 'Kiosk' }, other)
      const made = await theirs.from('device_tags').insert({ company_id: other, device_id: id, tag_id: tag })
      expect(made.error).toBeNull()
      const line = `'p', 'Teknik', 'devices', 'delete', 'allow'`
      await backend.sql(`insert into app.policy_rule (ptype, v0, v1, v2, v3) values (${line})`)
      expect(
        (
          await teknik
            .from('devices')
            .delete()
            .eq('id', await deviceOf('a'))
        ).error,
      ).toBeNull()
      await backend.sql(`delete from app.policy_rule where (ptype, v0, v1, v2, v3) = (${line})`)
    })
  })

  it('and devices of a group under a permission policy are for who may edit policies', async () => {
    const teknik = await backend.client((await createAccount(backend, 'Teknik', company)).email)
    const policy = await add('policies', { name: 'No scripts', kind: 'permission' })
    await backend.sql(
      insertInto('policy_groups', { company_id: company, policy_id: policy, group_id: group }),
    )
    const [device] = await backend.sql<{ id: string }>(
      'select id from public.devices where company_id = $1',
      [company],
    )
    const row = { company_id: company, group_id: group, device_id: device?.id ?? '' }
    expect((await admin.from('group_devices').insert(row)).error).toBeNull()
    expect((await teknik.from('group_devices').delete().eq('group_id', group)).error?.hint).toBe(
      'group_of_policy',
    )
    expect((await set(teknik)).error?.hint).toBe('group_of_policy')
    expect((await set(admin)).error).toBeNull()
    expect((await set(teknik, null)).error?.hint).toBe('group_of_policy')
    // The guard holds while the policy is disabled: it counts for these devices again when it is enabled.
    await backend.sql('update public.policies set enabled = false where id = $1', [policy])
    expect((await set(teknik)).error?.hint).toBe('group_of_policy')
    await backend.sql('delete from public.policies where id = $1', [policy])
    expect((await set(teknik)).error).toBeNull()
  })

  it('and devices on which a schedule or a monitor runs a script are for who may run scripts', async () => {
    const teknik = await backend.client((await createAccount(backend, 'Teknik', company)).email)
    const script = await add('procedures', { name: 'Repair', type: 'Bash', script: 'true' })
    const monitor = await add('monitors', {
      name: 'Watched',
      type: 'Process',
      process_name: 'x',
      procedure_id: script,
      enabled: false,
    })
    const mine = await add('groups', { name: 'Of a schedule' })
    await add('scheduled_tasks', {
      name: 'Nightly',
      procedure_id: script,
      target_kind: 'group',
      group_id: mine,
      frequency: 'every',
      every_minutes: 60,
    })
    const lines = await backend.sql<Record<string, string>>(
      `delete from app.policy_rule where v0 = 'Teknik' and v2 = 'run' returning *`,
    )
    expect(lines.length).toBeGreaterThan(0)
    const [device] = await backend.sql<{ id: string }>(
      'select id from public.devices where company_id = $1',
      [company],
    )
    const join = await teknik
      .from('group_devices')
      .insert({ company_id: company, group_id: mine, device_id: device?.id ?? '' })
    expect(join.error?.hint).toBe('group_of_script')
    const change = await teknik.from('monitors').update({ enabled: true }).eq('id', monitor).select()
    expect(change.error?.code).toBe('42501')
    const widen = await teknik
      .from('monitor_groups')
      .insert({ company_id: company, monitor_id: monitor, group_id: mine })
    expect(widen.error?.code).toBe('42501')
    const plain = await add('monitors', { name: 'Plain', type: 'Process', process_name: 'y' })
    expect((await teknik.from('monitors').update({ enabled: false }).eq('id', plain)).error).toBeNull()
    for (const line of lines)
      await backend.sql(
        'insert into app.policy_rule select * from jsonb_populate_record(null::app.policy_rule, $1)',
        [JSON.stringify(line)],
      )
  })
})
