-- Devices: devices, their presence and secrets, groups, enrollment tokens and the software inventory.

-- Groups and tokens ---------------------------------------------------------------------------------------------------

create table public.groups (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  device_count integer not null default 0,
  unique (company_id, id),
  unique (company_id, name)
);
comment on table public.groups is 'Named sets of devices of one company.';
comment on column public.groups.device_count is 'Devices in the group. Kept by trigger.';

create index groups_company_name_idx on public.groups (company_id, name_key, id);
create index groups_name_idx on public.groups (name_key, id);
create index groups_company_created_idx on public.groups (company_id, created_at, id);
create index groups_search_idx on public.groups using gin (search extensions.gin_trgm_ops);
create index groups_created_idx on public.groups (created_at, id);
create index groups_company_count_idx on public.groups (company_id, device_count, id);
create index groups_count_idx on public.groups (device_count, id);

select app.keep_tenant('public.groups');
select app.keep_audit('public.groups', 'id', array['device_count']);
select app.keep_announced('public.groups');
-- A device that joins a group must not outdate an open form, count as an edit of the group or leave an audit row.
drop trigger groups_touch on public.groups;
create trigger groups_touch before update of name, description on public.groups for each row execute function app.touch();

revoke all on public.groups from public, anon, authenticated;
grant select, delete, insert (company_id, name, description), update (name, description) on public.groups to authenticated;
grant select, insert, update, delete on public.groups to service_role;
alter table public.groups enable row level security;

