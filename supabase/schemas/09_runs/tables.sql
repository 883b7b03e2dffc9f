-- Runs: jobs and their runs on devices, targets, schedules, terminals.

create table public.jobs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  kind text not null check (kind in ('procedure', 'command', 'task')),
  name text not null,
  procedure_id uuid,
  procedure_version_id uuid,
  script_type text not null check (script_type in ('PowerShell', 'Batch', 'Python', 'Bash', 'Agent')),
  script text not null,
  script_sha256 text not null check (script_sha256 ~ '^[0-9a-f]{64}$'),
  timeout_seconds integer not null check (timeout_seconds between 1 and 86400),
  parameters jsonb not null default '{}' check (jsonb_typeof(parameters) = 'object'),
  created_by uuid references public.profiles (id) on delete set null,
  expires_at timestamptz not null,
  status text not null default 'running' check (status in ('running', 'finished', 'cancelled')),
  total integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  schedule_id uuid,
  due_at timestamptz,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  max_running integer check (max_running between 1 and 1000),
  retry_of uuid,
  canceled integer not null default 0,
  outcome text not null generated always as (
    case
      when status = 'running' then 'running'
      when failed > 0 and succeeded > 0 then 'partly_failed'
      when failed > 0 then 'failed'
      when status = 'cancelled' or canceled > 0 or succeeded = 0 then 'canceled'
      else 'succeeded'
    end
  ) stored,
  secret_names text[] not null default '{}',
  automation_id uuid,
  platforms text[],
  left_out integer not null default 0 check (left_out >= 0),
  left_full integer not null default 0 check (left_full >= 0),
  unique (company_id, id),
  constraint jobs_schedule_due_key unique (schedule_id, due_at),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id)
    on delete set null (procedure_id),
  foreign key (company_id, procedure_version_id) references public.procedure_versions (company_id, id)
    on delete set null (procedure_version_id),
  constraint jobs_retry_of_fkey foreign key (company_id, retry_of) references public.jobs (company_id, id)
  on delete set null (retry_of)
);
comment on table public.jobs is 'One request to run a script on devices. The script is a copy: later edits never change it.';
comment on column public.jobs.parameters is 'Values given, without those of kind secret (app.job_secrets holds them).';
comment on column public.jobs.expires_at is 'A run not claimed by its device until then is never started.';
comment on column public.jobs.failed is
  'Runs that ended without success and were not canceled: failed, timed out or expired. No run is open when '
  'succeeded + failed + canceled = total.';
comment on column public.jobs.max_running is
  'On how many devices it runs at the same time; null is all of them. Enforced by app.claim_runs().';
comment on column public.jobs.retry_of is 'The first of the jobs that this one repeats; written by retry_job().';
comment on column public.jobs.canceled is 'Runs that were canceled.';
comment on column public.jobs.outcome is
  'How the job ended, as lists show it: running, succeeded (on each device), partly_failed (succeeded elsewhere), failed, or canceled '
  '(without a failure). A job that was canceled has its outcome although devices may still stop runs.';
comment on column public.jobs.secret_names is
  'Parameters of kind secret that were given a value, which only app.job_secrets has, until no run is open.';
comment on column public.jobs.automation_id is 'The automation of which it is a step, if it is one.';
comment on column public.jobs.platforms is 'The systems on which its script runs; null for all.';
comment on column public.jobs.left_out is 'Chosen devices that got no run because the script does not run on their system.';
comment on column public.jobs.left_full is 'Chosen devices that got no run because they have as many open ones as a device may have.';

