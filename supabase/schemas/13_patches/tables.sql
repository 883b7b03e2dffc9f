-- Updates: what is missing where, decisions, exceptions, rings.

create table public.patches (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  title text not null check (length(btrim(title)) between 1 and 300),
  kb_number text not null default '' check (length(kb_number) <= 40),
  category text not null default 'security' check (category in ('security', 'critical', 'feature', 'driver', 'definition', 'application', 'other')),
  severity text not null default 'unspecified' check (severity in ('critical', 'important', 'moderate', 'low', 'unspecified')),
  size_mb numeric(12, 2) check (size_mb >= 0),
  release_date date,
  superseded boolean not null default false,
  approval text not null default 'pending' check (approval in ('pending', 'approved', 'denied', 'deferred')),
  deferred_until date,
  notes text check (length(notes) <= 2000),
  title_key text generated always as (app.sort_key(title)) stored,
  search text generated always as (app.fold(title || ' ' || kb_number)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  reported_by uuid,
  unique (company_id, id),
  unique (company_id, title, kb_number),
  constraint patches_deferred_until_check check ((approval = 'deferred') = (deferred_until is not null)),
  constraint patches_reported_by_fkey
  foreign key (company_id, reported_by) references public.devices (company_id, id) on delete set null (reported_by),
  constraint patches_deferred_until_bounds check (deferred_until between '2000-01-01' and '2100-12-31')
);
comment on table public.patches is
  'Updates seen on the devices of a company, with the one decision about each. What an update is comes from the machines; people decide and take notes.';
comment on column public.patches.reported_by is 'The device that reported it first; null for updates that are older than this column.';

create index patches_company_title_idx on public.patches (company_id, title_key, id);
create index patches_title_idx on public.patches (title_key, id);
create index patches_company_kb_idx on public.patches (company_id, kb_number, id);
create index patches_kb_idx on public.patches (kb_number, id);
create index patches_company_release_idx on public.patches (company_id, release_date, id);
create index patches_release_idx on public.patches (release_date, id);
create index patches_company_size_idx on public.patches (company_id, size_mb, id);
create index patches_size_idx on public.patches (size_mb, id);
create index patches_company_approval_idx on public.patches (company_id, approval, severity);
create index patches_deferred_until_idx on public.patches (deferred_until) where deferred_until is not null;
create index patches_reported_by_idx on public.patches (company_id, reported_by, created_at);
create index patches_company_created_idx on public.patches (company_id, created_at, id);
create index patches_created_idx on public.patches (created_at, id);

create table public.device_patches (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  device_id uuid not null,
  patch_id uuid not null,
  status text not null default 'missing' check (status in ('missing', 'queued', 'installing', 'installed', 'failed')),
  reboot_required boolean not null default false,
  installed_at timestamptz,
  error text check (length(error) <= 500),
  -- Copies of what the list sorts and filters by, so that a page walks one index. Kept by trigger.
  title_key text,
  device_key text,
  severity text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  run_id uuid,
  exception text check (exception in ('approved', 'denied', 'deferred')),
  exception_scope text check (exception_scope in ('group', 'device')),
  missing_since timestamptz not null default now(),
  superseded boolean not null default false,
  failed_at timestamptz,
  installed_version text
  constraint device_patches_installed_version_check check (length(installed_version) <= 40),
  unique (company_id, id),
  constraint device_patches_device_patch_key unique (device_id, company_id, patch_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade,
  constraint device_patches_installed_at_check check ((status = 'installed') = (installed_at is not null))
);
comment on table public.device_patches is 'Which update is missing, being installed or installed on which device. Written by the machines alone.';
comment on column public.device_patches.run_id is
  'The run of public.job_runs that installs it, or was the last to try. Without a foreign key: PostgREST would embed devices in runs through this table.';
comment on column public.device_patches.exception is
  'What public.patch_exceptions says for this device, null where the company''s decision holds. A copy, kept by trigger: runs, lists and compliance read it.';
comment on column public.device_patches.exception_scope is 'Whether the exception is that of the device or of one of its groups.';
comment on column public.device_patches.missing_since is 'Since when the update is missing; an update that was removed again is missing since then.';
comment on column public.device_patches.superseded is 'A copy of patches.superseded, which lists leave out. Kept by app.rate_patches().';
comment on column public.device_patches.failed_at is 'When the update last failed there; null once it is installed. A device that tries again counts as failed until it succeeds.';
comment on column public.device_patches.installed_version is
  'The version that the device had when it last reported the update as missing; null where its system does not say.';

create index device_patches_company_title_idx on public.device_patches (company_id, title_key, id);
create index device_patches_title_idx on public.device_patches (title_key, id);
create index device_patches_company_device_idx on public.device_patches (company_id, device_key, id);
create index device_patches_device_idx on public.device_patches (device_key, id);
create index device_patches_company_installed_idx on public.device_patches (company_id, installed_at, id);
create index device_patches_installed_idx on public.device_patches (installed_at, id);
-- The list "missing and critical" would otherwise walk past all installed updates.
create index device_patches_company_status_idx on public.device_patches (company_id, status, severity, title_key, id);
create index device_patches_status_idx on public.device_patches (status, severity, title_key, id);
create index device_patches_patch_idx on public.device_patches (patch_id, company_id, device_id);
-- Few rows of many: without its own index, a page of them walks past all other rows.
create index device_patches_company_reboot_idx on public.device_patches (company_id, title_key, id) where reboot_required;
create index device_patches_reboot_idx on public.device_patches (title_key, id) where reboot_required;
-- For the exact count of a list over all companies, which otherwise reads the whole table (85 MB of device_patches). An index
-- on only what the select policy reads is 20 times smaller, because equal keys are stored once, and it answers the count
-- without the table. company_id never changes, so updates stay in place.
create index device_patches_company_idx on public.device_patches (company_id);
create index device_patches_run_idx on public.device_patches (company_id, run_id) where run_id is not null;
create index device_patches_exception_idx on public.device_patches (company_id, patch_id, exception_scope) where exception is not null;

create table public.patch_exceptions (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  patch_id uuid not null,
  scope text not null default 'group' check (scope in ('group', 'device')),
  group_id uuid,
  device_id uuid,
  approval text not null default 'denied' check (approval in ('approved', 'denied', 'deferred')),
  deferred_until date,
  notes text check (length(notes) <= 500),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint patch_exceptions_patch_id_group_id_key unique (company_id, patch_id, group_id),
  constraint patch_exceptions_patch_id_device_id_key unique (company_id, patch_id, device_id),
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  constraint patch_exceptions_group_id_check check ((scope = 'group') = (group_id is not null)),
  constraint patch_exceptions_device_id_check check ((scope = 'device') = (device_id is not null)),
  constraint patch_exceptions_deferred_until_check check ((approval = 'deferred') = (deferred_until is not null)),
  constraint patch_exceptions_deferred_until_bounds
  check (deferred_until between '2000-01-01' and '2100-12-31')
);
comment on table public.patch_exceptions is
  'What a group or a device does with an update instead of what its company decided (patches.approval). One for a device comes before those for groups; of several groups, the strictest holds.';

create index patch_exceptions_group_idx on public.patch_exceptions (company_id, group_id);
create index patch_exceptions_device_idx on public.patch_exceptions (company_id, device_id);
create index patch_exceptions_company_created_idx on public.patch_exceptions (company_id, created_at, id);
create index patch_exceptions_created_idx on public.patch_exceptions (created_at, id);
create index patch_exceptions_until_idx on public.patch_exceptions (deferred_until) where deferred_until is not null;

create table app.patch_changes (
  -- A queue without another key: a check-in that adds to it never waits for the tick that works on it.
  id bigint generated always as identity primary key,
  company_id uuid not null,
  patch_id uuid not null,
  -- The last device that was rated; null at the start.
  after_device uuid,
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade
);
comment on table app.patch_changes is 'Updates that devices should have now, or should no longer have: app.rate_patches() goes through their devices.';

create index patch_changes_patch_idx on app.patch_changes (company_id, patch_id);

create table app.patch_releases (
  company_id uuid not null,
  policy_id uuid not null,
  patch_id uuid not null,
  -- How the update fared on the devices of the ring before, when that was last counted.
  tried integer not null default 0,
  succeeded integer not null default 0,
  first_at timestamptz,
  evaluated_at timestamptz not null default now(),
  -- Once released, an update stays released: a device that fails later holds back nobody.
  released_at timestamptz,
  primary key (company_id, policy_id, patch_id),
  foreign key (company_id, policy_id) references public.policies (company_id, id) on delete cascade,
  foreign key (company_id, patch_id) references public.patches (company_id, id) on delete cascade
);
comment on table app.patch_releases is 'Which approved updates the devices of a policy of ring 2 or 3 get, and how these fared on the ring before. Written by app.promote_updates().';

create index patch_releases_patch_idx on app.patch_releases (company_id, patch_id);
