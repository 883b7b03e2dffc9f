import { anotherResource } from './another'
import type { Mistake } from './mistake'

const alter = (table: string, up: string, down: string) => ({ sql: [`alter table public.${table} ${up}`, `alter table public.${table} ${down}`] as const })
const VIEW = 'select id, company_id, name, name_key, floor, version from public.rooms'
const view = (options: string) => ({
  sql: [`create view public.room_names ${options} as ${VIEW}; grant select on public.room_names to authenticated`, 'drop view public.room_names'] as const,
  ...anotherResource('shelves', { table: 'room_names', form: false, delete: false }),
  in: 'resources/shelves.json',
})

export const DATABASE: Mistake[] = [
  { sort: 'view-reads-all', what: 'A view without security_invoker shows every company’s rows.', ...view(''), at: ['"table"', '"name"'], about: 'security_invoker' },
  { sort: 'view-invoker-off', what: 'A view that switches security_invoker off.', ...view('with (security_invoker = false)'), at: ['"table"', '"name"'], about: 'security_invoker' },
  { sort: 'view-with-form', what: 'A view with a form that cannot write.', ...view('with (security_invoker = true)'), ...anotherResource('shelves', { table: 'room_names' }), at: ['"table"', '"name"', ''], about: ['view', 'insert', 'write', 'form'] },
  { sort: 'table-missing', what: 'A misspelled table.', printers: { table: 'printer' }, at: '"actions" > "table"', about: ['printer', 'printers'] },
  { sort: 'column-not-there', what: 'A field was added and the database not changed.', printers: { fields: { shelf: { type: 'text', max_length: 20 } } }, en: { printers: { fields: { shelf: 'Shelf' } } }, tr: { printers: { fields: { shelf: 'Raf' } } }, at: '"shelf"', about: ['migrate', 'column'] },
  {
    sort: 'column-type',
    what: 'The column counts in text.',
    ...alter('printers', 'alter column uptime drop default, drop constraint printers_uptime_check, alter column uptime type text', 'alter column uptime type integer using uptime::integer, add constraint printers_uptime_check check (uptime >= 0)'),
    at: ['"uptime": {', '"uptime": { > "type"'],
    about: ['text', 'integer'],
  },
  { sort: 'length-differs', what: 'The form allows more characters than the column.', printers: { fields: { model: { max_length: 200 } } }, at: ['"model": { > "max_length"', '"model": {'], about: ['80', 'max_length'] },
  {
    sort: 'value-not-in-database',
    what: 'A value was added that the table’s constraint refuses.',
    printers: { fields: { status: { values: { lost: 'red' } } } },
    en: { printers: { values: { status: { lost: 'Lost' } } } },
    tr: { printers: { values: { status: { lost: 'Kayıp' } } } },
    at: ['"status": { > "values"', '"lost"', '"status": {'],
    about: 'lost',
  },
  { sort: 'range-differs', what: 'The form allows more than the constraint.', printers: { fields: { pages: { max: 9000000 } } }, at: ['"pages": { > "max"', '"pages": {'], about: ['1000000', 'max', '9000000'] },
  { sort: 'required-nullable', what: 'A field became required, the column is still nullable.', printers: { fields: { mac: { required: true } } }, at: ['"mac": { > "required"', '"mac": {'], about: ['null', 'required'] },
  { sort: 'column-required', what: 'The column became required, the form still allows nothing.', ...alter('printers', 'alter column mac set not null', 'alter column mac drop not null'), at: '"mac": {', about: ['required', 'null'] },
  { sort: 'column-nobody-fills', what: 'The table has a required column that no field fills, so nothing can be created.', ...alter('printers', 'add column asset_no text not null', 'drop column asset_no'), at: ['"name"', '"fields"', ''], about: 'asset_no' },
  { sort: 'row-security-off', what: 'The table has no row-level security.', ...alter('rooms', 'disable row level security', 'enable row level security'), in: 'resources/rooms.json', at: ['"name"', ''], about: 'row' },
  { sort: 'no-select-grant', what: 'Users may not read the table.', sql: ['revoke select on public.suppliers from authenticated', 'grant select on public.suppliers to authenticated'], in: 'resources/suppliers.json', at: ['"name"', ''], about: ['select', 'read', 'grant'] },
  { sort: 'no-update-grant', what: 'The form writes a column that users may not update.', sql: ['revoke update (model) on public.printers from authenticated', 'grant update (model) on public.printers to authenticated'], at: ['"model": {'], about: ['update', 'grant', 'write'] },
  { sort: 'no-delete-grant', what: 'Records are deleted in the console, but users may not delete rows.', sql: ['revoke delete on public.printers from authenticated', 'grant delete on public.printers to authenticated'], at: ['"name"', ''], about: 'delete' },
  { sort: 'no-index', what: 'A list sorts by a column without an index.', printers: { fields: { warranty: { sort: true } } }, at: ['"warranty": { > "sort"', '"warranty": {'], about: 'index' },
  { sort: 'search-not-extended', what: 'A field became searched, the table’s search column does not read it.', printers: { fields: { contact: { search: true } } }, at: ['"contact": { > "search"', '"contact": {'], about: 'search' },
  { sort: 'no-version', what: 'Edits are locked by a column that the table lacks.', ...alter('suppliers', 'rename column version to revision', 'rename column revision to version'), in: 'resources/suppliers.json', at: ['"name"', ''], about: ['version', 'lock'] },
  {
    sort: 'policy-for-all',
    what: 'A policy lets everybody read the rows of every company.',
    sql: ['create policy rooms_read_all on public.rooms for select to authenticated using (true)', 'drop policy rooms_read_all on public.rooms'],
    in: 'resources/rooms.json',
    at: ['"name"', ''],
    about: ['rooms_read_all', 'company'],
  },
  { sort: 'trash-not-kept', what: 'Deleted records go to a trash that the table does not have.', printers: { trash: true }, at: '"trash"', about: ['trash', 'deletes', 'migrate'] },
  {
    sort: 'trash-not-said',
    what: 'The table has a trash that the definition does not name.',
    sql: [
      `alter table public.rooms add column deleted_at timestamptz, add column deleted_by uuid, add column deleted_name text; select app.keep_trash('public.rooms'); ${['select', 'update', 'delete'].map((command) => `create policy rooms_${command}_trash on public.rooms as restrictive for ${command} to authenticated using (deleted_at is null)`).join('; ')}`,
      `drop trigger rooms_trash on public.rooms; ${['select', 'update', 'delete'].map((command) => `drop policy rooms_${command}_trash on public.rooms`).join('; ')}; alter table public.rooms drop column deleted_at, drop column deleted_by, drop column deleted_name; drop trigger rooms_trashed_parent_id on public.rooms; drop trigger printers_trashed_room_id on public.printers`,
    ],
    in: 'resources/rooms.json',
    at: ['"name"', ''],
    about: 'trash',
  },
  { sort: 'guard-without-trigger', what: 'A field is guarded in forms, and no trigger holds it.', printers: { fields: { cost: { guard: { write: { object: 'printers', verb: 'delete' } } } } }, at: ['"cost": { > "guard"', '"cost": { > "write"', '"cost": {'], about: ['trigger', 'guard'] },
]
