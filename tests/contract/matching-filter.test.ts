import type { SupabaseClient } from '@supabase/supabase-js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Row, readRows } from '@/data/rows'
import type { Definition, Field, Filter } from '@/resource/language/definition.generated'
import { listOf, tableOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import { filterField, filterNames, filterStyle } from '@/resource/request/filter/from-url'
import { matchingFilter } from '@/resource/request/filter/matching-filter'
import { compareKinds, matches } from '@/resource/request/filter/predicate'
import { listFilter, listRequest } from '@/resource/request/query/list-request'
import { parseListState } from '@/resource/request/query/list-state'
import { createAccount, createCompany } from '../support/accounts'
import { type Driver, drivers, sharedBackend, type TestBackend, testBackend } from '../support/backend'
import { sentRequest } from '../support/list-request'
import { patience } from '../support/patience'

const devices: Definition = {
  name: 'devices',
  fields: {
    name: { type: 'text' },
    os: { type: 'text' },
    serial: { type: 'text' },
    memory_mb: { type: 'number' },
    reboot_required: { type: 'boolean' },
    boot_time: { type: 'datetime' },
  },
}
const licenses: Definition = {
  name: 'software_licenses',
  fields: {
    name: { type: 'text' },
    publisher: { type: 'text' },
    seats: { type: 'number' },
    price: { type: 'money', currency: 'TRY' },
    purchased_on: { type: 'date' },
    expires_on: { type: 'date' },
  },
}

// Texts that mean something to SQL, to format(), to LIKE or to Turkish.
const texts = [
  'ışık',
  'İzmir',
  'IŞIK',
  "O'Hara",
  '%L %I',
  '"q"',
  'back\\slash',
  '50%',
  'a_b',
  '$1',
  'null',
  'ﬁ😀',
  "' or true --",
]
const text = fc.constantFrom(...texts, 'zz', ' ', '')
const number = fc.constantFrom(0, 4096, 8192, -1)
const instant = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T03:00:00+03:00', '2026-06-15T12:30:00.5Z')
const days = ['2024-02-29', '2025-12-31', '2026-01-01', '2026-06-15']

function conditions(value: fc.Arbitrary<string | number>) {
  const listed = fc.array(fc.oneof(value, fc.constant(null)), { maxLength: 3 })
  return fc.oneof(
    ...(['_eq', '_neq', '_lt', '_lte', '_gt', '_gte'] as const).map((operator) =>
      fc.oneof(value, fc.constant(null)).map((given) => ({ [operator]: given })),
    ),
    listed.map((list) => ({ _in: list })),
    listed.map((list) => ({ _nin: list })),
    fc.boolean().map((empty) => ({ _null: empty })),
    // Several operators on one field must all hold.
    fc.tuple(value, value).map(([from, to]) => ({ _gte: from, _lt: to })),
  )
}
const of = (condition: fc.Arbitrary<object>, ...fields: string[]): fc.Arbitrary<Filter> =>
  fc.constantFrom(...fields).chain((field) => condition.map((value) => ({ [field]: value }) as Filter))
const contains = fc.constantFrom(...texts, 'A', 'I', 'ş').map((part) => ({ _contains: part }))

const ofDevices = fc.oneof(
  of(fc.oneof(conditions(text), contains), 'name', 'os', 'serial'),
  of(conditions(number), 'memory_mb'),
  of(conditions(instant), 'boot_time'),
  of(
    fc.boolean().map((on) => ({ _eq: on })),
    'reboot_required',
  ),
  of(fc.constant({ _eq: '$user' }), 'name'),
)
const ofLicenses = fc.oneof(
  of(fc.oneof(conditions(text), contains), 'name', 'publisher'),
  of(conditions(fc.constantFrom(1, 20, 500)), 'seats'),
  of(conditions(fc.constantFrom(0, 0.1, 99.9, '99.90', 1234567.89, -1)), 'price'),
  of(conditions(fc.constantFrom(...days)), 'purchased_on', 'expires_on'),
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

/** For each table; more than these are for a run by hand: FILTER_CASES=10000. */
const CASES = Number(process.env.FILTER_CASES ?? 40)

/** Both databases run the same SQL: where there is a PostgreSQL, which is quicker, PGlite takes a fifth. */
const casesOn = (driver: Driver, databases: readonly Driver[]) =>
  driver === 'pglite' && databases.includes('postgres') && process.env.THOROUGH !== '1'
    ? Math.ceil(CASES / 5)
    : CASES

// As people build them, in the forms that an address takes.
const urlDevices: Definition = {
  ...devices,
  fields: Object.fromEntries(
    Object.entries(devices.fields).map(([name, field]) => [name, { ...field, filter: true }]),
  ),
}
const urlLicenses: Definition = {
  ...licenses,
  fields: Object.fromEntries(
    Object.entries(licenses.fields).map(([name, field]) => [name, { ...field, filter: true }]),
  ),
}
const one = (operators: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.tuple(fc.constantFrom(...operators), value).map(([operator, given]) => ({ [operator]: given }))
const isEmpty = fc.boolean().map((empty) => ({ _null: empty }))
const ORDER = ['_eq', '_neq', '_lt', '_lte', '_gt', '_gte']
const urlText = fc.oneof(
  one(['_contains', '_eq', '_neq'], fc.constantFrom(...texts, 'zz', 'A', 'ş')),
  isEmpty,
)
const urlDay = fc.oneof(
  one(ORDER, fc.constantFrom(...days, '2026-01-15')),
  one(['_lt', '_lte', '_gt', '_gte'], fc.constantFrom('$now', '$now-300d', '$now+30d')),
  fc.constantFrom({ _gte: '$now-400d', _lte: '$now' }, { _gte: '$now', _lte: '$now+400d' }),
  isEmpty,
)
const urlOfDevices = fc.oneof(
  of(urlText, 'name', 'os', 'serial'),
  of(fc.oneof(one(ORDER, number), isEmpty), 'memory_mb'),
  of(urlDay, 'boot_time'),
  of(one(['_eq'], fc.boolean()), 'reboot_required'),
)
const urlOfLicenses = fc.oneof(
  of(urlText, 'name', 'publisher'),
  of(one(ORDER, fc.constantFrom(1, 20, 500)), 'seats'),
  of(fc.oneof(one(ORDER, fc.constantFrom(0, 0.1, 99.9, 1234567.89)), isEmpty), 'price'),
  of(urlDay, 'purchased_on', 'expires_on'),
)
const urlNested = (leaf: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.letrec<{ node: Filter }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc
        .tuple(fc.constantFrom('_and', '_or'), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
        .map(([join, inner]) => ({ [join]: inner })),
    ),
  })).node

/** Something to filter a field by, in the address's own way; what finds a part of the demo data where that is easy. */
function sampleOf(field: Field | null): string {
  if (!field) return ''
  if (field.type === 'enum') return Object.keys(field.values)[0] ?? ''
  if (field.type === 'color') return '#4d6a99'
  switch (filterStyle(field)) {
    case 'choice':
      return 'Ubuntu'
    case 'words':
      return 'mon,tue'
    case 'yesNo':
      return 'true'
    case 'record':
      return '00000000-0000-4000-8000-000000000000'
    case 'range':
      return '1..50'
    case 'days':
      return '2026-01-01..2026-11-20'
    default:
      return 'a'
  }
}

const nobody = () => null
const stateOf = (definition: Definition, where: Filter) =>
  parseListState(new URLSearchParams({ where: JSON.stringify(where) }), definition, nobody)

const databases = drivers('collations', 'types')
describe.each(databases)('a filter compiled in the database, on %s', (driver) => {
  const cases = casesOn(driver, databases)
  let backend: TestBackend
  let companyId: string
  let find: (definition: Definition, filter: Filter) => Promise<string[]>
  let read: (definition: Definition) => Promise<Record<string, unknown>[]>
  let list: (definition: Definition, where: Filter) => Promise<Row[]>
  const now = new Date()
  const inPlay = { now }

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    companyId = await createCompany(backend)
    // The cost of a license is hidden, so the test compares a plain column of the same kind.
    await backend.sql('alter table public.software_licenses add column price numeric(14, 2)')
    for (const [index, name] of texts.entries()) {
      await backend.sql(
        `insert into public.devices (company_id, name, os, serial, memory_mb, reboot_required, boot_time)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          companyId,
          name,
          texts[(index * 5 + 1) % texts.length],
          index % 3 === 0 ? null : texts[(index * 3 + 2) % texts.length],
          index % 4 === 0 ? null : [0, 4096, 8192][index % 3],
          index % 2 === 0,
          index % 5 === 0
            ? null
            : `2026-0${1 + (index % 6)}-${index % 2 ? '15T12:30:00.5Z' : '01T00:00:00Z'}`,
        ],
      )
      await backend.sql(
        `insert into public.software_licenses (company_id, name, publisher, seats, price, purchased_on, expires_on)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          companyId,
          name,
          index % 3 === 0 ? null : texts[(index * 3 + 2) % texts.length],
          [1, 20, 500][index % 3],
          index % 4 === 0 ? null : [0, 0.1, 99.9, 1234567.89][index % 4],
          index % 5 === 0 ? null : days[index % 2],
          index % 7 === 0 ? null : days[2 + (index % 2)],
        ],
      )
    }
    const { email } = await createAccount(backend, 'Admin', companyId)
    const client = await backend.client(email)
    find = async (definition, filter) => {
      const { data, error } = await client.rpc('matching_ids', {
        resource: definition.name,
        filter: matchingFilter(definition, filter, companyId, inPlay),
      })
      if (error) throw new Error(`${error.code} ${error.message}`)
      return data as string[]
    }
    list = (definition, where) => {
      const state = stateOf(definition, where)
      const request = sentRequest(
        listRequest(definition, [], state, { companyId, scope: inPlay, find: nobody }),
      )
      return readRows(client, { ...request.count, order: [{ column: 'id', descending: false }], limit: 1000 })
    }
    read = async (definition) => {
      const columns = ['id', ...Object.keys(definition.fields)].join(',')
      const { data, error } = await client.from(definition.name).select(columns).order('id')
      if (error) throw new Error(error.message)
      return data as unknown as Record<string, unknown>[]
    }
  })
  afterAll(() => backend?.stop())

  it.each([
    { definition: devices, leaf: ofDevices },
    { definition: licenses, leaf: ofLicenses },
  ])(
    'finds the rows that it finds in memory: $definition.name',
    { timeout: patience(60_000 + 60 * CASES) },
    async ({ definition, leaf }) => {
      const rows = await read(definition)
      expect(rows).toHaveLength(texts.length)
      let found = 0
      await fc.assert(
        fc.asyncProperty(nested(leaf), async (filter) => {
          const fromMemory = rows
            .filter((row) => matches(filter, row, {}, compareKinds(definition)))
            .map(({ id }) => id)
          found += fromMemory.length
          expect(await find(definition, filter)).toEqual(fromMemory)
        }),
        { numRuns: cases },
      )
      // Filters that never find anything would agree for the wrong reason.
      if (cases === CASES) expect(found).toBeGreaterThan(cases)
    },
  )

  it.each([
    { definition: urlDevices, leaf: urlOfDevices },
    { definition: urlLicenses, leaf: urlOfLicenses },
  ])(
    'as the address has it, is the same in a list, in all that match and in memory: $definition.name',
    { timeout: patience(60_000 + 60 * CASES) },
    async ({ definition, leaf }) => {
      const rows = await read(definition)
      let found = 0
      await fc.assert(
        fc.asyncProperty(urlNested(leaf), async (where) => {
          const state = stateOf(definition, where)
          expect(state.where).toEqual(where)
          const filter = listFilter(definition, state, { find: nobody })
          const fromMemory = rows
            .filter((row) => matches(filter, row, inPlay, compareKinds(definition)))
            .map(({ id }) => id)
          found += fromMemory.length
          expect((await list(definition, where)).map(({ id }) => id)).toEqual(fromMemory)
          expect(await find(definition, filter)).toEqual(fromMemory)
        }),
        { numRuns: Math.ceil(cases / 2) },
      )
      if (cases === CASES) expect(found).toBeGreaterThan(cases / 2)
    },
  )

  it('answers the longest filter that an address takes', async () => {
    const signs = Array.from({ length: 50 }, (_, index) => ({ name: { _contains: `(,"*)${index}` } }))
    const devicesOf = Array.from({ length: 50 }, (_, index) => ({ memory_mb: { _neq: index } }))
    for (const where of [{ _or: signs }, { _and: devicesOf }]) {
      expect(stateOf(urlDevices, where).where).toEqual(where)
      expect(await list(urlDevices, where)).toEqual(expect.any(Array))
    }
  })
})

