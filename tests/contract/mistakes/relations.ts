import type { Mistake } from './mistake'

const room = (value: Record<string, unknown>, at: Mistake['at']) => ({ printers: { fields: { room_id: value } }, at })
const spare = (value: Record<string, unknown>) => ({
  printers: { fields: { spare_rooms: value } },
  at: `    "spare_rooms": { > "${Object.keys(value)[0]}"`,
})
const related = (...lists: Record<string, unknown>[]) => ({ printers: { show: { related: lists } } })
const column = (name: string) => ({ printers: { list: { columns: ['serial', name] } }, at: `"${name}"` })

export const RELATIONS: Mistake[] = [
  { sort: 'relation-singular', what: 'A relation to the singular of a resource.', ...room({ to: 'room' }, '"to": "room"'), about: 'rooms' },
  { sort: 'relation-to-table', what: 'A relation to a table that no definition describes.', ...room({ to: 'printer_presence' }, '"to": "printer_presence"'), about: 'printer_presence' },
  { sort: 'relation-without-target', what: 'A relation without its target.', ...room({ to: undefined }, '"room_id": {'), about: 'to' },
  { sort: 'relation-other-table', what: 'The foreign key leads to another table than the relation.', printers: { fields: { supplier_id: { to: 'rooms' } } }, at: ['"supplier_id": { > "to"', '"supplier_id": {'], about: ['foreign key', 'suppliers'] },
  { sort: 'unknown-constraint', what: 'A constraint that does not exist.', ...room({ constraint: 'printers_room_fk' }, '"constraint"'), about: 'printers_room_fk' },
  { sort: 'relation-on-text', what: 'A relation over a column of text.', printers: { fields: { model: { type: 'relation', to: 'rooms', max_length: undefined, search: undefined, suggestions: undefined } } }, at: ['"model": {', '"model": { > "type"', '"model": { > "to"'], about: ['uuid', 'text'] },
  {
    sort: 'no-foreign-key',
    what: 'The database has no foreign key for the relation.',
    sql: ['alter table public.printers drop constraint printers_supplier_id_fkey', 'alter table public.printers add foreign key (supplier_id) references public.suppliers (id) on delete set null'],
    at: ['"supplier_id": {', '"supplier_id": { > "to"'],
    about: 'foreign key',
  },
  { sort: 'where-missing-field', what: 'The choice is limited by a field that the target lacks.', ...room({ where: { flor: { _gt: 1 } } }, '"flor"'), about: ['flor', 'floor'] },
  { sort: 'where-wrong-kind', what: 'The choice is limited by a value of another kind.', ...room({ where: { floor: { _eq: 'first' } } }, '"first"'), about: ['first', 'number'] },
  { sort: 'where-own-field', what: 'The choice is limited by a field of the own record, not of the target.', ...room({ where: { status: { _eq: 'active' } } }, '"where" > "status"'), about: 'status' },
  { sort: 'where-missing-record-field', what: 'The choice follows a field that the record lacks.', ...room({ where: { parent_id: { _eq: '$record.building_id' } } }, '$record.building_id'), about: 'building_id' },
  { sort: 'where-itself', what: 'The choice follows the field that is chosen.', ...room({ where: { id: { _neq: '$record.room_id' } } }, ['$record.room_id', '"where" > "id"', '"room_id": { > "where"']), about: ['room_id', 'id'] },
  { sort: 'through-missing', what: 'The table between does not exist.', ...spare({ through: 'printers_rooms' }), about: ['printers_rooms', 'printer_rooms'] },
  { sort: 'near-missing', what: 'The column that points here is misspelled.', ...spare({ near: 'printers_id' }), about: ['printers_id', 'printer_id'] },
  { sort: 'near-and-far-swapped', what: 'near and far are swapped.', ...spare({ near: 'room_id', far: 'printer_id' }), at: ['"spare_rooms": {', '"near": "room_id"', '"far": "printer_id"'], about: ['near', 'far', 'foreign key'] },
  { sort: 'far-missing', what: 'far is left out.', ...spare({ far: undefined }), at: ['"spare_rooms": {'], about: 'far' },
  { sort: 'through-open', what: 'The table between has no row-level security.', sql: ['alter table public.printer_rooms disable row level security', 'alter table public.printer_rooms enable row level security'], at: ['"through"', '"spare_rooms": {'], about: 'row' },
  { sort: 'default-of-many', what: 'Many records with a default.', ...spare({ default: [] }), about: 'default' },
  { sort: 'related-missing', what: 'A list of a resource that does not exist.', ...related({ resource: 'print_job', by: 'printer_id' }), at: '"print_job"', about: 'print_job' },
  { sort: 'related-by-missing', what: 'A list by a field that the other resource lacks.', ...related({ resource: 'print_jobs', by: 'printer' }), at: '"by"', about: 'printer_id' },
  { sort: 'related-by-other', what: 'A list by a field that points at people.', ...related({ resource: 'print_jobs', by: 'ordered_by' }), at: '"by"', about: 'ordered_by' },
  { sort: 'related-by-text', what: 'A list by a field that is no relation.', ...related({ resource: 'print_jobs', by: 'title' }), at: '"by"', about: 'title' },
  {
    sort: 'related-twice',
    what: 'The same list twice.',
    ...related({ resource: 'print_jobs', by: 'printer_id' }, { resource: 'print_jobs', by: 'printer_id', create: false }),
    at: ['"related"', '"print_jobs"', '"print_jobs" > "print_jobs"', '"by" > "print_jobs"', '"by"', '"by" > {', '"by" > "by"'],
    about: ['twice', 'print_jobs'],
  },
  { sort: 'column-of-missing-field', what: 'A column of a field that the related record lacks.', ...column('room_id.flor'), about: ['flor', 'floor'] },
  { sort: 'column-of-no-relation', what: 'A column of the record behind a text.', ...column('model.name'), about: 'model' },
  { sort: 'column-two-steps', what: 'A column two relations away.', ...column('room_id.parent_id.name'), about: 'parent_id' },
  { sort: 'column-of-many', what: 'A column of many records at once.', ...column('spare_rooms.floor'), about: 'spare_rooms' },
  { sort: 'required-self', what: 'Each room needs another room, so the first cannot be created.', rooms: { fields: { parent_id: { required: true } } }, in: 'resources/rooms.json', at: ['"parent_id": {', '"parent_id": { > "required"'], about: ['first', 'itself', 'required'] },
  { sort: 'title-cycle', what: 'A room’s title is that of a room.', rooms: { title: '{parent_id}' }, in: 'resources/rooms.json', at: '"title"', about: ['parent_id', 'itself'] },
  {
    sort: 'platform-to-tenant',
    what: 'A platform-wide row points at a row of one company.',
    sql: ['alter table public.suppliers add column room_id uuid references public.rooms (id); create index on public.suppliers (room_id)', 'alter table public.suppliers drop column room_id'],
    suppliers: { fields: { room_id: { type: 'relation', to: 'rooms' } } },
    en: { suppliers: { fields: { room_id: 'Room' } } },
    tr: { suppliers: { fields: { room_id: 'Oda' } } },
    in: 'resources/suppliers.json',
    at: ['"room_id": {', '"room_id": { > "to"'],
    about: ['tenant', 'company', 'companies'],
  },
  { sort: 'tenant-without-company', what: 'A table without company_id is said to belong to companies.', suppliers: { tenant: undefined }, in: 'resources/suppliers.json', at: ['"name"', ''], about: 'company_id' },
  { sort: 'platform-with-company', what: 'A table of companies’ rows is said to be of the platform.', printers: { tenant: false }, at: '"tenant"', about: 'company' },
]
