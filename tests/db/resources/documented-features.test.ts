import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nextFillName } from '../../../scripts/policies/migration'
import { ROOT } from '../../../supabase/embedded/root'
import { createAccount, createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { type TreeCopy, treeCopy } from '../../support/tree-copy'
import { type AsUser, asUser, idsLiteral, insertInto, insertRow, literal } from '../support/as-user'

const PAGE = readFileSync(join(ROOT, 'docs/features.md'), 'utf8')

/** The files to write and the commands to run, in the order of the page. */
const steps = [
  ...PAGE.matchAll(/(?:^`([\w/]+\.(?:json|csv|sql))`[^\n]*\n\n)?```(json|csv|sh|sql)\n(.*?)```/gms),
].map(([, file = '', kind, text = '']) => ({ file, kind, text }))

/** An administrator follows docs/features.md: nothing of the example is known to this test but what it shows. */
describe('the example of docs/features.md', () => {
  let tree: TreeCopy
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: string
  let borrower: string
  let loan: string
  let kind: string
  /** The steps by their name. */
  const step: Record<string, string> = {}

  const command = async (line: string) => {
    const [, script = '', rest = ''] = /^npm run (\w+)(?: (.*))?$/.exec(line) ?? []
    await tree.command(script, ...rest.split(' ').filter(Boolean))
  }

  /** A migration with the time of now, behind those that the commands have written. */
  const nowNamed = (file: string) =>
    file.replace(/\d{14}/, () =>
      nextFillName(readdirSync(join(tree.root, 'supabase/migrations')), new Date()).slice(0, 14),
    )

  beforeAll(async () => {
    tree = await treeCopy()
    for (const { file, kind, text } of steps) {
      if (kind === 'csv') appendFileSync(join(tree.root, file), text)
      else if (kind === 'sql') writeFileSync(join(tree.root, nowNamed(file)), text)
      else if (file.startsWith('locales/')) {
        const words = JSON.parse(readFileSync(join(tree.root, file), 'utf8')) as object
        writeFileSync(join(tree.root, file), JSON.stringify({ ...words, ...JSON.parse(text) }, null, 2))
      } else if (kind === 'json') writeFileSync(join(tree.root, file), text)
      else for (const line of text.trim().split('\n')) await command(line)
    }
    backend = await testBackend({ demo: false })
    await tree.migrate(backend)
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    borrower = (await createAccount(backend, 'Standard', company)).id
    kind = await insertRow(backend, 'loan_kinds', {
      company_id: company,
      name: 'Camera',
      questions: JSON.stringify([{ key: 'lens', label: 'Which lens?', kind: 'text', required: true }]),
    })
    for (const [position, [name, phase]] of [
      ['Back', 'back'],
      ['With somebody', 'out'],
      ['In repair', 'repair'],
      ['At the shop', 'repair'],
      ['Called', 'late'],
    ].entries())
      step[String(name)] = await insertRow(backend, 'loan_steps', {
        company_id: company,
        name,
        phase,
        position,
      })
    const values = {
      company_id: company,
      item: 'Camera 1',
      kind_id: kind,
      step_id: step['With somebody'],
      answers: JSON.stringify({ lens: '50 mm' }),
      borrower_id: borrower,
      due_at: '2026-12-01T10:00:00Z',
      price: 900,
      deposit: 250,
    }
    loan = await insertRow(backend, 'loans', values)
    await insertRow(backend, 'loans', {
      company_id: company,
      item: 'Camera 2',
      price: 100,
      step_id: step.Called,
    })
  })
  afterAll(async () => {
    await backend?.stop()
    tree?.remove()
  })
  const data = async (user: string, sql: string) => (await as(user, sql)).data

  it('has a step for each thing it shows, and passes the linter', async () => {
    expect(steps.map(({ file, kind }) => file || kind)).toEqual([
      'resources/loan_kinds.json',
      'resources/loan_steps.json',
      'resources/loans.json',
      'resources/loan_extensions.json',
      'resources/loan_parts.json',
      'sh',
      'supabase/migrations/20261201090000_loan_functions.sql',
      'sh',
      'locales/en/resources/loans.json',
      'locales/tr/resources/loans.json',
      'policies/standard.csv',
      'sh',
    ])
    expect(tree.said.join('\n')).toContain('No problems found')
    expect(await tree.problems()).toEqual([])
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

  it('counts the share that came back, and the deposits of each month', async () => {
    const figures = `select public.list_figures('loans', '{
      "returned": {"show": "share", "part": {"state": {"_eq": "back"}}},
      "deposits": {"show": "series", "measure": "sum", "of": "deposit", "by": "created_at", "every": "month", "last": 2}}', '{}') as figures`
    expect(await data(admin, figures)).toEqual([
      {
        figures: {
          returned: { value: 0, of: 2 },
          deposits: [
            { key: expect.any(String), value: null },
            { key: expect.any(String), value: 250 },
          ],
        },
      },
    ])
  })

  it('counts the columns of its board, and keeps a loan in the phase of its step', async () => {
    const counts = `select value, count from public.facet_counts('loans', 'step_id', '{}')`
    expect(await data(admin, counts)).toEqual(
      expect.arrayContaining([
        { value: step['With somebody'], count: 1 },
        { value: step.Called, count: 1 },
      ]),
    )
    const now = `select state from public.loans where id = ${literal(loan)}`
    const move = (to: string) =>
      `update public.loans set step_id = ${literal(step[to] ?? '')} where id = ${literal(loan)}`
    expect((await as(admin, move('At the shop'), now)).probe).toEqual([{ state: 'repair' }])
    expect((await as(borrower, move('At the shop'))).code).toBe('42501')
    // The state follows the step alone, and the phase of a step is fixed.
    const state = `update public.loans set state = 'back' where id = ${literal(loan)}`
    expect((await as(admin, state)).code).toBe('42501')
    const phase = `update public.loan_steps set phase = 'out' where id = ${literal(step.Back ?? '')}`
    expect((await as(admin, phase)).code).toBe('42501')
  })

  it('lets a borrower ask for longer, and whoever edits loans decide', async () => {
    const ask = `select public.ask_longer(${idsLiteral([loan])}, '2026-12-31', 'The shoot is late') as asked`
    expect(await data(borrower, ask)).toEqual([{ asked: 1 }])
    const stranger = (await createAccount(backend, 'Standard', company)).id
    // Another borrower sees neither the loan nor what was asked.
    expect(await data(stranger, ask)).toEqual([{ asked: 0 }])
    const client = await backend.client((await createAccount(backend, 'Admin', company)).email)
    const own = await backend.client(
      String((await backend.sql(`select email from auth.users where id = ${literal(borrower)}`))[0]?.email),
    )
    await own
      .rpc('ask_longer', { ids: [loan], until: '2026-12-31', reason: 'The shoot is late' })
      .throwOnError()
    // The filter of `above` leaves the requests that wait.
    const waiting = async (asker: typeof client) =>
      (
        await asker
          .from('loan_extensions')
          .select('id,until,reason,asked_by_id,status')
          .eq('loan_id', loan)
          .eq('status', 'asked')
          .throwOnError()
      ).data ?? []
    const [asked] = await waiting(own)
    expect(asked).toMatchObject({
      until: '2026-12-31',
      reason: 'The shoot is late',
      asked_by_id: borrower,
    })
    const extension = String(asked?.id)
    const decide = { ids: [extension], granted: true }
    expect((await own.rpc('decide_extensions', decide)).error?.code).toBe('42501')
    const byHand = own.from('loan_extensions').update({ status: 'granted' }).eq('id', extension).select('id')
    expect((await byHand).data ?? []).toEqual([])
    const inserted = own
      .from('loan_extensions')
      .insert({ company_id: company, loan_id: loan, until: '2027-01-01', status: 'granted' })
    expect((await inserted).error?.code).toBe('42501')

    const effects = () => client.rpc('take_back_effects', { ids: [loan] }).throwOnError()
    expect((await effects()).data).toEqual({ extensions: 1 })
    expect((await client.rpc('decide_extensions', decide).throwOnError()).data).toBe(1)
    expect((await effects()).data).toEqual({ extensions: 0 })
    expect(await waiting(client)).toEqual([])
    expect(
      (await client.from('loans').select('due_at').eq('id', loan).single().throwOnError()).data,
    ).toMatchObject({ due_at: expect.stringContaining('2026-12-31') })
  })

  it('takes a loan back into the step of a card, or into the first one, and ends what is asked', async () => {
    const second = await insertRow(backend, 'loan_steps', {
      company_id: company,
      name: 'Checked and back',
      phase: 'back',
      position: 9,
    })
    await insertRow(backend, 'loan_extensions', { company_id: company, loan_id: loan, until: '2027-01-31' })
    const now = `select l.state, l.step_id, (select array_agg(e.status order by e.status) from public.loan_extensions e
      where e.loan_id = l.id) as asked from public.loans l where l.id = ${literal(loan)}`
    const take = (to: string) => `do $$ begin perform public.take_back(${idsLiteral([loan])}${to}); end $$`
    expect((await as(admin, take(`, ${literal(second)}`), now)).probe).toEqual([
      { state: 'back', step_id: second, asked: ['granted', 'refused'] },
    ])
    expect((await as(admin, take(''), now)).probe).toEqual([
      { state: 'back', step_id: step.Back, asked: ['granted', 'refused'] },
    ])
    expect((await as(borrower, take(''))).code).toBe('42501')
  })

  it('shows the comments of a merged loan with their author, below its title', async () => {
    const double = await insertRow(backend, 'loans', {
      company_id: company,
      item: 'Camera 1 again',
      step_id: step.Called,
    })
    await insertRow(backend, 'loan_comments', {
      company_id: company,
      loan_id: double,
      kind: 'reply',
      body: 'Written twice',
      author_id: borrower,
    })
    const merge = `do $$ begin perform public.merge_loans(${idsLiteral([double])}, ${literal(loan)}); end $$`
    const thread = `select c.body, c.origin, c.author_id,
        (select l.deleted_at is not null from public.loans l where l.id = ${literal(double)}) as is_gone
      from public.loan_comments c where c.loan_id = ${literal(loan)} and c.origin is not null`
    expect((await as(admin, merge, thread)).probe).toEqual([
      { body: 'Written twice', origin: 'Camera 1 again', author_id: borrower, is_gone: true },
    ])
    expect((await as(borrower, merge)).code).toBe('42501')
    const forged = { company_id: company, loan_id: loan, kind: 'reply', body: 'x', origin: 'Camera 9' }
    expect((await as(borrower, insertInto('loan_comments', forged))).code).toBe('42501')
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
