import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

describe.each(drivers('roles'))('the directory of people on %s', (driver) => {
  let backend: TestBackend
  const clients = new Map<string, SupabaseClient>()
  const ids = new Map<string, string>()
  const as = (email: string) => clients.get(email) as SupabaseClient
  const id = (email: string) => ids.get(email) ?? ''
  let ticket: string
  let acme: string

  beforeAll(async () => {
    backend = await testBackend({ driver })
    for (const email of [
      'super@demo.test',
      'admin@acme.test',
      'teknik@acme.test',
      'standard@acme.test',
      'admin@globex.test',
    ])
      clients.set(email, await backend.client(email))
    clients.set('anonymous', await backend.client())
    for (const row of await backend.sql<{ id: string; email: string }>(
      'select id, email from public.profiles',
    ))
      ids.set(row.email, row.id)
    const [made] = await backend.sql<{ id: string; company_id: string }>(
      `insert into public.tickets (company_id, subject, requester_id)
       select r.company_id, 'A ticket for the directory', r.user_id from public.user_roles r where r.user_id = $1 returning id, company_id`,
      [id('standard@acme.test')],
    )
    ticket = made?.id ?? ''
    acme = made?.company_id ?? ''
  })
  afterAll(() => backend?.stop())

  const everybodyOf = async (company: string) =>
    (
      await backend.sql<{ id: string }>(
        `select r.user_id as id from public.user_roles r join public.companies c on c.id = r.company_id where c.name = $1`,
        [company],
      )
    )
      .map((row) => row.id)
      .sort()
  const listed = async (email: string) => {
    const { data, error } = await as(email).from('people').select('id').limit(1000)
    return error ? error.code : data.map((row) => row.id as string).sort()
  }

  it('holds the names of the own company for those who work in it, and nobody else', async () => {
    const acme = await everybodyOf('Acme')
    expect(acme.length).toBeGreaterThan(2)
    expect(await listed('admin@acme.test')).toEqual(acme)
    expect(await listed('teknik@acme.test')).toEqual(acme)
    expect(await listed('admin@globex.test')).toEqual(await everybodyOf('Globex'))
    expect(await listed('super@demo.test')).toEqual([...ids.values()].sort())
  })

  it('holds the requester alone for a Standard user, and nothing for a stranger', async () => {
    expect(await listed('standard@acme.test')).toEqual([id('standard@acme.test')])
    expect(await listed('anonymous')).toBe('42501')
    const searched = await as('standard@acme.test').rpc('search_people', { q: '' })
    expect(searched.data).toMatchObject([{ id: id('standard@acme.test') }])
    const wanted = { people: { ids: [id('admin@acme.test'), id('admin@globex.test')], fields: ['name'] } }
    expect((await as('standard@acme.test').rpc('record_titles', { wanted })).data).toEqual([])
    expect((await as('teknik@acme.test').rpc('record_titles', { wanted })).data).toMatchObject([
      { id: id('admin@acme.test') },
    ])
  })

  it('tells no address and takes no write', async () => {
    const teknik = as('teknik@acme.test')
    const { data } = await teknik.from('people').select('*').eq('id', id('admin@acme.test')).single()
    expect(Object.keys(data ?? {}).sort()).toEqual(['id', 'is_deactivated', 'name', 'name_key'])
    expect((await teknik.from('people').select('email')).error).not.toBeNull()
    expect((await teknik.from('people').select('id').ilike('name', '%acme.test%')).data).toEqual([])
    expect((await teknik.from('profiles').select('id')).data).toEqual([{ id: id('teknik@acme.test') }])
    for (const attempt of [
      teknik.from('people').update({ name: 'Renamed' }).eq('id', id('teknik@acme.test')),
      teknik.from('people').delete().eq('id', id('teknik@acme.test')),
      as('admin@acme.test').from('people').insert({ name: 'Somebody' }),
    ])
      expect((await attempt).error?.code).toBe('42501')
  })

  it('gives the name of an assignee with the ticket, as far as the reader may list people', async () => {
    const ask = async (email: string) => {
      const { data, error } = await as(email)
        .from('tickets')
        .select(
          'id,by:people!tickets_assignee_id_fkey(id,name),from:people!tickets_requester_id_fkey(id,name)',
        )
        .eq('id', ticket)
        .single()
      expect(error).toBeNull()
      return data as unknown as { by: { id: string } | null; from: { id: string } | null }
    }
    const given = await as('teknik@acme.test')
      .from('tickets')
      .update({ assignee_id: id('admin@acme.test') })
      .eq('id', ticket)
    expect(given.error).toBeNull()
    expect((await ask('teknik@acme.test')).by?.id).toBe(id('admin@acme.test'))
    expect((await ask('standard@acme.test')).by).toBeNull()
    expect((await ask('standard@acme.test')).from?.id).toBe(id('standard@acme.test'))
  })

  it('gives the links of a record to people by name', async () => {
    const teknik = as('teknik@acme.test')
    expect(
      (
        await teknik
          .from('ticket_watchers')
          .insert({ company_id: acme, ticket_id: ticket, user_id: id('admin@acme.test') })
      ).error,
    ).toBeNull()
    const { data } = await teknik
      .from('tickets')
      .select('w:ticket_watchers(user_id,row:people!ticket_watchers_user_id_fkey(id,name))')
      .eq('id', ticket)
      .single()
    expect(data).toMatchObject({ w: [{ row: { id: id('admin@acme.test') } }] })
  })

  it('is what a mention offers: all who read the record, or those whom a requester knows from it', async () => {
    const offered = async (email: string, record: string) => {
      const { data, error } = await as(email).rpc('comment_people', {
        resource: 'tickets',
        record_id: record,
      })
      expect(error).toBeNull()
      return (data as { id: string }[]).map((row) => row.id).sort()
    }
    expect(await offered('teknik@acme.test', ticket)).toEqual(
      expect.arrayContaining(['admin@acme.test', 'standard@acme.test', 'teknik@acme.test'].map(id)),
    )
    expect(await offered('standard@acme.test', ticket)).toEqual(
      ['admin@acme.test', 'standard@acme.test'].map(id).sort(),
    )
    const answered = await as('teknik@acme.test')
      .from('ticket_comments')
      .insert({ company_id: acme, ticket_id: ticket, body: 'I look at it.' })
    expect(answered.error).toBeNull()
    expect(await offered('standard@acme.test', ticket)).toContain(id('teknik@acme.test'))
    expect(await offered('admin@globex.test', ticket)).toEqual([])
  })
})
