-- Runs are searched and sorted like other lists, and the software inventory sorts by every column it shows. A page sorted
-- by another table's column would sort all rows, so names are copied as sort keys and indexed.

-- Runs ------------------------------------------------------------------------------------------------------------

alter table public.job_runs add column device_key text;
comment on column public.job_runs.device_key is 'Sort key of its device. Kept by trigger.';

-- The audit log leaves out computed columns. The copy below does not count as a change of the runs.
drop trigger job_runs_audit_insert on public.job_runs;
drop trigger job_runs_audit_update on public.job_runs;
drop trigger job_runs_audit_delete on public.job_runs;
alter table public.job_runs disable trigger user;
update public.job_runs r set device_key = d.name_key
from public.devices d
where d.company_id = r.company_id and d.id = r.device_id;
alter table public.job_runs enable trigger user;
select app.keep_audit('public.job_runs', 'id', array['status', 'attempt', 'queued_at', 'claimed_at', 'lease_until',
  'started_at', 'finished_at', 'reported_at', 'exit_code', 'output', 'output_truncated', 'error', 'duration_seconds', 'device_key']);

create index job_runs_by_status on public.job_runs (company_id, status, id);
create index job_runs_by_status_everywhere on public.job_runs (status, id);
create index job_runs_by_finish on public.job_runs (company_id, finished_at, id);
create index job_runs_by_finish_everywhere on public.job_runs (finished_at, id);
create index job_runs_by_device_name on public.job_runs (company_id, device_key, id);
create index job_runs_by_device_name_everywhere on public.job_runs (device_key, id);

create function app.copy_run_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_run_keys() is
  'Row trigger: a run sorts as its device does. Definer, because it reads the device whatever the writer may read.';
revoke execute on function app.copy_run_keys() from public;
create trigger job_runs_keys before insert on public.job_runs
  for each row execute function app.copy_run_keys();

create function app.spread_device_to_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.job_runs r set device_key = new.name_key where r.company_id = new.company_id and r.device_id = new.id;
  return null;
end $$;
comment on function app.spread_device_to_runs() is
  'Row trigger: the runs of a renamed device sort by its new name. Definer, because nobody may write runs.';
revoke execute on function app.spread_device_to_runs() from public;
create trigger devices_spread_to_runs after update of name on public.devices for each row
  when (old.name_key is distinct from new.name_key) execute function app.spread_device_to_runs();

create function public.search_job_runs(q text) returns setof public.job_runs
  language sql stable rows 500 as $$
  select t.* from public.job_runs t
  where case when app.search_ids('jobs', q) is null
      then exists (select 1 from public.jobs j where j.company_id = t.company_id and j.id = t.job_id
                   and j.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.job_id = any (app.search_ids('jobs', q)) end
    or case when app.search_ids('devices', q) is null
      then exists (select 1 from public.devices d where d.company_id = t.company_id and d.id = t.device_id
                   and d.search operator(pg_catalog.~~) all (app.search_patterns(q)))
      else t.device_id = any (app.search_ids('devices', q)) end
$$;
comment on function public.search_job_runs(text) is
  'The runs whose task, named as its script, or whose device matches every word of q; filter, order and page it like the table.';
revoke execute on function public.search_job_runs(text) from public, anon;
grant execute on function public.search_job_runs(text) to authenticated;

-- Software inventory ----------------------------------------------------------------------------------------------

alter table public.device_software
  add column version_key text generated always as (app.sort_key(version)) stored,
  add column publisher_key text,
  add column size_key bigint generated always as ((size_mb * 100)::bigint) stored;
comment on column public.device_software.version_key is 'Sort key of the version: 9.2 before 10.1.';
comment on column public.device_software.publisher_key is 'Sort key of its title''s publisher, which never changes. Kept by trigger.';
comment on column public.device_software.size_key is
  'Size in hundredths of a megabyte. Row-level security keeps comparisons of numeric out of index conditions; those of bigint are leakproof.';
update public.device_software i set publisher_key = app.sort_key(s.publisher)
from public.software s
where s.company_id = i.company_id and s.id = i.software_id;

create or replace function app.copy_software_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select s.name_key, app.sort_key(s.publisher) into new.title_key, new.publisher_key
  from public.software s where s.company_id = new.company_id and s.id = new.software_id;
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_software_keys() is
  'Row trigger: an installation sorts as its title, publisher and device do. Definer, because it reads them whatever the writer may read.';

create index device_software_company_version_idx on public.device_software (company_id, version_key, id);
create index device_software_version_idx on public.device_software (version_key, id);
create index device_software_company_publisher_idx on public.device_software (company_id, publisher_key, id);
create index device_software_publisher_idx on public.device_software (publisher_key, id);
create index device_software_company_size_idx on public.device_software (company_id, size_key, id);
create index device_software_size_idx on public.device_software (size_key, id);
