-- Automations: triggers, steps, runs.

create table public.automations (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  trigger text not null default 'manual' check (trigger in ('manual', 'schedule', 'new_device', 'alert', 'enters_group')),
  enabled boolean not null default true,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  platform text check (platform in ('linux', 'windows', 'macos')),
  online_only boolean not null default false,
  frequency text default 'daily' check (frequency in ('once', 'every', 'daily', 'weekly', 'monthly', 'monthly_weekday')),
  starts_at timestamptz default now() check (starts_at between '2000-01-01 00:00+00' and '2100-01-01 00:00+00'),
  every_minutes integer check (every_minutes between 5 and 525600),
  time_of_day text default '09:00' check (time_of_day ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  weekdays text[] not null default '{}' check (weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']::text[] and cardinality(weekdays) <= 100),
  month_day integer check (month_day between 1 and 31),
  timezone text default 'Europe/Istanbul' check (app.is_timezone(timezone)),
  next_run_at timestamptz,
  last_run_at timestamptz,
  month_week text default 'first' check (month_week in ('first', 'second', 'third', 'fourth', 'last')),
  month_weekday text default 'mon'
  check (month_weekday in ('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun')),
  problem text check (problem in ('no_steps', 'no_monitors', 'no_groups', 'no_devices', 'no_platform')),
  set_by uuid references public.profiles (id) on delete set null,
  set_by_operator boolean not null default false,
  paused_for text,
  unique (company_id, id),
  constraint automations_frequency_check02 check (not (trigger = 'schedule') or frequency is not null),
  constraint automations_starts_at_check02 check (not (trigger = 'schedule') or starts_at is not null),
  constraint automations_every_minutes_check02 check (not (trigger = 'schedule' and frequency = 'every') or every_minutes is not null),
  constraint automations_weekdays_check02 check (not (trigger = 'schedule' and frequency = 'weekly') or coalesce(cardinality(weekdays), 0) > 0),
  constraint automations_month_day_check02 check (not (trigger = 'schedule' and frequency = 'monthly') or month_day is not null),
  constraint automations_timezone_check02 check (not (trigger = 'schedule') or coalesce(length(btrim(timezone)), 0) > 0),
  constraint automations_time_of_day_check02
  check (not (trigger = 'schedule' and frequency in ('daily', 'weekly', 'monthly', 'monthly_weekday')) or coalesce(length(btrim(time_of_day)), 0) > 0),
  constraint automations_month_week_check02
  check (not (trigger = 'schedule' and frequency = 'monthly_weekday') or month_week is not null),
  constraint automations_month_weekday_check02
  check (not (trigger = 'schedule' and frequency = 'monthly_weekday') or month_weekday is not null)
);
comment on table public.automations is
  'Steps that run on devices: its devices and those of its groups, narrowed by platform and online_only. '
  'With a trigger that concerns one device and without devices and groups, any device of the company.';
comment on column public.automations.problem is
  'Why it can never run, enabled or not: without steps; without monitors although an alert starts it; without groups although entering one '
  'does; without devices and groups although a schedule does; with devices of which none runs any step. Null where nothing is missing. '
  'Kept by triggers.';
comment on column public.automations.set_by is 'Who last set what it runs, where and when. Its right is asked when the automation is due.';
comment on column public.automations.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.automations.paused_for is 'By name, whose right was missing when it was due; null while none is.';

alter table public.jobs add foreign key (company_id, automation_id)
references public.automations (company_id, id) on delete set null (automation_id);

create index automations_company_name_idx on public.automations (company_id, name_key, id);
create index automations_name_idx on public.automations (name_key, id);
create index automations_company_created_idx on public.automations (company_id, created_at, id);
create index automations_created_idx on public.automations (created_at, id);
create index automations_author_idx on public.automations (created_by);
create index automations_company_trigger_idx on public.automations (company_id, trigger);
create index automations_company_platform_idx on public.automations (company_id, platform);
create index automations_due_idx on public.automations (next_run_at) where enabled;
create index automations_company_problem_idx on public.automations (company_id, problem);
create index automations_set_by_idx on public.automations (set_by);

create table public.automation_monitors (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  monitor_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, monitor_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade
);
comment on table public.automation_monitors is 'Which monitors an automation brings along.';

create index automation_monitors_monitor_idx on public.automation_monitors (company_id, monitor_id);

create table public.automation_devices (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  device_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, device_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.automation_devices is 'Devices that an automation applies to, in addition to those of its groups.';

create index automation_devices_device_idx on public.automation_devices (company_id, device_id);

create table public.automation_groups (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  group_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, group_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.automation_groups is 'Groups of devices that an automation applies to.';

create index automation_groups_group_idx on public.automation_groups (company_id, group_id);

create table public.automation_steps (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  position integer check (position between 1 and 1000),
  procedure_id uuid not null,
  on_failure text not null default 'stop' check (on_failure in ('stop', 'continue')),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.automation_steps is
  'The scripts of an automation in the order of position, then of id. on_failure says whether the next step follows a failed one.';
comment on column public.automation_steps.position is 'Filled in as the last one if it is not given.';

create index automation_steps_company_position_idx on public.automation_steps (company_id, position, id);
create index automation_steps_position_idx on public.automation_steps (position, id);
create index automation_steps_company_automation_id_idx on public.automation_steps (company_id, automation_id, position, id);
create index automation_steps_company_procedure_id_idx on public.automation_steps (company_id, procedure_id);
create index automation_steps_company_on_failure_idx on public.automation_steps (company_id, on_failure);

create table public.automation_runs (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  device_id uuid not null,
  status text not null default 'running' check (status in ('running', 'succeeded', 'partial', 'failed', 'cancelled')),
  trigger text not null check (trigger in ('manual', 'schedule', 'new_device', 'alert', 'enters_group')),
  step integer,
  step_id uuid,
  procedure_id uuid,
  failed_steps integer not null default 0,
  error text check (error in ('step_failed', 'parameters', 'license', 'disabled', 'person')),
  alert_id uuid,
  group_id uuid,
  started_by uuid references public.profiles (id) on delete set null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete set null (procedure_id),
  foreign key (company_id, alert_id) references public.alerts (company_id, id) on delete set null (alert_id),
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete set null (group_id)
);
comment on table public.automation_runs is
  'An automation on one device, each time it was started. At most one of them is running for an automation and device.';
comment on column public.automation_runs.status is
  'partial: every step was run and some failed, each of which lets the next one follow.';
comment on column public.automation_runs.step is 'Position of the current or last step. With step_id it is where the run goes on, even if the step is deleted.';
comment on column public.automation_runs.error is
  'Why it did not succeed: step_failed, parameters (a script asks for a value), license, disabled, person (whoever set or started it has '
  'lost the right). Null where a person canceled it.';

alter table public.job_runs add foreign key (company_id, automation_run_id)
references public.automation_runs (company_id, id) on delete set null (automation_run_id);

create index automation_runs_company_started_at_idx on public.automation_runs (company_id, started_at, id);
create index automation_runs_started_at_idx on public.automation_runs (started_at, id);
create index automation_runs_company_finished_at_idx on public.automation_runs (company_id, finished_at, id);
create index automation_runs_finished_at_idx on public.automation_runs (finished_at, id);
create unique index automation_runs_one_running on public.automation_runs (company_id, automation_id, device_id) where status = 'running';
create index automation_runs_company_automation_id_idx on public.automation_runs (company_id, automation_id, started_at, id);
create index automation_runs_company_device_id_idx on public.automation_runs (company_id, device_id, started_at, id);
create index automation_runs_company_status_idx on public.automation_runs (company_id, status, started_at, id);
create index automation_runs_company_trigger_idx on public.automation_runs (company_id, trigger);
create index automation_runs_company_procedure_id_idx on public.automation_runs (company_id, procedure_id);
create index automation_runs_company_alert_id_idx on public.automation_runs (company_id, alert_id);
create index automation_runs_company_group_id_idx on public.automation_runs (company_id, group_id);
create index automation_runs_started_by_idx on public.automation_runs (started_by);
