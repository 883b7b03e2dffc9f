import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestBackend, testBackend } from '../../support/backend'

describe('notifications', () => {
  let backend: TestBackend
  let acme: SupabaseClient
  let initech: SupabaseClient

  beforeAll(async () => {
    backend = await testBackend()
    acme = await backend.client('admin@acme.test')
    initech = await backend.client('admin@initech.test')
  })
  afterAll(() => backend?.stop())

  const unread = async (client: SupabaseClient) => {
    const { count, error } = await client
      .from('notifications')
      .select('id', { count: 'exact' })
      .is('read_at', null)
    expect(error).toBeNull()
    return count
  }

  it('are the user’s own, for every account, also where the role shows little else', async () => {
    for (const email of ['super@demo.test', 'teknik@acme.test', 'standard@acme.test', 'admin@globex.test']) {
      const client = await backend.client(email)
      expect([email, await unread(client)]).toEqual([email, 2])
      const { data } = await client.from('notifications').select('user_id')
      expect(new Set((data ?? []).map((row) => row.user_id)).size).toBe(1)
    }
  })

  it('can be marked read, also when the license has ended', async () => {
    const { data, error } = await initech
      .from('notifications')
      .update({ read_at: new Date().toISOString() })
      .is('read_at', null)
      .select('id')
    expect([error, data?.length]).toEqual([null, 2])
    expect(await unread(initech)).toBe(0)
    expect(await unread(acme)).toBe(2)
  })

  it('change in no other way', async () => {
    const { data } = await acme.from('notifications').select('id').limit(1).single()
    const id = data?.id as string
    for (const change of [{ kind: 'forged' }, { link: '/elsewhere' }, { params: {} }, { user_id: id }])
      expect((await acme.from('notifications').update(change).eq('id', id)).error?.code).toBe('42501')
    expect((await acme.from('notifications').delete().eq('id', id)).error?.code).toBe('42501')
    expect((await acme.from('notifications').insert({ user_id: id, kind: 'forged' })).error?.code).toBe(
      '42501',
    )
  })

  it('link inside the console only', async () => {
    const [row] = await backend.sql<{ id: string }>('select id from public.notifications limit 1')
    const link = (to: string) =>
      backend.sql('update public.notifications set link = $2 where id = $1', [row?.id, to])
    for (const to of [
      'https://elsewhere.test',
      '//elsewhere.test',
      '/\\elsewhere.test',
      'javascript:alert(1)',
      'devices',
    ])
      await expect(link(to)).rejects.toMatchObject({ code: '23514' })
    await link('/devices/1')
    await link('/')
  })
})
