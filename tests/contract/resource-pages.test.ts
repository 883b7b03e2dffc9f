import type { SupabaseClient } from '@supabase/supabase-js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cursorFrom, type RowCursor, type RowOrder } from '@/data/keyset'
import { type RowList, readPage, readRows } from '@/data/rows'
import { createAccount, createCompany } from '../support/accounts'
import { sharedBackend, type TestBackend } from '../support/backend'

/** Turkish keys, equal values, empty ones, booleans, numbers, moments to the microsecond, and texts that mean something to PostgREST. */
const COLUMNS = ['name_key', 'os', 'memory_mb', 'boot_time', 'reboot_required', 'serial'] as const
const SYSTEMS = ['Ubuntu', 'Windows 11', 'macOS (beta), eu', null]
const SERIALS = ['a,b', '(x)', 'ışık', 'İ.z:1', '*', '50%', null, 'null', '"q"', 'back\\slash']
const NAMES = ['Çam', 'cam', 'Şam', 'sam', 'İz', 'ız', 'PC-2', 'PC-10', 'a (b), c', 'über']

const orders: fc.Arbitrary<RowOrder[]> = fc
  .uniqueArray(fc.constantFrom(...COLUMNS), { minLength: 1, maxLength: 3 })
  .chain((columns) =>
    fc.tuple(...columns.map((column) => fc.boolean().map((descending) => ({ column, descending })))),
  )
  .map((order) => [...order, { column: 'id', descending: order.at(-1)?.descending ?? false }])

/** Cases beyond these are for a run by hand. */
const CASES = Number(process.env.PAGE_CASES ?? 12)

describe('pages by key', () => {
  let backend: TestBackend
  let admin: SupabaseClient
  let companyId: string
  const select = ['id', ...COLUMNS].join(',')

  beforeAll(async () => {
    backend = await sharedBackend()
    companyId = await createCompany(backend)
    admin = await backend.client((await createAccount(backend, 'Admin', companyId)).email)
    for (let index = 0; index < 60; index++)
      await backend.sql(
        `insert into public.devices (company_id, name, os, memory_mb, boot_time, reboot_required, serial)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          companyId,
          `${NAMES[index % NAMES.length]}${index % 3 === 0 ? '' : ` ${index}`}`,
          SYSTEMS[index % SYSTEMS.length],
          index % 5 === 0 ? null : 1024 * (index % 4),
          index % 4 === 0 ? null : `2026-01-0${1 + (index % 3)}T00:00:00.12345${index % 2}Z`,
          index % 2 === 0,
          SERIALS[(index * 7) % SERIALS.length],
        ],
      )
  })
  afterAll(() => backend?.stop())

  const page = (order: RowOrder[], pageSize: number, cursor: RowCursor | null, number: number) =>
    readPage(admin, { table: 'devices', companyId, select, order, page: number, pageSize, cursor })
  const whole = async (order: RowOrder[]) => {
    const set = { table: 'devices', companyId, select, order, limit: 1000 }
    return (await readRows(admin, set)).map(({ id }) => id)
  }

  async function walk(
    order: RowOrder[],
    pageSize: number,
    way: RowCursor['way'],
    start: RowList,
    at: number,
  ) {
    const pages = [start]
    let current = start
    let number = at
    while (way === 'after' ? current.hasNext : current.hasPrevious) {
      number += way === 'after' ? 1 : -1
      current = await page(order, pageSize, cursorFrom(current.rows, order, way), number)
      if (way === 'after') pages.push(current)
      else pages.unshift(current)
      if (pages.length > 100) throw new Error('the walk does not end')
    }
    return pages
  }

  it('give every row exactly once and in order, forwards and backwards', async () => {
    await fc.assert(
      fc.asyncProperty(orders, fc.constantFrom(7, 10, 20), async (order, pageSize) => {
        const expected = await whole(order)
        expect(expected).toHaveLength(60)
        const forwards = await walk(order, pageSize, 'after', await page(order, pageSize, null, 1), 1)
        expect(forwards.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(expected)
        // Backwards from the last full page: the first page is whole even if the others do not divide evenly.
        const last = forwards.at(-1)
        if (!last || forwards.length === 1) return
        const backwards = await walk(order, pageSize, 'before', last, forwards.length)
        const seen = backwards.flatMap(({ rows }) => rows.map(({ id }) => id))
        expect(seen).toEqual(expected)
      }),
      { numRuns: CASES },
    )
  })

  it('go on through what a search finds, and over all companies', async () => {
    const everyone = await backend.client((await createAccount(backend, 'Super Admin', null)).email)
    const order = [
      { column: 'os', descending: true },
      { column: 'id', descending: true },
    ]
    const set = { table: 'devices', companyId: null, select, order }
    const search = { function: 'search_devices', text: 'a' }
    const expected = (await readRows(everyone, { ...set, search, limit: 1000 })).map(({ id }) => id)
    const seen: unknown[] = []
    let cursor: RowCursor | null = null
    do {
      const { rows, hasNext }: RowList = await readPage(everyone, {
        ...set,
        search,
        page: 1,
        pageSize: 7,
        cursor,
      })
      seen.push(...rows.map(({ id }) => id))
      cursor = hasNext ? cursorFrom(rows, order, 'after') : null
    } while (cursor)
    expect(seen).toEqual(expected)
    expect(new Set(seen).size).toBeGreaterThan(14)
  })

  it('neither repeat nor lose a row when others come and go meanwhile', async () => {
    const order = [
      { column: 'name_key', descending: false },
      { column: 'id', descending: false },
    ]
    const before = await whole(order)
    const first = await page(order, 10, null, 1)
    const [gone] = first.rows
    await backend.sql('delete from public.devices where id = $1', [gone?.id])
    for (const name of ['0 first', '0 second', '0 third'])
      await backend.sql('insert into public.devices (company_id, name) values ($1, $2)', [companyId, name])
    const second = await page(order, 10, cursorFrom(first.rows, order, 'after'), 2)
    expect(second.rows.map(({ id }) => id)).toEqual(before.slice(10, 20))
    const back = await page(order, 10, cursorFrom(second.rows, order, 'before'), 1)
    const now = await whole(order)
    expect(back.rows.map(({ id }) => id)).toEqual(
      now.slice(now.indexOf(String(second.rows[0]?.id)) - 10).slice(0, 10),
    )
    expect(back.hasPrevious).toBe(true)
  })

  it('begin at the beginning when there is less than a page before', async () => {
    const order = [
      { column: 'name_key', descending: false },
      { column: 'id', descending: false },
    ]
    const now = await whole(order)
    const { rows } = await page(order, 5, null, 1)
    const early = await page(order, 10, cursorFrom(rows.slice(4), order, 'before'), 1)
    expect(early.rows.map(({ id }) => id)).toEqual(now.slice(0, 10))
    expect(early.hasPrevious).toBe(false)
  })
})
