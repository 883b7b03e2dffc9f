-- Policies: rules for devices, their order and their windows.

create table public.policies (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  kind text not null default 'patch' check (kind in ('patch', 'maintenance', 'agent', 'permission')),
  position integer not null default 100 check (position between 0 and 100000),
  enabled boolean not null default true,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  approve_severities text[] not null default '{}' check (approve_severities <@ array['critical', 'important', 'moderate', 'low', 'unspecified']::text[] and cardinality(approve_severities) <= 100),
  approve_after_days integer default 0 check (approve_after_days between 0 and 365),
  window_weekdays text[] not null default '{}' constraint policies_install_weekdays_check check (window_weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']::text[] and cardinality(window_weekdays) <= 100),
  window_from text default '22:00' constraint policies_install_from_check check (window_from ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  window_to text default '05:00' constraint policies_install_to_check check (window_to ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  timezone text default 'Europe/Istanbul' check (app.is_timezone(timezone)),
  reboot text default 'never' check (reboot in ('never', 'if_needed', 'in_window')),
  check_in_seconds integer check (check_in_seconds between 5 and 600),
  denied text[] not null default '{}'
    check (denied <@ array['procedure', 'command', 'app', 'patch', 'power', 'service']::text[] and cardinality(denied) <= 100),
  agent_updates text default 'off' check (agent_updates in ('off', 'automatic')),
  agent_update_days integer default 0 check (agent_update_days between 0 and 90),
  ring integer check (ring between 1 and 3),
  promote_after_days integer default 3 check (promote_after_days between 0 and 90),
  promote_success_percent integer default 95 check (promote_success_percent between 1 and 100),
  promote_min_devices integer default 3 check (promote_min_devices between 1 and 1000),
  reboot_weekdays text[] not null default '{}'
  check (reboot_weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']::text[] and cardinality(reboot_weekdays) <= 100),
  reboot_from text default '03:00' check (reboot_from ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  reboot_to text default '05:00' check (reboot_to ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  needs_approval boolean not null default false,
  denies_values boolean not null default false,
  set_by uuid references public.profiles (id) on delete set null,
  set_by_operator boolean not null default false,
  paused_for text,
  unique (company_id, id),
  constraint policies_approve_after_days_check02 check (not (kind = 'patch') or approve_after_days is not null),
  constraint policies_reboot_check02 check (not (kind = 'patch') or reboot is not null),
  constraint policies_window_from_check02
  check (not (kind in ('patch', 'maintenance')) or coalesce(length(btrim(window_from)), 0) > 0),
  constraint policies_window_to_check02
  check (not (kind in ('patch', 'maintenance')) or coalesce(length(btrim(window_to)), 0) > 0),
  constraint policies_timezone_check02
  check (not (kind in ('patch', 'maintenance')) or coalesce(length(btrim(timezone)), 0) > 0),
  constraint policies_agent_updates_check02 check (not (kind = 'agent') or agent_updates is not null),
  constraint policies_agent_update_days_check02 check (not (kind = 'agent' and agent_updates = 'automatic') or agent_update_days is not null),
  constraint policies_promote_after_days_check02 check (not (kind = 'patch' and ring > 1) or promote_after_days is not null),
  constraint policies_promote_success_percent_check02 check (not (kind = 'patch' and ring > 1) or promote_success_percent is not null),
  constraint policies_promote_min_devices_check02 check (not (kind = 'patch' and ring > 1) or promote_min_devices is not null),
  constraint policies_reboot_weekdays_check02
  check (not (kind = 'patch' and reboot = 'in_window') or coalesce(cardinality(reboot_weekdays), 0) > 0),
  constraint policies_reboot_from_check02
  check (not (kind = 'patch' and reboot = 'in_window') or coalesce(length(btrim(reboot_from)), 0) > 0),
  constraint policies_reboot_to_check02
  check (not (kind = 'patch' and reboot = 'in_window') or coalesce(length(btrim(reboot_to)), 0) > 0)
);
comment on table public.policies is
  'Rules on groups of devices: patches, maintenance windows, the agent, what may be run. The lower position goes first.';
comment on column public.policies.needs_approval is
  'Of kind permission: its devices run a version of a script only after another person than its author approved it.';
comment on column public.policies.denies_values is
  'Of kind permission: its devices run no script with a text, number or secret that was given at the run (app.free_values()).';
comment on column public.policies.set_by is 'Who last set it. Of kind patch: its right to edit policies is asked before it approves and installs.';
comment on column public.policies.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.policies.paused_for is 'By name, whose right was missing when it was due; null while none is.';

create index policies_company_position_idx on public.policies (company_id, position, id);
create index policies_position_idx on public.policies (position, id);
create index policies_company_name_idx on public.policies (company_id, name_key, id);
create index policies_name_idx on public.policies (name_key, id);
create index policies_company_created_idx on public.policies (company_id, created_at, id);
create index policies_created_idx on public.policies (created_at, id);
create index policies_author_idx on public.policies (created_by);
create index policies_company_kind_idx on public.policies (company_id, kind);
create index policies_enforced_idx on public.policies (company_id, position, id) where kind = 'patch' and enabled;
create index policies_ring_idx on public.policies (company_id, ring) where kind = 'patch' and enabled and ring is not null;
create index policies_set_by_idx on public.policies (set_by);

create table public.policy_groups (
  company_id uuid not null references public.companies (id),
  policy_id uuid not null,
  group_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, policy_id, group_id),
  foreign key (company_id, policy_id) references public.policies (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.policy_groups is 'Which groups a policy is for; without any it is for every device.';

create index policy_groups_group_idx on public.policy_groups (company_id, group_id);

create table app.policy_changes (
  company_id uuid primary key references public.companies (id) on delete cascade
);
comment on table app.policy_changes is 'Companies whose agent policies or their devices changed since app.apply_policies() last ran.';