create index jobs_by_creation on public.jobs (company_id, created_at desc, id);
create index jobs_by_creation_everywhere on public.jobs (created_at desc, id);
create index jobs_by_procedure on public.jobs (company_id, procedure_id, created_at desc);
create index jobs_by_procedure_version on public.jobs (company_id, procedure_version_id);
create index jobs_by_author on public.jobs (created_by);
create index jobs_open_by_expiry on public.jobs (expires_at) where status = 'running';
create index jobs_by_schedule on public.jobs (company_id, schedule_id, created_at desc, id);
create index jobs_company_name_idx on public.jobs (company_id, name_key, id);
create index jobs_name_idx on public.jobs (name_key, id);
-- The same direction for both keys: the indexes that sort by id the other way cannot serve this order.
create index jobs_company_created_idx on public.jobs (company_id, created_at, id);
create index jobs_created_idx on public.jobs (created_at, id);
create index jobs_company_failed_idx on public.jobs (company_id, created_at, id) where failed > 0;
create index jobs_failed_idx on public.jobs (created_at, id) where failed > 0;
create index jobs_open_tasks_idx on public.jobs (company_id, created_at) where status = 'running' and kind = 'task';
create index jobs_company_outcome_idx on public.jobs (company_id, outcome, created_at, id);
create index jobs_outcome_idx on public.jobs (outcome, created_at, id);
create index jobs_company_retry_of_idx on public.jobs (company_id, retry_of, created_at, id);
create index jobs_retry_of_idx on public.jobs (retry_of, created_at, id) where retry_of is not null;
create index jobs_by_automation on public.jobs (company_id, automation_id, created_at desc, id);

create table app.job_secrets (
  job_id uuid primary key,
  company_id uuid not null,
  parameters jsonb not null check (jsonb_typeof(parameters) = 'object'),
  foreign key (company_id, job_id) references public.jobs (company_id, id) on delete cascade
);
comment on table app.job_secrets is
  'Values of parameters of kind secret, for the devices of the job alone; deleted as soon as no run is open.';

create index job_secrets_by_job on app.job_secrets (company_id, job_id);

create table public.job_runs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  job_id uuid not null,
  device_id uuid not null,
  procedure_id uuid,
  status text not null default 'queued' check (
    status in ('queued', 'claimed', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'expired')
  ),
  attempt integer not null default 0,
  queued_at timestamptz not null default now(),
  claimed_at timestamptz,
  lease_until timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  reported_at timestamptz,
  exit_code bigint,
  output text check (octet_length(output) <= 1048576),
  output_truncated boolean not null default false,
  error text check (length(error) <= 200),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  duration_seconds numeric generated always as (
  case when finished_at >= started_at then extract(epoch from finished_at - started_at) end
  ) stored,
  device_key text,
  automation_run_id uuid,
  is_capped boolean not null default false,
  start_after timestamptz,
  waits_for text check (waits_for in ('approval')),
  unique (company_id, id),
  constraint job_runs_job_device_key unique (job_id, company_id, device_id),
  foreign key (company_id, job_id) references public.jobs (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id)
    on delete set null (procedure_id)
);
comment on table public.job_runs is 'A job on one device. It belongs to that device for ever.';
comment on column public.job_runs.attempt is
  '0 until the device claims it, then 1. A lapsed lease offers the same attempt again: a device that began it never begins it twice.';
comment on column public.job_runs.lease_until is 'Until when the device need not be asked again; renewed by its check-ins.';
comment on column public.job_runs.reported_at is
  'When the device''s own result was accepted. Until then a late result is taken, even after the run was given up.';
comment on column public.job_runs.output is
  'The output of the script, up to 1 MB. A longer output keeps its beginning and end, with a line between them that states what was cut.';
comment on column public.job_runs.error is
  'Why a run did not succeed, as a code: interrupted, hash_mismatch, no_interpreter, start_failed, refused, timed_out, ''cancelled'', expired, '
  'lost, denied (a policy), values_denied (a policy, values given at the run), no_right (whoever asked for it may not run it any more), unapproved '
  '(no version of a script), replaced (edited before it was approved), declined. Null for a plain non-zero exit code.';
comment on column public.job_runs.device_key is 'Sort key of its device. Kept by trigger.';
comment on column public.job_runs.automation_run_id is 'The automation run of which it is a step, if it is one.';
comment on column public.job_runs.is_capped is 'Whether its job has max_running: the index of those that run has no entries of other jobs.';
comment on column public.job_runs.start_after is 'No device claims it before; null is at once.';
comment on column public.job_runs.waits_for is 'What kept its device from claiming it, when it last asked.';

alter table public.procedure_logs add foreign key (company_id, job_run_id) references public.job_runs (company_id, id) on delete set null (job_run_id);

create index job_runs_open_by_device on public.job_runs (company_id, device_id, queued_at)
  where status in ('queued', 'claimed', 'running');
