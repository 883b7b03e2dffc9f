import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

interface Wanted {
  name: string
  columns: string[]
  company_id?: string | null
}

const by = (name: string, columns = ['name']): Wanted => ({ name, columns })
const EVERYTHING = [
  by('devices'),
  by('groups'),
  by('policies'),
  by('software_licenses'),
  by('ticket_categories'),
  by('users'),
  by('companies'),
  by('tickets', ['number', 'subject']),
]

describe.each(drivers())('finding records on %s', (driver) => {
  let backend: TestBackend
  let own: string
  let other: string
  let admin: SupabaseClient
  let stranger: SupabaseClient

  const furnish = async (company: string, word: string) => {
    await backend.sql(
      `with d as (insert into public.devices (company_id, name) select $1, $2 || ' bilgisayarı ' || n from generate_series(1, 7) n),
         g as (insert into public.groups (company_id, name) values ($1, 'Muhasebe ' || $2)),
         l as (insert into public.software_licenses (company_id, name) values ($1, $2))
       insert into public.ticket_categories (company_id, name) values ($1, 'Arıza: ' || $2)`,
      [company, word],
    )
  }

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    own = await createCompany(backend)
    other = await createCompany(backend)
    await furnish(own, 'Işık')
    await furnish(other, 'IŞIK')
    admin = await backend.client((await createAccount(backend, 'Admin', own)).email)
    stranger = await backend.client((await createAccount(backend, 'Admin', other)).email)
  })
  afterAll(() => backend?.stop())

  const find = (from: SupabaseClient, q: string, resources: unknown = EVERYTHING, max?: number) =>
    from.rpc('find_records', { q, resources, ...(max === undefined ? {} : { max_rows: max }) })
  const found = async (...args: Parameters<typeof find>) => {
    const { data, error } = await find(...args)
    expect(error).toBeNull()
    return data as { resource: string; id: string; title: Record<string, unknown> }[]
  }
  const count = (rows: { resource: string }[]) =>
    Object.fromEntries(
      [...new Set(rows.map(({ resource }) => resource))].map((name) => [
        name,
        rows.filter(({ resource }) => resource === name).length,
      ]),
    )

  it('puts a match in the title before a match in the description', async () => {
    await backend.sql(
      `insert into public.groups (company_id, name, description) values
         ($1, 'Kat 1', 'Ölçüm cihazları'), ($1, 'Kat 2', 'ölçüm'), ($1, 'Kat 3', 'ölçüm'), ($1, 'Kat 4', 'ölçüm'),
         ($1, 'Kat 5', 'ölçüm'), ($1, 'Laboratuvarın ölçüm odaları', null)`,
      [own],
    )
    const titles = (await found(admin, 'olcum', [by('groups')])).map(({ title }) => title.name)
    expect(titles).toEqual(['Laboratuvarın ölçüm odaları', 'Kat 1', 'Kat 2', 'Kat 3', 'Kat 4'])
    await backend.sql("delete from public.groups where name like 'Kat%' or name like 'Laboratuvar%'")
  })

  it('gives at most five of each, of every resource, with what their titles are made of', async () => {
    const rows = await found(admin, 'isik')
    expect(count(rows)).toEqual({ devices: 5, groups: 1, software_licenses: 1, ticket_categories: 1 })
    const license = rows.find(({ resource }) => resource === 'software_licenses')
    expect(license?.title).toEqual({ name: 'Işık' })
    expect(license?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(count(await found(admin, 'IŞIK', EVERYTHING, 2)).devices).toBe(2)
  })

  it('puts first what begins with the words, then the shorter', async () => {
    await backend.sql(
      `insert into public.policies (company_id, name) values ($1, 'Gece kuralı'), ($1, 'Kural'), ($1, 'Kural iki')`,
      [own],
    )
    const rows = await found(admin, 'kural', [by('policies')])
    expect(rows.map(({ title }) => title.name)).toEqual(['Kural', 'Kural iki', 'Gece kuralı'])
  })

  it('gives a title of several columns, numbers as numbers', async () => {
    await backend.sql(`insert into public.tickets (company_id, subject) values ($1, 'Yazıcı çalışmıyor')`, [
      own,
    ])
    const [ticket] = await found(admin, 'yazici')
    expect(ticket).toMatchObject({ resource: 'tickets', title: { subject: 'Yazıcı çalışmıyor' } })
    expect(ticket?.title.number).toEqual(expect.any(Number))
  })

  it('shows a stranger nothing of another company, whatever they name', async () => {
    const mine = await backend.sql<{ id: string }>(
      `select id from public.devices where company_id = $1
       union all select id from public.groups where company_id = $1
       union all select id from public.software_licenses where company_id = $1
       union all select id from public.ticket_categories where company_id = $1`,
      [own],
    )
    const hidden = new Set(mine.map(({ id }) => id))
    const aimed = EVERYTHING.map((wanted) => ({ ...wanted, company_id: own }))
    expect((await found(stranger, 'isik')).filter(({ id }) => hidden.has(id))).toEqual([])
    expect((await found(stranger, 'isik')).length).toBeGreaterThan(0)
    expect(await found(stranger, 'isik', aimed)).toEqual([])
  })

  it('passes over what the caller may not list, and is closed to the anonymous', async () => {
    const standard = await backend.client((await createAccount(backend, 'Standard', own)).email)
    expect(await found(standard, 'isik', [by('devices'), by('groups'), by('users')])).toEqual([])
    expect((await find(await backend.client(), 'isik')).error?.code).toBe('42501')
  })

  it('keeps to the company in view; what belongs to none is the same in each', async () => {
    const all = await backend.client((await createAccount(backend, 'Super Admin', null)).email)
    expect(count(await found(all, 'isik')).software_licenses).toBe(2)
    const one = EVERYTHING.map((wanted) => ({ ...wanted, company_id: own }))
    expect(count(await found(all, 'isik', one)).software_licenses).toBe(1)
    const companies = [{ ...by('companies'), company_id: own }]
    expect((await found(all, 'test', companies)).length).toBeGreaterThan(1)
  })

  it('takes names for names: no table, column or statement gets in by one', async () => {
    const wrong = [
      by('devices', ['name', 'no_such_column']),
      by('devices; drop table public.devices'),
      by('devices(text)--'),
      by(`devices', 'x`),
      by('ids'),
      by('no_such_resource'),
      by('devices', []),
      by('devices', [`name) from public.profiles --`]),
      by('devices', ['ctid']),
    ]
    for (const wanted of wrong) expect(await found(admin, 'isik', [wanted])).toEqual([])
    expect(count(await found(admin, 'isik', [...wrong.slice(1, 6), by('devices')]))).toEqual({ devices: 5 })
    for (const q of [`'; drop table public.devices; --`, '%', '_', '\\', 'x'.repeat(5000)])
      expect(await found(admin, q)).toEqual([])
    expect(count(await found(admin, 'isik'))).toMatchObject({ devices: 5 })
  })

  it('finds nothing for nothing, and says what it cannot read', async () => {
    expect(await found(admin, '')).toEqual([])
    expect(await found(admin, '   ')).toEqual([])
    expect((await find(admin, 'isik', { name: 'devices' })).error?.code).toBe('22023')
    const many = Array.from({ length: 201 }, () => by('devices'))
    expect((await find(admin, 'isik', many)).error?.code).toBe('22023')
  })

  describe('the reason of a match', () => {
    const reasons = async (from: SupabaseClient, q: string, ids: string[], more: object = {}) => {
      const wanted = [
        {
          name: 'tickets',
          ids,
          fields: ['description'],
          ...more,
        },
      ]
      const { data, error } = await from.rpc('find_reasons', { q, wanted })
      return error ? error.code : (data as { id: string; field: string; snippet: string }[])
    }
    const newTicket = async (company: string, description: string) => {
      const [row] = await backend.sql<{ id: string }>(
        `insert into public.tickets (company_id, subject, description) values ($1, 'Konu', $2) returning id`,
        [company, description],
      )
      return row?.id ?? ''
    }
    const comment = (id: string, kind: string, body: string) =>
      backend.sql(
        `insert into public.ticket_comments (company_id, ticket_id, kind, body)
         select t.company_id, t.id, $2, $3 from public.tickets t where t.id = $1`,
        [id, kind, body],
      )

    it('is the field and the text around the words, whatever their case and accents', async () => {
      const id = await newTicket(own, `${'çok uzun '.repeat(60)} Işıkölçer  arızalı. ${'son '.repeat(90)}`)
      const given = await reasons(admin, 'isikolcer', [id])
      expect(given).toMatchObject([{ resource: 'tickets', id, field: 'description' }])
      expect(JSON.stringify(given)).toContain('Işıkölçer arızalı.')
      expect(JSON.stringify(given).length).toBeLessThan(320)
    })

    it('is a comment, and no note for whoever may not read notes', async () => {
      const id = await newTicket(own, 'nothing')
      await comment(id, 'note', 'Gizlisöz burada')
      const [person] = [await createAccount(backend, 'Standard', own)]
      await backend.sql('update public.tickets set requester_id = $2 where id = $1', [id, person.id])
      const requester = await backend.client(person.email)
      expect(await reasons(admin, 'gizlisoz', [id])).toMatchObject([{ id, field: 'comments' }])
      expect(await reasons(requester, 'gizlisoz', [id])).toEqual([])
      await comment(id, 'reply', 'Açıksöz burada')
      expect(await reasons(requester, 'aciksoz', [id])).toMatchObject([{ field: 'comments' }])
    })

    it('tells a stranger nothing, and looks into no other table or column', async () => {
      const id = await newTicket(own, 'Parolasöz')
      expect(await reasons(admin, 'parolasoz', [id])).toHaveLength(1)
      expect(await reasons(stranger, 'parolasoz', [id])).toEqual([])
      const anonymous = await reasons(await backend.client(), 'parolasoz', [id])
      expect(anonymous).toBe('42501')
      expect(await reasons(admin, 'parolasoz', [id], { fields: ['no_such'] })).toEqual([])
      expect(await reasons(admin, 'x', [id], { name: 'pg_class' })).toBe('22023')
      expect(await reasons(admin, 'x', Array(21).fill(id))).toBe('22023')
    })

    it('reads each resource once, however often it is asked for', async () => {
      const id = await newTicket(own, 'Tekrarsöz')
      const wanted = Array.from({ length: 200 }, () => ({
        name: 'tickets',
        ids: [id],
        fields: ['description'],
      }))
      const { data } = await admin.rpc('find_reasons', { q: 'tekrarsoz', wanted })
      expect(data).toHaveLength(1)
    })
  })
})
