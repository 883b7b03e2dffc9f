import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'

interface Entry {
  id: string
  at: string
  kind: string
  record_id: string | null
  title: string | null
}

describe('the timeline of a device', () => {
  let backend: TestBackend
  let admin: SupabaseClient
  let device: string

  beforeAll(async () => {
    backend = await testBackend({ demo: true })
    admin = await backend.client('admin@acme.test')
    // The device with the most runs has more than a page of events once its name was changed 60 times.
    const [busiest] = await backend.sql<{ id: string; company_id: string }>(
      `select d.id, d.company_id from public.devices d join public.companies c on c.id = d.company_id
       where c.name = 'Acme' and exists (select 1 from public.alerts a where a.device_id = d.id)
       order by (select count(*) from public.job_runs r where r.device_id = d.id) desc limit 1`,
    )
    device = busiest?.id ?? ''
    await backend.sql(
      `insert into public.audit_log (company_id, table_name, row_id, action, changes, at)
       select $1, 'devices', $2, 'edit', '{"name":["a","b"]}', now() - n * interval '1 minute'
       from generate_series(1, 60) n`,
      [busiest?.company_id, device],
    )
  })
  afterAll(() => backend?.stop())

  async function read(client: SupabaseClient, args: object = {}) {
    const { data, error, status } = await client.rpc('device_timeline', { device_id: device, ...args })
    return { entries: (data ?? []) as Entry[], code: error?.code, status }
  }

  it('gives events of all kinds, newest first, each once over its pages', async () => {
    const seen: Entry[] = []
    for (let page = await read(admin); ; ) {
      seen.push(...page.entries)
      const last = page.entries.at(-1)
      if (!last || page.entries.length < 50) break
      page = await read(admin, { before: last.at, before_id: last.id })
    }
    const [expected] = await backend.sql<{ n: number }>(
      `select ((select count(*) from public.job_runs where device_id = $1)
        + (select count(*) from public.alerts where device_id = $1)
        + (select count(*) from public.tickets where device_id = $1)
        + (select count(*) from public.device_patches where device_id = $1 and installed_at is not null)
        + (select count(*) from public.software_changes where device_id = $1)
        + (select count(*) from public.audit_log where row_id = $1 and table_name in ('devices', 'device_tags'))
        + (select count(*) from public.audit_log where device_id = $1))::int as n`,
      [device],
    )
    expect(seen).toHaveLength(expected?.n ?? 0)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
    const moments = seen.map(({ at }) => Date.parse(at))
    expect(moments).toEqual(moments.toSorted((a, b) => b - a))
    expect(new Set(seen.map(({ kind }) => kind))).toContain('change')
    expect(new Set(seen.map(({ kind }) => kind))).toContain('alert')
  })

  it('tells tags, groups, exceptions and who, by name, and nothing of them to another company', async () => {
    const [own] = await backend.sql<{
      company: string
      tag: string
      grp: string
      patch: string
      who: string
    }>(
      `select d.company_id as company, (select id from public.tags t where t.company_id = d.company_id
          and not exists (select 1 from public.device_tags x where x.device_id = d.id and x.tag_id = t.id) limit 1) as tag,
        (select id from public.groups g where g.company_id = d.company_id and not g.by_rule
          and not exists (select 1 from public.group_devices x where x.device_id = d.id and x.group_id = g.id) limit 1) as grp,
        (select id from public.patches p where p.company_id = d.company_id
          and not exists (select 1 from public.patch_exceptions x where x.device_id = d.id and x.patch_id = p.id) limit 1) as patch,
        (select coalesce(name, email) from public.profiles where email = 'admin@acme.test') as who
       from public.devices d where d.id = $1`,
      [device],
    )
    const company_id = own?.company
    const added = [
      await admin.from('device_tags').insert({ company_id, device_id: device, tag_id: own?.tag }),
      await admin.from('group_devices').insert({ company_id, device_id: device, group_id: own?.grp }),
      await admin
        .from('patch_exceptions')
        .insert({ company_id, device_id: device, patch_id: own?.patch, scope: 'device', approval: 'denied' }),
      await admin
        .from('patch_exceptions')
        .update({ approval: 'approved' })
        .match({ device_id: device, patch_id: own?.patch }),
      await admin.from('device_tags').delete().match({ device_id: device, tag_id: own?.tag }),
    ]
    expect(added.map(({ error }) => error)).toEqual([null, null, null, null, null])
    const { entries } = await read(admin, { kinds: ['change'] })
    const told = entries as (Entry & { actor: string; action: string })[]
    expect(told.slice(0, 5).map(({ kind, action, actor }) => [kind, action, actor])).toEqual([
      ['tag', 'delete', own?.who],
      ['exception', 'edit', own?.who],
      ['exception', 'create', own?.who],
      ['group', 'create', own?.who],
      ['tag', 'create', own?.who],
    ])
    expect(told.slice(0, 5).every(({ title }) => title)).toBe(true)
    expect(await read(await backend.client('admin@globex.test'), { kinds: ['change'] })).toMatchObject({
      entries: [],
    })
    await backend.sql(`delete from public.patch_exceptions where device_id = $1 and patch_id = $2`, [
      device,
      own?.patch,
    ])
    await backend.sql(
      `delete from public.audit_log where device_id = $1 or (row_id = $1 and table_name = 'device_tags')`,
      [device],
    )
    await backend.sql(
      `delete from public.audit_log where table_name = 'patch_exceptions' and at > now() - interval '1 minute'`,
    )
  })

  it('gives the chosen kinds alone', async () => {
    const { entries } = await read(admin, { kinds: ['alert'] })
    expect(entries.length).toBeGreaterThan(0)
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['alert']))
  })

  it('names the run itself as the record of a run', async () => {
    const { entries } = await read(admin, { kinds: ['run'] })
    expect(entries.length).toBeGreaterThan(0)
    for (const entry of entries) expect(entry.record_id).toBe(entry.id)
  })

  it('shows nothing to another company, and is closed to strangers', async () => {
    expect(await read(await backend.client('admin@globex.test'))).toMatchObject({ entries: [] })
    expect(await read(await backend.client('standard@acme.test'))).toMatchObject({ entries: [] })
    const stranger = await read(await backend.client())
    expect(stranger.status).toBe(401)
    expect(stranger.entries).toEqual([])
  })

  it('has what is scheduled for it beside it, for those who may read it', async () => {
    const [row] = await backend.sql<{ id: string; task: string }>(
      `select d.id, t.id as task from public.scheduled_tasks t
       join public.group_devices g on g.company_id = t.company_id and g.group_id = t.group_id
       join public.devices d on d.company_id = g.company_id and d.id = g.device_id
       join public.companies c on c.id = d.company_id
       where c.name = 'Acme' and t.enabled and t.next_run_at is not null limit 1`,
    )
    const upcoming = async (client: SupabaseClient) => {
      const { data, error, status } = await client.rpc('device_upcoming', { device_id: row?.id })
      return { entries: (data ?? []) as { id: string; next_run_at: string }[], code: error?.code, status }
    }
    const { entries } = await upcoming(admin)
    expect(entries.map(({ id }) => id)).toContain(row?.task)
    const moments = entries.map(({ next_run_at }) => Date.parse(next_run_at))
    expect(moments).toEqual(moments.toSorted((a, b) => a - b))
    await backend.sql('update public.scheduled_tasks set enabled = false where id = $1', [row?.task])
    expect((await upcoming(admin)).entries.map(({ id }) => id)).not.toContain(row?.task)
    expect(await upcoming(await backend.client('admin@globex.test'))).toMatchObject({ entries: [] })
    expect(await upcoming(await backend.client('standard@acme.test'))).toMatchObject({ entries: [] })
    expect((await upcoming(await backend.client())).status).toBe(401)
  })

  it('names who acted, and nobody by address', async () => {
    const teknik = await backend.client('teknik@acme.test')
    await admin.from('devices').update({ notes: 'Changed by an admin' }).eq('id', device).throwOnError()
    const { id } = (await admin.auth.getUser()).data.user ?? { id: '' }
    const [{ name } = { name: '' }] = await backend.sql<{ name: string }>(
      'select name from public.profiles where id = $1',
      [id],
    )
    const people = await backend.sql<{ email: string }>('select email from public.profiles')
    for (const client of [teknik, admin]) {
      const { data } = await client.rpc('device_timeline', { device_id: device }).throwOnError()
      expect((data as { actor: string | null }[])[0]?.actor).toBe(name)
      const { data: log } = await client
        .rpc('record_activity', { resource: 'devices', record_id: device })
        .throwOnError()
      expect((log as { actor_name: string }[])[0]?.actor_name).toBe(name)
      for (const { email } of people) {
        expect(JSON.stringify(data)).not.toContain(email)
        expect(JSON.stringify(log)).not.toContain(email)
      }
      for (const query of ['actor_email', '*'])
        expect((await client.from('audit_log').select(query).limit(1)).error?.code).toBe('42501')
      expect((await client.from('audit_log').select('id').like('actor_email', '%a%')).error?.code).toBe(
        '42501',
      )
      expect((await client.from('audit_log').select('id').order('actor_email')).error?.code).toBe('42501')
      expect(
        (
          await client.rpc('facet_counts', {
            resource: 'audit_log',
            field: 'actor_email',
            filter: {},
            q: null,
            max_rows: 50,
          })
        ).error,
      ).not.toBeNull()
      expect(
        (
          await client.rpc('matching_ids', {
            resource: 'audit_log',
            filter: { actor_email: { _contains: 'a' } },
            q: null,
            after: null,
            max_rows: 50,
          })
        ).error,
      ).not.toBeNull()
    }
    const stranger = await backend.client('admin@globex.test')
    expect((await stranger.rpc('record_activity', { resource: 'devices', record_id: device })).data).toEqual(
      [],
    )
  })
})
