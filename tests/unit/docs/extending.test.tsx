// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CrudFilter, DataProvider, GetListParams, LiveProvider } from '@refinedev/core'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { Ajv } from 'ajv'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { LiveChange } from '@/data/live'
import { writeFilters } from '@/data/postgrest'
import { EngineProvider } from '@/resource/engine-context'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { parseEntry } from '@/resource/language/entry'
import { replaceDefinitions, resourceEntries } from '@/resource/language/registry'
import { NewRecord } from '@/resource/screens/form/resource-form'
import { RecordList } from '@/resource/screens/list/record-list'
import { ResourceShow } from '@/resource/screens/resource-show'
import { exportColumns } from '@/resource/tools/export/export-columns'
import { readValue } from '@/resource/tools/import/check-rows'
import { importFields } from '@/resource/tools/import/import-fields'
import { loggedDataProvider } from '../../../docs/examples/logged-data-provider'
import { OfflineDevicesPage } from '../../../docs/examples/offline-devices-page'
import { OpenAlertsPage } from '../../../docs/examples/open-alerts-page'
import { inspectDatabase } from '../../../scripts/resource/check-database'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { buildDefinition } from '../../../scripts/resource/new'
import { composeSchema, readKinds } from '../../../scripts/resource/schema'
import { column, tableOf } from '../../support/catalog'
import { eventually } from '../../support/eventually'
import { render } from '../../support/render'

const ROOT = resolve(import.meta.dirname, '../../..')
const EXAMPLES = join(ROOT, 'docs/examples')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const page = read('docs/extending.md')

