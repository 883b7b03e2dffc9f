import { describe, expect, it } from 'vitest'
import { ask, backend, openRest, tokens } from './rest-requests'

openRest()

describe('values as PostgREST reads them', () => {
  const names = [
    'null',
    'say "hi" pc',
    '5" disk',
    'C:\\pc',
    'a,b(c)',
    'a",b(',
    '1.50',
    'unknown',
    ' blank',
    '"quoted"',
    'a)b',
    '(a',
    ')',
    'a),(b',
    '{a',
    'a}b',
  ]

  it('are found by equality, in a list and in a group, and nothing else is', async () => {
    const client = await backend.client('admin@acme.test')
    const { data: role } = await client.from('user_roles').select('company_id').limit(1).single()
    const company_id = role?.company_id
    const { data: made } = await client
      .from('tickets')
      .insert(names.map((subject) => ({ company_id, subject, description: 'rest values' })))
      .select('id, subject')
    expect(made).toHaveLength(names.length)
    const subjects = async (query: string) => {
      const { status, text } = await ask(`tickets?select=subject&description=eq.rest%20values&${query}`, {
        as: 'admin@acme.test',
      })
      const rows: unknown = JSON.parse(text)
      return status === 200 ? (rows as { subject: string }[]).map(({ subject }) => subject) : text
    }
    for (const { subject } of made ?? []) {
      const quoted = `"${subject.replace(/["\\]/g, '\\$&')}"`
      expect(await subjects(`subject=eq.${encodeURIComponent(subject)}`)).toEqual([subject])
      expect(await subjects(`or=(${encodeURIComponent(`subject.eq.${quoted},subject.is.null`)})`)).toEqual([
        subject,
      ])
      expect((await subjects(`or=(${encodeURIComponent(`subject.neq.${quoted}`)})`)).length).toBe(
        names.length - 1,
      )
      const list = `(${quoted},"no such subject")`
      expect(await subjects(`or=(${encodeURIComponent(`and(subject.in.${list},id.not.is.null)`)})`)).toEqual([
        subject,
      ])
      expect((await subjects(`or=(${encodeURIComponent(`subject.not.in.${list}`)})`)).length).toBe(
        names.length - 1,
      )
      // Comparisons by order do not read escapes in a group.
      if (!/["\\]/.test(subject)) {
        const same = encodeURIComponent(`(subject.gte.${quoted},subject.lte.${quoted})`)
        expect(await subjects(`and=${same}`)).toEqual([subject])
      }
    }
  })

  it('that cannot be read alike are refused, and say how to ask', async () => {
    const refused = await ask(`tickets?select=id&or=(${encodeURIComponent('subject.like."a\\"b*"')})`, {
      as: 'admin@acme.test',
    })
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'PGRST100',
      message: expect.stringContaining('a parameter of its own'),
    })
  })
})

describe('a request that lite alone answers otherwise than PostgREST', () => {
  const as = 'admin@acme.test'

  it.each([
    'id,devices(name)',
    'id,...companies!inner(name)',
    '*,a:users(*)',
    'id, tickets !left(id)',
    'id,people(name)&people.name=eq.x',
  ])('refuses an embed where a function returns no rows of a table: %s', async (select) => {
    for (const call of ['trash?resource=tickets', 'my_list_settings?', 'record_titles?wanted={}']) {
      const { status, text } = await ask(`rpc/${call}&select=${select}`, { as })
      expect([call, status, JSON.parse(text).code]).toEqual([call, 400, 'PGRST200'])
      expect(text.length).toBeLessThan(400)
    }
    const posted = await ask(`rpc/trash?select=${select}`, { as, body: '{"resource":"tickets"}' })
    expect([posted.status, JSON.parse(posted.text).code]).toEqual([400, 'PGRST200'])
  })

  it('embeds what the table of a function refers to', async () => {
    const embedded = await ask(
      'rpc/search_devices?q=a&select=id,companies!devices_company_id_fkey(name)&limit=1',
      {
        as,
      },
    )
    expect(JSON.parse(embedded.text)).toEqual([{ id: expect.any(String), companies: { name: 'Acme' } }])
  })

  it('answers HEAD on a function with the headers of GET and without rows', async () => {
    const path = 'rpc/search_devices?q=a&select=id&limit=3'
    const headers = { prefer: 'count=exact' }
    const [head, get] = [await ask(path, { as, headers, method: 'HEAD' }), await ask(path, { as, headers })]
    expect([head.status, head.text]).toEqual([get.status, ''])
    for (const name of ['content-range', 'content-type', 'content-length'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    expect(get.headers.get('content-range')).toMatch(/^0-2\/\d+$/)
    expect((await ask('rpc/none', { as, method: 'HEAD' })).status).toBe(404)
    expect((await ask(path, { method: 'HEAD' })).status).toBe(401)
    // It writes nothing: as GET, it runs in a transaction that only reads.
    expect((await ask('rpc/approve_mails?ids={}', { as, method: 'HEAD' })).status).toBe(405)
  })

  it('orders by a hidden field that is not read, for whoever may read it', async () => {
    const read = async (who: string, query: string) => {
      const { status, text } = await ask(`software_licenses?${query}`, { as: who })
      return [status, JSON.parse(text)] as const
    }
    const [status, rows] = await read(as, 'select=id&order=hidden_cost.desc.nullslast,id')
    expect([status, Object.keys(rows[0])]).toEqual([200, ['id']])
    const [, whole] = await read(as, 'select=id,hidden_cost&order=hidden_cost.desc.nullslast,id')
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(whole.map(({ id }: { id: string }) => id))
    expect(whole[0].hidden_cost).toBeGreaterThan(whole.at(-2).hidden_cost ?? 0)
    // Everybody else orders by nothing: the rows are those of their ids.
    const teknik = await backend.client('teknik@acme.test')
    const { data } = await teknik.auth.getSession()
    tokens.set('teknik@acme.test', data.session?.access_token ?? '')
    const [denied, blind] = await read('teknik@acme.test', 'select=id&order=hidden_cost.desc.nullslast,id')
    expect(denied).toBe(200)
    expect(blind).toEqual((await read('teknik@acme.test', 'select=id&order=id'))[1])
    expect((await read(as, 'select=id&order=hidden_nothing'))[0]).toBe(400)
  })
})
