import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type TreeCopy, treeCopy } from '../../support/tree-copy'
import { type AsUser, asUser, insertInto, literal } from '../support/as-user'

const LOANS = {
  name: 'loans',
  label: { en: ['Loan', 'Loans'], tr: ['Ödünç', 'Ödünçler'] },
  rules: {
    own: { _or: [{ borrower_id: { _eq: '$user' } }, { followers: { _contains: '$user' } }] },
    open: { _and: [{ state: { _in: ['out', 'late'] } }, { fee_note: { _null: true } }] },
  },
  fields: {
    item: { type: 'text', required: true, search: true },
    state: { type: 'enum', values: { out: 'blue', late: 'red', back: 'green' }, default: 'out' },
    fee_note: { type: 'text' },
    borrower_id: { type: 'user' },
    followers: {
      type: 'many-to-many',
      to: 'users',
      through: 'loan_followers',
      near: 'loan_id',
      far: 'user_id',
    },
    pin: {
      type: 'text',
      max_length: 8,
      search: true,
      sort: true,
      guard: { read: { object: 'license-costs', verb: 'list' } },
    },
    fee: { type: 'number', sort: true, guard: { read: { object: 'license-costs', verb: 'list' } } },
  },
}

/** Commands alone make a resource with row rules and a hidden field; nothing of it is written by hand. */
describe('a resource that the commands make', () => {
  let tree: TreeCopy

  beforeAll(async () => {
    tree = await treeCopy()
    writeFileSync(join(tree.root, 'resources/loans.json'), JSON.stringify(LOANS, null, 2))
    await tree.command('resource', 'migrate', 'loans', '--yes')
    tree.edit('policies/teknik.csv', (text) =>
      text
        .replace(
          'p, Teknik, loans, list, allow',
          'p, Teknik, loans, list, allow, own\np, Teknik, loans, list, allow, open',
        )
        .replace('p, Teknik, loans, edit, allow', 'p, Teknik, loans, edit, allow, own'),
    )
    await tree.command('policies')
  })
  afterAll(() => tree?.remove())

  it('passes the linter, and its change of lines is told with the rules', async () => {
    expect(tree.said.join('\n')).toContain('Teknik loses loans: list (beyond open, own), edit (beyond own)')
    expect(await tree.problems()).toEqual([])
  })

  describe.each(drivers())('on %s', (driver) => {
    let backend: TestBackend
    let as: AsUser
    let teknik: string
    let admin: string
    const ids: Record<string, string> = {}

    beforeAll(async () => {
      backend = await testBackend({ driver, demo: false })
      await tree.migrate(backend)
      as = await asUser(backend)
      const company = await createCompany(backend)
      teknik = (await createAccount(backend, 'Teknik', company)).id
      admin = (await createAccount(backend, 'Admin', company)).id
      const add = async (item: string, more: Record<string, unknown>) => {
        const pin = item === 'own' ? '4711' : '12'
        const values = { company_id: company, item, pin, ...more }
        const [row] = await backend.sql<{ id: string }>(`${insertInto('loans', values)} returning id`)
        ids[item] = row?.id ?? ''
      }
      await add('own', { borrower_id: teknik, state: 'back' })
      await add('open', { borrower_id: admin, state: 'late', fee: 9 })
      await add('noted', { borrower_id: admin, state: 'late', fee_note: 'paid' })
      await add('followed', { borrower_id: admin, state: 'back' })
      await add('strange', { borrower_id: admin, state: 'back' })
      await backend.sql(
        insertInto('loan_followers', { company_id: company, loan_id: ids.followed, user_id: teknik }),
      )
    })
    afterAll(() => backend?.stop())

    it('shows the rows of any rule of a role, and all to a role without one', async () => {
      const list = 'select item from public.loans order by item'
      expect((await as(teknik, list)).data).toEqual([{ item: 'followed' }, { item: 'open' }, { item: 'own' }])
      expect((await as(admin, list)).rows).toBe(5)
      expect((await as(teknik, `select item from public.search_loans('strange')`)).rows).toBe(0)
    })

    it('asks each verb for its own rules', async () => {
      const change = (item: string) =>
        `update public.loans set item = item || '!' where id = ${literal(ids[item])} returning id`
      expect((await as(teknik, change('open'))).rows).toBe(0)
      expect((await as(teknik, change('own'))).rows).toBe(1)
      expect(
        (await as(teknik, `select app.require_rows('loans', 'edit', array[${literal(ids.open)}]::uuid[])`))
          .code,
      ).toBe('42501')
      expect(
        (await as(teknik, `select app.require_rows('loans', 'edit', array[${literal(ids.own)}]::uuid[])`))
          .code,
      ).toBeUndefined()
    })

    it('keeps the hidden field from who may not read it, and its limits', async () => {
      const read = `select h.pin from public.loans t join public.loans_hidden_pin h using (id) where h.pin > '3'`
      expect((await as(admin, read)).data).toEqual([{ pin: '4711' }])
      expect((await as(teknik, read)).rows).toBe(0)
      const write = (pin: string) =>
        `update public.loans set pin = ${literal(pin)} where id = ${literal(ids.own)} returning id`
      expect((await as(teknik, write('1'))).code).toBe('42501')
      expect((await as(admin, write('123456789'))).code).toBe('23514')
      expect((await as(admin, write('99'))).rows).toBe(1)
    })

    it('lets those who may read it search, sort and filter by the hidden field, and nobody else', async () => {
      const find = `select t.item, public.hidden_pin(t) as pin from public.search_loans('4711') t`
      expect((await as(admin, find)).data).toEqual([{ item: 'own', pin: '4711' }])
      expect((await as(teknik, find)).data).toEqual([])
      const both = `select t.item, t.pin from public.search_loans('own 47') t`
      expect((await as(admin, both)).data).toEqual([{ item: 'own', pin: '4711' }])
      const seen = `select t.item, t.pin <> '4711' as is_mark from public.search_loans('own') t`
      expect((await as(teknik, seen)).data).toEqual([{ item: 'own', is_mark: true }])
      const order = `select item from public.loans t order by public.hidden_fee(t) desc nulls last, item limit 1`
      expect((await as(admin, order)).data).toEqual([{ item: 'open' }])
      const key =
        'select public.hidden_pin_key(t) as key from public.loans t where public.hidden_pin(t) is not null'
      expect((await as(admin, key)).rows).toBe(5)
      expect((await as(teknik, key)).rows).toBe(0)
    })
  })
})