create policy groups_select_member on public.groups for select to authenticated
  using ((select app.can('groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy groups_insert_member on public.groups for insert to authenticated
  with check ((select app.can('groups', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy groups_update_member on public.groups for update to authenticated
  using ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy groups_delete_member on public.groups for delete to authenticated
  using ((select app.can('groups', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.enrollment_tokens (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  group_id uuid,
  hint text not null,
  expires_at timestamptz,
  max_uses integer check (max_uses > 0),
  used_count integer not null default 0,
  revoked_at timestamptz,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || hint)) stored,
  requires_approval boolean not null default false,
  unique (company_id, id),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete set null (group_id)
);
comment on table public.enrollment_tokens is
  'Tokens that new devices enroll with: they set its company and group. Only the hash is kept, apart; hint is the last four characters.';
comment on column public.enrollment_tokens.requires_approval is 'Whether each device that presents this token waits for approval.';

create index enrollment_tokens_company_created_idx on public.enrollment_tokens (company_id, created_at, id);
create index enrollment_tokens_group_idx on public.enrollment_tokens (company_id, group_id);
create index enrollment_tokens_company_name_idx on public.enrollment_tokens (company_id, name_key, id);
create index enrollment_tokens_name_idx on public.enrollment_tokens (name_key, id);
create index enrollment_tokens_created_idx on public.enrollment_tokens (created_at, id);
create index enrollment_tokens_company_expires_idx on public.enrollment_tokens (company_id, expires_at, id);
create index enrollment_tokens_expires_idx on public.enrollment_tokens (expires_at, id);
create index enrollment_tokens_created_by_idx on public.enrollment_tokens (created_by);

select app.keep_tenant('public.enrollment_tokens', null, array['name', 'revoked_at']);
select app.keep_audit('public.enrollment_tokens', 'id', array['used_count']);
select app.keep_announced('public.enrollment_tokens');
select app.keep_search('public.enrollment_tokens');
create trigger enrollment_tokens_security after insert or update of revoked_at on public.enrollment_tokens
  for each row execute function app.log_access_change();

revoke all on public.enrollment_tokens from public, anon, authenticated;
grant select on public.enrollment_tokens to authenticated;
grant select, insert, update, delete on public.enrollment_tokens to service_role;
alter table public.enrollment_tokens enable row level security;

create policy enrollment_tokens_select_member on public.enrollment_tokens for select to authenticated
  using ((select app.can('enrollment_tokens', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

-- Devices -------------------------------------------------------------------------------------------------------------

create function app.spread_device_to_groups() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.group_devices m set device_key = new.name_key where m.company_id = new.company_id and m.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_groups() is
  'Row trigger: groups sort a renamed device by its new name. Definer, because nobody may update group_devices.';
revoke execute on function app.spread_device_to_groups() from public;

create function app.spread_device_to_software() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.device_software x set device_key = new.name_key where x.company_id = new.company_id and x.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_software() is
  'Row trigger: a renamed device takes its software along. Definer, because who renames it may not write inventory.';

create table public.devices (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 200),
  hostname text check (length(hostname) <= 255),
  status text not null default 'offline' check (status in ('online', 'offline')),
  offline_since timestamptz default now(),
  os text check (length(os) <= 200),
  os_version text check (length(os_version) <= 200),
  platform text check (platform in ('linux', 'windows', 'macos')),
  make text check (length(make) <= 200),
  model text check (length(model) <= 200),
  serial text check (length(serial) <= 200),
  cpu text check (length(cpu) <= 200),
  cpu_cores integer check (cpu_cores >= 0),
  memory_mb integer check (memory_mb >= 0),
  disks jsonb not null default '[]' check (jsonb_typeof(disks) = 'array'),
  network jsonb not null default '[]' check (jsonb_typeof(network) = 'array'),
  ip_address text check (length(ip_address) <= 64),
  logged_in_user text check (length(logged_in_user) <= 200),
  agent_version text check (length(agent_version) <= 64),
  machine_id text check (length(machine_id) <= 200),
  clone_suspected boolean not null default false,
  boot_time timestamptz,
  reboot_required boolean not null default false,
  notes text check (length(notes) <= 10000),
  enrolled_at timestamptz,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(
    name || ' ' || coalesce(hostname, '') || ' ' || coalesce(serial, '') || ' ' || coalesce(ip_address, '') || ' '
    || coalesce(logged_in_user, '') || ' ' || coalesce(make, '') || ' ' || coalesce(model, '') || ' ' || coalesce(os, ''))) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  enrollment_token_id uuid,
  unique (company_id, id),
  foreign key (company_id, enrollment_token_id) references public.enrollment_tokens (company_id, id) on delete set null (enrollment_token_id),
  -- "Last seen" sorts by offline_since, nulls first: online is the most recent.
  constraint devices_offline_since_check check ((status = 'online') = (offline_since is null))
);
comment on table public.devices is
  'The managed machines: the wide, slow row. status and offline_since change only when presence changes; live figures are in device_presence.';
comment on column public.devices.enrollment_token_id is 'The token the device last enrolled with; null once that token is deleted.';

-- Each sortable column has one index for the list of a company and one for those who see all companies.
create index devices_company_name_idx on public.devices (company_id, name_key, id);
create index devices_name_idx on public.devices (name_key, id);
create index devices_company_os_idx on public.devices (company_id, os, id);
create index devices_os_idx on public.devices (os, id);
create index devices_company_seen_idx on public.devices (company_id, offline_since desc nulls first, id desc);
create index devices_seen_idx on public.devices (offline_since desc nulls first, id desc);
-- Without these partial indexes "offline, last seen first" walks past all online devices: 300 ms of 100,000 devices.
create index devices_company_offline_idx on public.devices (company_id, offline_since desc nulls first, id desc) where status = 'offline';
create index devices_offline_idx on public.devices (offline_since desc nulls first, id desc) where status = 'offline';
create index devices_company_created_idx on public.devices (company_id, created_at, id);
create index devices_created_idx on public.devices (created_at, id);
create index devices_company_status_os_idx on public.devices (company_id, status, os);
create index devices_machine_idx on public.devices (company_id, machine_id) where machine_id is not null;
create index devices_search_idx on public.devices using gin (search extensions.gin_trgm_ops);
create index devices_company_token_idx on public.devices (company_id, enrollment_token_id);
-- The list of agents, sorted by enrollment time and by version.
create index devices_company_enrolled_idx on public.devices (company_id, enrolled_at, id);
create index devices_enrolled_idx on public.devices (enrolled_at, id);
create index devices_company_agent_idx on public.devices (company_id, agent_version, id);
create index devices_agent_idx on public.devices (agent_version, id);

-- Only the columns that people edit count for locking and audit; agents write the others.
select app.keep_tenant('public.devices', null, array['name', 'notes']);
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model',
  'serial', 'cpu', 'cpu_cores', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version',
  'boot_time', 'reboot_required']);
select app.keep_announced('public.devices');
create trigger devices_spread_to_groups after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_groups();
create trigger devices_spread_to_software after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_software();

revoke all on public.devices from public, anon, authenticated;
-- Column grants: a client sets neither the id (a collision would reveal that it exists) nor what a machine reports.
grant select, delete, update (name, notes),
  insert (company_id, name, hostname, platform, os, os_version, make, model, serial, notes) on public.devices to authenticated;
grant select, insert, update, delete on public.devices to service_role;
alter table public.devices enable row level security;

create policy devices_select_member on public.devices for select to authenticated
  using ((select app.can('devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy devices_insert_member on public.devices for insert to authenticated
  with check ((select app.can('devices', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy devices_update_member on public.devices for update to authenticated
  using ((select app.can('devices', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('devices', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy devices_delete_member on public.devices for delete to authenticated
  using ((select app.can('devices', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.device_presence (
  company_id uuid not null,
  device_id uuid not null,
  last_seen_at timestamptz not null default now(),
  online boolean not null default false,
  cpu_percent real,
  memory_percent real,
  disk_percent real,
  interval_seconds integer not null default 60,
  inventory_hash text check (length(inventory_hash) <= 128),
  updated_at timestamptz not null default now(),
  primary key (company_id, device_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
comment on table public.device_presence is
  'Live figures of a device, updated in place by every check-in: keep it narrow and without further indexes, or check-ins become six times dearer.';

revoke all on public.device_presence from public, anon, authenticated;
grant select on public.device_presence to authenticated;
grant select, insert, update, delete on public.device_presence to service_role;
alter table public.device_presence enable row level security;

create policy device_presence_select_member on public.device_presence for select to authenticated
  using ((select app.can('device_presence', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table app.device_secrets (
  device_id uuid primary key,
  company_id uuid not null,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table app.device_secrets is 'Hash of the secret a device authenticates with. Read by the agent functions only.';

create index device_secrets_company_id_idx on app.device_secrets (company_id, device_id);
-- Recognizes a repeated request by its secret.
create unique index device_secrets_hash_idx on app.device_secrets (secret_hash);

revoke all on app.device_secrets from public, anon, authenticated;
alter table app.device_secrets enable row level security;

create function app.require_edit() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require(tg_argv[0], 'edit');
  end if;
  return null;
end $$;
comment on function app.require_edit() is
  'Statement trigger of a table whose rows are part of another record: every write is an edit of that resource.';

-- Group membership ----------------------------------------------------------------------------------------------------

create function app.count_group_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- One order for all, so that two statements over the same groups never wait for each other crosswise.
  perform 1 from public.groups g where g.id in (select distinct c.group_id from changed c)
    order by g.id for no key update;
  update public.groups g
    set device_count = g.device_count + c.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select c.group_id, count(*)::integer as devices from changed c group by c.group_id) c
    where g.id = c.group_id;
  return null;
end $$;
comment on function app.count_group_devices() is
  'Keeps groups.device_count, once a statement. Definer, because the column is nobody''s to write.';

create function app.copy_member_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_member_keys() is
  'Row trigger: a group''s device sorts as the device does. Definer, because it reads the device whatever the writer may read.';
revoke execute on function app.copy_member_keys() from public;

create table public.group_devices (
  company_id uuid not null references public.companies (id),
  group_id uuid not null,
  device_id uuid not null,
  added_at timestamptz not null default now(),
  device_key text,
  primary key (company_id, group_id, device_id),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.group_devices is 'Membership of devices in groups.';
comment on column public.group_devices.device_key is 'Sort key of the device. Kept by trigger.';

create index group_devices_device_idx on public.group_devices (company_id, device_id);
create index group_devices_by_name on public.group_devices (group_id, device_key, device_id);
create index group_devices_by_time on public.group_devices (group_id, added_at, device_id);

create trigger group_devices_permission before insert or update or delete on public.group_devices
  for each statement execute function app.require_edit('groups');
select app.keep_audit('public.group_devices', 'group_id', array['group_id', 'company_id', 'added_at', 'device_key']);
select app.keep_announced('public.group_devices', 'company', 'company_id', 'group_id,device_id');
create trigger group_devices_count_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.count_group_devices();
create trigger group_devices_count_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.count_group_devices();
create trigger group_devices_keys before insert on public.group_devices
  for each row execute function app.copy_member_keys();

revoke all on public.group_devices from public, anon, authenticated;
grant select, delete, insert (company_id, group_id, device_id) on public.group_devices to authenticated;
grant select, insert, update, delete on public.group_devices to service_role;
alter table public.group_devices enable row level security;

create policy group_devices_select_member on public.group_devices for select to authenticated
  using ((select app.can('group_devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy group_devices_insert_member on public.group_devices for insert to authenticated
  with check ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy group_devices_delete_member on public.group_devices for delete to authenticated
  using ((select app.can('groups', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

-- Software inventory --------------------------------------------------------------------------------------------------

create table public.software (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(name) between 1 and 200),
  publisher text not null default '' check (length(publisher) <= 200),
  created_at timestamptz not null default now(),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || publisher)) stored,
  unique (company_id, id),
  unique (company_id, name, publisher)
);
comment on table public.software is 'Software titles seen on the devices of a company.';

create index software_company_name_idx on public.software (company_id, name_key, id);
create index software_name_idx on public.software (name_key, id);
create index software_company_created_idx on public.software (company_id, created_at, id);
create index software_created_idx on public.software (created_at, id);

select app.keep_search('public.software');

revoke all on public.software from public, anon, authenticated;
grant select on public.software to authenticated;
grant select, insert, update, delete on public.software to service_role;
alter table public.software enable row level security;

create policy software_select_member on public.software for select to authenticated
  using ((select app.can('software', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create function app.copy_software_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select s.name_key, app.sort_key(s.publisher) into new.title_key, new.publisher_key
  from public.software s where s.company_id = new.company_id and s.id = new.software_id;
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_software_keys() is
  'Row trigger: an installation sorts as its title, publisher and device do. Definer, because it reads them whatever the writer may read.';

create table public.device_software (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  device_id uuid not null,
  software_id uuid not null,
  version text not null default '' check (length(version) <= 100),
  install_date date,
  size_mb numeric check (size_mb >= 0),
  created_at timestamptz not null default now(),
  title_key text,
  device_key text,
  version_key text generated always as (app.sort_key(version)) stored,
  publisher_key text,
  size_key bigint generated always as ((size_mb * 100)::bigint) stored,
  unique (company_id, id),
  constraint device_software_device_software_key unique (device_id, company_id, software_id, version),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade
);
comment on table public.device_software is 'What is installed where. version is the software''s own text. Written by app.apply_inventory alone.';
comment on column public.device_software.version_key is 'Sort key of the version: 9.2 before 10.1.';
comment on column public.device_software.publisher_key is 'Sort key of its title''s publisher, which never changes. Kept by trigger.';
comment on column public.device_software.size_key is
  'Size in hundredths of a megabyte. Row-level security keeps comparisons of numeric out of index conditions; those of bigint are leakproof.';
comment on column public.device_software.title_key is 'Sort key of its title, which never changes. Kept by trigger.';
comment on column public.device_software.device_key is 'Sort key of its device. Kept by trigger.';

create index device_software_company_title_idx on public.device_software (company_id, title_key, id);
create index device_software_title_idx on public.device_software (title_key, id);
create index device_software_company_device_idx on public.device_software (company_id, device_key, id);
create index device_software_device_idx on public.device_software (device_key, id);
create index device_software_company_installed_idx on public.device_software (company_id, install_date, id);
create index device_software_installed_idx on public.device_software (install_date, id);
create index device_software_software_idx on public.device_software (software_id, company_id, device_id);
create index device_software_company_idx on public.device_software (company_id);
create index device_software_company_version_idx on public.device_software (company_id, version_key, id);
create index device_software_version_idx on public.device_software (version_key, id);
create index device_software_company_publisher_idx on public.device_software (company_id, publisher_key, id);
create index device_software_publisher_idx on public.device_software (publisher_key, id);
create index device_software_company_size_idx on public.device_software (company_id, size_key, id);
create index device_software_size_idx on public.device_software (size_key, id);

create trigger device_software_keys before insert on public.device_software
  for each row execute function app.copy_software_keys();

revoke all on public.device_software from public, anon, authenticated;
grant select on public.device_software to authenticated;
grant select, insert, update, delete on public.device_software to service_role;
alter table public.device_software enable row level security;

create policy device_software_select_member on public.device_software for select to authenticated
  using ((select app.can('device_software', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table app.enrollment_secrets (
  token_id uuid primary key references public.enrollment_tokens (id) on delete cascade,
  token_hash bytea not null unique
);
comment on table app.enrollment_secrets is 'Hash of each enrollment token. Read by the agent functions only.';

revoke all on app.enrollment_secrets from public, anon, authenticated;
alter table app.enrollment_secrets enable row level security;

create function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(value, '[\u0001-\u001f\u007f-\u009f]+', ' ', 'g')), most);
comment on function app.clean_text(text, integer) is 'Text from a machine: control characters out, trimmed, cut to length.';

create function app.clean_date(value text) returns date
  language sql immutable parallel safe
  return case when value ~ '^(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])' then
    pg_catalog.make_date(pg_catalog.substr(value, 1, 4)::integer, pg_catalog.substr(value, 6, 2)::integer, 1)
      + (pg_catalog.substr(value, 9, 2)::integer - 1)
  end;
comment on function app.clean_date(text) is 'A date from a machine, or null. Never raises: the 31st of February is the 3rd of March.';

create function app.inventory_items(software jsonb)
  returns table (name text, publisher text, version text, install_date date, size_mb numeric)
  language sql immutable parallel safe
  begin atomic
    select distinct on (1, 2, 3) c.name, coalesce(c.publisher, ''), coalesce(c.version, ''),
      app.clean_date(e.item ->> 'install_date'),
      case when e.item ->> 'size_mb' ~ '^\d{1,9}(\.\d{1,6})?$' then round((e.item ->> 'size_mb')::numeric, 2) end
    from jsonb_array_elements(case when jsonb_typeof(software) = 'array' then software else '[]' end)
      with ordinality as e (item, position)
    cross join lateral (
      select app.clean_text(e.item ->> 'name', 200) as name, app.clean_text(e.item ->> 'publisher', 200) as publisher,
        app.clean_text(e.item ->> 'version', 100) as version
      where e.position <= 5000 and jsonb_typeof(e.item) = 'object'
      offset 0
    ) c
    where c.name <> ''
    order by 1, 2, 3, e.position;
  end;
comment on function app.inventory_items(jsonb) is
  'The software list of a check-in as rows: at most 5,000, one a name, publisher and version, every value cut and checked.';

create function app.apply_inventory(device_id uuid, company_id uuid, software jsonb) returns jsonb
  language plpgsql volatile security definer set search_path = ''
  -- The planner expects few rows in the list and would compare 5,000 with 5,000 in nested loops (25 s).
  set enable_nestloop = off as $$
#variable_conflict use_column
declare
  target constant uuid := apply_inventory.device_id;
  tenant constant uuid := apply_inventory.company_id;
  names text[];
  publishers text[];
  versions text[];
  dates date[];
  sizes numeric[];
  outcome jsonb;
begin
  -- One check-in of a device at a time, and only under its own company.
  perform 1 from public.devices d where d.company_id = tenant and d.id = target for no key update;
  if not found or jsonb_typeof(apply_inventory.software) is distinct from 'array' then
    return jsonb_build_object('added', 0, 'changed', 0, 'removed', 0);
  end if;
  select coalesce(array_agg(i.name), '{}'), array_agg(i.publisher), array_agg(i.version), array_agg(i.install_date), array_agg(i.size_mb)
  into names, publishers, versions, dates, sizes
  from app.inventory_items(apply_inventory.software) i;
  -- A statement of its own, in key order: titles that another device adds meanwhile are seen by the next one, and no two wait crosswise.
  insert into public.software (company_id, name, publisher)
  select distinct tenant, i.name, i.publisher from unnest(names, publishers) as i (name, publisher)
  where not exists (select 1 from public.software s
                    where s.company_id = tenant and s.name = i.name and s.publisher = i.publisher)
  order by 2, 3
  on conflict do nothing;

  with found_now as materialized (
    select s.id as software_id, i.version, i.install_date, i.size_mb
    from unnest(names, publishers, versions, dates, sizes) as i (name, publisher, version, install_date, size_mb)
    join public.software s on s.company_id = tenant and s.name = i.name and s.publisher = i.publisher
  ), removed as (
    delete from public.device_software ds
    where ds.company_id = tenant and ds.device_id = target
      and not exists (select 1 from found_now f where f.software_id = ds.software_id and f.version = ds.version)
    returning 1
  ), changed as (
    update public.device_software ds set install_date = f.install_date, size_mb = f.size_mb
    from found_now f
    where ds.company_id = tenant and ds.device_id = target and f.software_id = ds.software_id and f.version = ds.version
      and (ds.install_date, ds.size_mb) is distinct from (f.install_date, f.size_mb)
    returning 1
  ), added as (
    insert into public.device_software (company_id, device_id, software_id, version, install_date, size_mb)
    select tenant, target, f.software_id, f.version, f.install_date, f.size_mb from found_now f
    where not exists (select 1 from public.device_software ds where ds.company_id = tenant and ds.device_id = target
                      and ds.software_id = f.software_id and ds.version = f.version)
    on conflict do nothing
    returning 1
  )
  select jsonb_build_object('added', (select count(*) from added), 'changed', (select count(*) from changed),
    'removed', (select count(*) from removed)) into outcome;
  return outcome;
end $$;
comment on function app.apply_inventory(uuid, uuid, jsonb) is
  'The one way software rows change: makes a device''s rows equal to the list [{name, version, publisher, install_date, '
  'size_mb}] and returns {added, changed, removed}. A value that is not a list changes nothing. Definer, because no client '
  'may write inventory. Granted to nobody: the agent functions call it.';

-- Enrollment tokens ---------------------------------------------------------------------------------------------------

-- Security definer: writes the hash, which no client may read.
create function public.create_enrollment_token(
  company_id uuid, name text, group_id uuid default null, expires_at timestamptz default null, max_uses integer default null,
  requires_approval boolean default false
) returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
declare
  secret text := 'kt_' || app.new_secret();
  token_id uuid;
begin
  perform app.require('enrollment_tokens', 'create');
  -- The same answer for another's company and for one that does not exist.
  if create_enrollment_token.company_id is null
     or not (create_enrollment_token.company_id = any (app.visible_company_ids())) then
    raise exception using errcode = '42501', message = 'not your company', hint = 'role';
  end if;
  if create_enrollment_token.expires_at <= now() then
    raise exception using errcode = '22023', message = 'expires_at lies in the past';
  end if;
  insert into public.enrollment_tokens (company_id, name, group_id, hint, expires_at, max_uses, requires_approval, created_by)
  values (create_enrollment_token.company_id, btrim(create_enrollment_token.name), create_enrollment_token.group_id,
    right(secret, 4), create_enrollment_token.expires_at, create_enrollment_token.max_uses,
    coalesce(create_enrollment_token.requires_approval, false), app.current_user_id())
  returning id into token_id;
  insert into app.enrollment_secrets (token_id, token_hash) values (token_id, app.hash_secret(secret));
  return jsonb_build_object('id', token_id, 'token', secret);
end $$;
comment on function public.create_enrollment_token(uuid, text, uuid, timestamptz, integer, boolean) is
  'Makes an enrollment token and returns {id, token}: the only time the token is shown.';
revoke execute on function public.create_enrollment_token(uuid, text, uuid, timestamptz, integer, boolean) from public, anon;
grant execute on function public.create_enrollment_token(uuid, text, uuid, timestamptz, integer, boolean) to authenticated;

create function public.revoke_enrollment_token(id uuid) returns void
  language plpgsql volatile security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform app.require('enrollment_tokens', 'delete');
  update public.enrollment_tokens t set revoked_at = coalesce(t.revoked_at, now())
  where t.id = revoke_enrollment_token.id and t.company_id = any (app.visible_company_ids());
  if not found then
    raise exception using errcode = 'PT404', message = 'no such token', hint = 'token_gone';
  end if;
end $$;
comment on function public.revoke_enrollment_token(uuid) is
  'Ends an enrollment token for good; devices that enrolled with it stay. Definer, because tokens are written by functions only.';
revoke execute on function public.revoke_enrollment_token(uuid) from public, anon;
grant execute on function public.revoke_enrollment_token(uuid) to authenticated;

create function public.search_devices(q text) returns setof public.devices
  language sql stable rows 500 as $$
  select t.* from public.devices t
  where case when app.search_ids('devices', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_devices(text) is
  'The devices that match every word of q, whatever its case and accents; filter, order and page it like the table.';
revoke execute on function public.search_devices(text) from public, anon;
grant execute on function public.search_devices(text) to authenticated;

create function public.search_groups(q text) returns setof public.groups
  language sql stable rows 500 as $$
  select t.* from public.groups t
  where case when app.search_ids('groups', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('groups', q)) end
$$;
comment on function public.search_groups(text) is
  'The groups that match every word of q, whatever its case and accents; filter, order and page it like the table.';
revoke execute on function public.search_groups(text) from public, anon;
grant execute on function public.search_groups(text) to authenticated;

-- Group candidates and search -----------------------------------------------------------------------------------------

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_group_candidates(group_id uuid, q text) returns setof public.devices
  language sql stable rows 500 as $$
  select d.* from public.search_devices(search_group_candidates.q) d
  where d.company_id = (select g.company_id from public.groups g where g.id = search_group_candidates.group_id)
    and not exists (
      select 1 from public.group_devices m
      where m.company_id = d.company_id and m.group_id = search_group_candidates.group_id and m.device_id = d.id)
$$;
comment on function public.search_group_candidates(uuid, text) is
  'The devices of the group''s company that match q and are not in the group yet; filter, order and page it like the table.';
revoke execute on function public.search_group_candidates(uuid, text) from public, anon;
grant execute on function public.search_group_candidates(uuid, text) to authenticated;

create function public.add_group_candidates(group_id uuid, q text, max_devices integer default 1000) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  added integer;
begin
  insert into public.group_devices (company_id, group_id, device_id)
  select d.company_id, add_group_candidates.group_id, d.id
  from public.search_group_candidates(add_group_candidates.group_id, add_group_candidates.q) d
  order by d.id limit least(greatest(add_group_candidates.max_devices, 1), 5000)
  on conflict (company_id, group_id, device_id) do nothing;
  get diagnostics added = row_count;
  return added;
end $$;
comment on function public.add_group_candidates(uuid, text, integer) is
  'Adds devices that match q to the group, up to max_devices per call; returns how many. Call it until it returns 0. '
  'Runs as the caller: row-level security and the permission trigger of group_devices decide.';
revoke execute on function public.add_group_candidates(uuid, text, integer) from public, anon;
grant execute on function public.add_group_candidates(uuid, text, integer) to authenticated;

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_group_devices(q text) returns setof public.group_devices
  language sql stable rows 500 as $$
  select t.* from public.group_devices t
  where case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_group_devices(text) is
  'The devices in groups that match every word of q; filter by group, order and page it like the table.';
revoke execute on function public.search_group_devices(text) from public, anon;
grant execute on function public.search_group_devices(text) to authenticated;

-- Matches the words of the title or of the device, without a search column on the largest table.
create function public.search_device_software(q text) returns setof public.device_software
  language sql stable rows 500 as $$
  select t.* from public.device_software t
  where case when app.search_ids('software', q) is null
      then exists (select 1 from public.software s where s.company_id = t.company_id and s.id = t.software_id
                   and s.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.software_id = any (app.search_ids('software', q)) end
    or case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_device_software(text) is
  'The installations whose title or whose device matches every word of q; filter, order and page it like the table.';
revoke execute on function public.search_device_software(text) from public, anon;
grant execute on function public.search_device_software(text) to authenticated;
