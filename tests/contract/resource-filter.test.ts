import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Row, readRows } from '@/data/rows'
import type { CompareAs } from '@/resource/language/compare-as'
import type { Filter } from '@/resource/language/definition.generated'
import { toCrudFilters } from '@/resource/request/filter/crud-filters'
import { matches, passes } from '@/resource/request/filter/predicate'
import { conditionSql } from '../../scripts/resource/migration/filter-sql'
import { createAccount, createCompany } from '../support/accounts'
import { type TestBackend, testBackend } from '../support/backend'
import { patience } from '../support/patience'

const KINDS: Record<string, CompareAs> = {
  memory_mb: 'number',
  reboot_required: 'boolean',
  boot_time: 'instant',
  seats: 'number',
  price: 'number',
  purchased_on: 'date',
  expires_on: 'date',
}
const DEVICES = ['id', 'name', 'os', 'serial', 'memory_mb', 'reboot_required', 'boot_time']
const LICENSES = ['id', 'name', 'publisher', 'seats', 'price', 'purchased_on', 'expires_on']
const TAGGED = ['id', 'name', 'tags']
const kindOf = (field: string): CompareAs => KINDS[field] ?? 'text'

// Texts that mean something to PostgREST, to LIKE, to regular expressions or to Turkish.
const texts = [
  'ışık',
  'İzmir',
  'IŞIK',
  'a,b',
  'a.b:c',
  '(x)',
  '"q"',
  'back\\slash',
  '50%',
  'a_b',
  '*.exe',
  'null',
  'ﬁ😀',
  ' ',
  '-',
]
const text = fc.constantFrom(...texts, 'zz')
const number = fc.constantFrom(0, 4096, 8192, -1)
const instant = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T03:00:00+03:00', '2026-06-15T12:30:00.5Z')
const days = ['2024-02-29', '2025-12-31', '2026-01-01', '2026-06-15']

