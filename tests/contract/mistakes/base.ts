import type { Definition } from '@/resource/language/definition.generated'

const given = {
  company_id: { type: 'relation', to: 'companies', readonly: true },
  created_at: { type: 'datetime', readonly: true, sort: true, filter: true },
  updated_at: { type: 'datetime', readonly: true, relative: true },
} as const

const suppliers = {
  name: 'suppliers',
  title: '{name}',
  tenant: false,
  live: false,
  fields: {
    name: { type: 'text', required: true, max_length: 80, search: true, sort: 'name_key' },
    website: { type: 'url' },
    created_at: given.created_at,
  },
  list: { sort: 'name' },
}

const rooms = {
  name: 'rooms',
  title: '{name}',
  icon: 'home',
  fields: {
    name: { type: 'text', required: true, max_length: 80, search: true, sort: 'name_key' },
    floor: { type: 'number', min: -5, max: 200, sort: true },
    parent_id: { type: 'relation', to: 'rooms', filter: true },
    ...given,
  },
  list: { sort: 'name' },
  show: { related: [{ resource: 'printers', by: 'room_id' }] },
}

const printers = {
  name: 'printers',
  icon: 'printer',
  title: '{serial} · {model}',
  fields: {
    serial: {
      type: 'text',
      required: true,
      max_length: 40,
      pattern: '[A-Z0-9-]+',
      search: true,
      sort: 'serial_key',
    },
    model: { type: 'text', max_length: 80, search: true, filter: true, suggestions: ['LaserJet', 'DeskJet'] },
    status: {
      type: 'enum',
      values: { active: 'green', repair: 'orange', retired: 'gray' },
      default: 'active',
      filter: true,
      sort: true,
    },
    reason: {
      type: 'textarea',
      required: true,
      max_length: 500,
      when: { status: { _eq: 'retired' } },
    },
    room_id: { type: 'relation', to: 'rooms', filter: true },
    supplier_id: { type: 'relation', to: 'suppliers', filter: true },
    owner_id: { type: 'user', default: '$user', filter: true },
    bought_on: { type: 'date', sort: true, filter: true },
    warranty: { type: 'date', check: { _gte: '$record.bought_on' } },
    cost: { type: 'money', currency: 'TRY', min: 0, max: 1000000, sort: true },
    toner: { type: 'percent', thresholds: { warning: 80, critical: 90 } },
    memory: { type: 'bytes', unit: 'MB', min: 0 },
    uptime: { type: 'duration', readonly: true },
    pages: { type: 'number', min: 0, max: 1000000, default: 0, sort: true, filter: true },
    networked: { type: 'boolean', default: true, yes: 'green', no: 'gray', filter: true },
    tags: { type: 'tags', filter: true },
    features: { type: 'tags', suggestions: ['color', 'duplex'], closed: true, filter: true },
    setup: { type: 'code', language: 'json' },
    manual: { type: 'markdown', max_length: 5000, rows: 6 },
    address: { type: 'ip', filter: true },
    mac: { type: 'mac' },
    homepage: { type: 'url' },
    contact: { type: 'email' },
    shade: { type: 'color', default: '#4d6a99' },
    zone: { type: 'timezone', default: 'Europe/Istanbul' },
    settings: { type: 'json' },
    trays: {
      type: 'rows',
      fields: {
        name: { type: 'text' },
        total_mb: { type: 'bytes', unit: 'MB' },
        free_mb: { type: 'bytes', unit: 'MB' },
        used: { type: 'percent', used: { free: 'free_mb', total: 'total_mb' } },
      },
    },
    spare_rooms: {
      type: 'many-to-many',
      to: 'rooms',
      through: 'printer_rooms',
      near: 'printer_id',
      far: 'room_id',
      filter: true,
    },
    seen_at: {
      type: 'datetime',
      relative: true,
      from: { table: 'printer_presence', column: 'seen_at' },
    },
    ...given,
  },
  list: {
    columns: ['serial', { field: 'model', width: 200, with: ['room_id.floor'] }, 'status', 'room_id', 'created_at'],
    sort: '-created_at',
    views: {
      in_repair: { filter: { status: { _eq: 'repair' } } },
      mine: { filter: { owner_id: { _eq: '$user' } }, sort: 'serial' },
    },
  },
  form: {
    sections: {
      main: ['serial model', 'status reason', 'room_id supplier_id', 'owner_id'],
      more: ['bought_on warranty', 'cost toner memory pages', 'networked tags features', 'setup', 'manual', 'address mac homepage contact shade zone', 'settings', 'trays', 'spare_rooms'],
    },
  },
  show: {
    summary: ['status'],
    sections: { main: ['model room_id', 'bought_on warranty'], more: ['cost pages', 'seen_at uptime'] },
    tabs: { trays: { sections: { main: ['trays'] } } },
    related: [{ resource: 'print_jobs', by: 'printer_id' }],
  },
  actions: {
    ping: { on: ['row', 'bulk', 'record'], icon: 'check', rpc: 'ping_printers' },
    retire: {
      on: ['row', 'bulk', 'record'],
      rpc: 'retire_printers',
      danger: true,
      when: { status: { _neq: 'retired' } },
      params: { reason: { type: 'textarea', required: true, max_length: 500 } },
    },
  },
}

const print_jobs = {
  name: 'print_jobs',
  section: 'none',
  title: '{title}',
  fields: {
    title: { type: 'text', required: true, max_length: 80, search: true, sort: 'title_key' },
    printer_id: { type: 'relation', to: 'printers', required: true, filter: true },
    ordered_by: { type: 'user', filter: true },
    sheets: { type: 'number', min: 1, max: 10000, sort: true },
    ...given,
  },
  list: { sort: '-created_at' },
}

/** Right as they are: mistakes are made in copies of them. Rooms refer to nothing that comes later. */
export const BASE = { suppliers, rooms, printers, print_jobs } as unknown as Record<'suppliers' | 'rooms' | 'printers' | 'print_jobs', Definition>

/** The SQL that the definitions need besides their tables. */
export const BASE_SQL = `
create table public.printer_presence (
  printer_id uuid primary key,
  company_id uuid not null references public.companies (id),
  seen_at timestamptz,
  foreign key (company_id, printer_id) references public.printers (company_id, id) on delete cascade
);
comment on table public.printer_presence is 'When a printer was last seen.';
alter table public.printer_presence enable row level security;
revoke all on public.printer_presence from public, anon, authenticated;
grant select on public.printer_presence to authenticated;
create policy printer_presence_select_member on public.printer_presence for select to authenticated
  using ((select app.can('printers', 'list')) and company_id = (select app.own_company()));
${['ping_printers(ids uuid[])', 'retire_printers(ids uuid[], reason text)']
  .map(
    (signature) => `
create function public.${signature} returns integer language sql volatile set search_path = '' as 'select 1';
revoke execute on function public.${signature.replace(/\b(ids|reason) /g, '')} from public, anon;
grant execute on function public.${signature.replace(/\b(ids|reason) /g, '')} to authenticated;`,
  )
  .join('')}
`
