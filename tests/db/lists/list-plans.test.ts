import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBackend } from '../../support/backend'
import { sharedDemo } from '../../support/demo-backend'
import { type AsUser, asUser, literal } from '../support/as-user'

/** The plan of a user's query. The demo tables are small: reading or sorting one whole is chosen only when no index serves. */
const PLAN = `
create function test.plan(query text) returns setof text language plpgsql set enable_seqscan = off set enable_bitmapscan = off
  set enable_sort = off as $$
begin
  return query execute 'explain (costs off) ' || query;
end $$`

describe('the lists of the largest tables', () => {
  let backend: TestBackend
  let as: AsUser
  let everyone: string

  beforeAll(async () => {
    backend = await sharedDemo()
    as = await asUser(backend)
    await backend.sql(PLAN)
    await backend.sql('grant usage on schema test to authenticated')
    const [user] = await backend.sql<{ id: string }>(
      `select id from public.profiles where email = 'super@demo.test'`,
    )
    everyone = user?.id ?? ''
  })
  afterAll(() => backend?.stop())

  it.each([
    [
      'device_patches',
      'select t.id from public.device_patches t where reboot_required order by title_key, id limit 51',
    ],
    ['jobs', 'select t.id from public.jobs t where failed > 0 order by created_at desc, id desc limit 51'],
    [
      'jobs',
      `select t.id from public.jobs t where outcome = 'running' order by created_at desc, id desc limit 51`,
    ],
    [
      'job_runs',
      `select t.id from public.job_runs t where status in ('failed', 'timed_out', 'expired')
       order by queued_at desc, id desc limit 51`,
    ],
  ])('read an index of %s: %s', async (table, query) => {
    const { data, message } = await as(everyone, `select * from test.plan(${literal(query)}) as line`)
    expect(message).toBeUndefined()
    const plan = (data ?? []).map(({ line }) => String(line)).join('\n')
    expect(plan).toMatch(/Index/)
    expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}`))
    // An ordered index that every row is filtered from is the whole table all the same.
    expect(plan).not.toMatch(/Filter: .*(reboot_required|failed >|outcome|status)/)
  })

  it.each([
    'select t.id from public.job_runs t order by queued_at desc, id desc limit 51',
    `select t.id from public.job_runs t where device_id = '00000000-0000-4000-8000-000000000001'
     order by queued_at desc, id desc limit 51`,
  ])('read runs in their order: %s', async (query) => {
    const { data, message } = await as(everyone, `select * from test.plan(${literal(query)}) as line`)
    expect(message).toBeUndefined()
    const plan = (data ?? []).map(({ line }) => String(line)).join('\n')
    expect(plan).toMatch(/Index (Only )?Scan Backward using job_runs_by/)
    expect(plan).not.toMatch(/Sort|Filter: .*device_id/)
  })

  it.each([
    ['job_runs', 'status'],
    ['job_runs', 'finished_at'],
    ['job_runs', 'device_key'],
    ['device_software', 'version_key'],
    ['device_software', 'publisher_key'],
    ['device_software', 'size_key'],
  ])('read %s sorted by %s in either direction, of one company and of all', async (table, column) => {
    const company = `company_id = '00000000-0000-4000-8000-000000000001'`
    for (const way of ['asc', 'desc'])
      for (const where of ['true', company]) {
        const query = `select id from public.${table} where ${where} order by ${column} ${way}, id ${way} limit 51`
        const { data, message } = await as(everyone, `select * from test.plan(${literal(query)}) as line`)
        expect(message, query).toBeUndefined()
        const plan = (data ?? []).map(({ line }) => String(line)).join('\n')
        expect(plan, query).toMatch(/Index (Only )?Scan/)
        expect(plan, query).not.toMatch(/Sort|Seq Scan/)
      }
  })

  it.each(['device_key', 'added_at'])('read the devices of a group sorted by %s', async (column) => {
    for (const way of ['asc', 'desc']) {
      const query = `select device_id from public.group_devices
        where group_id = '00000000-0000-4000-8000-000000000001' order by ${column} ${way}, device_id ${way} limit 26`
      const { data, message } = await as(everyone, `select * from test.plan(${literal(query)}) as line`)
      expect(message, query).toBeUndefined()
      expect((data ?? []).map(({ line }) => String(line)).join('\n'), query).not.toMatch(/Sort|Seq Scan/)
    }
  })

  it.each(['device_patches_company_idx', 'device_software_company_idx', 'tickets_company_requester_idx'])(
    'are counted by the narrow index %s, without the table',
    async (index) => {
      const table = index.split('_company_')[0]
      const query = `select count(*) from public.${table}`
      const { data, message } = await as(everyone, `select * from test.plan(${literal(query)}) as line`)
      expect(message).toBeUndefined()
      expect((data ?? []).map(({ line }) => String(line)).join('\n')).toContain(
        `Index Only Scan using ${index} on ${table}`,
      )
    },
  )

  it('have an index that begins with each id a search over all companies finds', async () => {
    const first = await backend.sql<{ name: string }>(
      `select distinct c.relname || '.' || a.attname as name from pg_index i
       join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
       where c.relname in ('device_patches', 'device_software', 'job_runs') and i.indpred is null`,
    )
    expect(first.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'device_patches.patch_id',
        'device_patches.device_id',
        'device_software.software_id',
        'device_software.device_id',
        'job_runs.job_id',
        'job_runs.device_id',
        'job_runs.procedure_id',
      ]),
    )
  })
})
