import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'

let backend: TestBackend
let acme: string
let globex: string
let admin: SupabaseClient
let adminId: string
let teknik: SupabaseClient
let standard: SupabaseClient
let other: SupabaseClient

async function signedIn(role: string, company: string): Promise<{ client: SupabaseClient; id: string }> {
  const { email, id } = await createAccount(backend, role, company)
  return { client: await backend.client(email), id }
}

beforeAll(async () => {
  backend = await sharedBackend()
  acme = await createCompany(backend)
  globex = await createCompany(backend)
  const account = await signedIn('Admin', acme)
  admin = account.client
  adminId = account.id
  teknik = (await signedIn('Teknik', acme)).client
  standard = (await signedIn('Standard', acme)).client
  other = (await signedIn('Admin', globex)).client
})
afterAll(() => backend.stop())

const procedure = (values: Record<string, unknown> = {}) => ({
  company_id: acme,
  name: 'Clean temporary files',
  type: 'Python',
  script: 'print(1)',
  ...values,
})

async function create(
  values: Record<string, unknown> = {},
  by = admin,
): Promise<{ id: string; version: number }> {
  const { data, error } = await by.from('procedures').insert(procedure(values)).select('id,version').single()
  if (error) throw error
  return data
}

const versions = async (id: string) =>
  (
    await backend.sql<Record<string, unknown>>(
      'select number, type, script, timeout_seconds, created_by from public.procedure_versions where procedure_id = $1 order by number',
      [id],
    )
  ).map((row) => ({ ...row }))

describe('a procedure', () => {
  it('starts at revision 1, written by whoever made it, whatever the request says', async () => {
    const { id } = await create({ revision: 7, created_by: null })
    const [row] = await backend.sql('select revision, created_by from public.procedures where id = $1', [id])
    expect(row).toEqual({ revision: 1, created_by: adminId })
    expect(await versions(id)).toEqual([
      { number: 1, type: 'Python', script: 'print(1)', timeout_seconds: 300, created_by: adminId },
    ])
  })

  it('gets a version when what runs changes, and none when only its name does', async () => {
    const { id } = await create()
    await admin
      .from('procedures')
      .update({ name: 'Renamed', description: 'words', category: 'Care' })
      .eq('id', id)
    expect(await versions(id)).toHaveLength(1)
    const { error } = await teknik
      .from('procedures')
      .update({ script: 'print(2)', timeout_seconds: 60 })
      .eq('id', id)
    expect(error).toBeNull()
    expect(
      (await versions(id)).map(({ number, script, timeout_seconds }) => [number, script, timeout_seconds]),
    ).toEqual([
      [1, 'print(1)', 300],
      [2, 'print(2)', 60],
    ])
    await admin.from('procedures').update({ revision: 40, created_by: null }).eq('id', id)
    const [row] = await backend.sql('select revision, created_by from public.procedures where id = $1', [id])
    expect(row).toEqual({ revision: 2, created_by: adminId })
  })

  it('keeps its versions from being changed, by the owner of the tables too', async () => {
    const { id } = await create()
    for (const client of [admin, teknik]) {
      const { error } = await client
        .from('procedure_versions')
        .update({ script: 'forged' })
        .eq('procedure_id', id)
      expect(error?.code).toBe('42501')
    }
    await expect(
      backend.sql(`update public.procedure_versions set script = 'forged' where procedure_id = $1`, [id]),
    ).rejects.toThrow('never changes')
  })

  it.each([
    ['an unknown type', { type: 'Perl' }],
    ['an empty name', { name: '  ' }],
    ['an empty script', { script: '' }],
    ['no time', { timeout_seconds: 0 }],
    ['more than a day', { timeout_seconds: 86_401 }],
    ['parameters that are no list', { parameters: { name: 'x' } }],
    ['a parameter without a name', { parameters: [{ kind: 'text' }] }],
    ['a parameter name a shell cannot hold', { parameters: [{ name: 'a-b', kind: 'text' }] }],
    ['a parameter of an unknown kind', { parameters: [{ name: 'a', kind: 'color' }] }],
    [
      'two parameters that differ in case alone',
      {
        parameters: [
          { name: 'a', kind: 'text' },
          { name: 'A', kind: 'text' },
        ],
      },
    ],
    ['a choice of nothing', { parameters: [{ name: 'a', kind: 'choice', choices: [] }] }],
    ['a secret with a readable default', { parameters: [{ name: 'a', kind: 'secret', default: 'x' }] }],
  ])('with %s is refused', async (_what, values) => {
    const { error, status } = await admin.from('procedures').insert(procedure(values))
    expect([status, error?.code]).toEqual([400, '23514'])
  })

  it('is found by a Turkish-folded search and sorted by a Turkish-aware key', async () => {
    const { id } = await create({ name: 'IŞIK ayarı', description: 'İstanbul ofisi' })
    const [row] = await backend.sql('select search, name_key from public.procedures where id = $1', [id])
    expect(row?.search).toContain('isik ayari istanbul ofisi')
    expect(row?.name_key).toBeTruthy()
  })
})

