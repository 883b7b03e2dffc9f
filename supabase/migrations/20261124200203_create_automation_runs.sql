-- Runs of automations, and the run that a step's job belongs to. Written by the functions of the next migrations alone.

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
  error text check (error in ('step_failed', 'parameters', 'license')),
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
  'Why it did not succeed: step_failed, parameters (a script asks for a value), license. Null where a person canceled it.';
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

select app.keep_tenant('public.automation_runs');
select app.keep_announced('public.automation_runs');

revoke all on public.automation_runs from public, anon, authenticated;
grant select on public.automation_runs to authenticated;
grant select, insert, update, delete on public.automation_runs to service_role;

alter table public.automation_runs enable row level security;
create policy automation_runs_select_member on public.automation_runs for select to authenticated
  using ((select app.can('automation_runs', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));

alter table public.job_runs add column automation_run_id uuid;
comment on column public.job_runs.automation_run_id is 'The automation run of which it is a step, if it is one.';
alter table public.job_runs add foreign key (company_id, automation_run_id)
  references public.automation_runs (company_id, id) on delete set null (automation_run_id);
create index job_runs_by_automation_run on public.job_runs (company_id, automation_run_id, queued_at, id);
-- The column is written after the run is queued, which is not a change to log.
drop trigger job_runs_audit_insert on public.job_runs;
drop trigger job_runs_audit_update on public.job_runs;
drop trigger job_runs_audit_delete on public.job_runs;
select app.keep_audit('public.job_runs', 'id', array['status', 'attempt', 'queued_at', 'claimed_at', 'lease_until', 'started_at',
  'finished_at', 'reported_at', 'exit_code', 'output', 'output_truncated', 'error', 'duration_seconds', 'device_key', 'automation_run_id']);
