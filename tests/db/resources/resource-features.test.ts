import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { type TreeCopy, treeCopy } from '../../support/tree-copy'
import { type AsUser, asUser, insertRow, literal } from '../support/as-user'

/** A resource with every feature that a definition may ask for: it is made, changed, renamed and removed by commands alone. */
describe('a resource with every feature', () => {
  let tree: TreeCopy
  let backend: TestBackend
  let company: string

  /** The linter and the comparison of the schemas say nothing, and the new migrations are applied to rows. */
  const settle = async () => {
    expect(await tree.problems()).toEqual([])
    await tree.migrate(backend)
  }
  const change = (work: (definition: Record<string, unknown>) => Record<string, unknown>, name = 'loans') =>
    tree.edit(`resources/${name}.json`, (text) => `${JSON.stringify(work(JSON.parse(text)), null, 2)}\n`)
  let as: AsUser
  let admin: string
  let teknik: string
  let loan: string

  beforeAll(async () => {
    tree = await treeCopy()
    backend = await testBackend({ demo: false })
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    teknik = (await createAccount(backend, 'Teknik', company)).id
  })
  afterAll(async () => {
    await backend?.stop()
    tree?.remove()
  })

  it('is made by one command', async () => {
    const fields = [
      'item:text!',
      'state:enum(out,late,back)=out',
      'due_on:date',
      'borrower_id:user',
      'photo:image(5)',
      'pin:text(8)@license-costs',
    ]
    const labels = ['--label', 'Loan/Loans', '--label-tr', 'Ödünç/Ödünçler']
    const features = [
      '--comments',
      '--attachments',
      '--layouts',
      'board,calendar,dashboard',
      '--own',
      'borrower_id',
    ]
    await tree.command('resource', 'new', 'loans', ...fields, ...labels, ...features)
    const made = JSON.parse(tree.read('resources/loans.json'))
    expect(made).toMatchObject({
      comments: true,
      attachments: true,
      rules: { own: { borrower_id: { _eq: '$user' } } },
      list: {
        layouts: ['table', 'board', 'calendar', 'dashboard'],
        board: { by: 'state' },
        calendar: { from: 'due_on' },
      },
      fields: { pin: { guard: { read: { object: 'license-costs', verb: 'list' } } } },
    })
    await settle()
  })

  it('takes kinds of comment, a searched hidden field and a line with its rule later', async () => {
    change((loans) => ({
      ...loans,
      comments: { kinds: { reply: {}, note: { own_lines: true } }, people: ['borrower_id'], search: true },
      fields: {
        ...(loans.fields as object),
        item: { ...(loans.fields as { item: object }).item, search: true },
        pin: { ...(loans.fields as { pin: object }).pin, search: true, sort: true },
      },
    }))
    await tree.command('resource', 'migrate', 'loans')
    tree.edit('policies/teknik.csv', (text) =>
      text
        .replace('p, Teknik, loans, list, allow', 'p, Teknik, loans, list, allow, own')
        .replace(/^p, Teknik, loans-notes, .*\n/gm, ''),
    )
    await tree.command('policies')
    await settle()
    const row = { company_id: company, item: 'Projector', borrower_id: teknik, pin: '4711' }
    loan = await insertRow(backend, 'loans', row)
    await insertRow(backend, 'loans', { company_id: company, item: 'Camera', borrower_id: admin, pin: '99' })
    const comment = (kind: string, body: string) =>
      insertRow(backend, 'loan_comments', { company_id: company, loan_id: loan, kind, body })
    const reply = await comment('reply', 'The lens is scratched')
    await comment('note', 'Secretly broken')
    const file = { company_id: company, name: 'a.pdf', size: 3, uploaded_at: '2026-01-01' }
    await insertRow(backend, 'files', { ...file, resource: 'loans', record_id: loan })
    await insertRow(backend, 'files', { ...file, resource: 'loan_comments', record_id: reply })
  })

  /** The parts of the resource that people see, under any name. */
  const seen = async (table: string, column: string, comments: string, record: string) => {
    const rows = async (user: string, sql: string) => (await as(user, sql)).data
    return {
      admin: await rows(
        admin,
        `select t.item, public.hidden_${column}(t) as value from public.${table} t order by 1`,
      ),
      teknik: await rows(
        teknik,
        `select t.item, public.hidden_${column}(t) as value from public.${table} t order by 1`,
      ),
      comments: await rows(admin, `select body from public.${comments} order by body`),
      replies: await rows(teknik, `select body from public.${comments} order by body`),
      byValue: await rows(admin, `select item, ${column} as value from public.search_${table}('4711')`),
      byComment: await rows(admin, `select item from public.search_${table}('lens')`),
      byNote: await rows(teknik, `select item from public.search_${table}('secretly')`),
      files: await rows(teknik, `select name from public.files where record_id is not null`),
      activity: (await rows(admin, `select action from public.record_activity('${table}', '${loan}')`))
        ?.length,
      writes: (
        await as(
          teknik,
          `insert into public.${comments} (company_id, ${record}, kind, body) values ('${company}', '${loan}', 'note', 'x')`,
        )
      ).code,
    }
  }
  const expected = {
    admin: [
      { item: 'Camera', value: '99' },
      { item: 'Projector', value: '4711' },
    ],
    teknik: [{ item: 'Projector', value: null }],
    comments: [{ body: 'Secretly broken' }, { body: 'The lens is scratched' }],
    replies: [{ body: 'The lens is scratched' }],
    byValue: [{ item: 'Projector', value: '4711' }],
    byComment: [{ item: 'Projector' }],
    byNote: [],
    files: [{ name: 'a.pdf' }, { name: 'a.pdf' }],
    writes: '42501',
  }

  it('shows each feature to those who may see it', async () => {
    expect(await seen('loans', 'pin', 'loan_comments', 'loan_id')).toMatchObject(expected)
  })

  it('keeps a hidden field that is renamed', async () => {
    const before = await seen('loans', 'pin', 'loan_comments', 'loan_id')
    await tree.command('resource', 'rename', 'loans.pin', 'code')
    await settle()
    expect(await seen('loans', 'code', 'loan_comments', 'loan_id')).toEqual(before)
    const write = `update public.loans set code = '5' where id = ${literal(loan)}`
    expect((await as(teknik, write)).code).toBe('42501')
    expect(
      (await as(admin, write, `select code from public.loans_hidden_code where id = ${literal(loan)}`)).probe,
    ).toEqual([{ code: '5' }])
    expect(
      (await as(admin, `update public.loans set code = '123456789' where id = ${literal(loan)}`)).code,
    ).toBe('23514')
  })

  it('keeps everything when it is renamed', async () => {
    const before = await seen('loans', 'code', 'loan_comments', 'loan_id')
    await tree.command(
      'resource',
      'rename',
      'loans',
      'rentals',
      '--label',
      'Rental/Rentals',
      '--label-tr',
      'Kiralama/Kiralamalar',
    )
    await settle()
    expect(await seen('rentals', 'code', 'rental_comments', 'rental_id')).toEqual(before)
    expect(tree.read('policies/admin.csv')).toContain('p, Admin, rentals-notes, create, allow')
    expect(
      readdirSync(join(tree.root, 'policies'))
        .map((file) => tree.read(`policies/${file}`))
        .join(''),
    ).not.toMatch(/\bloans\b/)
    const left = await backend.sql(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname ~ '^loan'
       union all select p.proname from pg_proc p where p.proname ~ 'loan'
       union all select t.tgname from pg_trigger t where t.tgname ~ '^loan'
       union all select k.conname from pg_constraint k where k.conname ~ '^loan'
       union all select y.polname from pg_policy y where y.polname ~ '^loan'`,
    )
    expect(left).toEqual([])
    expect(
      await backend.sql(
        `select comments, settings ->> 'path' as path from app.commented where resource = 'rentals'`,
      ),
    ).toEqual([{ comments: 'rental_comments', path: '/rentals' }])
  })

  it('loses a feature that its definition no longer has', async () => {
    change((rentals) => {
      const { comments: _comments, attachments: _attachments, rules: _rules, ...rest } = rentals
      const { photo: _photo, code: _code, ...fields } = rest.fields as Record<string, unknown>
      return { ...rest, fields }
    }, 'rentals')
    await tree.command('resource', 'migrate', 'rentals', '--drop', '--yes')
    tree.edit('policies/teknik.csv', (text) =>
      text.replace('p, Teknik, rentals, list, allow, own', 'p, Teknik, rentals, list, allow'),
    )
    await tree.command('policies')
    await settle()
    const tables = await backend.sql(
      `select tablename as name from pg_tables where tablename ~ '^rental' order by 1`,
    )
    expect(tables).toEqual([{ name: 'rentals' }])
    expect(
      await backend.sql(`select resource, field from app.file_fields where resource ~ '^rental'`),
    ).toEqual([])
    expect(await backend.sql(`select 1 from app.commented where resource = 'rentals'`)).toEqual([])
    expect((await as(teknik, 'select item from public.rentals order by 1')).data).toEqual([
      { item: 'Camera' },
      { item: 'Projector' },
    ])
    expect(await backend.sql(`select 1 from public.files where resource ~ '^rental'`)).toEqual([])
  })

  it('takes them again, and is removed with all of them', async () => {
    change(
      (rentals) => ({
        ...rentals,
        comments: true,
        attachments: true,
        rules: { own: { borrower_id: { _eq: '$user' } } },
        fields: {
          ...(rentals.fields as object),
          photo: { type: 'image' },
          fee: { type: 'number', guard: { read: { object: 'rentals', verb: 'edit' } } },
        },
      }),
      'rentals',
    )
    await tree.command('resource', 'migrate', 'rentals')
    await settle()
    expect((await as(admin, `select public.hidden_fee(t) as fee from public.rentals t`)).rows).toBe(2)
    await tree.command('resource', 'remove', 'rentals', '--drop', '--yes')
    await settle()
    const left = await backend.sql(
      `select c.relname as name from pg_class c where c.relname ~ '^rental' union all select p.proname from pg_proc p where p.proname ~ 'rental|hidden_fee'
       union all select f.resource from app.file_fields f where f.resource ~ '^rental'
       union all select r.v1 from app.policy_rule r where r.v1 ~ '^rental'`,
    )
    expect(left).toEqual([])
  })
})