const isEquality = (operator: string) => operator === '_eq' || operator === '_neq'
/** The embedded backend has no form for "greater than a text with a quote, a blank at its end or the word null"; nobody asks for that either. */
const isOrderable = (given: unknown) => !/["\\]|^null$|^\s|\s$/.test(String(given))

function conditions(value: fc.Arbitrary<string | number>) {
  return fc.oneof(
    ...(['_eq', '_neq', '_lt', '_lte', '_gt', '_gte'] as const).map((operator) =>
      value
        .filter((given) => isEquality(operator) || isOrderable(given))
        .map((given) => ({ [operator]: given })),
    ),
    fc.array(fc.oneof(value, fc.constant(null)), { maxLength: 3 }).map((list) => ({ _in: list })),
    fc.array(fc.oneof(value, fc.constant(null)), { maxLength: 3 }).map((list) => ({ _nin: list })),
    fc.boolean().map((empty) => ({ _null: empty })),
    fc.constant({ _eq: null }),
  )
}

const textLeaf = (...fields: string[]): fc.Arbitrary<Filter> =>
  fc.constantFrom(...fields).chain((field) =>
    fc
      .oneof(
        conditions(text),
        fc.constantFrom(...texts, 'A', 'I', 'ş').map((part) => ({ _contains: part })),
      )
      .map((condition) => ({ [field]: condition })),
  )
const ofDevices: fc.Arbitrary<Filter> = fc.oneof(
  textLeaf('name', 'os', 'serial'),
  conditions(number).map((condition) => ({ memory_mb: condition })),
  conditions(instant).map((condition) => ({ boot_time: condition })),
  fc.boolean().map((on) => ({ reboot_required: { _eq: on } })),
  fc.constant({ name: { _eq: '$user' } }),
)
const ofLicenses: fc.Arbitrary<Filter> = fc.oneof(
  textLeaf('name', 'publisher'),
  conditions(fc.constantFrom(1, 20, 500)).map((condition) => ({ seats: condition })),
  conditions(fc.constantFrom(0, 0.1, 99.9, '99.90', 1234567.89, -1)).map((condition) => ({
    price: condition,
  })),
  fc
    .constantFrom('purchased_on', 'expires_on')
    .chain((field) => conditions(fc.constantFrom(...days)).map((condition) => ({ [field]: condition }))),
)
const someTags = fc.array(
  fc.constantFrom(...texts.filter((tag) => !/["\\{}]/.test(tag)), 'zz', '1', 'true'),
  { minLength: 0, maxLength: 3 },
)
const ofTagged: fc.Arbitrary<Filter> = fc.oneof(
  someTags.map((tags) => ({ tags: { _has_any: tags } })),
  someTags.map((tags) => ({ tags: { _has_all: tags } })),
  fc.boolean().map((empty) => ({ tags: { _empty: empty } })),
  fc.boolean().map((empty) => ({ tags: { _null: empty } })),
  textLeaf('name'),
)
const nested = (leaf: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.letrec<{ node: Filter }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.array(tie('node'), { maxLength: 3 }).map((inner) => ({ _and: inner })),
      fc.array(tie('node'), { maxLength: 3 }).map((inner) => ({ _or: inner })),
    ),
  })).node

const TAGGED_TABLE = `create table public.tagged
  (id uuid primary key default gen_random_uuid(), company_id uuid, name text, tags text[])`
/** Gives null, an empty list, and up to three tags, an empty word and such that mean something among them. */
const tagsOf = (index: number): string[] | null =>
  [null, [], [texts[index] ?? ''], ['', '1'], [texts[index - 1] ?? '', 'true', 'null']][index % 5] ?? null

/** For each table; more than these are for a run by hand: FILTER_CASES=10000. */
const CASES = Number(process.env.FILTER_CASES ?? 60)

describe('a filter', () => {
  let backend: TestBackend
  let companyId: string
  let read: (table: string, columns: string[], filter: Filter) => Promise<Row[]>

  beforeAll(async () => {
    backend = await testBackend({ demo: false })
    companyId = await createCompany(backend)
    for (const [index, name] of texts.entries())
      await backend.sql(
        `insert into public.devices (company_id, name, os, serial, memory_mb, reboot_required, boot_time)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          companyId,
          name.trim() === '' ? 'blank' : name,
          texts[(index * 5 + 1) % texts.length],
          index % 3 === 0 ? null : texts[(index * 3 + 2) % texts.length],
          index % 4 === 0 ? null : [0, 4096, 8192][index % 3],
          index % 2 === 0,
          index % 5 === 0
            ? null
            : `2026-0${1 + (index % 6)}-${index % 2 ? '15T12:30:00.5Z' : '01T00:00:00Z'}`,
        ],
      )
    // The cost of a license is hidden, so the test compares a plain column of the same kind.
    await backend.sql('alter table public.software_licenses add column price numeric(14, 2)')
    for (const [index, name] of texts.entries())
      await backend.sql(
        `insert into public.software_licenses (company_id, name, publisher, seats, price, purchased_on, expires_on)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          companyId,
          name.trim() === '' ? 'blank' : name,
          index % 3 === 0 ? null : texts[(index * 3 + 2) % texts.length],
          [1, 20, 500][index % 3],
          index % 4 === 0 ? null : [0, 0.1, 99.9, 1234567.89][index % 4],
          index % 5 === 0 ? null : days[index % 2],
          index % 7 === 0 ? null : days[2 + (index % 2)],
        ],
      )
    await backend.sql(TAGGED_TABLE)
    await backend.sql('grant select on public.tagged to authenticated')
    for (const [index, name] of texts.entries())
      await backend.sql('insert into public.tagged (company_id, name, tags) values ($1, $2, $3)', [
        companyId,
        name,
        tagsOf(index),
      ])
    const { email } = await createAccount(backend, 'Admin', companyId)
    const client = await backend.client(email)
    read = (table, columns, filter) =>
      readRows(client, {
        table,
        companyId,
        where: toCrudFilters(filter),
        select: columns.join(','),
        order: [{ column: 'id', descending: false }],
        limit: 1000,
      })
  })
  afterAll(() => backend?.stop())

  /** As the database compiles it for "all that match". */
  const compiled = async (table: string, filter: Filter) => {
    const [made] = await backend.sql<{ condition: string }>(
      'select app.filter_condition($1, $2::jsonb) as condition',
      [table, filter],
    )
    const rows = await backend.sql<{ id: string }>(
      `select t.id from public.${table} t where ${made?.condition} order by t.id`,
    )
    return rows.map(({ id }) => id)
  }

  it.each([
    { table: 'devices', columns: DEVICES, leaf: ofDevices },
    { table: 'software_licenses', columns: LICENSES, leaf: ofLicenses },
    { table: 'tagged', columns: TAGGED, leaf: ofTagged },
  ])(
    'finds in the database the rows that it finds in memory: $table',
    {
      timeout: patience(60_000 + 60 * CASES),
    },
    async ({ table, columns, leaf }) => {
      const rows = await read(table, columns, {})
      expect(rows).toHaveLength(texts.length)
      let found = 0
      await fc.assert(
        fc.asyncProperty(nested(leaf), async (filter) => {
          const fromDatabase = (await read(table, columns, filter)).map(({ id }) => id)
          const fromMemory = rows.filter((row) => matches(filter, row, {}, kindOf)).map(({ id }) => id)
          found += fromMemory.length
          expect(fromDatabase).toEqual(fromMemory)
          if (table === 'tagged') expect(await compiled(table, filter)).toEqual(fromMemory)
        }),
        { numRuns: CASES },
      )
      // Filters that never find anything would agree for the wrong reason.
      expect(found).toBeGreaterThan(CASES)
    },
  )

  it('accepts as a generated check what the form accepts, whatever the case of a text', async () => {
    const parts = [...texts, 'A', 'I', 'ş', 'ZMİR', 'BACK', '$record.os']
    const values = texts.map((name, index) => ({ name, os: texts[(index * 5 + 1) % texts.length] ?? '' }))
    const checks = parts.map((part) => conditionSql('name', { _contains: part }) ?? 'false')
    const rows = await backend.sql<{ holds: boolean[] }>(
      `select array[${checks.join(', ')}] as holds
       from unnest($1::text[], $2::text[]) with ordinality as t (name, os, place) order by place`,
      [values.map(({ name }) => name), values.map(({ os }) => os)],
    )
    const inForm = values.map((row) => parts.map((part) => passes('name', { _contains: part }, row)))
    expect(rows.map(({ holds }) => holds)).toEqual(inForm)
  })
})