describe('procedures and their history across tenants and roles', () => {
  it('are invisible to another company, to Standard and to nobody, by every table', async () => {
    const { id } = await create()
    for (const table of ['procedures', 'procedure_versions', 'jobs', 'job_runs', 'procedure_logs'])
      for (const client of [other, standard, await backend.client()]) {
        const { data } = await client.from(table).select('id').eq('company_id', acme)
        expect(data ?? []).toEqual([])
      }
    const { data } = await teknik.from('procedures').select('id').eq('id', id)
    expect(data).toHaveLength(1)
  })

  it('refuse another company’s writes, and leave the row as it was', async () => {
    const { id } = await create()
    await other.from('procedures').update({ script: 'stolen' }).eq('id', id)
    await other.from('procedures').delete().eq('id', id)
    expect((await other.from('procedures').insert(procedure())).error?.code).toBe('42501')
    expect((await admin.from('procedures').update({ company_id: globex }).eq('id', id)).error?.code).toBe(
      '42501',
    )
    const [row] = await backend.sql('select company_id, script from public.procedures where id = $1', [id])
    expect(row).toEqual({ company_id: acme, script: 'print(1)' })
  })

  it('let nobody write jobs, runs, logs or versions past the functions', async () => {
    for (const table of ['procedure_versions', 'jobs', 'job_runs', 'procedure_logs']) {
      expect((await admin.from(table).insert({ company_id: acme })).error?.code).toBe('42501')
      expect((await admin.from(table).delete().eq('company_id', acme)).error?.code).toBe('42501')
    }
  })

  it('leave the delete to Admin', async () => {
    const { id } = await create()
    expect((await teknik.from('procedures').delete().eq('id', id)).error?.code).toBe('42501')
    expect((await admin.from('procedures').delete().eq('id', id)).error).toBeNull()
    expect(await versions(id)).toEqual([])
  })
})

it('a script that is being named meets those of a similar name, of the own company and for whoever may list them', async () => {
  const made = await create({ name: 'Yazıcı kuyruğunu temizle' })
  await create({ name: 'Restart the spooler' })
  await create({ name: 'Yazıcı kuyruğunu temizle', company_id: globex }, other)
  const ask = async (client: SupabaseClient, q: string, company: string | null = null) => {
    const { data, error } = await client.rpc('suggest_procedures', { q, company })
    return error ? error.code : (data as { id: string }[]).map(({ id }) => id)
  }
  expect(await ask(admin, 'YAZICININ kuyrugu')).toEqual([made.id])
  expect(await ask(teknik, 'yazıcı', acme)).toEqual([made.id])
  expect(await ask(admin, 'yazıcı', globex)).toEqual([])
  expect(await ask(admin, '')).toEqual([])
  expect(await ask(standard, 'yazıcı')).toEqual([])
})
