import { beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, type Attempt, asUser, insertRow, jsonLiteral, literal } from '../support/as-user'

interface Side {
  company: string
  admin: string
  standard: string
  category: string
  other: string
  issues: [string, string]
}

describe('saving the children of a record', () => {
  let backend: TestBackend
  let as: AsUser
  let ours: Side
  let theirs: Side

  const furnish = async (): Promise<Side> => {
    const company = await createCompany(backend)
    const category = (name: string) => insertRow(backend, 'ticket_categories', { company_id: company, name })
    const [own, other] = [await category('Hardware'), await category('Software')]
    const issue = (name: string) =>
      insertRow(backend, 'ticket_issues', { company_id: company, category_id: own, name })
    return {
      company,
      admin: (await createAccount(backend, 'Admin', company)).id,
      standard: (await createAccount(backend, 'Standard', company)).id,
      category: own,
      other,
      issues: [await issue('Keyboard'), await issue('Screen')],
    }
  }
  const save = (
    who: string | null,
    rows: unknown,
    { parent = ours.category, by = 'category_id', probe = names() } = {},
  ) =>
    as(
      who,
      `select * from public.save_children('ticket_issues', ${literal(by)}, ${literal(parent)}, ${jsonLiteral(rows)})`,
      probe,
    )
  const names = () =>
    `select name, priority, version from public.ticket_issues where company_id = ${literal(ours.company)} order by name`
  const outcomes = ({ data }: Attempt) => data?.map(({ outcome }) => outcome)
  const codes = ({ data }: Attempt) => data?.map(({ reason }) => (reason as { code?: string } | null)?.code)
  const created = (name: string | null, company = ours.company) => ({
    changes: { name, company_id: company },
  })

  beforeAll(async () => {
    backend = await sharedBackend()
    as = await asUser(backend)
    ours = await furnish()
    theirs = await furnish()
  })

  it('creates, changes and deletes in one call, and tells of each by its place', async () => {
    const [keyboard, screen] = ours.issues
    const answer = await save(ours.admin, [
      { id: keyboard, version: 1, changes: { priority: 'high' } },
      created('Mouse'),
      { id: screen, remove: true },
    ])
    expect(answer.data).toEqual([
      { place: 0, id: keyboard, outcome: 'changed', reason: null },
      { place: 1, id: expect.any(String), outcome: 'created', reason: null },
      { place: 2, id: screen, outcome: 'deleted', reason: null },
    ])
    expect(answer.probe).toEqual([
      { name: 'Keyboard', priority: 'high', version: 2 },
      { name: 'Mouse', priority: 'normal', version: 1 },
    ])
  })

  it.each<[string, () => unknown, string, string | undefined]>([
    ['a value that a check refuses', () => created(' '), 'refused', '23514'],
    ['a required value that is missing', () => created(null), 'refused', '23502'],
    [
      'an older version',
      () => ({ id: ours.issues[0], version: 0, changes: { name: 'X' } }),
      'stale',
      undefined,
    ],
    [
      'a row of another company',
      () => ({ id: theirs.issues[0], version: 1, changes: { name: 'X' } }),
      'gone',
      undefined,
    ],
    ['a new row in another company', () => created('X', theirs.company), 'refused', '42501'],
  ])('writes nothing if one row has %s', async (_what, row, outcome, code) => {
    const answer = await save(ours.admin, [created('Mouse'), row(), { id: ours.issues[1], remove: true }])
    expect(outcomes(answer)).toEqual(['kept', outcome, 'kept'])
    expect(codes(answer)).toEqual([undefined, code, undefined])
    expect(answer.probe).toMatchObject([{ name: 'Keyboard' }, { name: 'Screen' }])
  })

  it('never touches the children of another record', async () => {
    const [keyboard] = ours.issues
    const changed = await save(ours.admin, [{ id: keyboard, version: 1, changes: { name: 'X' } }], {
      parent: ours.other,
    })
    expect(outcomes(changed)).toEqual(['gone'])
    const removed = await save(ours.admin, [{ id: keyboard, remove: true }], { parent: ours.other })
    expect([removed.probe?.length, outcomes(removed)]).toEqual([2, ['absent']])
    const never = '00000000-0000-4000-8000-000000000000'
    const absent = [theirs.issues[0], never].map((id) => ({ id, remove: true }))
    const saved = await save(ours.admin, [...absent, created('Mouse')])
    expect(outcomes(saved)).toEqual(['absent', 'absent', 'created'])
    // The parent that the call names counts, not the one that a row names.
    const moved = await save(
      ours.admin,
      [{ changes: { ...created('Mouse').changes, category_id: ours.other } }],
      {
        probe: `select category_id from public.ticket_issues where name = 'Mouse' and company_id = ${literal(ours.company)}`,
      },
    )
    expect(moved.probe).toEqual([{ category_id: ours.category }])
  })

  it('is refused to those who may not write the children', async () => {
    for (const who of [ours.standard, theirs.admin]) {
      const answer = await save(who, [created('Mouse')], { probe: names() })
      expect(codes(answer)).toEqual(['42501'])
    }
    expect((await save(null, [created('Mouse')])).code).toBe('42501')
    const removed = await save(ours.standard, [{ id: ours.issues[0], remove: true }])
    expect(codes(removed)).toEqual(['42501'])
  })

  it.each<[string, () => unknown, string?]>([
    ['no list', () => ({ id: 1 })],
    ['a row without changes', () => [{ version: 1 }]],
    ['a removal without an id', () => [{ remove: true }]],
    ['an unknown column', () => [{ changes: { nothing: 1 } }]],
    ['the key', () => [{ changes: { id: '00000000-0000-4000-8000-000000000000' } }]],
    ['SQL for a column', () => [{ changes: { 'name) select 1 --': 1 } }]],
    ['an unknown parent column', () => [created('X')], 'nothing'],
    ['SQL for the parent column', () => [created('X')], 'category_id = category_id or id'],
    ['201 rows', () => Array.from({ length: 201 }, () => created('X'))],
  ])('refuses %s', async (_what, rows, by = 'category_id') => {
    expect((await save(ours.admin, rows(), { by })).code).toBe('22023')
  })
})
