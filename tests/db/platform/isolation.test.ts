import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBackend } from '../../support/backend'
import { sharedDemo } from '../../support/demo-backend'

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

/** Values that the demo's other company must never show to `admin@acme.test`: any of these in any answer is a leak. */
interface Secrets {
  ids: Set<string>
  words: string[]
}

const MISSING = '00000000-0000-4000-8000-000000000000'

describe('admin@acme.test and Globex', () => {
  let backend: TestBackend
  let acme: SupabaseClient
  let acmeId: string
  let globexId: string
  let secrets: Secrets
  let tables: string[]
  /** Tables and views with a company in each row. */
  let ofCompanies: string[]

  beforeAll(async () => {
    backend = await sharedDemo()
    acme = await backend.client('admin@acme.test')
    const companies = await backend.sql<{ id: string; name: string }>('select id, name from public.companies')
    acmeId = companies.find(({ name }) => name === 'Acme')?.id ?? ''
    globexId = companies.find(({ name }) => name === 'Globex')?.id ?? ''
    const found = await backend.sql<{ name: string; isTenant: boolean }>(
      `select c.relname as name, exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id') as "isTenant"
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
         and has_any_column_privilege('authenticated', c.oid, 'SELECT') order by 1`,
    )
    tables = found.map(({ name }) => name)
    ofCompanies = found.filter(({ isTenant }) => isTenant).map(({ name }) => name)
    expect(ofCompanies.length).toBeGreaterThan(20)
    const withCompany = await backend.sql<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
       join pg_attribute i on i.attrelid = c.oid and i.attname = 'id'
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
    )
    const ids: string[] = [globexId]
    for (const { name } of withCompany) {
      const rows = await backend.sql<{ id: string }>(`select id from public.${name} where company_id = $1`, [
        globexId,
      ])
      ids.push(...rows.map(({ id }) => id))
    }
    const people = await backend.sql<{ user_id: string }>(
      'select user_id from public.user_roles where company_id = $1',
      [globexId],
    )
    ids.push(...people.map((row) => row.user_id))
    const serials = await backend.sql<{ serial: string }>(
      'select serial from public.devices where company_id = $1',
      [globexId],
    )
    secrets = {
      ids: new Set(ids),
      words: ['globex', 'hannah price', ...serials.map(({ serial }) => serial.toLowerCase())],
    }
    expect(ids.length).toBeGreaterThan(1000)
  })
  afterAll(() => backend?.stop())

  function leaks(answer: unknown): string[] {
    const text = JSON.stringify(answer ?? '').toLowerCase()
    return [
      ...(text.match(UUID) ?? []).filter((id) => secrets.ids.has(id)),
      ...secrets.words.filter((word) => text.includes(word)),
    ]
  }

  /** The error with the ids asked for taken out: what is left must not depend on whether they exist. */
  const blind = (error: unknown, ...ids: string[]) => {
    let text = JSON.stringify(error)
    for (const id of ids) text = text.replaceAll(id, 'ID')
    return text
  }

  it('no table shows a row, a reference or a count of theirs', async () => {
    const counts: Record<string, number> = {}
    for (const table of tables) {
      let rows = 0
      for (let from = 0; ; from += 1000) {
        const page = await acme
          .from(table)
          .select('*', { count: 'exact' })
          .range(from, from + 999)
        expect(leaks(page.data), table).toEqual([])
        rows += page.data?.length ?? 0
        counts[table] = page.count ?? 0
        if ((page.data?.length ?? 0) < 1000) break
      }
      expect(counts[table], table).toBe(rows)
    }
    expect(counts).toMatchObject({ companies: 1, devices: 180, user_roles: 15, profiles: 15 })
  })

  it('asking for them by company or id finds nothing', async () => {
    for (const [table, column] of [
      ['companies', 'id'],
      ...ofCompanies.map((name) => [name, 'company_id']),
    ] as [string, string][]) {
      const { data, count } = await acme
        .from(table)
        // Outputs are read one at a time, and nobody reads the addresses in the log.
        .select(['job_runs', 'audit_log'].includes(table) ? 'id' : '*', { count: 'exact' })
        .eq(column, globexId)
      expect([table, data, count]).toEqual([table, [], 0])
    }
  })

  it('an embed does not reach across', async () => {
    const { data, error } = await acme
      .from('companies')
      .select('*, devices(*), groups(*), procedures(*), user_roles(*)')
    expect(error).toBeNull()
    expect(leaks(data)).toEqual([])
  })

  it('no function tells of them', async () => {
    const answers = [
      await acme.rpc('dashboard'),
      await acme.rpc('my_policy'),
      await acme.rpc('search_devices', { q: 'globex' }, { get: true }),
      await acme.rpc('search_devices', { q: '' }, { get: true }),
      await acme.rpc('search_groups', { q: '' }, { get: true }),
      await acme.rpc('search_procedures', { q: '' }, { get: true }),
    ]
    for (const { data, error } of answers) {
      expect(error).toBeNull()
      expect(leaks(data)).toEqual([])
    }
  })

  it('a function that is given one of their ids answers as if there were none', async () => {
    const one = async (table: string, company: string) =>
      (
        await backend.sql<{ id: string }>(
          `select id from public.${table} where company_id = $1 order by id limit 1`,
          [company],
        )
      )[0]?.id ?? ''
    const [device, procedure, run, job, token, group, ownProcedure, ownDevice] = await Promise.all([
      one('devices', globexId), one('procedures', globexId), one('job_runs', globexId), one('jobs', globexId),
      one('enrollment_tokens', globexId), one('groups', globexId), one('procedures', acmeId), one('devices', acmeId),
    ]) // biome-ignore format: a table
    const calls: [string, (id: string) => Record<string, unknown>, string][] = [
      ['dashboard', (id) => ({ company: id }), globexId],
      ['run_procedure', (id) => ({ procedure_id: id, device_ids: [ownDevice] }), procedure],
      ['run_procedure', (id) => ({ procedure_id: ownProcedure, device_ids: [id] }), device],
      ['cancel_run', (id) => ({ run_id: id }), run],
      ['cancel_job', (id) => ({ job_id: id }), job],
      ['retry_job', (id) => ({ job_id: id }), job],
      ['preview_retry', (id) => ({ job_id: id }), job],
      ['create_enrollment_token', (id) => ({ company_id: id, name: 'x' }), globexId],
      ['create_enrollment_token', (id) => ({ company_id: acmeId, name: 'x', group_id: id }), group],
      ['revoke_enrollment_token', (id) => ({ id }), token],
    ]
    for (const [name, argument, id] of calls) {
      const real = await acme.rpc(name, argument(id))
      const none = await acme.rpc(name, argument(MISSING))
      expect(real.error, name).not.toBeNull()
      expect([name, real.status, blind(real.error, id, MISSING)]).toEqual([
        name,
        none.status,
        blind(none.error, id, MISSING),
      ])
      expect(leaks(JSON.parse(blind(real.error, id)))).toEqual([])
    }
  })

  it('a write that names them answers as if there were none, and changes nothing', async () => {
    const [device] = await backend.sql<{ id: string; name: string }>(
      'select id, name from public.devices where company_id = $1 limit 1',
      [globexId],
    )
    const [ownGroup] = await backend.sql<{ id: string }>(
      'select id from public.groups where company_id = $1 limit 1',
      [acmeId],
    )
    const [account] = await backend.sql<{ id: string }>(
      `select id from public.profiles where email = 'admin@globex.test'`,
    )
    const [procedure] = await backend.sql<{ id: string }>(
      'select id from public.procedures where company_id = $1 limit 1',
      [globexId],
    )
    const procedureId = procedure?.id ?? ''
    const deviceId = device?.id ?? ''
    const accountId = account?.id ?? ''
    const attempts: [
      string,
      string,
      (id: string) => PromiseLike<{ status: number; error: unknown; data: unknown }>,
    ][] = [
      ['insert a device', globexId, (id) => acme.from('devices').insert({ company_id: id, name: 'x' })],
      [
        'insert with their id',
        deviceId,
        (id) => acme.from('devices').insert({ id, company_id: acmeId, name: 'x' }),
      ],
      ['rename a device', deviceId, (id) => acme.from('devices').update({ name: 'x' }).eq('id', id).select()],
      ['delete a device', deviceId, (id) => acme.from('devices').delete().eq('id', id).select()],
      [
        'take a device into a group',
        deviceId,
        (id) =>
          acme.from('group_devices').insert({ company_id: acmeId, group_id: ownGroup?.id, device_id: id }),
      ],
      [
        'move a group',
        globexId,
        (id) =>
          acme
            .from('groups')
            .update({ company_id: id })
            .eq('id', ownGroup?.id ?? ''),
      ],
      [
        'give their account a role',
        accountId,
        (id) => acme.from('user_roles').insert({ user_id: id, role: 'Standard', company_id: acmeId }),
      ],
      ['take their role', accountId, (id) => acme.from('user_roles').delete().eq('user_id', id).select()],
      [
        'rename their person',
        accountId,
        (id) => acme.from('profiles').update({ name: 'x y' }).eq('id', id).select(),
      ],
      [
        'rename their company',
        globexId,
        (id) => acme.from('companies').update({ name: 'x y' }).eq('id', id).select(),
      ],
      [
        'insert a procedure with their id',
        procedureId,
        (id) =>
          acme.from('procedures').insert({ id, company_id: acmeId, name: 'x', type: 'Bash', script: 'x' }),
      ],
      [
        'upsert over a procedure',
        globexId,
        (id) => acme.from('procedures').upsert({ id, company_id: id, name: 'x', type: 'Bash', script: 'x' }),
      ],
    ]
    for (const [what, id, attempt] of attempts) {
      const real = await attempt(id)
      const none = await attempt(MISSING)
      expect([what, real.status, blind(real, id, MISSING)]).toEqual([
        what,
        none.status,
        blind(none, id, MISSING),
      ])
      expect(leaks(JSON.parse(blind(real, id)))).toEqual([])
    }
    const [after] = await backend.sql(
      `select (select name from public.devices where id = $1) as device, (select name from public.companies where id = $2) as company,
        (select role from public.user_roles where user_id = $3) as role, (select count(*) from public.devices where company_id = $2) as devices`,
      [deviceId, globexId, accountId],
    )
    expect(after).toEqual({ device: device?.name, company: 'Globex', role: 'Admin', devices: 80 })
  })

  it('may not listen to their live messages', async () => {
    const asks = await backend.sql<{ own: boolean; theirs: boolean; all: boolean; person: boolean }>(
      `with me as materialized (select set_config('request.jwt.claim.sub', (select id::text from public.profiles where email = 'admin@acme.test'), true))
       select app.can_listen('company:' || $1) as own, app.can_listen('company:' || $2) as theirs, app.can_listen('platform') as all,
         app.can_listen('user:' || (select id from public.profiles where email = 'admin@globex.test')) as person from me`,
      [acmeId, globexId],
    )
    expect(asks).toEqual([{ own: true, theirs: false, all: false, person: false }])
  })
})
