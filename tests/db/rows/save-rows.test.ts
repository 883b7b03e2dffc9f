import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import {
  type AsUser,
  type Attempt,
  asUser,
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
  licenses: [string, string, string]
}

interface Given {
  id: unknown
  version?: unknown
  changes: unknown
}

const NOBODY = '00000000-0000-4000-8000-000000000000'

describe.each(drivers())('saving rows on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let ours: Side
  let theirs: Side

  const insert = (table: string, values: Values) => insertRow(backend, table, values)
  const furnish = async (): Promise<Side> => {
    const company = await createCompany(backend)
    const license = (name: string, rest = {}) =>
      insert('software_licenses', { company_id: company, name, seats: 1, ...rest })
    return {
      company,
      admin: (await createAccount(backend, 'Admin', company)).id,
      teknik: (await createAccount(backend, 'Teknik', company)).id,
      standard: (await createAccount(backend, 'Standard', company)).id,
      licenses: [await license('A'), await license('B', { purchased_on: '2026-06-01' }), await license('C')],
    }
  }
  const save = (who: string | null, rows: unknown, resource = 'software_licenses', probe?: string) =>
    as(who, `select * from public.save_rows(${literal(resource)}, ${jsonLiteral(rows)})`, probe)
  const outcomes = ({ data }: Attempt) => data?.map(({ outcome }) => outcome)
  const codes = ({ data }: Attempt) => data?.map(({ reason }) => (reason as { code?: string } | null)?.code)
  const state = (id: string) =>
    `select name, seats, publisher, notes, version from public.software_licenses where id = ${literal(id)}`

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    ours = await furnish()
    theirs = await furnish()
  })
  afterAll(() => backend?.stop())

  it('writes each row its own changes and tells of each, in the order given', async () => {
    const [a, b, c] = ours.licenses
    const answer = await save(
      ours.admin,
      [
        { id: c, version: 1, changes: { seats: 9, publisher: 'Contoso' } },
        { id: a, version: 1, changes: { notes: 'x', publisher: null } },
        { id: b, version: 1, changes: { name: 'B' } },
      ],
      'software_licenses',
      `${state(a)} union all ${state(b)} union all ${state(c)} order by name`,
    )
    expect(answer.data).toEqual([
      { id: c, outcome: 'changed', reason: null },
      { id: a, outcome: 'changed', reason: null },
      { id: b, outcome: 'same', reason: null },
    ])
    expect(answer.probe).toEqual([
      { name: 'A', seats: 1, publisher: null, notes: 'x', version: 2 },
      { name: 'B', seats: 1, publisher: null, notes: null, version: 1 },
      { name: 'C', seats: 9, publisher: 'Contoso', notes: null, version: 2 },
    ])
  })

  it('leaves one line a row in the audit log', async () => {
    const [a, b] = ours.licenses
    const { probe } = await save(
      ours.admin,
      [a, b].map((id) => ({ id, version: 1, changes: { seats: 7, notes: 'y' } })),
      'software_licenses',
      `select count(*)::int as n from public.audit_log where action = 'edit' and row_id in (${literal(a)}, ${literal(b)}) and actor_id = ${literal(ours.admin)}`,
    )
    expect(probe).toEqual([{ n: 2 }])
  })

  const cases: [string, () => Given, string, string | undefined][] = [
    [
      'its version',
      () => ({ id: ours.licenses[0], version: 1, changes: { seats: 5 } }),
      'changed',
      undefined,
    ],
    ['no version', () => ({ id: ours.licenses[0], changes: { seats: 5 } }), 'changed', undefined],
    [
      'an older version',
      () => ({ id: ours.licenses[0], version: 0, changes: { seats: 5 } }),
      'stale',
      undefined,
    ],
    [
      'an older version but the stored values',
      () => ({ id: ours.licenses[0], version: 0, changes: { seats: 1 } }),
      'same',
      undefined,
    ],
    ['an unknown id', () => ({ id: NOBODY, version: 1, changes: { seats: 5 } }), 'gone', undefined],
    [
      'a row of another company',
      () => ({ id: theirs.licenses[0], version: 1, changes: { seats: 5 } }),
      'gone',
      undefined,
    ],
    [
      'a value that a check refuses',
      () => ({ id: ours.licenses[1], version: 1, changes: { expires_on: '2026-01-01' } }),
      'refused',
      '23514',
    ],
    [
      'nothing where something must stand',
      () => ({ id: ours.licenses[0], version: 1, changes: { name: null } }),
      'refused',
      '23502',
    ],
    [
      'a value of another type',
      () => ({ id: ours.licenses[0], version: 1, changes: { seats: 'many' } }),
      'refused',
      '22P02',
    ],
    [
      'a column that is not granted',
      () => ({ id: ours.licenses[0], version: 1, changes: { detected: 1 } }),
      'refused',
      '42501',
    ],
  ]
  it.each(cases)('answers a row with %s', async (_what, given, outcome, code) => {
    const row = given()
    const held = String(row.id)
    const answer = await save(
      ours.admin,
      [row, { id: ours.licenses[2], version: 1, changes: { seats: 3 } }],
      'software_licenses',
      state(held),
    )
    // Whatever became of it, the row beside it was written.
    expect(outcomes(answer)).toEqual([outcome, 'changed'])
    expect(codes(answer)).toEqual([code, undefined])
    const isWritten = outcome === 'changed'
    if (held !== NOBODY) expect(answer.probe?.[0]).toMatchObject({ version: isWritten ? 2 : 1 })
  })

  it('takes a second change of one row with the old version for a lost lock', async () => {
    const [a] = ours.licenses
    const answer = await save(ours.admin, [
      { id: a, version: 1, changes: { seats: 2 } },
      { id: a, version: 1, changes: { seats: 3 } },
    ])
    expect(outcomes(answer)).toEqual(['changed', 'stale'])
  })

  it('refuses the row that a trigger refuses', async () => {
    const [a, b] = ours.licenses
    await backend.sql(`create function public.refuse_b() returns trigger language plpgsql as $f$
      begin if new.name = 'B' then raise exception using errcode = 'P0001', message = 'not B'; end if; return new; end $f$`)
    await backend.sql(
      'create trigger refuse_b before update on public.software_licenses for each row execute function public.refuse_b()',
    )
    const answer = await save(
      ours.admin,
      [a, b].map((id) => ({ id, version: 1, changes: { seats: 4 } })),
    ).finally(() => backend.sql('drop function public.refuse_b() cascade'))
    expect(outcomes(answer)).toEqual(['changed', 'refused'])
    expect(answer.data?.[1]?.reason).toMatchObject({ code: 'P0001', message: 'not B' })
  })

  it('is refused as a whole to who may not edit, and while the license has ended', async () => {
    const rows = [{ id: ours.licenses[0], version: 1, changes: { seats: 2 } }]
    for (const who of [ours.teknik, ours.standard])
      expect(await save(who, rows)).toMatchObject({ code: '42501', hint: 'role' })
    expect((await save(null, rows)).code).toBe('42501')
    await backend.sql(`update public.companies set status = 'Expired' where id = $1`, [ours.company])
    const ended = await save(ours.admin, rows, 'software_licenses', state(ours.licenses[0]))
    await backend.sql(`update public.companies set status = 'Active' where id = $1`, [ours.company])
    expect(ended).toMatchObject({ code: '42501', hint: 'read-only', probe: [{ seats: 1, version: 1 }] })
  })

  it.each([
    ['the key', { id: NOBODY }],
    ['the company', { company_id: NOBODY }],
    ['the version', { version: 9 }],
    ['a generated column', { name_key: 'x' }],
    ['an unknown column', { nothing: 1 }],
    ['a system column', { ctid: '(0,1)' }],
    ['SQL for a column', { 'notes = null, name': 'x' }],
    ['a quoted column', { '"name"': 'x' }],
    ['nothing', {}],
    ['a list', []],
    ['no object', 'x'],
  ])('never writes %s', async (_what, changes) => {
    const answer = await save(ours.admin, [{ id: ours.licenses[0], version: 1, changes }])
    expect(answer.code).toBe('22023')
  })

  it.each([
    ['no list', { id: 1 }],
    ['nothing', null],
    ['an invalid row', ['x']],
    ['a row without a key', [{ version: 1, changes: { seats: 2 } }]],
    ['a version that is no number', [{ id: NOBODY, version: '1 or true', changes: { seats: 2 } }]],
  ])('refuses %s', async (_what, rows) => {
    expect((await save(ours.admin, rows)).code).toBe('22023')
  })

  it.each(['policy_rule', 'app.policy_rule', 'pg_authid', 'auth.users', 'devices; --', '', 'DEVICES'])(
    'writes nothing in %s',
    async (resource) => {
      const rows = [{ id: ours.licenses[0], version: 1, changes: { name: 'x' } }]
      expect((await save(ours.admin, rows, resource)).code).toBe('22023')
    },
  )

  it('takes a value for a value, and at most 1,000 rows', async () => {
    const [a, b] = ours.licenses
    const text = `x', seats = 99 --`
    const { probe } = await save(
      ours.admin,
      [{ id: a, version: 1, changes: { notes: text } }],
      'software_licenses',
      `${state(a)} union all ${state(b)} order by name`,
    )
    expect(probe).toMatchObject([
      { notes: text, seats: 1 },
      { notes: null, seats: 1 },
    ])
    const injected = await save(ours.admin, [{ id: `${a}' or true --`, changes: { seats: 2 } }])
    expect(injected.code).toBe('22P02')
    const many = Array.from({ length: 1001 }, () => ({ id: a, changes: { seats: 2 } }))
    expect((await save(ours.admin, many)).code).toBe('22023')
    expect(outcomes(await save(ours.admin, []))).toEqual([])
  })

  it('writes a thousand rows in one call', async () => {
    const category = await insert('ticket_categories', { company_id: ours.company, name: 'Many' })
    const ids = await backend.sql<{ id: string }>(
      `insert into public.ticket_issues (company_id, category_id, name)
       select $1, $2, 'Issue ' || n from generate_series(1, 1000) n returning id`,
      [ours.company, category],
    )
    const rows = ids.map(({ id }, index) => ({ id, version: 1, changes: { description: `No. ${index}` } }))
    const answer = await save(ours.admin, rows, 'ticket_issues')
    expect(outcomes(answer)).toEqual(Array(1000).fill('changed'))
  })
})
