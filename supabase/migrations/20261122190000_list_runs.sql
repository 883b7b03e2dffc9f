-- Runs are a list of their own: how long each took, and the indexes its pages are read from.

-- Null while a run has not ended, and where the device's clock makes no sense.
alter table public.job_runs add column duration_seconds numeric generated always as (
  case when finished_at >= started_at then extract(epoch from finished_at - started_at) end
) stored;

-- The audit log leaves out what devices answer, and so what is computed from it.
drop trigger job_runs_audit_insert on public.job_runs;
drop trigger job_runs_audit_update on public.job_runs;
drop trigger job_runs_audit_delete on public.job_runs;
select app.keep_audit('public.job_runs', 'id', array['status', 'attempt', 'queued_at', 'claimed_at', 'lease_until',
  'started_at', 'finished_at', 'reported_at', 'exit_code', 'output', 'output_truncated', 'error', 'duration_seconds']);

create index job_runs_by_time on public.job_runs (company_id, queued_at, id);
create index job_runs_by_time_everywhere on public.job_runs (queued_at, id);
-- Few of many: without an index of their own, a page of them walks past all others. Open runs need none, since the
-- partial indexes over them are small enough to read in whole.
create index job_runs_failed on public.job_runs (company_id, queued_at, id)
  where status in ('failed', 'timed_out', 'expired');
create index job_runs_failed_everywhere on public.job_runs (queued_at, id)
  where status in ('failed', 'timed_out', 'expired');

-- Over all companies a list knows the device, the script or the task, but no company: their ids lead these keys. Lists
-- order by both columns in one direction. The references find their rows as before, by equality.
drop index public.job_runs_by_device;
create index job_runs_by_device on public.job_runs (device_id, queued_at, id);
drop index public.job_runs_by_procedure;
create index job_runs_by_procedure on public.job_runs (procedure_id, company_id, queued_at, id);
alter table public.job_runs
  drop constraint job_runs_company_id_job_id_device_id_key,
  add constraint job_runs_job_device_key unique (job_id, company_id, device_id);
