-- Devices: their inventory, groups, tags, maintenance and load.

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
  rule jsonb check (jsonb_typeof(rule) = 'object' and length(rule::text) <= 20000),
  chosen_by text not null default 'people' check (chosen_by in ('people', 'rule')),
  by_rule boolean generated always as (chosen_by = 'rule') stored,
  unique (company_id, id),
  unique (company_id, name),
  constraint groups_rule_chosen check (rule is null or chosen_by = 'rule')
);
comment on table public.groups is 'Named sets of devices of one company.';
comment on column public.groups.device_count is 'Devices in the group. Kept by trigger.';
comment on column public.groups.rule is
  'The filter over devices, as the console''s filter builder has it; null for a group whose devices people choose. Written by set_group_rule().';
comment on column public.groups.chosen_by is
  'Who chooses the devices. Written when the group is created, and by set_group_rule(): a group by rule may have none yet, and then has no devices.';

create index groups_company_name_idx on public.groups (company_id, name_key, id);
create index groups_name_idx on public.groups (name_key, id);
create index groups_company_created_idx on public.groups (company_id, created_at, id);
create index groups_search_idx on public.groups using gin (search extensions.gin_trgm_ops);
create index groups_created_idx on public.groups (created_at, id);
create index groups_company_count_idx on public.groups (company_id, device_count, id);
create index groups_count_idx on public.groups (device_count, id);

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
  used_up boolean not null
  generated always as (max_uses is not null and used_count >= max_uses) stored,
  unique (company_id, id),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete set null (group_id)
);
comment on table public.enrollment_tokens is
  'Tokens that new devices enroll with: they set its company and group. Only the hash is kept, apart; hint is the last four characters.';
comment on column public.enrollment_tokens.requires_approval is 'Whether each device that presents this token waits for approval.';
comment on column public.enrollment_tokens.used_up is 'Whether as many machines enrolled with it as may. A machine that enrolls again counts again.';

create index enrollment_tokens_company_created_idx on public.enrollment_tokens (company_id, created_at, id);
create index enrollment_tokens_group_idx on public.enrollment_tokens (company_id, group_id);
create index enrollment_tokens_company_name_idx on public.enrollment_tokens (company_id, name_key, id);
create index enrollment_tokens_name_idx on public.enrollment_tokens (name_key, id);
create index enrollment_tokens_created_idx on public.enrollment_tokens (created_at, id);
create index enrollment_tokens_company_expires_idx on public.enrollment_tokens (company_id, expires_at, id);
create index enrollment_tokens_expires_idx on public.enrollment_tokens (expires_at, id);
create index enrollment_tokens_created_by_idx on public.enrollment_tokens (created_by);

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
  maintenance_until timestamptz,
  maintenance_note text check (length(maintenance_note) <= 200),
  missing_updates integer not null default 0 check (missing_updates >= 0),
  open_alerts integer not null default 0 check (open_alerts >= 0),
  agent_update_state text check (agent_update_state in ('updating', 'failed')),
  agent_update_version text check (length(agent_update_version) <= 40),
  agent_update_reason text
  check (agent_update_reason in ('no_check_in', 'ended', 'interrupted', 'signature', 'older', 'not_writable', 'other')),
  outdated_since timestamptz,
  outdated_severity text check (outdated_severity in ('critical', 'important', 'moderate', 'low', 'unspecified')),
  updates_known boolean not null default false,
  gpu text check (length(gpu) <= 400),
  timezone text check (length(timezone) <= 64),
  updates_cut boolean not null default false,
  inventory_refused text check (length(inventory_refused) <= 300),
  inventory_refused_at timestamptz,
  owner_id uuid references public.profiles (id) on delete set null,
  unique (company_id, id),
  foreign key (company_id, enrollment_token_id) references public.enrollment_tokens (company_id, id) on delete set null (enrollment_token_id),
  -- "Last seen" sorts by offline_since, nulls first: online is the most recent.
  constraint devices_offline_since_check check ((status = 'online') = (offline_since is null))
);
comment on table public.devices is
  'The managed machines: the wide, slow row. status and offline_since change only when presence changes; live figures are in device_presence.';
comment on column public.devices.enrollment_token_id is 'The token the device last enrolled with; null once that token is deleted.';
comment on column public.devices.owner_id is 'Who uses the device, as the desk has noted it: requesters pick their own devices in a ticket.';
comment on column public.devices.maintenance_until is 'Until then the device raises no alerts. Written by set_maintenance().';
comment on column public.devices.missing_updates is 'Rows of device_patches that are not installed; kept by trigger.';
comment on column public.devices.open_alerts is 'Alerts that are not resolved; kept by trigger.';
comment on column public.devices.agent_update_state is
  'What the device says of its own update: updating, failed (refused, or put back, and not tried again), or null. Written by agent_check_in().';
