import { describe, expect, it } from 'vitest'
import { inspectSource } from '@/resource/language/inspect/problems'
import { roleChanges, tellChange } from '../../../scripts/policies/changes'
import { checkPolicies, parseLines, readPolicies } from '../../../scripts/policies/lines'
import { readVocabulary } from '../../../scripts/policies/vocabulary'

const root = process.cwd()
const words = readVocabulary(root)
const lines = readPolicies(root)

/** The problems of further lines of Standard. */
const said = (text: string) =>
  checkPolicies([...lines, ...parseLines('standard.csv', text)], words).map((problem) => problem.text)

describe('a line with a row rule', () => {
  it.each([
    ['p, Standard, tickets, delete, deny, own', 'a deny holds for all rows'],
    ['p, Standard, tickets, delete, allow, mine', 'unknown rule "mine"'],
    ['p, Standard, devices, list, allow, own', '"devices" has no row rules'],
    ['p, Standard, dashboard, list, allow, own', '"dashboard" has no row rules'],
    ['p, Standard, tickets, export, allow, own', '"export" takes no row rule: it reads the rows of `list`'],
    ['p, Standard, tickets, import, allow, own', '"import" takes no row rule'],
    ['p, Standard, tickets, list, allow, own', 'repeats standard.csv'],
    ['p, Standard, tickets, delete, allow\np, Standard, tickets, delete, allow, own', 'is about all rows'],
  ])('%s is refused', (text, problem) => {
    expect(said(text)).toEqual([expect.stringContaining(problem)])
  })

  it('is right for any verb of rows', () => {
    expect(
      said('p, Standard, tickets, delete, allow, own\np, Standard, tickets, assign, allow, own'),
    ).toEqual([])
  })

  it('is told with the rows that a role gains and loses', () => {
    const before = [['p', 'Clerk', 'tickets', 'list', 'allow', 'own']]
    const after = [['p', 'Clerk', 'tickets', 'list', 'allow']]
    const tell = (from: string[][], to: string[][]) =>
      roleChanges(from, to).map((each) => tellChange(each, null))
    expect(tell(before, after)).toEqual(['Clerk gains tickets: list (beyond own).'])
    expect(tell(after, before)).toEqual(['Clerk loses tickets: list (beyond own).'])
  })
})

const definition = (more: object) =>
  JSON.stringify({
    name: 'loans',
    label: { en: ['Loan', 'Loans'], tr: ['Ödünç', 'Ödünçler'] },
    fields: { item: { type: 'text' }, fee: { type: 'money', currency: 'TRY' }, owner_id: { type: 'user' } },
    ...more,
  })
const problems = (more: object) =>
  inspectSource('resources/loans.json', definition(more), { find: () => null, names: ['loans'] }).map(
    ({ message }) => message,
  )

describe('the linter refuses a row rule', () => {
  it.each([
    ['of an operator that is not leakproof', { item: { _contains: 'a' } }, '`_contains` is not leakproof'],
    ['of a number with decimals', { fee: { _eq: 1 } }, 'cannot compare `fee`'],
    [
      'that asks for the time',
      { _and: [{ owner_id: { _eq: '$user' } }, { created_at: { _lt: '$now' } }] },
      'cannot ask for `$now`',
    ],
    [
      'with a branch that no index answers',
      { _or: [{ owner_id: { _eq: '$user' } }, { item: { _neq: 'x' } }] },
      'no index can answer the rule `own`',
    ],
    ['of a field that is not there', { ownr_id: { _eq: '$user' } }, 'no field `ownr_id`'],
  ])('%s', (_what, own, problem) => {
    expect(problems({ rules: { own } })).toContainEqual(expect.stringContaining(problem))
  })

  it('and takes one by a person', () => {
    expect(problems({ rules: { own: { owner_id: { _eq: '$user' } } } })).toEqual([])
  })
})

describe('the linter refuses a hidden field', () => {
  const hidden = (more: object) =>
    problems({
      fields: {
        item: { type: 'text' },
        pin: { type: 'text', guard: { read: { object: 'loans', verb: 'edit' } }, ...more },
      },
    })

  it.each(['unique', 'required'])('that is told by `%s`', (option) => {
    expect(hidden({ [option]: true })).toContainEqual(expect.stringContaining(`\`${option}\` would tell`))
  })

  it('of a kind whose value is not kept apart', () => {
    expect(hidden({ type: 'boolean' })).toContainEqual(expect.stringContaining('cannot be hidden'))
  })

  it('that is searched where no other field is', () => {
    expect(hidden({ search: true })).toEqual(['a search of hidden values alone would be one for nobody else'])
  })

  it.each([
    ['filter', { filter: { pin: { _eq: 'x' } } }],
    ['view', { views: { old: { filter: { _or: [{ pin: { _null: true } }] } } } }],
    ['figure', { dashboard: { a: { show: 'top', by: 'pin' } } }],
  ])('that a %s of everybody names', (_what, list) => {
    const fields = {
      item: { type: 'text' },
      pin: { type: 'text', guard: { read: { object: 'loans', verb: 'edit' } } },
    }
    expect(problems({ fields, list: { columns: ['item'], ...list } })).toContainEqual(
      expect.stringContaining('and `pin` is hidden from some'),
    )
  })

  it('and takes a plain text, filtered and sorted by those who may read it', () => {
    expect(hidden({})).toEqual([])
    expect(hidden({ filter: true, sort: true })).toEqual([])
  })
})
