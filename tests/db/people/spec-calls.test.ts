import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

/** The calls the specification lists in section 7, as written there, with a plain supabase-js client. */
describe.each(drivers('types'))('the calls of the specification on %s', (driver) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({ driver })
  })
  afterAll(() => backend?.stop())

  it('signs in, tells session and user, and signs out', async () => {
    const client = await backend.client()
    const events: string[] = []
    client.auth.onAuthStateChange((event) => void events.push(event))
    const { data, error } = await client.auth.signInWithPassword({
      email: 'admin@acme.test',
      password: 'Demo-Console-2026',
    })
    expect(error).toBeNull()
    expect(data.user?.email).toBe('admin@acme.test')
    expect((await client.auth.getSession()).data.session?.access_token).toBe(data.session?.access_token)
    expect((await client.auth.getUser()).data.user?.id).toBe(data.user?.id)
    expect((await client.auth.signOut()).error).toBeNull()
    expect((await client.auth.getSession()).data.session).toBeNull()
    expect(events).toContain('SIGNED_IN')
    expect(events).toContain('SIGNED_OUT')
  })

  it('reads the user record: role, profile and company', async () => {
    const client = await backend.client('admin@acme.test')
    const { data } = await client.auth.getUser()
    const id = data.user?.id ?? ''
    const role = await client
      .from('user_roles')
      .select('role, company_id, mfa_enabled')
      .eq('user_id', id)
      .single()
    expect(role.error).toBeNull()
    expect(role.data).toMatchObject({ role: 'Admin', mfa_enabled: false })
    const profile = await client.from('profiles').select('name, email').eq('id', id).single()
    expect(profile.error).toBeNull()
    expect(profile.data?.email).toBe('admin@acme.test')
    const companyId = String(role.data?.company_id)
    const company = await client
      .from('companies')
      .select('status, license_end_date, license_type')
      .eq('id', companyId)
      .single()
    expect(company.error).toBeNull()
    expect(company.data).toMatchObject({ status: 'Active', license_type: 'Pro' })
    expect(new Date(String(company.data?.license_end_date)).toISOString()).toMatch(/^20\d\d-/)
    expect(String(company.data?.license_end_date)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/)
    const whole = await client.from('companies').select('*').eq('id', companyId).single()
    expect(whole.error).toBeNull()
    expect(whole.data?.name).toBe('Acme')
  })

  it('reads what the dashboard reads', async () => {
    const client = await backend.client('admin@acme.test')
    const devices = await client.from('devices').select('status, os')
    expect(devices.error).toBeNull()
    expect(devices.data?.length).toBeGreaterThan(0)
    expect(new Set(devices.data?.map((device) => device.status))).toEqual(new Set(['online', 'offline']))
    const procedures = await client.from('procedures').select('*', { count: 'exact', head: true })
    expect(procedures.error).toBeNull()
    expect(procedures.count).toBeGreaterThan(0)
    const alerts = await client
      .from('monitors')
      .select('is_active', { count: 'exact' })
      .eq('is_active', false)
    expect(alerts.error).toBeNull()
    expect(alerts.count).toBe(alerts.data?.length)
    const logs = await client
      .from('procedure_logs')
      .select('executed_at, status, output')
      .order('executed_at', { ascending: false })
      .limit(4)
    expect(logs.error).toBeNull()
    expect(logs.data).toHaveLength(4)
    const times = logs.data?.map((log) => Date.parse(String(log.executed_at))) ?? []
    expect(times).toEqual([...times].sort((a, b) => b - a))
  })

  it('records a failed sign-in before anybody is signed in, and lets nobody read it back', async () => {
    const client = await backend.client()
    const row = {
      user_email: 'someone@acme.test',
      ip_address: 'browser',
      user_agent: 'a test',
      failure_reason: 'Invalid login credentials',
    }
    expect((await client.from('failed_login_attempts').insert(row)).error).toBeNull()
    const read = await client.from('failed_login_attempts').select('*')
    expect(read.error?.code).toBe('42501')
    const rows = await backend.sql(
      `select ip_address from public.failed_login_attempts where user_email = $1`,
      ['someone@acme.test'],
    )
    expect(rows).toEqual([{ ip_address: 'browser' }])
  })

  it('passes JSON on as JSON, to functions and to columns', async () => {
    await backend.sql(`create function public.kind_of(payload jsonb, other json default null) returns jsonb
      language sql as $$ select jsonb_build_object('payload', jsonb_typeof(payload), 'name', payload ->> 'name',
        'other', json_typeof(other)) $$`)
    await backend.sql(`grant execute on function public.kind_of(jsonb, json) to authenticated`)
    await backend.sql(`create table public.kept_as (id int primary key, doc jsonb)`)
    await backend.sql(`grant select, insert, update on public.kept_as to authenticated`)
    await backend.sql(`notify pgrst, 'reload schema'`)
    const client = await backend.client('admin@acme.test')
    const call = () => client.rpc('kind_of', { payload: { name: 'a"b' }, other: [1] })
    await expect
      .poll(async () => (await call()).data)
      .toEqual({ payload: 'object', name: 'a"b', other: 'array' })
    const docs = [{ a: { b: [1, 'two'], c: 'a "word"' } }, ['x', { y: null }]]
    const rows = docs.map((doc, id) => ({ id, doc }))
    expect((await client.from('kept_as').insert(rows)).error).toBeNull()
    const kept = await client.from('kept_as').select('id, doc').order('id')
    expect(kept.data).toEqual(rows)
    const changed = await client
      .from('kept_as')
      .update({ doc: { c: ['d'] } })
      .eq('id', 0)
      .select('doc')
      .single()
    expect(changed.data).toEqual({ doc: { c: ['d'] } })
  })

  it('refuses a wrong password and an unknown user alike', async () => {
    const client = await backend.client()
    const wrong = await client.auth.signInWithPassword({ email: 'admin@acme.test', password: 'not it' })
    const unknown = await client.auth.signInWithPassword({ email: 'nobody@acme.test', password: 'not it' })
    expect(wrong.error?.message).toBe('Invalid login credentials')
    expect(unknown.error?.message).toBe(wrong.error?.message)
    expect(unknown.error?.status).toBe(wrong.error?.status)
    expect(unknown.error?.code).toBe('invalid_credentials')
  })
})