comment on column public.devices.agent_update_version is 'The version that agent_update_state is about.';
comment on column public.devices.outdated_since is
  'Since when the device lacks an update that it should have: an approved one, or a security update that nobody denied or deferred. Null while it lacks none. Kept by trigger and by app.rate_patches().';
comment on column public.devices.outdated_severity is 'The highest severity of the updates that the device should have and lacks.';
comment on column public.devices.updates_known is 'Whether the device ever reported its updates.';
comment on column public.devices.gpu is 'The graphics adapters, separated by commas, as the agent reports them.';
comment on column public.devices.timezone is 'The IANA time zone that the device reports; null where it reports none.';
comment on column public.devices.updates_cut is 'Whether a limit left out an update that the device lacks: then nobody can say that it is up to date.';
comment on column public.devices.inventory_refused is
  'Why the database did not take the latest inventory of the device; null when it did. What is stored is from an earlier one.';

-- Each sortable column has one index for the list of a company and one for those who see all companies.
create index devices_company_name_idx on public.devices (company_id, name_key, id);
create index devices_name_idx on public.devices (name_key, id);
create index devices_company_os_idx on public.devices (company_id, os, id);
create index devices_os_idx on public.devices (os, id);
create index devices_company_seen_idx on public.devices (company_id, offline_since desc nulls first, id desc);
create index devices_seen_idx on public.devices (offline_since desc nulls first, id desc);
-- The list "offline, last seen first" would otherwise walk past all online devices: 300 ms of 100,000 devices.
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
create index devices_company_maintenance_idx on public.devices (company_id, maintenance_until) where maintenance_until is not null;
create index devices_company_missing_updates_idx on public.devices (company_id, missing_updates, id);
create index devices_missing_updates_idx on public.devices (missing_updates, id);
create index devices_company_open_alerts_idx on public.devices (company_id, open_alerts, id);
create index devices_open_alerts_idx on public.devices (open_alerts, id);
create index devices_reboot_idx on public.devices (company_id) where reboot_required;
create index devices_company_agent_update_idx on public.devices (company_id, agent_update_state, agent_update_version)
  where agent_update_state is not null;
create index devices_agent_update_idx on public.devices (agent_update_state, id) where agent_update_state is not null;
create index devices_company_outdated_since_idx on public.devices (company_id, outdated_since, id);
create index devices_outdated_since_idx on public.devices (outdated_since, id);
-- The counts of compliance read these two alone.
create index devices_outdated_idx on public.devices (company_id, outdated_severity, outdated_since) where outdated_since is not null;
create index devices_updates_unknown_idx on public.devices (company_id) where not updates_known;
create index devices_company_platform_idx on public.devices (company_id, platform);
create index devices_company_owner_id_idx on public.devices (company_id, owner_id);
create index devices_owner_id_idx on public.devices (owner_id);

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
  -- The row is rewritten by every check-in anyway.
  monitors_stamp bigint,
  monitors_hash text check (length(monitors_hash) <= 64),
  check_in_seconds integer,
  -- The row that a check-in reads anyway.
  agent_update_days integer,
  agent_target text,
  agent_target_asked boolean not null default false,
  agent_instances text[] not null default '{}',
  instance_returns smallint not null default 0,
  primary key (company_id, device_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
  ) with (fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05
);
comment on table public.device_presence is
  'Live figures of a device, updated in place by every check-in: keep it narrow and without further indexes, or check-ins become six times dearer.';
comment on column public.device_presence.monitors_hash is
  'Hash of the device''s monitors as of monitors_stamp (app.monitor_stamps); null makes the next check-in compute it.';
comment on column public.device_presence.check_in_seconds is 'By the agent policy that applies to the device; written by app.apply_policies().';
comment on column public.device_presence.agent_update_days is
  'By the agent policy that applies to the device: days after its publication until it gets a new version; null for never. Written by app.apply_policies().';
comment on column public.device_presence.agent_target is 'The version of the agent that the device is to run; null for whatever it has.';
comment on column public.device_presence.agent_target_asked is 'Somebody asked for it: no failure elsewhere holds it back.';
comment on column public.device_presence.agent_instances is
  'The ids of the latest processes of the agent, the one that checked in last first.';
