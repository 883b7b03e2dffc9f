import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../../supabase/embedded/root'
import { createAccount, createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { type AsUser, asUser, idsLiteral, insertInto, insertRow, literal } from '../support/as-user'

const COPIED = [
  'agent',
  'casbin-model.conf',
  'index.html',
  'locales',
  'package.json',
  'policies',
  'public',
  'resources',
  'scripts',
  'src',
  'supabase',
  'tsconfig.json',
  'docs',
]
const run = promisify(execFile)
const PAGE = readFileSync(join(ROOT, 'docs/features.md'), 'utf8')

/** The files to write and the commands to run, in the order of the page. */
const steps = [...PAGE.matchAll(/(?:^`([\w/]+\.(?:json|csv))`[^\n]*\n\n)?```(json|csv|sh)\n(.*?)```/gms)].map(
  ([, file = '', kind, text = '']) => ({ file, kind, text }),
)

/** An administrator follows docs/features.md: nothing of the example is known to this test but what it shows. */
describe('the example of docs/features.md', () => {
  let tree: string
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: string
  let borrower: string
  let loan: string
  let kind: string
  const said: string[] = []

  const command = async (line: string) => {
    const [, script = '', rest = ''] = /^npm run (\w+)(?: (.*))?$/.exec(line) ?? []
    const env = { ...process.env, DATA_DIR: join(tree, 'no-data'), PORT: '0' }
    const { stdout } = await run('node', ['scripts/run.mjs', script, ...rest.split(' ').filter(Boolean)], {
      cwd: tree,
      env,
    })
    said.push(stdout)
  }

  beforeAll(async () => {
    tree = mkdtempSync(join(tmpdir(), 'konsol-documented-'))
    for (const name of COPIED)
      cpSync(join(ROOT, name), join(tree, name), {
        recursive: true,
        filter: (path) => !path.includes('.temp'),
      })
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    const known = new Set(readdirSync(join(tree, 'supabase/migrations')))
    for (const { file, kind, text } of steps) {
      if (kind === 'csv') appendFileSync(join(tree, file), text)
      else if (kind === 'json') writeFileSync(join(tree, file), text)
      else for (const line of text.trim().split('\n')) await command(line)
    }
    await command('npm run schema --check')
    backend = await testBackend({ demo: false })
    const [held] = await backend.sql<{ owner: string }>(
      `select tableowner as owner from pg_tables where tablename = 'tickets'`,
    )
    for (const file of readdirSync(join(tree, 'supabase/migrations')).sort()) {
      if (known.has(file)) continue
      const sql = readFileSync(join(tree, 'supabase/migrations', file), 'utf8')
      await backend.sql(
        `do $apply$ begin set local role ${held?.owner}; execute $text$${sql}$text$; end $apply$`,
      )
    }
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    borrower = (await createAccount(backend, 'Standard', company)).id
    kind = await insertRow(backend, 'loan_kinds', {
      company_id: company,
      name: 'Camera',
      questions: JSON.stringify([{ key: 'lens', label: 'Which lens?', kind: 'text', required: true }]),
    })
    const values = {
      company_id: company,
      item: 'Camera 1',
      kind_id: kind,
      answers: JSON.stringify({ lens: '50 mm' }),
      borrower_id: borrower,
      due_at: '2026-12-01T10:00:00Z',
      price: 900,
    }
    loan = await insertRow(backend, 'loans', values)
    await insertRow(backend, 'loans', { company_id: company, item: 'Camera 2', price: 100, state: 'late' })
  })
  afterAll(async () => {
    await backend?.stop()
    rmSync(tree, { recursive: true, force: true })
  })
  const data = async (user: string, sql: string) => (await as(user, sql)).data

  it('has a step for each thing it shows, and passes the linter', () => {
    expect(steps.map(({ file, kind }) => file || kind)).toEqual([
      'resources/loan_kinds.json',
      'resources/loans.json',
      'sh',
      'policies/standard.csv',
      'sh',
    ])
    expect(said.join('\n')).toContain('No problems found')
    expect(said.join('\n')).toContain('The migrations make what the schemas say')
  })

  it('limits a line to its rule, and hides the price', async () => {
    const list =
      'select t.item, public.hidden_price(t) as price from public.loans t order by public.hidden_price(t) desc'
    expect(await data(admin, list)).toEqual([
      { item: 'Camera 1', price: 900 },
      { item: 'Camera 2', price: 100 },
    ])
    expect(await data(borrower, list)).toEqual([{ item: 'Camera 1', price: null }])
    const cheap = `select public.matching_ids('loans', '{"price": {"_lt": 500}}') as id`
    expect((await as(admin, cheap)).rows).toBe(1)
    expect((await as(borrower, cheap)).code).toBe('42501')
  })

  it('keeps notes from who reads replies, and finds a loan by the words of its thread', async () => {
    for (const [kind, body] of [
      ['reply', 'Bring the tripod'],
      ['note', 'Deposit unpaid'],
    ])
      await insertRow(backend, 'loan_comments', { company_id: company, loan_id: loan, kind, body })
    const thread = 'select body from public.loan_comments order by body'
    expect(await data(admin, thread)).toEqual([{ body: 'Bring the tripod' }, { body: 'Deposit unpaid' }])
    expect(await data(borrower, thread)).toEqual([{ body: 'Bring the tripod' }])
    const found = (q: string) => `select item from public.search_loans(${literal(q)})`
    expect(await data(borrower, found('tripod'))).toEqual([{ item: 'Camera 1' }])
    expect(await data(borrower, found('deposit'))).toEqual([])
    const write = (kind: string) =>
      insertInto('loan_comments', { company_id: company, loan_id: loan, kind, body: 'x' })
    expect((await as(borrower, write('reply'))).code).toBeUndefined()
    expect((await as(borrower, write('note'))).code).toBe('42501')
  })

  it('takes files in its fields and beside them', async () => {
    expect(
      await backend.sql(
        `select field, max_mb, accept from app.file_fields where resource = 'loans' order by field`,
      ),
    ).toEqual([
      { field: '', max_mb: null, accept: null },
      { field: 'contract', max_mb: null, accept: ['pdf', 'document'] },
      { field: 'photo', max_mb: 5, accept: ['image'] },
    ])
    const draft = (field: string | null, size: number) =>
      insertInto('files', { company_id: company, resource: 'loans', field, name: 'a.png', size })
    expect((await as(admin, draft('photo', 1000))).code).toBeUndefined()
    expect((await as(admin, draft('photo', 6 * 1024 * 1024))).hint).toBe('file_size')
    expect((await as(borrower, draft('photo', 1000))).code).toBe('42501')
    const attached = { company_id: company, resource: 'loans', record_id: loan, name: 'a.pdf', size: 3 }
    expect((await as(admin, insertInto('files', attached))).code).toBeUndefined()
    expect((await as(borrower, insertInto('files', attached))).code).toBe('42501')
  })

  it('counts the figures of its dashboard, and keeps the answers', async () => {
    const figures = `select public.list_figures('loans', '{"late": {"show": "number", "filter": {"state": {"_eq": "late"}}},
      "by_state": {"show": "top", "by": "state"}, "kinds_by_state": {"show": "table", "by": "kind_id", "across": "state"}}', '{}') as figures`
    expect(await data(admin, figures)).toEqual([
      {
        figures: {
          late: { value: 1 },
          by_state: [
            { key: 'late', value: 1 },
            { key: 'out', value: 1 },
          ],
          kinds_by_state: {
            rows: [
              { key: kind, value: 1 },
              { key: null, value: 1 },
            ],
            columns: [
              { key: 'late', value: 1 },
              { key: 'out', value: 1 },
            ],
            cells: expect.arrayContaining([
              [kind, 'out', 1],
              [null, 'late', 1],
            ]),
            value: 2,
            of: 2,
          },
        },
      },
    ])
    expect(await data(borrower, `select answers from public.loans`)).toEqual([{ answers: { lens: '50 mm' } }])
  })

  it('counts the columns of its board, and moves a loan for who may', async () => {
    const counts = `select value, count from public.facet_counts('loans', 'kind_id', '{}')`
    expect(await data(admin, counts)).toEqual(
      expect.arrayContaining([
        { value: kind, count: 1 },
        { value: null, count: 1 },
      ]),
    )
    const move = `update public.loans set kind_id = null where id = ${literal(loan)}`
    const now = `select kind_id from public.loans where id = ${literal(loan)}`
    expect((await as(admin, move, now)).probe).toEqual([{ kind_id: null }])
    expect((await as(borrower, move)).code).toBe('42501')
  })

  it('takes a loan into the trash, and back for who may delete it', async () => {
    const client = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const call = async (name: string) =>
      (await client.rpc(name, { resource: 'loans', ids: [loan] }).throwOnError()).data
    const read = async () => (await client.from('loans').select('item').eq('id', loan).throwOnError()).data
    expect(await call('bulk_delete')).toMatchObject([{ outcome: 'deleted' }])
    expect(await read()).toEqual([])
    const restore = `select * from public.restore_records('loans', ${idsLiteral([loan])})`
    expect((await as(borrower, restore)).code).toBe('42501')
    expect(await call('restore_records')).toMatchObject([{ id: loan, reason: null }])
    expect(await read()).toEqual([{ item: 'Camera 1' }])
  })
})