create index job_runs_open_by_job on public.job_runs (company_id, job_id)
  where status in ('queued', 'claimed', 'running');
create index job_runs_by_lease on public.job_runs (lease_until) where status in ('claimed', 'running');
create index job_runs_by_time on public.job_runs (company_id, queued_at, id);
create index job_runs_by_time_everywhere on public.job_runs (queued_at, id);
-- Rare values: without their own indexes, a page of them walks past all other rows. Open runs need none, because the partial
-- indexes on them are small enough to read in full.
create index job_runs_failed on public.job_runs (company_id, queued_at, id)
  where status in ('failed', 'timed_out', 'expired');
create index job_runs_failed_everywhere on public.job_runs (queued_at, id)
  where status in ('failed', 'timed_out', 'expired');
create index job_runs_by_device on public.job_runs (device_id, queued_at, id);
create index job_runs_by_procedure on public.job_runs (procedure_id, company_id, queued_at, id);
create index job_runs_by_status on public.job_runs (company_id, status, id);
create index job_runs_by_status_everywhere on public.job_runs (status, id);
create index job_runs_by_finish on public.job_runs (company_id, finished_at, id);
create index job_runs_by_finish_everywhere on public.job_runs (finished_at, id);
create index job_runs_by_device_name on public.job_runs (company_id, device_key, id);
create index job_runs_by_device_name_everywhere on public.job_runs (device_key, id);
create index job_runs_by_automation_run on public.job_runs (company_id, automation_run_id, queued_at, id);
create index job_runs_capped_idx on public.job_runs (company_id, job_id) where is_capped and status in ('claimed', 'running');
create index job_runs_waiting_idx on public.job_runs (company_id, procedure_id) where status = 'queued' and waits_for = 'approval';

