import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainClient, type TestBackend, testBackend } from '../../support/backend'

describe('accounts made from SQL', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await testBackend({ demo: false })
  })
  afterAll(() => backend?.stop())

  const firstAdmin = (email: string, password: string | null = null) =>
    backend.sql<{ id: string }>('select app.create_first_super_admin($1, $2) as id', [email, password])

  it('the first Super Admin is made once, signs in, and a second one is refused', async () => {
    await expect(firstAdmin('not an address')).rejects.toMatchObject({ code: '22023' })
    const [made] = await firstAdmin(' First@Example.test ', 'A-long-Password-1')
    const client = await backend.client('first@example.test', 'A-long-Password-1')
    const { data } = await client.from('user_roles').select('user_id, role, company_id').single()
    expect(data).toEqual({ user_id: made?.id, role: 'Super Admin', company_id: null })
    const profile = await client.from('profiles').select('name, email').single()
    expect(profile.data).toEqual({ name: 'first', email: 'first@example.test' })
    await expect(firstAdmin('second@example.test')).rejects.toMatchObject({ code: '23505' })
    expect(await backend.sql(`select 1 from auth.users where email = 'second@example.test'`)).toEqual([])
  })

  it('makes an existing account the first one, without touching its password', async () => {
    await backend.sql(`delete from public.user_roles where role = 'Super Admin'`)
    await backend.sql(
      `select app.create_auth_user('known@example.test', 'A-long-Password-2', 'Bilinen Kişi')`,
    )
    const [made] = await firstAdmin('KNOWN@example.test')
    const client = await backend.client('known@example.test', 'A-long-Password-2')
    const { data } = await client.from('profiles').select('id, name').eq('id', made?.id).single()
    expect(data).toEqual({ id: made?.id, name: 'Bilinen Kişi' })
  })

  it('refuses a second account with the same address, whatever its case', async () => {
    await expect(
      backend.sql(`select app.create_auth_user('Known@Example.test', 'A-long-Password-3')`),
    ).rejects.toMatchObject({ code: '23505' })
  })

  it('an account that is deleted leaves neither profile nor role', async () => {
    const [row] = await backend.sql<{ id: string }>(
      `select app.create_auth_user('gone@example.test', 'x') as id`,
    )
    await backend.sql(`insert into public.user_roles (user_id, role) values ($1, 'Super Admin')`, [row?.id])
    await backend.sql('delete from auth.users where id = $1', [row?.id])
    expect(await backend.sql('select 1 from public.profiles where id = $1', [row?.id])).toEqual([])
    expect(await backend.sql('select 1 from public.user_roles where user_id = $1', [row?.id])).toEqual([])
  })

  it('ending the sessions of an account ends what they may read', async () => {
    const client = await backend.client('known@example.test', 'A-long-Password-2')
    expect((await client.from('companies').select('id')).error).toBeNull()
    const [row] = await backend.sql<{ ended: number }>(
      `select app.end_sessions(id) as ended from auth.users where email = 'known@example.test'`,
    )
    expect(row?.ended).toBeGreaterThan(0)
    const roles = await client.from('user_roles').select('role')
    expect(roles.data ?? []).toEqual([])
  })

  it('cannot be made through the API', async () => {
    const { data } = await plainClient(backend.url, backend.publishableKey).rpc('create_auth_user', {
      email: 'x@example.test',
      password: 'x',
    })
    expect(data).toBeNull()
  })
})