comment on column public.device_presence.instance_returns is
  'How often in a row an earlier id came back: a process that ended never does, so that twice means that the device is two machines.';

create index device_presence_check_in_idx on public.device_presence (company_id) where check_in_seconds is not null;
create index device_presence_agent_idx on public.device_presence (company_id, agent_update_days, agent_target) where agent_update_days is not null;

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

create table app.enrollment_secrets (
  token_id uuid primary key references public.enrollment_tokens (id) on delete cascade,
  token_hash bytea not null unique
);
comment on table app.enrollment_secrets is 'Hash of each enrollment token. Read by the agent functions only.';

create table app.fleet (
  only_row boolean primary key default true check (only_row),
  devices integer not null,
  counted_at timestamptz not null
);
comment on table app.fleet is 'How many devices there are, counted once a minute: no check-in may cost what the fleet is big.';

-- A row holds an hour of 12 samples, or a day of 24: one row for each sample would be six times as large.
create table app.device_metrics (
  company_id uuid not null,
  device_id uuid not null,
  step integer not null check (step in (300, 3600)),
  starts_at timestamptz not null,
  cpu smallint[] not null,
  cpu_peak smallint[] not null,
  memory smallint[] not null,
  disk smallint[] not null,
  primary key (company_id, device_id, step, starts_at),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
  ) with (fillfactor = 80
);
comment on table app.device_metrics is
  'Load of devices in percent: an hour of 12 averages over 300 s, or a day (UTC) of 24 averages over 3,600 s, from starts_at; null where '
  'nothing is known. Written by app.take_samples() and app.roll_up_metrics().';

create index device_metrics_step_idx on app.device_metrics (step, starts_at);

create table app.group_rules (
  company_id uuid not null,
  group_id uuid not null,
  filter jsonb not null,
  is_due boolean not null default true,
  evaluated_at timestamptz,
  not_before timestamptz,
  fields text[] not null default '{}',
  primary key (company_id, group_id),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table app.group_rules is 'The rules of groups as app.filter_condition() takes them, and when each was last evaluated.';
comment on column app.group_rules.not_before is 'Until then the rule is not evaluated again: the last time took long. Null for all others.';
comment on column app.group_rules.fields is 'app.rule_fields() of the filter, by trigger.';

create index group_rules_evaluated_idx on app.group_rules (is_due, evaluated_at);

create table app.group_changes (
  company_id uuid primary key references public.companies (id) on delete cascade
);
comment on table app.group_changes is 'Companies with rules whose devices changed since app.refresh_groups() last ran.';

create table public.tags (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 40),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  device_count integer not null default 0,
  unique (company_id, id)
);
comment on table public.tags is 'Tags of a company.';
comment on column public.tags.device_count is 'Devices with the tag. Kept by trigger.';

create index tags_company_name_key_idx on public.tags (company_id, name_key, id);
create index tags_name_key_idx on public.tags (name_key, id);
create index tags_company_created_at_idx on public.tags (company_id, created_at, id);
create index tags_created_at_idx on public.tags (created_at, id);
create unique index tags_name_key on public.tags (company_id, app.unique_key(name));
create index tags_company_count_idx on public.tags (company_id, device_count, id);
create index tags_count_idx on public.tags (device_count, id);

create table public.device_tags (
  company_id uuid not null references public.companies (id),
  device_id uuid not null,
  tag_id uuid not null,
  primary key (company_id, device_id, tag_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, tag_id) references public.tags (company_id, id) on delete cascade
);
comment on table public.device_tags is 'Which tags belong to which devices.';

create index device_tags_tag_id_idx on public.device_tags (company_id, tag_id);

create table public.device_comments (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  device_id uuid not null,
  kind text not null default 'reply' check (kind in ('reply')),
  body text not null check (length(body) <= 20000 and body ~ '\S'),
  author_id uuid references public.profiles (id) on delete set null,
  author_name text check (length(author_name) <= 100),
  mentions uuid[] not null default '{}',
  once_key uuid,
  search text generated always as (app.fold(body)) stored,
  edited_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  unique (company_id, id),
  constraint device_comments_once unique (author_id, once_key),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.device_comments is 'Comments on devices, seen by whoever sees the record; those of a kind with lines of its own need these, too.';
comment on column public.device_comments.once_key is 'Made by the client, so that one text that is sent twice is one comment.';
comment on column public.device_comments.mentions is 'The people whom the text mentions and who may read it.';
create index device_comments_record_idx on public.device_comments (company_id, device_id, created_at, id);
create index device_comments_created_idx on public.device_comments (company_id, created_at, id);
