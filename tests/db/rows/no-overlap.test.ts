import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { inspectDatabase } from '../../../scripts/resource/check-database'
import { planChanges } from '../../../scripts/resource/migration/alter'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { readCatalog } from '../../../supabase/embedded/catalog'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

/** A table that everybody of a company may write, with the rule of a loan desk. */
const loans: Definition = {
  name: 'loans',
  fields: {
    item: { type: 'text', required: true, max_length: 40 },
    lent_on: { type: 'date' },
    returned_on: { type: 'date', check: { _gte: '$record.lent_on' } },
  },
  no_overlap: { by: 'item', from: 'lent_on', until: 'returned_on' },
}
const bookings: Definition = {
  name: 'bookings',
  fields: {
    room: { type: 'text', required: true, max_length: 40 },
    starts_at: { type: 'datetime', required: true },
    ends_at: { type: 'datetime', check: { _gte: '$record.starts_at' } },
  },
}
const find = () => null

// On a PostgreSQL of one's own, the owner of the database has no superuser's rights to install the extension.
describe.each(drivers('roles', 'errors'))('records that must not overlap, on %s', (driver) => {
  let backend: TestBackend
  let admin: SupabaseClient
  let company: string
  let other: string
  const run = async (sql: string) => backend.sql(`do $run$ begin execute $sql$${sql}$sql$; end $run$`)
  const table = async (name: string) => {
    const found = (await readCatalog(backend.sql)).tables.find((each) => each.name === name)
    if (!found) throw new Error(`no table ${name}`)
    return found
  }
  const changesOf = async (definition: Definition) =>
    planChanges(
      {
        definition,
        plan: planTable(definition, find),
        table: await table(definition.name),
        tables: [],
        sources: (await readCatalog(backend.sql)).triggerSources,
        isGenerated: true,
      },
      { drop: false },
    )

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    company = await createCompany(backend)
    other = await createCompany(backend)
    const own = await createAccount(backend, 'Admin', company)
    for (const definition of [loans, bookings]) {
      await run(renderCreate(planTable(definition, find), 'A table of a test.'))
      await backend.sql(
        `insert into app.policy_rule (ptype, v0, v1, v2, v3)
         select 'p', 'Admin', $1, verb, 'allow' from unnest(array['list', 'show', 'create', 'edit', 'delete', 'import']) verb`,
        [definition.name],
      )
    }
    await backend.sql(`notify pgrst, 'reload schema'`)
    admin = await backend.client(own.email)
  })
  afterAll(async () => backend.stop())

  const lend = async (item: string, lent_on: string | null, returned_on: string | null = null) =>
    admin.from('loans').insert({ company_id: company, item, lent_on, returned_on }).select('id')

  it('are refused while the first has not ended, and with days counted whole', async () => {
    expect((await lend('Camera', '2026-03-01')).error).toBeNull()
    expect((await lend('Camera', '2027-01-01', '2027-01-02')).error).toMatchObject({
      code: '23P01',
      message: expect.stringContaining('"loans_lent_on_no_overlap"'),
    })
    expect((await lend('Tripod', '2026-03-01', '2026-03-05')).error).toBeNull()
    expect((await lend('Tripod', '2026-03-05', '2026-03-06')).error?.code).toBe('23P01')
    expect((await lend('Tripod', '2026-03-06')).error).toBeNull()
  })

  it('are other records of the same company: nothing is told about another one', async () => {
    expect((await lend('Drill', '2026-03-01')).error).toBeNull()
    await backend.sql('insert into loans (company_id, item, lent_on) values ($1, $2, $3)', [
      other,
      'Drill',
      '2026-03-01',
    ])
    expect((await lend('Lamp', '2026-03-01')).error).toBeNull()
    const { data } = await admin.from('loans').select('company_id')
    expect(new Set(data?.map((row) => row.company_id))).toEqual(new Set([company]))
  })

  it('may be without a beginning, and a wrong end is the refusal of its own check', async () => {
    expect((await lend('Scanner', null)).error).toBeNull()
    expect((await lend('Scanner', null)).error).toBeNull()
    expect((await lend('Scanner', '2026-03-05', '2026-03-01')).error).toMatchObject({ code: '23514' })
  })

  it('are told by their line in an import', async () => {
    const rows = [
      { line: 2, values: { item: 'Laptop', lent_on: '2026-05-01', returned_on: null } },
      { line: 3, values: { item: 'Laptop', lent_on: '2026-05-09', returned_on: null } },
    ]
    const { data, error } = await admin.rpc('import_rows', {
      resource: 'loans',
      rows,
      company,
      keys: [],
      mode: 'insert',
      dry_run: true,
    })
    expect(error).toBeNull()
    expect(data).toMatchObject({ written: false, errors: [{ line: 3, code: '23P01' }] })
  })

  it('are held by a migration, which names the rows that overlap already, and checked', async () => {
    const inspect = async (definition: Definition) =>
      inspectDatabase(definition, {
        catalog: await readCatalog(backend.sql),
        find,
        isGenerated: () => true,
      }).filter(({ pointer, message }) => pointer === '/no_overlap' || message.includes('no_overlap'))
    const held: Definition = {
      ...bookings,
      no_overlap: { by: ['room'], from: 'starts_at', until: 'ends_at' },
    }
    expect(await inspect(held)).toMatchObject([
      { pointer: '/no_overlap', hint: expect.stringContaining('btree_gist') },
    ])
    const at = (hour: number) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00Z`
    const book = (from: number, until: number | null) =>
      backend.sql(
        'insert into bookings (company_id, room, starts_at, ends_at) values ($1, $2, $3, $4) returning id',
        [company, 'R1', at(from), until === null ? null : at(until)],
      )
    await book(8, 9)
    const [later] = await book(8, null)
    const { statements, probes } = await changesOf(held)
    const overlapping = async () =>
      (await backend.sql(`select 1 from bookings r where ${probes[0]?.where}`)).length
    expect(await overlapping()).toBe(2)
    await backend.sql('update bookings set starts_at = $2 where id = $1', [later?.id, at(9)])
    // The end of one moment is the beginning of the next.
    expect(await overlapping()).toBe(0)
    await run(statements.join('\n'))
    expect(await inspect(held)).toEqual([])
    expect((await changesOf(held)).statements).toEqual([])
    await expect(book(10, 11)).rejects.toMatchObject({ code: '23P01' })
    expect(await inspect(bookings)).toMatchObject([
      {
        message:
          'the constraint `bookings_starts_at_no_overlap` keeps records apart that the definition does not',
      },
    ])
    await run((await changesOf(bookings)).statements.join('\n'))
    expect(await inspect(bookings)).toEqual([])
    await book(10, 11)
  })
})