/** The keys that the page adds to the definition of a resource. */
function shownKeys(resource: string): object {
  const [, text = ''] =
    new RegExp(`^\`\`\`json resources/${resource}\\.json\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? []
  return JSON.parse(`{${text}}`) as object
}

const shipped = resourceEntries()

beforeAll(() =>
  replaceDefinitions(
    shipped.map((entry) =>
      entry.name === 'groups'
        ? parseEntry(entry.file, JSON.stringify({ ...entry.definition, ...shownKeys('groups') }))
        : entry,
    ),
  ),
)
afterAll(() => replaceDefinitions(shipped))
afterEach(cleanup)

const DEVICES = [{ id: '7', name: 'ankara-01', notes: 'Old battery' }]

it.each(readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) => /\.\w+$/.test(file)))(
  'docs/extending.md shows examples/%s as it is',
  (file) => {
    expect(page).toContain(read(`docs/examples/${file}`).trimEnd())
  },
)

describe('a page', () => {
  it('is made with useTable, useForm and CanAccess', async () => {
    const getList = vi.fn(async () => ({ data: DEVICES, total: 1 }))
    const update = vi.fn(async () => ({ data: DEVICES[0] }))
    const { user } = await render(<OfflineDevicesPage />, { data: { getList, update } })
    expect(await screen.findByText('Old battery')).toBeTruthy()
    expect(getList).toHaveBeenCalledWith(
      expect.objectContaining({
        resource: 'devices',
        filters: [{ field: 'status', operator: 'eq', value: 'offline' }],
      }),
    )
    await user.type(await screen.findByRole('textbox'), '!')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await eventually(() =>
      expect(update).toHaveBeenCalledWith(
        expect.objectContaining({ resource: 'devices', id: '7', variables: { notes: 'Old battery!' } }),
      ),
    )
  })

  it('shows the form only to those who may edit', async () => {
    const data = { getList: async () => ({ data: DEVICES, total: 1 }) }
    const can = () => ({ allowed: false, reason: 'role' }) as const
    await render(<OfflineDevicesPage />, { data, can })
    expect(await screen.findByText('Your role does not edit devices.')).toBeTruthy()
    expect(screen.queryByRole('textbox')).toBeNull()
  })
})

describe('the table of filter operators', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| `(.+?)` \| .+ \| `(\S+)` \|$/gm)].map(
    ([, operator = '', value = '', sent = '']) => ({ operator, value: JSON.parse(value) as unknown, sent }),
  )
  const filterOf = (operator: string, value: unknown) => [{ field: 'f', operator, value } as CrudFilter]

  it.each(rows)('says how `$operator` is sent', ({ operator, value, sent }) => {
    const { parameters, groups } = writeFilters(filterOf(operator, value))
    expect(groups).toEqual([])
    expect(parameters.map(({ column, operator: name, value: text }) => `${column}=${name}.${text}`)).toEqual([
      `f=${sent}`,
    ])
  })

  it('lists every operator that the data provider knows', () => {
    const source = read('src/data/postgrest.ts')
    const direct = /const DIRECT[^{]*\{(.+)\}/.exec(source)?.[1] ?? ''
    const known = [
      ...[...direct.matchAll(/(\w+): /g)].map(([, name]) => name),
      ...[...source.matchAll(/case '(\w+)':/g)].map(([, name]) => name),
    ]
    expect(rows.map(({ operator }) => operator)).toEqual(known)
  })

  it('quotes the error of an operator that the provider does not know', () => {
    expect(() => writeFilters([{ field: 'name', operator: 'startswith', value: 'a' }])).toThrow(
      'The data provider has no operator "startswith" (on "name")',
    )
    expect(page).toContain('The data provider has no operator "startswith" (on "name")')
  })
})

it('the table of `meta` names every key of ConsoleMeta but `signal`, which Refine passes', () => {
  const [, body = ''] =
    /export interface ConsoleMeta \{([\s\S]*?)\n\}/.exec(read('src/refine/data-provider.ts')) ?? []
  const keys = [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, key]) => key)
  const [, table = ''] = /### `meta`([\s\S]*?)\*\*`select`/.exec(page) ?? []
  const named = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, key]) => key),
  )
  expect(keys.length).toBeGreaterThan(10)
  expect([...named].sort()).toEqual(keys.filter((key) => key !== 'signal').sort())
})

describe('a page that follows live changes', () => {
  it('reads again when a change is announced, and after joining only what was read before', async () => {
    let tell: (change: Partial<LiveChange>) => void = () => undefined
    const subscribe = vi.fn<LiveProvider['subscribe']>(({ channel, callback }) => {
      tell = (change) => callback({ channel, type: '*', payload: { change }, date: new Date() })
      return () => undefined
    })
    const liveProvider = { subscribe, unsubscribe: () => undefined }
    const alert = (message: string) => ({ id: '1', message, device: { name: 'ankara-01' } })
    const getList = vi.fn(async () => ({ data: [alert('Disk full')], total: 1 }))
    await render(<OpenAlertsPage />, { companyId: 'acme', data: { getList }, liveProvider })
    expect(await screen.findByText('ankara-01: Disk full')).toBeTruthy()
    expect(subscribe).toHaveBeenCalledWith(
      expect.objectContaining({
        channel: 'resources/alerts',
        meta: expect.objectContaining({ companyId: 'acme' }),
      }),
    )

    act(() => tell({ readUntil: 1 }))
    expect(getList).toHaveBeenCalledTimes(1)
    getList.mockResolvedValue({ data: [alert('Disk nearly full')], total: 1 })
    act(() => tell({ table: 'alerts', op: 'update', ids: ['1'] }))
    expect(await screen.findByText('ankara-01: Disk nearly full')).toBeTruthy()
    act(() => tell({ readUntil: Date.now() + 1000 }))
    await vi.waitFor(() => expect(getList).toHaveBeenCalledTimes(3))
  })
})

it('a provider is overridden', async () => {
  const log = vi.fn()
  const own = { getList: async () => ({ data: DEVICES, total: 1 }) } as unknown as DataProvider
  const { data } = await loggedDataProvider(own, log).getList({ resource: 'devices' })
  expect(data).toEqual(DEVICES)
  expect(log).toHaveBeenCalledExactlyOnceWith('list devices')
})

describe('a field kind', () => {
  const definition = {
    name: 'vendors',
    title: '{name}',
    fields: { name: { type: 'text', required: true }, ...shownKeys('vendors') },
    list: { columns: ['name', 'rating'] },
  } as unknown as Definition

  it('is part of the definition language, with its options', async () => {
    const kinds = [...(await readKinds(ROOT)), ...(await readKinds(ROOT, 'docs/examples/fields'))]
    const ajv = new Ajv({ discriminator: true, allowUnionTypes: true, strict: false })
    const isValid = ajv.compile(composeSchema(ROOT, kinds))
    expect([isValid(definition), isValid.errors]).toEqual([true, null])
    const wrong = { ...definition, fields: { rating: { type: 'rating', max: 99 } } }
    expect(isValid(wrong)).toBe(false)
  })

  it('is shown and filtered by in a list', async () => {
    const getList = vi.fn(async (_question: GetListParams) => ({
      data: [{ id: '1', name: 'Acme', rating: 4 }],
      total: 1,
    }))
    const custom = async () => ({ data: { preferences: [], views: [] } })
    const { user } = await render(<RecordList definition={definition} />, {
      companyId: 'acme',
      data: { getList, custom },
    })
    expect(await screen.findByRole('img', { name: '4/5' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Filters' }))
    await user.type(await screen.findByLabelText('Rating'), '3{Enter}')
    await eventually(() => {
      const [question] = getList.mock.lastCall ?? []
      expect(JSON.stringify(question?.filters)).toContain('{"field":"rating","operator":"gte","value":3}')
    })
  })

  it('is edited in a form', async () => {
    const create = vi.fn(async () => ({ data: { id: '1' } }))
    const { user } = await render(<NewRecord definition={definition} />, {
      companyId: 'acme',
      data: { create },
    })
    await user.type(await screen.findByLabelText(/Name/), 'Acme')
    fireEvent.mouseDown(await screen.findByLabelText(/Rating/))
    await user.click(await screen.findByTitle('★★★★'))
    await user.click(screen.getByRole('button', { name: /Create/ }))
    await eventually(() =>
      expect(create).toHaveBeenCalledWith(
        expect.objectContaining({ variables: expect.objectContaining({ name: 'Acme', rating: 4 }) }),
      ),
    )
  })
})

describe('a field kind, to scripts and files,', () => {
  const definition = buildDefinition({ name: 'vendors', fields: ['name:text!', 'stars:rating(4)!=3'] }, [])
  const find = () => null

  it('is an argument of `resource new`', () => {
    expect(definition.fields.stars).toEqual({
      type: 'rating',
      max: 4,
      default: 3,
      required: true,
      sort: true,
    })
    expect(() => buildDefinition({ name: 'vendors', fields: ['stars:rating=many'] }, [])).toThrow(/no number/)
    expect(() => buildDefinition({ name: 'vendors', fields: ['stars:raiting'] }, [])).toThrow(/`rating`/)
  })

  it('is a column of `resource migrate`', () => {
    const sql = renderCreate(planTable(definition, find), 'Vendors.')
    expect(sql).toContain('stars integer not null default 3 check (stars between 1 and 4)')
    expect(sql).toContain('create index vendors_company_stars_idx on public.vendors (company_id, stars, id);')
  })

  it('is compared with its column by `resource check`', () => {
    const table = (type: string) => ({
      ...tableOf('vendors', [column('stars', type, { expression: '3' })]),
      checks: [{ name: 'c', columns: ['stars'], definition: 'CHECK (((stars >= 1) AND (stars <= 4)))' }],
    })
    const { stars } = definition.fields as { stars: Field }
    const problems = (type: string) =>
      inspectDatabase(
        { name: 'vendors', fields: { stars: { ...stars, sort: false, required: false } } },
        {
          catalog: { tables: [table(type)], functions: [], signatures: [], triggerSources: {} },
          find,
          isGenerated: () => false,
        },
      ).map(({ message }) => message)
    expect(problems('int4')).toEqual([])
    expect(problems('text')).toEqual(['`stars` is `rating`, but its column is `text`'])
  })

  it('is exported as a number, and imported from one', () => {
    const [column] = exportColumns(definition, ['stars'], { column: () => 'Stars' } as never, find)
    expect(column?.read({ stars: 4 })).toEqual({ kind: 'number', number: 4 })
    const reader = { forms: { number: 'comma', date: 'day' }, choice: () => undefined } as const
    expect(readValue('4,0', definition.fields.stars as Field, reader)).toEqual({ value: 4 })
    expect(importFields(definition, new Set(), find)).toContain('stars')
  })
})

describe('a screen', () => {
  const components = { 'groups/group-screen': () => import('../../../docs/examples/screens/group-screen') }
  const resources = [{ name: 'groups', list: '/groups', show: '/groups/:id', edit: '/groups/:id/edit' }]
  const data = {
    getOne: vi.fn(async () => ({ data: { id: '7', name: 'Servers', description: 'In Ankara' } })),
    getList: vi.fn(async () => ({
      data: [{ device_id: '1', device: { name: 'ankara-01', status: 'online' } }],
      total: 1,
    })),
  }
  const open = (can = true) =>
    render(
      <EngineProvider components={components}>
        <ResourceShow resource="groups" id="7" />
      </EngineProvider>,
      {
        path: '/groups/7',
        companyId: 'acme',
        resources,
        data,
        can: () => (can ? { allowed: true } : { allowed: false, reason: 'role' }),
      },
    )

  it('takes the place of the generated one', async () => {
    await open()
    expect(await screen.findByRole('heading', { name: 'Servers' })).toBeTruthy()
    expect(await screen.findByText('ankara-01')).toBeTruthy()
    expect(data.getOne).toHaveBeenCalledWith(expect.objectContaining({ resource: 'groups', id: '7' }))
    expect(data.getList).toHaveBeenCalledWith(
      expect.objectContaining({
        resource: 'group_devices',
        filters: [{ field: 'group_id', operator: 'eq', value: '7' }],
      }),
    )
    expect(screen.getByRole('link', { name: 'Edit group' }).getAttribute('href')).toBe('/groups/7/edit')
  })

  it('offers only what its user may do', async () => {
    await open(false)
    expect(await screen.findByText('ankara-01')).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'Edit group' })).toBeNull()
  })
})
