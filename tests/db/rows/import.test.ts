import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_ROWS } from '@/resource/tools/import/file-table'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type AsUser, asUser, insertRow, type Values } from '../support/as-user'
import { type ImportCall, issues, linesOf, tryImport, wrong } from '../support/import-call'

interface Side {
  company: string
  admin: string
  network: string
  issue: string
}

describe.each(drivers())('importing rows on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let ours: Side
  let theirs: Side

  const insert = (table: string, values: Values) => insertRow(backend, table, values)
  const furnish = async (license = {}): Promise<Side> => {
    const company = await createCompany(backend, license)
    const network = await insert('ticket_categories', { company_id: company, name: 'Ağ' })
    for (const name of ['Yazıcı', 'Twin', 'Twin'])
      await insert('ticket_categories', { company_id: company, name })
    return {
      company,
      network,
      admin: (await createAccount(backend, 'Admin', company)).id,
      issue: await insert('ticket_issues', { company_id: company, category_id: network, name: 'No wifi' }),
    }
  }
  const member = async (role: string | null, company: string | null) =>
    (await createAccount(backend, role, company)).id
  const run = (who: string | null, call: ImportCall, probe?: string) =>
    tryImport(as, who, { company: ours.company, ...call }, probe)
  const known = (company: string) =>
    `select name, priority, description, version from public.ticket_issues where company_id = '${company}' order by name`

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    as = await asUser(backend)
    ours = await furnish()
    theirs = await furnish()
  })
  afterAll(() => backend?.stop())

  describe('writes', () => {
    it('new rows and changed ones, leaves equal ones alone, and tells them apart', async () => {
      await backend.sql(`update public.ticket_issues set priority = 'low' where id = $1`, [ours.issue])
      const rows = [
        { name: 'No wifi', category_id: 'Ağ', priority: 'high' },
        { name: 'Paper jam', category_id: 'Yazıcı', description: 'Tray 2' },
      ]
      const { report, probe } = await run(ours.admin, issues(rows, { dry_run: false }), known(ours.company))
      expect(report).toEqual({ inserted: 1, updated: 1, same: 0, written: true, errors: [], more: false })
      expect(probe).toEqual([
        { name: 'No wifi', priority: 'high', description: null, version: 3 },
        // A column that a row does not name has its default.
        { name: 'Paper jam', priority: 'normal', description: 'Tray 2', version: 1 },
      ])
      const again = await run(ours.admin, issues([{ name: 'No wifi', priority: 'low' }], { dry_run: false }))
      expect(again.report).toMatchObject({ inserted: 0, updated: 0, same: 1, written: true })
    })

    it('nothing in a dry run, which says the same: no row, no audit row, no word to search', async () => {
      const counts = `select (select count(*) from public.ticket_issues) as issues,
        (select count(*) from public.audit_log where table_name = 'ticket_issues') as audited,
        (select version from public.ticket_issues where id = '${ours.issue}') as version`
      const before = await backend.sql(counts)
      const rows = [
        { name: 'No wifi', priority: 'urgent' },
        { name: 'New', category_id: 'Ağ' },
      ]
      for (const call of [issues(rows), issues([...rows, { name: '' }], { dry_run: false })]) {
        const { report, probe } = await run(ours.admin, call, counts)
        expect(report).toMatchObject({ inserted: 1, updated: 1, written: false })
        expect(probe).toEqual(before)
      }
    })

    it('by the key of the own company only', async () => {
      const rows = [{ name: 'No wifi', category_id: 'Ağ', priority: 'urgent' }]
      const { report, probe } = await run(
        theirs.admin,
        issues(rows, { company: theirs.company, dry_run: false }),
        known(ours.company),
      )
      expect(report).toMatchObject({ updated: 1, errors: [] })
      expect(probe?.[0]).toMatchObject({ name: 'No wifi', priority: 'low' })
      const byId = await run(
        theirs.admin,
        issues([{ id: ours.issue, priority: 'urgent' }], {
          company: theirs.company,
          keys: ['id'],
          lookups: {},
          mode: 'update',
        }),
      )
      expect(wrong(byId.report)).toEqual([[2, 'id', 'unknown_key']])
    })

    it('by the key as its unique index compares it: I, İ, ı and i are one letter, spaces around it are none', async () => {
      await backend.sql('create unique index on public.ticket_issues (company_id, app.unique_key(name))')
      await insert('ticket_issues', {
        company_id: ours.company,
        category_id: ours.network,
        name: '34 İST 01',
      })
      const rows = [{ name: ' 34 ist 01', priority: 'high', category_id: 'Ağ' }]
      const { report, probe } = await run(ours.admin, issues(rows, { dry_run: false }), known(ours.company))
      expect(report).toMatchObject({ inserted: 0, updated: 1, errors: [] })
      expect(probe).toContainEqual(expect.objectContaining({ name: '34 İST 01', priority: 'high' }))
      const twice = await run(ours.admin, issues([...rows, { name: '34 IST 01', category_id: 'Ağ' }]))
      expect(wrong(twice.report)).toEqual([[3, 'name', 'duplicate_key_in_file']])
      await backend.sql('drop index public.ticket_issues_company_id_unique_key_idx')
      await backend.sql(`delete from public.ticket_issues where name = '34 İST 01'`)
    })

    it('every row as a new one without a key, and what belongs to no company for who may', async () => {
      const twice = await run(ours.admin, issues([{ name: 'No wifi', category_id: 'Ağ' }], { keys: [] }))
      expect(twice.report).toMatchObject({ inserted: 1, errors: [] })
      const root = await member('Super Admin', null)
      const companies = { resource: 'companies', rows: linesOf([{ name: 'Imported' }]), company: null }
      expect((await run(root, companies)).report).toMatchObject({ inserted: 1, errors: [] })
      expect((await run(ours.admin, companies)).code).toBe('42501')
      expect((await run(ours.admin, { resource: 'ticket_issues' })).report).toMatchObject({
        inserted: 0,
        errors: [],
      })
    })
  })

  describe('names what is wrong, with line and column', () => {
    it.each<[string, object[], Partial<ImportCall>, unknown[]]>([
      [
        'keys in the file',
        [{ name: 'A' }, { name: 'B' }, { name: 'A' }, { name: ' ' }, { name: '' }, {}, { name: null }],
        { resource: 'groups', lookups: {} },
        [
          [4, 'name', 'duplicate_key_in_file'],
          [5, 'name', '23514'],
          [6, 'name', 'empty_key'],
          [7, 'name', 'empty_key'],
          [8, 'name', 'empty_key'],
        ],
      ],
      [
        'keys in the table',
        [{ name: 'Twin' }, { name: 'Ağ' }],
        { resource: 'ticket_categories', lookups: {} },
        [[2, 'name', 'ambiguous_key']],
      ],
      [
        'keys that exist',
        [{ name: 'No wifi' }, { name: 'New', category_id: 'Ağ' }],
        { mode: 'insert' },
        [[2, 'name', 'key_exists']],
      ],
      [
        'keys that do not',
        [{ name: 'No wifi' }, { name: 'New', category_id: 'Ağ' }],
        { mode: 'update' },
        [[3, 'name', 'unknown_key']],
      ],
      [
        'references',
        [
          { name: 'A', category_id: 'Nowhere' },
          { name: 'B', category_id: 'Twin' },
          { name: 'C', category_id: 'Ağ' },
        ],
        {},
        [
          [2, 'category_id', 'lookup_missing'],
          [3, 'category_id', 'lookup_ambiguous'],
        ],
      ],
      [
        'values',
        [
          { name: 'A', seats: 1 },
          { name: 'B', seats: 'many', purchased_on: '31.12.2026' },
          { name: 'C', cost: 'x' },
        ],
        { resource: 'software_licenses', lookups: {} },
        [
          [3, 'purchased_on', 'bad_value'],
          [3, 'seats', 'bad_value'],
          [4, 'cost', 'bad_value'],
        ],
      ],
      [
        'constraints',
        [
          { name: 'A', category_id: 'Ağ', priority: 'x' },
          { name: 'B', category_id: 'Ağ' },
          { name: 'C' },
          { name: 'D'.repeat(121), category_id: 'Ağ' },
        ],
        {},
        [
          [2, 'priority', '23514'],
          [4, 'category_id', '23502'],
          [5, 'name', '23514'],
        ],
      ],
      [
        'all kinds at once',
        [
          { name: 'A', category_id: 'Nowhere' },
          { name: 'B', category_id: 'Ağ', priority: 'x' },
          { name: 'B' },
          { name: 'No wifi', priority: 'urgent' },
        ],
        {},
        [
          [2, 'category_id', 'lookup_missing'],
          [3, 'priority', '23514'],
          [4, 'name', 'duplicate_key_in_file'],
        ],
      ],
    ])('%s', async (_what, rows, call, expected) => {
      const { report } = await run(ours.admin, issues(rows, { ...call, dry_run: false }))
      expect(wrong(report)).toEqual(expected)
      expect(report).toMatchObject({ written: false, more: false })
    })

    it('with the other line, the key, the constraint and the value that was looked for', async () => {
      const { report } = await run(
        ours.admin,
        issues([
          { name: 'A', category_id: 'Nowhere' },
          { name: 'A', category_id: 'Ağ' },
          { name: 'B', category_id: 'Ağ', priority: 'x' },
        ]),
      )
      expect(report?.errors).toMatchObject([
        { details: 'Nowhere', other_line: null },
        { details: 'A', other_line: 2 },
        { message: expect.stringContaining('"ticket_issues_priority_check"'), other_line: null },
      ])
    })

    it('of a field that may be set and not changed, only where it would change', async () => {
      const rows = [
        { serial: 'S1', hostname: 'one', notes: 'new' },
        { serial: 'S2', hostname: 'two' },
      ]
      for (const serial of ['S1', 'S2'])
        await insert('devices', { company_id: ours.company, name: serial, hostname: 'one', serial })
      const { report } = await run(ours.admin, { resource: 'devices', rows: linesOf(rows), keys: ['serial'] })
      expect(report).toMatchObject({
        updated: 1,
        errors: [{ line: 3, column: 'hostname', code: '42501', hint: 'role' }],
      })
    })

    it('two hundred times at most', async () => {
      const rows = Array.from({ length: 301 }, (_, n) => ({
        name: `N${n}`,
        category_id: 'Ağ',
        priority: 'x',
      }))
      for (const given of [
        rows,
        rows.map((row) => ({ ...row, category_id: 'x' })),
        rows.map(() => ({ name: '' })),
      ]) {
        const { report } = await run(ours.admin, issues(given))
        expect(report).toMatchObject({ more: true, written: false })
        expect(report?.errors.map(({ line }) => line)).toEqual(Array.from({ length: 200 }, (_, n) => n + 2))
      }
    })
  })

  describe('is refused', () => {
    const one = () => issues([{ name: 'X', category_id: 'Ağ' }])

    it('to who may not import, may not create, or is nobody', async () => {
      for (const role of ['Standard', 'Teknik'])
        expect(await run(await member(role, ours.company), one())).toMatchObject({
          code: '42501',
          hint: 'role',
        })
      expect((await run(await member(null, null), one())).code).toBe('42501')
      expect((await run(null, one())).code).toBe('42501')
      const expired = await furnish({ endsIn: '-1 second' })
      expect(await run(expired.admin, { ...one(), company: expired.company })).toMatchObject({
        code: '42501',
        hint: 'read-only',
      })
      const basic = await furnish({ licenseType: 'Basic' })
      const apps = { resource: 'corporate_apps', rows: linesOf([{ name: 'X' }]), company: basic.company }
      expect(await run(basic.admin, apps)).toMatchObject({ code: '42501', hint: 'without-pro' })
    })

    it('into another company, into none, and into one where there is none', async () => {
      for (const company of [theirs.company, '00000000-0000-4000-8000-000000000000'])
        expect(await run(ours.admin, { ...one(), company })).toMatchObject({ code: '42501', hint: 'role' })
      expect((await run(ours.admin, { ...one(), company: null })).code).toBe('22023')
      const root = await member('Super Admin', null)
      expect((await run(root, { resource: 'companies', rows: linesOf([{ name: 'X' }]) })).code).toBe('22023')
      expect((await run(root, one())).report).toMatchObject({ inserted: 1 })
    })

    it('with a reference into another company', async () => {
      const rows = [{ name: 'X', category_id: theirs.network }]
      const { report } = await run(ours.admin, issues(rows, { lookups: {} }))
      expect(wrong(report)).toEqual([[2, 'category_id', '23503']])
      await insert('ticket_categories', { company_id: theirs.company, name: 'Only theirs' })
      const named = await run(ours.admin, issues([{ name: 'X', category_id: 'Only theirs' }]))
      expect(wrong(named.report)).toEqual([[2, 'category_id', 'lookup_missing']])
    })

    it.each([
      'policy_rule',
      'app.policy_rule',
      'pg_authid',
      'auth.users',
      'ticket_issues; --',
      'public.ticket_issues',
      '',
    ])('for the resource %j', async (resource) => {
      expect((await run(ours.admin, { ...one(), resource })).code).toBe('22023')
    })

    it.each([
      'id',
      'company_id',
      'version',
      'search',
      'name_key',
      'created_at',
      'nothing',
      'ctid',
      'name, id',
      '"name"',
      "name' --",
      '',
    ])('for the column %j, by its name', async (column) => {
      const answer = await run(ours.admin, issues([{ name: 'X', category_id: 'Ağ', [column]: null }]))
      expect(answer).toMatchObject({ code: '22023', detail: column })
    })

    it.each<[string, Partial<ImportCall>]>([
      ['a key that is no column', { keys: ['name) or (true'] }],
      ['a key that is a system column', { keys: ['ctid'] }],
      ['a key of the tenant', { keys: ['company_id'] }],
      ['an invalid reference', { lookups: { name: 'name' } }],
      ['a reference by no column', { lookups: { category_id: 'name) or (true' } }],
      ['a reference by a system column', { lookups: { category_id: 'ctid' } }],
      ['lookups that are a list', { lookups: ['name'] }],
      ['lookups that are no names', { lookups: { category_id: 1 } }],
      ['an unknown mode', { mode: `insert' --` }],
      ['no mode', { mode: null }],
      ['a mode that needs a key', { mode: 'update', keys: [] }],
      ['no list', { rows: { line: 2, values: {} } }],
      ['no objects', { rows: [1] }],
      ['rows without values', { rows: [{ line: 2 }] }],
      ['rows without a line', { rows: [{ values: { name: 'X' } }] }],
      ['a line that is SQL', { rows: [{ line: '2; drop', values: { name: 'X' } }] }],
      ['too many rows', { rows: linesOf(Array.from({ length: MAX_ROWS + 1 }, () => ({}))) }],
      ['too long a text', { rows: linesOf([{ name: 'x'.repeat(21_000_000) }]) }],
    ])('with %s', async (_what, call) => {
      expect((await run(ours.admin, { ...one(), ...call })).code).toBe('22023')
    })

    it('takes a value for nothing but a value', async () => {
      const texts = [
        `'); drop table public.ticket_issues; --`,
        `$1`,
        `%s`,
        `\\' or 1=1 --`,
        `{"a":1}`,
        'x?y',
        '=1+1',
      ]
      const rows = texts.map((name) => ({ name, category_id: 'Ağ', description: name }))
      const { report, probe } = await run(
        ours.admin,
        issues(rows, { dry_run: false }),
        `select name from public.ticket_issues where description = name`,
      )
      expect(report).toMatchObject({ inserted: texts.length, errors: [] })
      expect(probe?.map(({ name }) => name).sort()).toEqual([...texts].sort())
      const sought = await run(ours.admin, issues(texts.map((name) => ({ name, category_id: name }))))
      expect(sought.report?.errors.map(({ hint, details }) => [hint, details])).toEqual(
        texts.map((text) => ['lookup_missing', text]),
      )
    })
  })
})
