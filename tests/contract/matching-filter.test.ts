import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchingFilter } from '@/resource/bulk/matching-filter'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { compareKinds } from '@/resource/fields/compare-kinds'
import { matches } from '@/resource/filter/predicate'
import { type TestBackend, testBackend } from '../support/backend'

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
const licences: Definition = {
  name: 'software_licenses',
  fields: {
    name: { type: 'text' },
    publisher: { type: 'text' },
    seats: { type: 'number' },
    cost: { type: 'money', currency: 'TRY' },
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
const ofLicences = fc.oneof(
  of(fc.oneof(conditions(text), contains), 'name', 'publisher'),
  of(conditions(fc.constantFrom(1, 20, 500)), 'seats'),
  of(conditions(fc.constantFrom(0, 0.1, 99.9, '99.90', 1234567.89, -1)), 'cost'),
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
const CASES = Number(process.env.FILTER_CASES ?? 250)

describe('a filter compiled in the database', () => {
  let backend: TestBackend
  let companyId: string
  let find: (definition: Definition, filter: Filter) => Promise<string[]>
  let read: (definition: Definition) => Promise<Record<string, unknown>[]>

  beforeAll(async () => {
    backend = await testBackend({ demo: true })
    const [company] = await backend.sql<{ id: string }>(`select id from public.companies where name = 'Acme'`)
    companyId = company?.id ?? ''
    await backend.sql('delete from public.devices where company_id = $1', [companyId])
    await backend.sql('delete from public.software_licenses where company_id = $1', [companyId])
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
        `insert into public.software_licenses (company_id, name, publisher, seats, cost, purchased_on, expires_on)
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
    const client = await backend.client('admin@acme.test')
    find = async (definition, filter) => {
      const { data, error } = await client.rpc('matching_ids', {
        resource: definition.name,
        filter: matchingFilter(definition, filter, companyId, {}),
      })
      if (error) throw new Error(`${error.code} ${error.message}`)
      return data as string[]
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
    { definition: licences, leaf: ofLicences },
  ])(
    'finds the rows that it finds in memory: $definition.name',
    { timeout: 60_000 + 60 * CASES },
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
        { numRuns: CASES },
      )
      // Filters that never find anything would agree for the wrong reason.
      expect(found).toBeGreaterThan(CASES)
    },
  )
})