create table public.scheduled_tasks (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  procedure_id uuid not null,
  target_kind text not null default 'device' check (target_kind in ('device', 'devices', 'group', 'groups', 'filter', 'all')),
  device_id uuid,
  group_id uuid,
  frequency text not null default 'daily' check (frequency in ('once', 'every', 'daily', 'weekly', 'monthly', 'monthly_weekday')),
  starts_at timestamptz not null default now() check (starts_at between '2000-01-01 00:00+00' and '2100-01-01 00:00+00'),
  every_minutes integer check (every_minutes between 5 and 525600),
  time_of_day text check (time_of_day ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  weekdays text[] check (weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']),
  month_day integer check (month_day between 1 and 31),
  -- An unknown time zone fails here (22023), not when the task is due.
  timezone text not null default 'Europe/Istanbul' check ((timestamptz 'epoch' at time zone timezone) is not null),
  missed_run text not null default 'skip' check (missed_run in ('skip', 'run_once')),
  enabled boolean not null default true,
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_error text check (length(last_error) <= 500),
  created_by uuid references public.profiles (id) on delete set null,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  month_week text default 'first' check (month_week in ('first', 'second', 'third', 'fourth', 'last')),
  month_weekday text default 'mon'
  check (month_weekday in ('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun')),
  random_delay_minutes integer not null default 0 check (random_delay_minutes between 0 and 1440),
  max_running integer check (max_running between 1 and 1000),
  device_time boolean not null default false,
  set_at timestamptz not null default now(),
  state text generated always as (
  case when not enabled then 'paused' when frequency <> 'once' or next_run_at is not null then 'active'
    when last_run_at is null then 'missed' else 'done' end) stored,
  target jsonb not null,
  set_by uuid references public.profiles (id) on delete set null,
  set_by_operator boolean not null default false,
  paused_for text,
  unique (company_id, id),
  -- Deleting the procedure or the target deletes the task.
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade,
  constraint scheduled_tasks_device_id_check check ((target_kind = 'device') = (device_id is not null)),
  constraint scheduled_tasks_group_id_check check ((target_kind = 'group') = (group_id is not null)),
  constraint scheduled_tasks_every_minutes_check1 check (frequency <> 'every' or every_minutes is not null),
  constraint scheduled_tasks_time_of_day_check1 check (frequency in ('once', 'every') or time_of_day is not null),
  constraint scheduled_tasks_weekdays_check1 check (frequency <> 'weekly' or coalesce(cardinality(weekdays), 0) > 0),
  constraint scheduled_tasks_month_day_check1 check (frequency <> 'monthly' or month_day is not null),
  constraint scheduled_tasks_month_week_check02 check (not (frequency = 'monthly_weekday') or month_week is not null),
  constraint scheduled_tasks_month_weekday_check02
  check (not (frequency = 'monthly_weekday') or month_weekday is not null),
  constraint scheduled_tasks_device_time_check
  check (not device_time or frequency in ('daily', 'weekly', 'monthly', 'monthly_weekday'))
);
comment on table public.scheduled_tasks is
  'When which procedure runs on what. next_run_at is the database''s; null means never again. starts_at is the moment of a task that runs once, '
  'what "every" counts from, and before which no other runs.';
comment on column public.scheduled_tasks.missed_run is
  'What to do with a run whose time passed while nothing ticked: leave it out, or make up for all of them with one.';
comment on column public.scheduled_tasks.last_error is
  'Why the last run made no job: no_devices, parameters, or what the database said. Null when it did.';
comment on column public.scheduled_tasks.device_time is
  'Each device starts at time_of_day of its own time zone, or of `timezone` where it reports none. One job for all of them, due when the first zone has that time.';
comment on column public.scheduled_tasks.set_at is
  'When its times were last changed. A device whose time had passed by then waits for the next one.';
comment on column public.scheduled_tasks.state is 'paused, active, or what became of a task that runs once: done or missed.';
comment on column public.scheduled_tasks.target is
  'What it runs on: {kind: devices, device_ids}, {kind: groups, group_ids}, {kind: all} or {kind: filter, filter, q?, name?}, the filter as '
  'app.target_query() takes it. target_kind, device_id and group_id follow from it, and it from them where they alone were written.';
comment on column public.scheduled_tasks.set_by is
  'Who last set its script or target, or took it over. Its right to run scripts there is asked when the task is due.';
comment on column public.scheduled_tasks.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.scheduled_tasks.paused_for is 'By name, whose right was missing when it was due; null while none is.';

alter table public.jobs add foreign key (company_id, schedule_id)
references public.scheduled_tasks (company_id, id) on delete set null (schedule_id);

create index scheduled_tasks_company_name_idx on public.scheduled_tasks (company_id, name_key, id);
create index scheduled_tasks_name_idx on public.scheduled_tasks (name_key, id);
create index scheduled_tasks_company_next_idx on public.scheduled_tasks (company_id, next_run_at, id);
create index scheduled_tasks_next_idx on public.scheduled_tasks (next_run_at, id);
create index scheduled_tasks_company_last_idx on public.scheduled_tasks (company_id, last_run_at, id);
create index scheduled_tasks_last_idx on public.scheduled_tasks (last_run_at, id);
create index scheduled_tasks_due_idx on public.scheduled_tasks (next_run_at) where enabled;
create index scheduled_tasks_procedure_idx on public.scheduled_tasks (company_id, procedure_id);
create index scheduled_tasks_device_idx on public.scheduled_tasks (company_id, device_id);
create index scheduled_tasks_group_idx on public.scheduled_tasks (company_id, group_id);
create index scheduled_tasks_author_idx on public.scheduled_tasks (created_by);
create index scheduled_tasks_company_state_idx on public.scheduled_tasks (company_id, state, next_run_at, id);
create index scheduled_tasks_set_by_idx on public.scheduled_tasks (set_by);
create index scheduled_tasks_device_ids_idx on public.scheduled_tasks using gin ((target -> 'device_ids') jsonb_path_ops) where target_kind = 'devices';

create table app.terminals (
  company_id uuid not null,
  device_id uuid not null,
  user_id uuid not null,
  open_until timestamptz not null,
  primary key (device_id, user_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table app.terminals is
  'Who has the terminal of which device open. The page renews its row, so that a closed window ends within half a minute.';

create index terminals_company_device_idx on app.terminals (company_id, device_id);

create table app.terminal_jobs (
  job_id uuid primary key references public.jobs (id) on delete cascade,
  session uuid not null
);
comment on table app.terminal_jobs is 'The terminal session that a command belongs to: its commands share a working directory on the device.';
