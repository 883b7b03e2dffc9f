import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import {
  type AsUser,
  type Attempt,
  asUser,
  idsLiteral,
  insertRow,
  jsonLiteral,
  literal,
  type Values,
} from '../support/as-user'

interface Side {
  company: string
  admin: string
  teknik: string
  standard: string
  devices: string[]
  groups: string[]
  licenses: string[]
}

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)
const nested = (levels: number): object =>
  levels === 0 ? { name: { _null: false } } : { _and: [nested(levels - 1)] }

describe.each(drivers())('matching, facets and bulk on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let ours: Side
  let theirs: Side

  const insert = (table: string, values: Values) => insertRow(backend, table, values)
  const furnish = async (): Promise<Side> => {
    const company = await createCompany(backend)
    const device = (name: string, os: string | null) => insert('devices', { company_id: company, name, os })
    const devices = [
      await device('ışık-1', 'Windows 11'),
      await device('IŞIK-2', 'Windows 11'),
      await device('50%_x', 'Ubuntu'),
      await device("O'Hara \\ co", null),
    ].sort()
    const groups = [
      await insert('groups', { company_id: company, name: 'Ankara' }),
      await insert('groups', { company_id: company, name: 'İzmir' }),
    ]
    for (const [index, id] of devices.entries())
      if (index < 3)
        await backend.sql(
          'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)',
          [company, groups[index === 0 ? 0 : 1], id],
        )
    const licenses = [
      await insert('software_licenses', { company_id: company, name: 'A', seats: 1 }),
      await insert('software_licenses', {
        company_id: company,
        name: 'B',
        seats: 5,
        purchased_on: '2026-06-01',
      }),
      await insert('software_licenses', { company_id: company, name: 'C', seats: 9, publisher: 'Contoso' }),
    ]
    return {
      company,
      admin: (await createAccount(backend, 'Admin', company)).id,
      teknik: (await createAccount(backend, 'Teknik', company)).id,
      standard: (await createAccount(backend, 'Standard', company)).id,
      devices,
      groups,
      licenses,
    }
  }
  const matching = (who: string | null, resource: string, filter: unknown, rest = '') =>
    as(
      who,
      `select m.id from public.matching_ids(${literal(resource)}, ${jsonLiteral(filter)}${rest}) with ordinality as m (id, n) order by m.n`,
    )
  const found = async (who: string, resource: string, filter: unknown, rest = '') => {
    const answer = await matching(who, resource, filter, rest)
    if (!answer.data) throw new Error(`${answer.code} ${answer.message}`)
    return answer.data.map(({ id }) => String(id))
  }
  const facets = async (who: string, field: string, filter: unknown = {}, resource = 'devices') =>
    (
      await as(
        who,
        `select * from public.facet_counts(${literal(resource)}, ${literal(field)}, ${jsonLiteral(filter)})`,
      )
    ).data
  const edit = (
    who: string | null,
    resource: string,
    ids: readonly string[],
    changes: unknown,
    probe?: string,
  ) =>
    as(
      who,
      `select * from public.bulk_edit(${literal(resource)}, ${idsLiteral(ids)}, ${jsonLiteral(changes)})`,
      probe,
    )
  const remove = (who: string | null, resource: string, ids: readonly string[], probe?: string) =>
    as(who, `select * from public.bulk_delete(${literal(resource)}, ${idsLiteral(ids)})`, probe)
  const outcomes = ({ data }: Attempt) =>
    Object.fromEntries((data ?? []).map(({ id, outcome }) => [String(id), outcome]))
  const reasonOf = ({ data }: Attempt, id: string | undefined) =>
    data?.find((row) => row.id === id)?.reason as { code?: string } | null | undefined

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    ours = await furnish()
    theirs = await furnish()
  })
  afterAll(() => backend?.stop())

  describe('which rows match', () => {
    it('are those of the own company, in the order of the key, a page after the other', async () => {
      expect(await found(ours.admin, 'devices', {})).toEqual(ours.devices)
      expect(await found(ours.admin, 'devices', {}, `, '', null, 2`)).toEqual(ours.devices.slice(0, 2))
      expect(await found(ours.admin, 'devices', {}, `, '', ${literal(ours.devices[1])}, 2`)).toEqual(
        ours.devices.slice(2),
      )
      expect(await found(ours.admin, 'devices', { company_id: { _eq: theirs.company } })).toEqual([])
      expect(await found(ours.admin, 'devices', { id: { _in: theirs.devices } })).toEqual([])
    })

    it('are found by search as the list finds them', async () => {
      expect(await found(ours.admin, 'devices', {}, `, 'isik'`)).toHaveLength(2)
      expect(await found(ours.admin, 'devices', { os: { _eq: 'Ubuntu' } }, `, 'isik'`)).toEqual([])
      expect((await matching(ours.admin, 'group_devices', {}, `, 'x'`)).code).toBe('22023')
    })

    it('are found through tables between and through references', async () => {
      const [ankara, izmir] = ours.groups
      const inGroup = 'group_devices.device_id.group_id'
      expect(await found(ours.admin, 'devices', { [inGroup]: { _eq: ankara } })).toEqual([ours.devices[0]])
      expect(await found(ours.admin, 'devices', { [inGroup]: { _in: [ankara, izmir] } })).toEqual(
        ours.devices.slice(0, 3),
      )
      expect(await found(ours.admin, 'devices', { 'company_id.id': { _eq: ours.company } })).toEqual(
        ours.devices,
      )
    })

    it('take a value for nothing but a value', async () => {
      for (const value of [`' or true --`, `'; drop table public.devices; --`, `$1`, `%L`, `\\' or 1=1 --`])
        for (const operator of ['_eq', '_contains'])
          expect(await found(ours.admin, 'devices', { name: { [operator]: value } })).toEqual([])
      expect(await found(ours.admin, 'devices', { name: { _contains: '%_' } })).toHaveLength(1)
      expect(await found(ours.admin, 'devices', { name: { _eq: "O'Hara \\ co" } })).toHaveLength(1)
      expect((await matching(ours.admin, 'devices', { id: { _eq: `x' or '1'='1` } })).code).toBe('22P02')
    })

    it('may be asked for in as many ways as a list has', async () => {
      for (const filter of [
        nested(15),
        { _and: many(500, () => ({ name: { _null: false } })) },
        { _or: [{ name: { _null: false } }, ...many(60, () => ({ name: { _contains: 'x' } }))] },
      ])
        expect(await found(ours.admin, 'devices', filter)).toEqual(ours.devices)
    })

    it.each([
      ['an unknown column', { nothing: { _eq: 1 } }],
      ['a column with SQL in its name', { 'name) or (true': { _eq: 1 } }],
      ['a quoted column', { '"name"': { _eq: 'x' } }],
      ['a system column', { ctid: { _eq: '(0,1)' } }],
      ['an empty name', { '': { _eq: 1 } }],
      ['a path that leads nowhere', { 'name.id': { _eq: 1 } }],
      ['a path with a fourth step', { 'a.b.c.d': { _eq: 1 } }],
      ['a table that does not point here', { 'group_devices.group_id.device_id': { _null: true } }],
      ['a private table', { 'device_secrets.device_id.secret_hash': { _null: false } }],
      ['a private table by its schema', { 'app.device_secrets.device_id': { _null: false } }],
      ['an unknown operator', { name: { _like: '%' } }],
      ['an operator without its underscore', { name: { eq: 'x' } }],
      ['SQL as an operator', { name: { '= name or true --': 'x' } }],
      ['a list where one value stands', { name: { _eq: ['x'] } }],
      ['a value where a list stands', { name: { _in: 'x' } }],
      ['a list of lists', { _and: { name: { _eq: 'x' } } }],
      ['an invalid condition', { name: 'x' }],
      ['emptiness that is no yes or no', { name: { _null: 'true' } }],
      ['no filter', null],
      ['a list for a filter', []],
      ['a filter that is far too long', { name: { _eq: 'x'.repeat(100_001) } }],
      ['a text longer than anybody searches for', { name: { _contains: 'x'.repeat(201) } }],
      ['a filter nested deeper than any screen', nested(16)],
      ['more conditions than any screen has', { _or: many(501, () => ({ name: { _eq: 'x' } })) }],
      ['more searched texts than any screen has', { _or: many(61, () => ({ name: { _contains: 'x' } })) }],
      // The planner looks at every order of them: 100 took it 90 seconds.
      [
        'more tables than a planner can order',
        { _and: many(21, () => ({ 'company_id.name': { _neq: 'x' } })) },
      ],
    ])('are not asked for by %s', async (_what, filter) => {
      expect((await matching(ours.admin, 'devices', filter)).code).toBe('22023')
    })

    it.each([
      'policy_rule',
      'app.policy_rule',
      'pg_authid',
      'auth.users',
      'devices; --',
      'public.devices',
      '',
      'DEVICES',
    ])('are not those of %s', async (resource) => {
      for (const attempt of [
        await matching(ours.admin, resource, {}),
        await edit(ours.admin, resource, ours.devices, { name: 'x' }),
        await remove(ours.admin, resource, ours.devices),
      ])
        expect(attempt.code).toBe('22023')
    })

    it('are not told to who may not list them, nor to anybody without a session', async () => {
      expect(await matching(ours.standard, 'devices', {})).toMatchObject({ code: '42501', hint: 'role' })
      expect(await matching(ours.teknik, 'users', {})).toMatchObject({ code: '42501' })
      expect(await matching(null, 'devices', {})).toMatchObject({ code: '42501' })
    })

    it('are those of a view for whom the view shows them', async () => {
      const people = await found(ours.admin, 'users', {})
      expect([...people].sort()).toEqual([ours.admin, ours.teknik, ours.standard].sort())
    })
  })

  describe('facets', () => {
    it('count the own rows by value, the most frequent first, empty ones too', async () => {
      expect(await facets(ours.admin, 'os')).toEqual([
        { value: 'Windows 11', count: 2 },
        { value: 'Ubuntu', count: 1 },
        { value: null, count: 1 },
      ])
      expect(await facets(ours.admin, 'os', { name: { _contains: '50' } })).toEqual([
        { value: 'Ubuntu', count: 1 },
      ])
    })

    it('count through tables between', async () => {
      expect(await facets(ours.admin, 'group_devices.device_id.group_id')).toEqual([
        { value: ours.groups[1], count: 2 },
        { value: ours.groups[0], count: 1 },
      ])
    })

    it('are not told to who may not list, nor of what is not there', async () => {
      const ask = (who: string, field: string) =>
        as(who, `select * from public.facet_counts('devices', ${literal(field)}, '{}')`)
      expect((await ask(ours.standard, 'os')).code).toBe('42501')
      expect((await ask(ours.admin, 'os::text, version()')).code).toBe('22023')
    })
  })

  describe('bulk edit', () => {
    it('says which rows changed, which were so already, and which are not there', async () => {
      const [a, b, c] = ours.licenses
      const foreign = theirs.licenses[0] ?? ''
      const nobody = '00000000-0000-4000-8000-000000000000'
      const answer = await edit(
        ours.admin,
        'software_licenses',
        [...ours.licenses, foreign, nobody, nobody],
        { publisher: 'Contoso', notes: null },
        `select id, publisher, version from public.software_licenses where id = any (${idsLiteral([...ours.licenses, foreign])}) order by name`,
      )
      expect(outcomes(answer)).toEqual({
        [a ?? '']: 'changed',
        [b ?? '']: 'changed',
        [c ?? '']: 'same',
        [foreign]: 'gone',
        [nobody]: 'gone',
      })
      const after = new Map(answer.probe?.map((row) => [row.id, row]))
      expect(after.get(a)).toMatchObject({ publisher: 'Contoso', version: 2 })
      expect(after.get(c)).toMatchObject({ version: 1 })
      expect(after.get(foreign)).toMatchObject({ publisher: null, version: 1 })
    })

    it('leaves its trace in the audit log', async () => {
      const { probe } = await edit(
        ours.admin,
        'software_licenses',
        ours.licenses,
        { seats: 7 },
        `select count(*)::int as n from public.audit_log where action = 'edit' and row_id = any (${idsLiteral(ours.licenses)}) and actor_id = ${literal(ours.admin)}`,
      )
      expect(probe).toEqual([{ n: 3 }])
    })

    it('refuses the rows that a rule stands against, with its code, and writes the others', async () => {
      const [a, b, c] = ours.licenses
      const answer = await edit(ours.admin, 'software_licenses', ours.licenses, { expires_on: '2026-01-01' })
      expect(outcomes(answer)).toEqual({ [a ?? '']: 'changed', [b ?? '']: 'refused', [c ?? '']: 'changed' })
      expect(reasonOf(answer, b)).toMatchObject({ code: '23514' })
      const same = await edit(ours.admin, 'groups', ours.groups, { name: 'One name' })
      expect(Object.values(outcomes(same)).sort()).toEqual(['changed', 'refused'])
    })

    it.each([
      ['the key', { id: '00000000-0000-4000-8000-000000000000' }],
      ['the company', { company_id: '00000000-0000-4000-8000-000000000000' }],
      ['the version', { version: 9 }],
      ['a generated column', { name_key: 'x' }],
      ['an unknown column', { nothing: 1 }],
      ['SQL for a column', { 'notes = null, name': 'x' }],
      ['nothing', {}],
      ['a list', []],
      ['no object', 'x'],
    ])('never writes %s', async (_what, changes) => {
      expect((await edit(ours.admin, 'software_licenses', ours.licenses, changes)).code).toBe('22023')
    })

    it('writes no column that is not granted', async () => {
      expect((await edit(ours.admin, 'software_licenses', ours.licenses, { detected: 1 })).code).toBe('42501')
    })

    it('is refused as a whole to who may not edit, and while the license has ended', async () => {
      expect(await edit(ours.teknik, 'software_licenses', ours.licenses, { seats: 2 })).toMatchObject({
        code: '42501',
        hint: 'role',
      })
      expect((await edit(null, 'software_licenses', ours.licenses, { seats: 2 })).code).toBe('42501')
      await backend.sql(`update public.companies set status = 'Suspended' where id = $1`, [ours.company])
      const ended = await edit(ours.admin, 'software_licenses', ours.licenses, { seats: 2 })
      await backend.sql(`update public.companies set status = 'Active' where id = $1`, [ours.company])
      expect(ended).toMatchObject({ code: '42501', hint: 'read-only' })
    })

    it('takes a value as a value, a wrong one as an error, and at most 1,000 rows', async () => {
      const text = `x', seats = 99 --`
      const { probe } = await edit(
        ours.admin,
        'software_licenses',
        ours.licenses,
        { notes: text },
        `select distinct notes from public.software_licenses where company_id = ${literal(ours.company)}`,
      )
      expect(probe).toEqual([{ notes: text }])
      expect((await edit(ours.admin, 'software_licenses', ours.licenses, { seats: 'many' })).code).toBe(
        '22P02',
      )
      const many = Array.from({ length: 1001 }, () => ours.licenses[0] ?? '')
      expect((await edit(ours.admin, 'software_licenses', many, { seats: 2 })).code).toBe('22023')
      expect((await remove(ours.admin, 'software_licenses', many)).code).toBe('22023')
    })
  })

  describe('bulk delete', () => {
    it('deletes what it may, keeps what others hold with the reason, and touches no other company', async () => {
      const held = await insert('ticket_categories', { company_id: ours.company, name: 'Held' })
      const free = await insert('ticket_categories', { company_id: ours.company, name: 'Free' })
      const foreign = await insert('ticket_categories', { company_id: theirs.company, name: 'Theirs' })
      await insert('tickets', { company_id: ours.company, subject: 'It holds', category_id: held })
      const answer = await remove(
        ours.admin,
        'ticket_categories',
        [held, free, foreign],
        `select name from public.ticket_categories where id = any (${idsLiteral([held, free, foreign])}) order by name`,
      )
      expect(outcomes(answer)).toEqual({ [held]: 'refused', [free]: 'deleted', [foreign]: 'gone' })
      expect(reasonOf(answer, held)).toMatchObject({ code: '23503' })
      expect(answer.probe).toEqual([{ name: 'Held' }, { name: 'Theirs' }])
    })

    it('is refused as a whole to who may not delete', async () => {
      expect(await remove(ours.teknik, 'devices', ours.devices)).toMatchObject({
        code: '42501',
        hint: 'role',
      })
      expect((await remove(null, 'devices', ours.devices)).code).toBe('42501')
    })
  })
})