// A column of another kind needs SQL alone, the same on both databases.
describe.each(drivers())('every filter of every list, on %s', (driver) => {
  let backend: TestBackend
  let client: SupabaseClient
  const scope = { now: new Date() }
  beforeAll(async () => {
    backend = await testBackend({ driver })
    client = await backend.client('super@demo.test')
  })
  afterAll(() => backend?.stop())

  it.each(
    resourceEntries().flatMap(({ name, definition }) =>
      definition && listOf(definition) ? [{ name, definition }] : [],
    ),
  )('reaches every filter of $name, in a list as in all that match', async ({ definition }) => {
    const names = filterNames(definition, findDefinition)
    expect(names.length).toBeGreaterThan(0)
    // All of them at once: each has to be SQL for its column. What one finds is compared above, by kind.
    const questions = process.env.THOROUGH === '1' ? names.map((name) => [name]) : [names]
    for (const asked of questions) {
      const params = new URLSearchParams(
        asked.map((name) => [name, sampleOf(filterField(definition, name, findDefinition))]),
      )
      const state = parseListState(params, definition, findDefinition)
      expect(Object.keys(state.filters).sort()).toEqual([...asked].sort())
      const context = { companyId: null, scope, find: findDefinition }
      const { count } = sentRequest(listRequest(definition, [], state, context))
      const rows = await readRows(client, {
        ...count,
        order: [{ column: 'id', descending: false }],
        limit: 1000,
      })
      const filter = listFilter(definition, state, context)
      const { data, error } = await client.rpc('matching_ids', {
        resource: tableOf(definition),
        filter: matchingFilter(definition, filter, null, scope),
      })
      expect(error, asked.join()).toBeNull()
      expect(
        rows.map(({ id }) => id),
        asked.join(),
      ).toEqual(data)
    }
  })
})
