import type { CrudFilter } from '@refinedev/core'
import type { SupabaseClient } from '@supabase/supabase-js'
import i18next from 'i18next'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConflictError, DeniedError, DuplicateError, GoneError, toDataError } from '@/data/errors'
import {
  changeLinks,
  countRows,
  deleteRows,
  insertRow,
  type Row,
  readPage,
  readRow,
  readRows,
  updateRow,
  updateRows,
} from '@/data/rows'
import { createDataProvider } from '@/refine/data-provider'
import { showOf, tableOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import { buildSelect } from '@/resource/request/query/select'
import { recordTitle } from '@/resource/request/query/title'
import { type TestBackend, testBackend } from '../support/backend'

const fails = async (work: Promise<unknown>) => toDataError(await work.catch((error: unknown) => error))

describe('requests for rows', () => {
  let backend: TestBackend
  let admin: SupabaseClient
  let companyId: string
  const devices = () => ({ table: 'devices', companyId })
  const byName = [
    { column: 'name_key', descending: false },
    { column: 'id', descending: false },
  ] as const

  beforeAll(async () => {
    backend = await testBackend({ demo: true })
    admin = await backend.client('admin@acme.test')
    const [company] = await backend.sql<{ id: string }>(`select id from public.companies where name = 'Acme'`)
    companyId = company?.id ?? ''
  })
  afterAll(() => backend?.stop())

  const addGroup = (name: string): Promise<Row> => insertRow(admin, 'groups', { company_id: companyId, name })

  it('give a page, say whether there is a next one, and count apart', async () => {
    const total = await countRows(admin, devices())
    const first = await readPage(admin, { ...devices(), select: 'id', order: byName, page: 1, pageSize: 10 })
    expect(first.rows).toHaveLength(10)
    expect(first.hasNext).toBe(true)
    const last = await readPage(admin, {
      ...devices(),
      select: 'id',
      order: byName,
      page: Math.ceil(total / 10),
      pageSize: 10,
    })
    expect(last.hasNext).toBe(false)
    expect(last.rows).toHaveLength(total - (Math.ceil(total / 10) - 1) * 10)
  })

  it('title every record with a page by its fields, never by its id', async () => {
    // Some titles hold a choice, which goes by its word.
    await i18next.init({ lng: 'en', showSupportNotice: false })
    const everyone = await backend.client('super@demo.test')
    const definitions = resourceEntries().flatMap(({ definition }) => definition ?? [])
    const titles: Record<string, string> = {}
    for (const definition of definitions.filter(showOf)) {
      const select = buildSelect(definition, Object.keys(definition.fields), findDefinition)
      const set = { table: tableOf(definition), companyId: null, select, order: [], limit: 1 }
      const [row] = await readRows(everyone, set)
      if (row && recordTitle(definition, row) === String(row.id).slice(0, 8))
        titles[definition.name] = String(row.id)
      if (row && definition.name === 'device_patches')
        expect(recordTitle(definition, row)).toMatch(/^\S.+ · \S/)
    }
    expect(titles).toEqual({})
  })

  it('find Turkish names however they are typed', async () => {
    const count = (text: string) =>
      countRows(admin, { ...devices(), search: { function: 'search_devices', text } })
    const expected = await count('ışık')
    expect(expected).toBeGreaterThan(0)
    for (const typed of ['IŞIK', 'isik', 'ISIK']) expect(await count(typed), typed).toBe(expected)
    expect(await count('İSTANBUL')).toBe(await count('istanbul'))
  })

  it('change a row only as it was read', async () => {
    const group = await addGroup('Kilit')
    const target = { table: 'groups', companyId, id: String(group.id) }
    const changed = await updateRow(admin, target, { description: 'bir' }, Number(group.version))
    expect(changed).toMatchObject({ description: 'bir', version: Number(group.version) + 1 })
    const lost = updateRow(admin, target, { description: 'iki' }, Number(group.version))
    expect(await fails(lost)).toBeInstanceOf(ConflictError)
    expect(await readRow(admin, { ...target, select: 'description' })).toEqual({ description: 'bir' })
  })

  it('never take a write without effect for a success', async () => {
    const nowhere = { table: 'groups', companyId, id: '00000000-0000-4000-8000-000000000000' }
    expect(await fails(updateRow(admin, nowhere, { name: 'x' }, 1))).toBeInstanceOf(GoneError)
    expect(await fails(readRow(admin, { ...nowhere, select: 'id' }))).toBeInstanceOf(GoneError)
    expect(await fails(readRow(admin, { ...nowhere, id: 'no-id', select: 'id' }))).toBeInstanceOf(GoneError)
    expect(await fails(deleteRows(admin, { ...nowhere, ids: [nowhere.id] }))).toBeInstanceOf(GoneError)
  })

  it('change and delete many rows at once', async () => {
    const ids = await Promise.all(
      ['A', 'B', 'C'].map(async (name) => String((await addGroup(`Toplu ${name}`)).id)),
    )
    const target = { table: 'groups', companyId, ids }
    expect(await updateRows(admin, target, { description: 'hepsi' })).toHaveLength(3)
    expect(await deleteRows(admin, target)).toHaveLength(3)
  })

  it('write links by what was added and taken away', async () => {
    const group = await addGroup('Bağlı')
    const page = await readPage(admin, { ...devices(), select: 'id', order: byName, page: 1, pageSize: 3 })
    const ids = page.rows.map(({ id }) => String(id))
    const link = {
      through: 'group_devices',
      near: 'group_id',
      far: 'device_id',
      companyId,
      id: String(group.id),
    }
    await changeLinks(admin, link, { add: ids, remove: [] })
    await changeLinks(admin, link, { add: [], remove: ids.slice(0, 1) })
    const left = await backend.sql('select device_id from public.group_devices where group_id = $1', [
      group.id,
    ])
    expect(left).toHaveLength(2)
  })

  it('fail by class: a name taken, a license that has ended', async () => {
    await addGroup('Tek')
    expect(await fails(addGroup('Tek'))).toBeInstanceOf(DuplicateError)
    const initech = await backend.client('admin@initech.test')
    const [company] = await backend.sql<{ id: string }>(
      `select id from public.companies where name = 'Initech'`,
    )
    const refused = await fails(insertRow(initech, 'groups', { company_id: company?.id, name: 'Yeni' }))
    expect(refused).toBeInstanceOf(DeniedError)
    expect(refused).toMatchObject({ reason: 'read-only' })
  })

  it('obey several conditions on one column and several groups', async () => {
    const rows = await readPage(admin, {
      ...devices(),
      where: [
        { field: 'memory_mb', operator: 'gte', value: 8192 },
        { field: 'memory_mb', operator: 'lt', value: 16384 },
        {
          operator: 'or',
          value: ['Ubuntu', 'macOS'].map((value) => ({ field: 'os', operator: 'eq', value })),
        },
        {
          operator: 'or',
          value: ['online', 'offline'].map((value) => ({ field: 'status', operator: 'eq', value })),
        },
      ],
      select: 'os,memory_mb',
      order: byName,
      page: 1,
      pageSize: 100,
    })
    expect(rows.rows.length).toBeGreaterThan(0)
    for (const row of rows.rows) {
      expect(['Ubuntu', 'macOS']).toContain(row.os)
      expect(row.memory_mb).toBe(8192)
    }
  })

  it('show and filter by a column of the record that a relation points at', async () => {
    const where: CrudFilter[] = [
      { field: 'device_id_match.os', operator: 'in', value: ['Ubuntu', 'Windows 11'] },
      { field: 'status', operator: 'eq', value: 'open' },
    ]
    const set = { table: 'alerts', companyId, where }
    const match = 'device_id_match:devices!inner()'
    const { rows } = await readPage(admin, {
      ...set,
      select: `id,status,device_id_row:devices(id,name,os),${match}`,
      order: [{ column: 'id', descending: false }],
      page: 1,
      pageSize: 100,
    })
    const [expected] = await backend.sql<{ n: number }>(
      `select count(*)::int as n from public.alerts a join public.devices d on d.id = a.device_id
        where a.company_id = $1 and a.status = 'open' and d.os in ('Ubuntu', 'Windows 11')`,
      [companyId],
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(rows).toHaveLength(Math.min(100, expected?.n ?? 0))
    for (const row of rows) expect(['Ubuntu', 'Windows 11']).toContain((row.device_id_row as Row).os)
    expect(await countRows(admin, set, `id,${match}`)).toBe(expected?.n)
  })

  it('tell the number of rows with the page, past the end too, through a function and without pages', async () => {
    const provider = createDataProvider(admin, backend.url)
    const meta = { companyId, select: 'id' }
    const page = (currentPage: number) =>
      provider.getList({
        resource: 'devices',
        pagination: { currentPage, pageSize: 5 },
        sorters: [{ field: 'id', order: 'asc' }],
        meta,
      })
    const first = await page(1)
    expect(first.data).toHaveLength(5)
    expect(first.total).toBe(await countRows(admin, devices()))
    expect(await page(10_000)).toMatchObject({ data: [], total: first.total })
    const [group] = await backend.sql<{ id: string }>(
      'select id from public.groups where company_id = $1 limit 1',
      [companyId],
    )
    const candidates = await provider.getList({
      resource: 'group_devices',
      pagination: { currentPage: 1, pageSize: 2 },
      meta: { ...meta, readBy: { name: 'search_group_candidates', args: { group_id: group?.id } } },
    })
    expect(candidates.data).toHaveLength(2)
    expect(candidates.total).toBeGreaterThan(2)
    const whole = await provider.getList({
      resource: 'devices',
      pagination: { mode: 'off' },
      meta: { ...meta, limit: 3 },
    })
    expect(whole).toMatchObject({ total: first.total, hasNext: true })
    expect(whole.data).toHaveLength(3)
  })

  it('serve Refine’s interface, groups inside groups too', async () => {
    const provider = createDataProvider(admin, backend.url)
    const { data, total } = await provider.getList({
      resource: 'devices',
      pagination: { currentPage: 1, pageSize: 5 },
      sorters: [{ field: 'name_key', order: 'asc' }],
      filters: [
        {
          operator: 'or',
          value: [
            { field: 'os', operator: 'eq', value: 'Ubuntu' },
            {
              operator: 'and',
              value: [
                { field: 'os', operator: 'eq', value: 'macOS' },
                { field: 'status', operator: 'in', value: ['online'] },
              ],
            },
          ],
        },
      ],
      meta: { companyId, select: 'id,os,status', count: 'exact' },
    })
    expect(data).toHaveLength(5)
    expect(total).toBeGreaterThan(5)
    for (const row of data) expect(row.os === 'Ubuntu' || row.status === 'online').toBe(true)
    const { data: board } =
      (await provider.custom?.({ url: 'rpc/dashboard', method: 'post', payload: {} })) ?? {}
    expect(board).toHaveProperty('online')
  })
})
