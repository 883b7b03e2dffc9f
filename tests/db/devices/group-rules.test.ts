import { beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers } from '../../support/backend'
import {
  add,
  admin,
  backend,
  company,
  goOnWith,
  group,
  members,
  openGroupDesk,
  rule,
  set,
  tick,
} from '../support/group-desk'

describe.each(drivers())('groups by rule on %s', (driver) => {
  openGroupDesk(driver)

  it('hold the devices that match, from the moment the rule is saved and as devices change', async () => {
    expect((await set()).data).toBe(2)
    expect(await members()).toEqual(['a', 'b'])
    await add('devices', { name: 'd', platform: 'linux' })
    await backend.sql(`update public.devices set platform = 'macos' where name = 'a' and company_id = $1`, [
      company,
    ])
    await Promise.all([tick(), tick()])
    expect(await members()).toEqual(['b', 'd'])
    const counted = await admin.from('groups').select('device_count, by_rule').eq('id', group).single()
    expect(counted.data).toEqual({ device_count: 2, by_rule: true })
  })

  it('follow what no change of a device tells after a quarter of an hour', async () => {
    await set(admin, { 'device_presence.disk_percent': { _gt: 90 } })
    expect(await members()).toEqual([])
    await backend.sql(
      `insert into public.device_presence (company_id, device_id, disk_percent) select company_id, id, 95 from public.devices where company_id = $1 and name = 'c'
       on conflict (company_id, device_id) do update set disk_percent = 95`,
      [company],
    )
    await tick()
    expect(await members()).toEqual([])
    await backend.sql(`update app.group_rules set evaluated_at = now() - interval '16 minutes'`)
    await tick()
    expect(await members()).toEqual(['c'])
  })

  it('never reach devices of another company', async () => {
    const other = await createCompany(backend)
    await add('devices', { name: 'x', platform: 'linux' }, other)
    await set(admin, { _or: [rule, { company_id: { _eq: other } }, { name: { _null: false } }] })
    expect(await members()).toEqual(['a', 'b', 'c'])
    const foreign = await backend.client((await createAccount(backend, 'Admin', other)).email)
    expect((await set(foreign)).error?.hint).toBe('record_gone')
    for (const client of [
      await backend.client(),
      await backend.client((await createAccount(backend, 'Standard', company)).email),
    ])
      expect((await set(client)).error?.code).toBe('42501')
  })

  it('refuse a filter that the caller could not ask a list for', async () => {
    expect((await set(admin, { 'device_secrets.secret_hash': { _null: false } })).error).not.toBeNull()
    expect((await set(admin, { nothing: { _eq: 1 } })).error).not.toBeNull()
    expect((await set(admin, { groups: { _has_any: [group] } })).error?.hint).toBe('rule_of_groups')
    expect((await set(admin, { enrolled_at: { _gt: '$now-7d' } })).error?.hint).toBe('rule_of_days')
    expect(
      (
        await admin
          .from('groups')
          .update({ rule } as never)
          .eq('id', group)
      ).error?.code,
    ).toBe('42501')
    expect(await members()).toEqual([])
  })

  it('name only fields of the device and of short tables that their writer may list', async () => {
    const presence = { 'device_presence.disk_percent': { _gt: 90 } }
    const teknik = await backend.client((await createAccount(backend, 'Teknik', company)).email)
    for (const filter of [
      { 'enrollment_tokens.name': { _contains: 't' } },
      { _or: [{ _and: [{ 'job_runs.output': { _contains: 'x' } }] }, rule] },
    ])
      expect((await set(teknik, filter)).error?.hint).toBe('rule_of_tables')
    expect((await set(admin, { 'group_devices.group_id': { _eq: group } })).error?.hint).toBe(
      'rule_of_groups',
    )
    expect((await set(teknik, presence)).error).toBeNull()
    await backend.sql(`delete from app.policy_rule where v0 = 'Teknik' and v1 = 'device_presence'`)
    expect((await set(teknik, presence)).error?.code).toBe('42501')
  })

  describe('by tags and installed software', () => {
    const tagged = 'device_tags.device_id.tag_id'
    const installed = 'device_software.device_id.software_id'
    const ids: Record<string, string> = {}
    const deviceOf = (name: string) =>
      `(select id from public.devices where company_id = '${company}' and name = '${name}')`
    const tag = (device: string, id = '') =>
      backend.sql(
        `insert into public.device_tags (company_id, device_id, tag_id) values ($1, ${deviceOf(device)}, $2)`,
        [company, id],
      )
    const install = (device: string, id = '') =>
      backend.sql(
        `insert into public.device_software (company_id, device_id, software_id) values ($1, ${deviceOf(device)}, $2)`,
        [company, id],
      )
    beforeEach(async () => {
      ids.kiosk = await add('tags', { name: 'Kiosk' })
      ids.desk = await add('tags', { name: 'Desk' })
      ids.vlc = await add('software', { name: 'VLC', publisher: '' })
      await tag('a', ids.kiosk)
      await tag('a', ids.desk)
      await tag('b', ids.desk)
      await install('c', ids.vlc)
    })
    const found = async (filter: unknown) => {
      expect((await set(admin, filter)).error).toBeNull()
      return members()
    }

    it('find those that are linked to one, to none of some, to none at all, or to any', async () => {
      const { kiosk, desk, vlc } = ids
      expect(await found({ [tagged]: { _in: [kiosk] } })).toEqual(['a'])
      expect(await found({ [tagged]: { _in: [kiosk, desk] } })).toEqual(['a', 'b'])
      // A device with another tag beside it has the tag all the same.
      expect(await found({ [tagged]: { _none: [kiosk] } })).toEqual(['b', 'c'])
      expect(await found({ [tagged]: { _none: [kiosk, desk] } })).toEqual(['c'])
      expect(await found({ [tagged]: { _none: [] } })).toEqual(['c'])
      expect(await found({ [tagged]: { _null: false } })).toEqual(['a', 'b'])
      expect(await found({ [installed]: { _none: [vlc] } })).toEqual(['a', 'b'])
      expect(await found({ _or: [{ [installed]: { _in: [vlc] } }, { [tagged]: { _in: [kiosk] } }] })).toEqual(
        ['a', 'c'],
      )
      expect(await found({ [tagged]: { _none: [kiosk], _in: [desk] } })).toEqual(['b'])
    })

    it('follow tags and software that come and go, at the next tick', async () => {
      await set(admin, { _and: [{ [tagged]: { _in: [ids.kiosk] } }, { [installed]: { _none: [ids.vlc] } }] })
      expect(await members()).toEqual(['a'])
      await tick()
      await tag('b', ids.kiosk)
      await tick()
      expect(await members()).toEqual(['a', 'b'])
      await install('a', ids.vlc)
      await tick()
      expect(await members()).toEqual(['b'])
      await backend.sql('delete from public.device_software where software_id = $1', [ids.vlc])
      await tick()
      expect(await members()).toEqual(['a', 'b'])
      await backend.sql('delete from public.tags where id = $1', [ids.kiosk])
      await tick()
      expect(await members()).toEqual([])
    })

    it('are for who may list what they ask for', async () => {
      const teknik = await backend.client((await createAccount(backend, 'Teknik', company)).email)
      const byTag = { [tagged]: { _none: [] } }
      const bySoftware = { [installed]: { _in: [ids.vlc] } }
      for (const filter of [byTag, bySoftware]) expect((await set(teknik, filter)).error).toBeNull()
      const refused = async (object: string, filter: unknown) => {
        const line = `'p', 'Teknik', '${object}', 'list', 'deny'`
        await backend.sql(`insert into app.policy_rule (ptype, v0, v1, v2, v3) values (${line})`)
        expect((await set(teknik, filter)).error?.code).toBe('42501')
        await backend.sql(`delete from app.policy_rule where (ptype, v0, v1, v2, v3) = (${line})`)
        expect((await set(teknik, filter)).error).toBeNull()
      }
      await refused('tags', byTag)
      await refused('devices', byTag)
      await refused('software', bySoftware)
      await refused('device_software', bySoftware)
      const standard = await backend.client((await createAccount(backend, 'Standard', company)).email)
      const other = await createCompany(backend)
      const foreign = await backend.client((await createAccount(backend, 'Admin', other)).email)
      const expired = await createCompany(backend, { endsIn: '-1 second' })
      const ended = await backend.client((await createAccount(backend, 'Admin', expired)).email)
      for (const client of [await backend.client(), standard, ended])
        expect((await set(client, byTag)).error?.code).toBe('42501')
      expect((await set(foreign, byTag)).error?.hint).toBe('record_gone')
    })

    it('say nothing about tags and software of another company', async () => {
      const other = await createCompany(backend)
      const theirs = await add('tags', { name: 'Kiosk' }, other)
      expect(await found({ [tagged]: { _in: [theirs] } })).toEqual([])
      expect(await found({ [tagged]: { _none: [theirs] } })).toEqual(['a', 'b', 'c'])
    })

    it.each([
      [{ name: { _none: ['a'] } }],
      [{ 'device_presence.disk_percent': { _none: ['1'] } }],
      [{ 'company_id.name': { _none: ['x'] } }],
      [{ [tagged]: { _none: 'x' } }],
      [{ [tagged]: { _none: null } }],
      [{ 'device_tags.device_id.nothing': { _none: [] } }],
    ])('refuse what no table of links answers: %j', async (filter) => {
      expect((await set(admin, filter)).error?.code).toBe('22023')
    })

    it('are shown before they are saved, by name and a page at a time, to who may list devices', async () => {
      const target = { kind: 'filter', company_id: company, filter: { [tagged]: { _none: [ids.kiosk] } } }
      const show = (client = admin, args = {}) => client.rpc('target_devices', { target, ...args })
      const named = (data: unknown) =>
        (data as { devices: { name: string }[] }).devices.map(({ name }) => name)
      const first = (await show(admin, { max_rows: 1 })).data
      expect(first).toMatchObject({ count: 2 })
      expect(named(first)).toEqual(['b'])
      expect(named((await show(admin, { skip: 1, max_rows: 1 })).data)).toEqual(['c'])
      expect(named((await show(admin, { skip: -5, max_rows: 1_000_000 })).data)).toEqual(['b', 'c'])
      const foreign = await backend.client(
        (await createAccount(backend, 'Admin', await createCompany(backend))).email,
      )
      expect((await show(foreign)).data).toEqual({ count: 0, devices: [] })
      for (const client of [
        await backend.client(),
        await backend.client((await createAccount(backend, 'Standard', company)).email),
      ])
        expect((await show(client)).error?.code).toBe('42501')
    })
  })

  it('are read as they are evaluated: tags and software by name, days in a time zone', async () => {
    const kiosk = await add('tags', { name: 'Kiosk' })
    await backend.sql(
      `insert into public.device_tags (company_id, device_id, tag_id)
       select company_id, id, $2 from public.devices where company_id = $1 and name = 'c'`,
      [company, kiosk],
    )
    await backend.sql(
      `update public.devices set enrolled_at = '2026-11-24T22:30:00Z' where company_id = $1 and name = 'a'`,
      [company],
    )
    const asked = { _or: [{ tags: { _in: [kiosk] } }, { enrolled_at: { _eq: '2026-11-25' } }] }
    const evaluated = async (timezone: string) => {
      expect((await admin.rpc('set_group_rule', { group_id: group, rule: asked, timezone })).error).toBeNull()
      const [row] = await backend.sql<{ rule: unknown; filter: { _or: unknown[] }; fields: string[] }>(
        `select g.rule, r.filter, r.fields from public.groups g join app.group_rules r on r.group_id = g.id where g.id = $1`,
        [group],
      )
      expect(row?.rule).toEqual(asked)
      expect(row?.fields).toEqual(['device_tags', 'enrolled_at'])
      expect(row?.filter._or[0]).toEqual({ 'device_tags.device_id.tag_id': { _in: [kiosk] } })
      return members()
    }
    // In Istanbul it was the 25th already.
    expect(await evaluated('Europe/Istanbul')).toEqual(['a', 'c'])
    expect(await evaluated('UTC')).toEqual(['c'])
    expect(
      (await admin.rpc('set_group_rule', { group_id: group, rule: asked, timezone: 'Mars' })).error?.code,
    ).toBe('22023')
    const beside = { group_id: group, rule: asked, filter: { name: { _null: false } } }
    expect((await admin.rpc('set_group_rule', beside as never)).error).not.toBeNull()
  })

  it.each([
    [{ name: { _eq: 'a' } }, ['name']],
    [{ name_key: { _eq: 'a' } }, ['name']],
    [{ _and: [{ os: { _eq: 'x' } }, { _or: [{ software: { _none: [] } }] }] }, ['device_software', 'os']],
    [{ 'device_presence.disk_percent': { _gt: 1 } }, ['device_presence']],
  ])('know what they ask for: %j', async (asked, fields) => {
    expect((await set(admin, asked)).error).toBeNull()
    const rows = await backend.sql('select fields from app.group_rules where group_id = $1', [group])
    expect(rows).toEqual([{ fields }])
  })

  it('are said to be by rule when they are created, and have no devices until there is a rule', async () => {
    const created = await admin
      .from('groups')
      .insert({ company_id: company, name: 'Later', chosen_by: 'rule' })
      .select('id, by_rule')
      .single()
    expect(created.data).toMatchObject({ by_rule: true })
    goOnWith(created.data?.id ?? '')
    const [device] = await backend.sql<{ id: string }>(
      'select id from public.devices where company_id = $1',
      [company],
    )
    const join = () =>
      admin
        .from('group_devices')
        .insert({ company_id: company, group_id: group, device_id: device?.id ?? '' })
    expect((await join()).error?.hint).toBe('group_by_rule')
    await tick()
    expect(await members()).toEqual([])
    const change = await admin
      .from('groups')
      .update({ chosen_by: 'people' } as never)
      .eq('id', group)
    expect(change.error?.code).toBe('42501')
    expect((await set()).data).toBe(2)
    expect((await set(admin, null)).error).toBeNull()
    expect((await join()).error?.code).toBe('23505')
    expect((await admin.from('groups').select('chosen_by').eq('id', group).single()).data).toEqual({
      chosen_by: 'people',
    })
  })

  it('take no devices by hand, and keep theirs when the rule is removed', async () => {
    await set()
    const [c] = await backend.sql<{ id: string }>(
      `select id from public.devices where company_id = $1 and name = 'c'`,
      [company],
    )
    const join = () =>
      admin.from('group_devices').insert({ company_id: company, group_id: group, device_id: c?.id ?? '' })
    expect((await join()).error?.hint).toBe('group_by_rule')
    expect((await admin.from('group_devices').delete().eq('group_id', group)).error?.hint).toBe(
      'group_by_rule',
    )
    expect((await set(admin, null)).error).toBeNull()
    expect((await join()).error).toBeNull()
    await tick()
    expect(await members()).toEqual(['a', 'b', 'c'])
  })

  it('keep their devices when a field of the rule is gone', async () => {
    await set()
    await backend.sql(`update app.group_rules set filter = '{"gone": {"_eq": 1}}' where group_id = $1`, [
      group,
    ])
    await backend.sql('update app.group_rules set is_due = true')
    await tick()
    expect(await members()).toEqual(['a', 'b'])
    const log = await backend.sql(`select 1 from app.tick_log where step = 'group_rules' and error like $1`, [
      `${group}%`,
    ])
    expect(log).toHaveLength(1)
  })
})
