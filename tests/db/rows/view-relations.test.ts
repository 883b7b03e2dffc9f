import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDataProvider } from '@/refine/data-provider'
import type { Definition } from '@/resource/language/definition.generated'
import { inspectSource } from '@/resource/language/inspect/problems'
import { buildSelect } from '@/resource/request/query/select'
import { inspectDatabase } from '../../../scripts/resource/check-database'
import { definitionText } from '../../../scripts/resource/definition-text'
import { describeTable } from '../../../scripts/resource/from-table'
import { readCatalog } from '../../../supabase/embedded/catalog'
import { createAccount, createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'

const TABLES = `
create table public.items (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null, serial text,
  unique (company_id, id)
);
create table public.loans (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  item_id uuid not null, lent_to uuid references public.profiles (id), lent_by uuid references public.profiles (id),
  due_on date not null, returned_on date,
  unique (company_id, id),
  foreign key (company_id, item_id) references public.items (company_id, id)
);
create table public.notes (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  loan_id uuid, body text,
  foreign key (company_id, loan_id) references public.loans (company_id, id)
);
create index on public.loans (company_id, item_id);
grant select on public.items, public.loans, public.notes to authenticated;
alter table public.items enable row level security;
alter table public.loans enable row level security;
create policy items_select_member on public.items for select to authenticated using (company_id = (select app.own_company()));
create policy loans_select_member on public.loans for select to authenticated using (company_id = (select app.own_company()));
-- A join, which neither PostgREST nor the embedded backend follows.
create view public.overdue_loans with (security_invoker = true) as
  select l.id, l.company_id, l.item_id, l.lent_to, l.lent_by, l.due_on, (current_date - l.due_on) as days,
    coalesce(l.lent_by, l.lent_to) as someone, i.serial || '!' as remark
  from public.loans l join public.items i on i.company_id = l.company_id and i.id = l.item_id
  where l.returned_on is null and l.due_on < current_date;
create view public.late_loans with (security_invoker = true) as select * from public.overdue_loans;
grant select on public.overdue_loans, public.late_loans to authenticated;
notify pgrst, 'reload schema'`

const items: Definition = {
  name: 'items',
  title: '{name} · {serial}',
  fields: { name: { type: 'text' }, serial: { type: 'text' } },
}
const loans: Definition = {
  name: 'loans',
  title: '{item_id} · {lent_to}',
  lock: false,
  fields: {
    item_id: { type: 'relation', to: 'items' },
    lent_to: { type: 'user' },
    lent_by: { type: 'user' },
    due_on: { type: 'date' },
  },
}
const companies: Definition = { name: 'companies', tenant: false, fields: { name: { type: 'text' } } }
const known: Record<string, Definition> = { items, loans, companies }
const find = (name: string) => known[name] ?? null
const byTable = new Map(Object.keys(known).map((name) => [name, name]))

let backend: TestBackend
let admin: SupabaseClient
let stranger: SupabaseClient
let ayse: string
const ids = { company: '', item: '', loan: '' }

beforeAll(async () => {
  backend = await testBackend({ demo: false })
  const made = async (sql: string, params: unknown[]) => {
    const [row] = await backend.sql<{ id: string }>(`${sql} returning id`, params)
    if (!row) throw new Error('nothing was made')
    return row.id
  }
  ids.company = await createCompany(backend)
  const own = await createAccount(backend, 'Admin', ids.company)
  const other = await createAccount(backend, 'Admin', await createCompany(backend))
  ayse = own.id
  await backend.sql('update profiles set name = $2 where id = $1', [ayse, 'Ayşe'])
  for (const statement of TABLES.split(/;\n/)) await backend.sql(statement)
  ids.item = await made(`insert into items (company_id, name, serial) values ($1, 'Projector', 'P-7')`, [
    ids.company,
  ])
  ids.loan = await made(
    'insert into loans (company_id, item_id, lent_to, due_on) values ($1, $2, $3, current_date - 3)',
    [ids.company, ids.item, ayse],
  )
  admin = await backend.client(own.email)
  stranger = await backend.client(other.email)
})
afterAll(async () => backend.stop())

async function described(name: string): Promise<Definition> {
  const catalog = await readCatalog(backend.sql)
  const table = catalog.tables.find((each) => each.name === name)
  if (!table) throw new Error(`no view ${name}`)
  const definition = describeTable(table, byTable, [])
  const text = definitionText(definition as unknown as Record<string, unknown>)
  expect(inspectSource(`resources/${name}.json`, text, { find, names: [...byTable.keys(), name] })).toEqual(
    [],
  )
  expect(inspectDatabase(definition, { catalog, find, isGenerated: () => false })).toEqual([])
  return definition
}

it.each(['overdue_loans', 'late_loans'])(
  'from-table finds the relations and people of the view %s',
  async (name) => {
    const definition = await described(name)
    expect(definition).toMatchObject({
      title: '{item_id}',
      view: true,
      fields: {
        item_id: { type: 'relation', to: 'items', readonly: true },
        lent_to: { type: 'user', readonly: true },
        lent_by: { type: 'user', readonly: true },
        days: { type: 'number' },
        // Computed from two columns, so that no key is behind it.
        someone: { type: 'text', filter: false },
      },
    })
  },
)

it('check asks for `view` where a relation of a view could not be read without it', async () => {
  const { view: _view, ...without } = await described('overdue_loans')
  const catalog = await readCatalog(backend.sql)
  const problems = inspectDatabase(without, { catalog, find, isGenerated: () => false })
  expect(problems.map(({ pointer }) => pointer)).toEqual([
    '/fields/company_id',
    '/fields/item_id',
    '/fields/lent_to',
    '/fields/lent_by',
  ])
  expect(problems[0]?.hint).toContain('"view": true')
})

it('a list over a view opens the record whose id the view has, and check refuses another one', async () => {
  const catalog = await readCatalog(backend.sql)
  const definition = { ...(await described('late_loans')), list: { opens: 'loans' } }
  const text = definitionText(definition as unknown as Record<string, unknown>)
  const names = [...byTable.keys(), 'late_loans']
  expect(inspectSource('resources/late_loans.json', text, { find, names })).toEqual([])
  expect(inspectDatabase(definition, { catalog, find, isGenerated: () => false })).toEqual([])
  const wrong = { ...definition, list: { opens: 'items' } }
  expect(inspectDatabase(wrong, { catalog, find, isGenerated: () => false })).toEqual([
    {
      pointer: '/list/opens',
      message:
        'the `id` of `late_loans` is that of `loans`, so the page of `items` would not find the record',
      hint: 'Select the `id` of `items` as it is in the view.',
    },
  ])
})

it('check refuses links and columns of other tables in a view', async () => {
  const definition = await described('overdue_loans')
  const catalog = await readCatalog(backend.sql)
  const fields: Definition['fields'] = {
    ...definition.fields,
    tags: { type: 'many-to-many', to: 'items', through: 'loans', near: 'id', far: 'item_id' },
    serial: { type: 'text', readonly: true, from: { table: 'items', column: 'serial' } },
  }
  const problems = inspectDatabase({ ...definition, fields }, { catalog, find, isGenerated: () => false })
  expect(problems.map(({ pointer, hint }) => [pointer, hint])).toEqual([
    [
      '/fields/tags',
      'Remove the field, and let the list open the record of the table: `"list": { "opens": "…" }`.',
    ],
    ['/fields/serial/from/table', 'Select `serial` in the view, and remove `from`.'],
  ])
})

it('a list over a view brings the records that it points at, and a record of it too', async () => {
  const definition = await described('overdue_loans')
  const provider = createDataProvider(admin, backend.url)
  const meta = { select: buildSelect(definition, ['item_id', 'item_id.serial', 'lent_to', 'lent_by'], find) }
  const wanted = {
    id: ids.loan,
    item_id_row: { id: ids.item, name: 'Projector', serial: 'P-7' },
    lent_to_row: { id: ayse, name: 'Ayşe' },
    lent_by_row: null,
  }
  for (const count of ['none', 'exact'] as const)
    expect(
      (
        await provider.getList({
          resource: 'overdue_loans',
          pagination: { currentPage: 1, pageSize: 20 },
          meta: { ...meta, count },
        })
      ).data,
    ).toMatchObject([wanted])
  expect((await provider.getOne({ resource: 'overdue_loans', id: ids.loan, meta })).data).toMatchObject(
    wanted,
  )
  expect(
    (await provider.getMany?.({ resource: 'overdue_loans', ids: [ids.loan], meta }))?.data,
  ).toMatchObject([wanted])
})

it('the records that a view points at stay hidden from another company', async () => {
  const definition = await described('overdue_loans')
  const provider = createDataProvider(stranger, backend.url)
  const select = buildSelect(definition, ['item_id', 'lent_to'], find)
  const list = await provider.getList({ resource: 'overdue_loans', meta: { select } })
  expect(list.data).toEqual([])
  const { data } = await stranger.rpc('record_titles', {
    wanted: { items: { ids: [ids.item], fields: ['name'] }, profiles: { ids: [ayse], fields: ['name'] } },
  })
  expect(data).toEqual([])
})

it('a title made of relations is read through another record', async () => {
  await backend.sql('insert into notes (company_id, loan_id, body) values ($1, $2, $3)', [
    ids.company,
    ids.loan,
    'Called',
  ])
  const notes: Definition = {
    name: 'notes',
    lock: false,
    fields: { loan_id: { type: 'relation', to: 'loans' }, body: { type: 'text' } },
  }
  const select = buildSelect(notes, ['loan_id'], find)
  const [row] = (
    await createDataProvider(admin, backend.url).getList({ resource: 'notes', meta: { select } })
  ).data
  expect(row).toMatchObject({
    loan_id_row: { item_id_row: { name: 'Projector', serial: 'P-7' }, lent_to_row: { name: 'Ayşe' } },
  })
})
