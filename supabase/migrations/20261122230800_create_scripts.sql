-- Scripts: procedures (scripts with typed parameters), their immutable versions, and the jobs that run them.
-- A job is one request; a job run is that request on one device. procedure_logs feeds the dashboard.
-- Only functions write jobs and runs: the console calls run_procedure, cancel_run and cancel_job, a device calls the agent
-- functions.

-- Procedures ----------------------------------------------------------------------------------------------------------

create function app.valid_parameters(definitions jsonb) returns boolean
  language plpgsql immutable parallel safe set search_path = '' as $$
declare
  item jsonb;
  seen text[] := '{}';
  param_name text;
begin
  if jsonb_typeof(definitions) is distinct from 'array' or jsonb_array_length(definitions) > 50 then
    return false;
  end if;
  for item in select * from jsonb_array_elements(definitions) loop
    if jsonb_typeof(item) is distinct from 'object' then
      return false;
    end if;
    param_name := item ->> 'name';
    -- The name becomes the environment variable PARAM_<NAME>, which Windows compares without case.
    if param_name is null or param_name !~ '^[A-Za-z_][A-Za-z0-9_]{0,39}$' or upper(param_name) = any (seen) then
      return false;
    end if;
    seen := seen || upper(param_name);
    if coalesce(item ->> 'kind', '') not in ('text', 'number', 'boolean', 'choice', 'secret') then
      return false;
    end if;
    if item ? 'label' and (jsonb_typeof(item -> 'label') not in ('string', 'null') or length(item ->> 'label') > 120) then
      return false;
    end if;
    if item ? 'required' and jsonb_typeof(item -> 'required') not in ('boolean', 'null') then
      return false;
    end if;
    -- A default of a secret would lie readable in the procedure and in each of its versions.
    if item ->> 'kind' = 'secret' and coalesce(item ->> 'default', '') <> '' then
      return false;
    end if;
    if item ->> 'kind' = 'choice' then
      if jsonb_typeof(item -> 'choices') is distinct from 'array'
        or jsonb_array_length(item -> 'choices') not between 1 and 100
        or exists (
          select 1 from jsonb_array_elements(item -> 'choices') c
          where jsonb_typeof(c) <> 'string' or length(c #>> '{}') not between 1 and 200
        ) then
        return false;
      end if;
    end if;
  end loop;
  return true;
end $$;
comment on function app.valid_parameters(jsonb) is
  'Whether a list of parameter definitions is well formed: [{name, kind, label?, required?, default?, choices?}].';
-- A check constraint runs its function as the role that writes the row.
grant execute on function app.valid_parameters(jsonb) to authenticated, service_role;

create function app.stamp_procedure() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    new.revision := 1;
    -- Whoever is signed in is the author, whatever the request says; the seed has nobody signed in.
    if app.acting_user_id() is not null then
      new.created_by := (select p.id from public.profiles p where p.id = app.acting_user_id());
    end if;
    return new;
  end if;
  new.revision := old.revision;
  -- A profile that is deleted takes its name off the procedure (as the owner of the tables); nothing else moves it.
  if new.created_by is not null or current_user in ('anon', 'authenticated') then
    new.created_by := old.created_by;
  end if;
  if (new.type, new.script, new.parameters, new.timeout_seconds)
    is distinct from (old.type, old.script, old.parameters, old.timeout_seconds) then
    new.revision := old.revision + 1;
  end if;
  return new;
end $$;
comment on function app.stamp_procedure() is 'Keeps author and revision out of the writer''s hands.';

-- Security definer: nobody may write procedure_versions, so the history cannot be forged.
create function app.keep_procedure_version() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_versions
    (company_id, procedure_id, number, type, script, parameters, timeout_seconds, created_by)
  values (new.company_id, new.id, new.revision, new.type, new.script, new.parameters, new.timeout_seconds,
    coalesce((select p.id from public.profiles p where p.id = app.current_user_id()), new.created_by));
  return null;
end $$;
comment on function app.keep_procedure_version() is 'Writes a version of a new or changed procedure.';

create table public.procedures (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  type text not null check (type in ('PowerShell', 'Batch', 'Python', 'Bash')),
  category text check (length(category) <= 60),
  script text not null check (octet_length(script) between 1 and 262144),
  parameters jsonb not null default '[]' check (app.valid_parameters(parameters)),
  timeout_seconds integer not null default 300 check (timeout_seconds between 1 and 86400),
  revision integer not null default 1,
  search text generated always as (
    app.fold(coalesce(name, '') || ' ' || coalesce(description, '') || ' ' || coalesce(category, ''))
  ) stored,
  name_key text generated always as (app.sort_key(name)) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.procedures is 'Scripts a company runs on its devices (users read "Script").';
comment on column public.procedures.revision is 'Number of the newest row in procedure_versions; kept by trigger.';

create index procedures_by_name on public.procedures (company_id, name_key, id);
create index procedures_by_name_everywhere on public.procedures (name_key, id);
create index procedures_by_type on public.procedures (company_id, type, category);
create index procedures_by_author on public.procedures (created_by);
create index procedures_search on public.procedures using gin (search extensions.gin_trgm_ops);
create index procedures_company_updated_idx on public.procedures (company_id, updated_at, id);
create index procedures_updated_idx on public.procedures (updated_at, id);

create trigger procedures_stamp before insert or update on public.procedures
  for each row execute function app.stamp_procedure();
create trigger procedures_first_version after insert on public.procedures
  for each row execute function app.keep_procedure_version();
create trigger procedures_next_version after update on public.procedures
  for each row when (old.revision is distinct from new.revision) execute function app.keep_procedure_version();
select app.keep_tenant('public.procedures');
select app.keep_audit('public.procedures');
select app.keep_announced('public.procedures');

revoke all on public.procedures from public, anon, authenticated;
-- Column grants: a client never sets an id, because a collision would reveal that it exists in another company.
grant select, delete,
  insert (company_id, name, description, type, category, script, parameters, timeout_seconds, revision, created_by),
  update (name, description, type, category, script, parameters, timeout_seconds, revision, created_by)
  on public.procedures to authenticated;
grant all on public.procedures to service_role;
alter table public.procedures enable row level security;

create policy procedures_select_member on public.procedures for select to authenticated
  using ((select app.can('procedures', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy procedures_insert_member on public.procedures for insert to authenticated
  with check ((select app.can('procedures', 'create'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy procedures_update_member on public.procedures for update to authenticated
  using ((select app.can('procedures', 'edit'))
    and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('procedures', 'edit'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy procedures_delete_member on public.procedures for delete to authenticated
  using ((select app.can('procedures', 'delete'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

create function app.refuse_version_change() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception 'A version of a procedure never changes.' using errcode = 'check_violation';
end $$;
comment on function app.refuse_version_change() is 'A version is history: what a job ran must stay readable as it ran.';

create table public.procedure_versions (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  procedure_id uuid not null,
  number integer not null,
  type text not null,
  script text not null,
  parameters jsonb not null,
  timeout_seconds integer not null,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, procedure_id, number),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.procedure_versions is
  'What a procedure''s script, type, parameters and timeout were at each revision. Written by trigger, never changed.';

create index procedure_versions_by_author on public.procedure_versions (created_by);

create trigger procedure_versions_immutable before update on public.procedure_versions
  for each row when (
    (old.procedure_id, old.number, old.type, old.script, old.parameters, old.timeout_seconds)
    is distinct from (new.procedure_id, new.number, new.type, new.script, new.parameters, new.timeout_seconds)
  ) execute function app.refuse_version_change();
select app.keep_tenant('public.procedure_versions');

revoke all on public.procedure_versions from public, anon, authenticated;
grant select on public.procedure_versions to authenticated;
grant all on public.procedure_versions to service_role;
alter table public.procedure_versions enable row level security;

create policy procedure_versions_select_member on public.procedure_versions for select to authenticated
  using ((select app.can('procedure_versions', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

-- Jobs ----------------------------------------------------------------------------------------------------------------

create table public.jobs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  kind text not null check (kind in ('procedure', 'command')),
  name text not null,
  procedure_id uuid,
  procedure_version_id uuid,
  script_type text not null check (script_type in ('PowerShell', 'Batch', 'Python', 'Bash')),
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
  unique (company_id, id),
  constraint jobs_schedule_due_key unique (schedule_id, due_at),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id)
    on delete set null (procedure_id),
  foreign key (company_id, procedure_version_id) references public.procedure_versions (company_id, id)
    on delete set null (procedure_version_id)
);
comment on table public.jobs is 'One request to run a script on devices. The script is a copy: later edits never change it.';
comment on column public.jobs.parameters is 'Values given, without those of kind secret (app.job_secrets holds them).';
comment on column public.jobs.expires_at is 'A run not claimed by its device until then is never started.';
comment on column public.jobs.failed is
  'Runs that ended without success: failed, timed out, canceled or expired. The job is over when succeeded + failed = total.';

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

select app.keep_tenant('public.jobs');
-- The audit log records who requested and who canceled a job; the runs hold the answers of the devices.
select app.keep_audit('public.jobs', 'id', array['total', 'succeeded', 'failed']);
select app.keep_announced('public.jobs');
select app.keep_search('public.jobs');

revoke all on public.jobs from public, anon, authenticated;
grant select on public.jobs to authenticated;
grant all on public.jobs to service_role;
alter table public.jobs enable row level security;

create policy jobs_select_member on public.jobs for select to authenticated
  using ((select app.can('jobs', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

create table app.job_secrets (
  job_id uuid primary key,
  company_id uuid not null,
  parameters jsonb not null check (jsonb_typeof(parameters) = 'object'),
  foreign key (company_id, job_id) references public.jobs (company_id, id) on delete cascade
);
comment on table app.job_secrets is
  'Values of parameters of kind secret, for the devices of the job alone; deleted as soon as no run is open.';

create index job_secrets_by_job on app.job_secrets (company_id, job_id);

revoke all on app.job_secrets from public, anon, authenticated;
alter table app.job_secrets enable row level security;

-- Security definer: a run also changes when a user deletes its device, and nobody may write jobs, job_secrets or
-- procedure_logs.
create function app.follow_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  select array_agg(distinct n.job_id) into touched
    from new_runs n join old_runs o on o.id = n.id
    where n.status is distinct from o.status or n.reported_at is distinct from o.reported_at;
  if touched is null then
    return null;
  end if;

  -- One order for all, or two devices that finish runs of the same two jobs would wait for each other.
  perform 1 from public.jobs j where j.id = any (touched) order by j.id for update;
  update public.jobs j
    set succeeded = j.succeeded + moved.succeeded,
      failed = j.failed + moved.failed,
      status = case
        when j.status = 'running' and j.succeeded + j.failed + moved.succeeded + moved.failed >= j.total then 'finished'
        else j.status
      end
    from (
      select n.job_id,
        sum((n.status = 'succeeded')::int - (o.status = 'succeeded')::int)::int as succeeded,
        sum((n.status in ('failed', 'timed_out', 'cancelled', 'expired'))::int
          - (o.status in ('failed', 'timed_out', 'cancelled', 'expired'))::int)::int as failed
      from new_runs n join old_runs o on o.id = n.id
      where n.status is distinct from o.status
      group by n.job_id
    ) moved
    where j.id = moved.job_id and j.id = any (touched) and (moved.succeeded <> 0 or moved.failed <> 0);
  delete from app.job_secrets s using public.jobs j
    where s.job_id = j.id and j.id = any (touched) and j.succeeded + j.failed >= j.total;

  insert into public.procedure_logs
    (company_id, procedure_id, procedure_name, device_id, device_name, job_run_id, executed_at, status, output)
  select n.company_id, n.procedure_id, j.name, n.device_id, d.name, n.id, coalesce(n.finished_at, now()),
    case n.status when 'succeeded' then 'success' else 'error' end, left(n.output, 8000)
  from new_runs n
    join old_runs o on o.id = n.id
    join public.jobs j on j.company_id = n.company_id and j.id = n.job_id
    join public.devices d on d.company_id = n.company_id and d.id = n.device_id
  where o.reported_at is null and n.reported_at is not null and j.kind = 'procedure'
  on conflict (company_id, job_run_id) do nothing;
  return null;
end $$;
comment on function app.follow_runs() is 'Keeps a job''s counters and procedure_logs in step with its runs, once a statement.';

-- Security definer: nobody may write jobs.
create function app.forget_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- One order for all, as in app.follow_runs().
  perform 1 from public.jobs j
    where j.id in (select o.job_id from old_runs o where o.status in ('queued', 'claimed', 'running'))
    order by j.id for update;
  update public.jobs j
    set total = j.total - gone.open,
      status = case when j.status = 'running' and j.succeeded + j.failed >= j.total - gone.open then 'finished' else j.status end
    from (
      select o.job_id, count(*)::int as open from old_runs o
      where o.status in ('queued', 'claimed', 'running') group by o.job_id
    ) gone
    where j.id = gone.job_id;
  return null;
end $$;
comment on function app.forget_runs() is 'A device removed in the middle of a job must not keep the job open for ever.';

create function app.copy_run_keys() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  select d.name_key into new.device_key from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  return new;
end $$;
comment on function app.copy_run_keys() is
  'Row trigger: a run sorts as its device does. Definer, because it reads the device whatever the writer may read.';
revoke execute on function app.copy_run_keys() from public;

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
  exit_code integer,
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
comment on column public.job_runs.error is
  'Why a run did not succeed, as a code: interrupted, hash_mismatch, no_interpreter, start_failed, refused, timed_out, ''cancelled'', expired, lost. Null for a plain non-zero exit code.';
comment on column public.job_runs.device_key is 'Sort key of its device. Kept by trigger.';
comment on column public.job_runs.output is
  'The output of the script, up to 1 MB. A longer output keeps its beginning and end, with a line between them that states what was cut.';

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

create trigger job_runs_follow after update on public.job_runs
  referencing old table as old_runs new table as new_runs
  for each statement execute function app.follow_runs();
create trigger job_runs_forget after delete on public.job_runs
  referencing old table as old_runs for each statement execute function app.forget_runs();
select app.keep_tenant('public.job_runs');
select app.keep_audit('public.job_runs', 'id', array['status', 'attempt', 'queued_at', 'claimed_at', 'lease_until',
  'started_at', 'finished_at', 'reported_at', 'exit_code', 'output', 'output_truncated', 'error', 'duration_seconds', 'device_key']);
select app.keep_announced('public.job_runs');
create trigger job_runs_keys before insert on public.job_runs
  for each row execute function app.copy_run_keys();

revoke all on public.job_runs from public, anon, authenticated;
grant select on public.job_runs to authenticated;
grant all on public.job_runs to service_role;
alter table public.job_runs enable row level security;

create policy job_runs_select_member on public.job_runs for select to authenticated
  using ((select app.can('job_runs', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.procedure_logs (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies (id),
  procedure_id uuid,
  procedure_name text not null,
  device_id uuid,
  device_name text not null,
  job_run_id uuid,
  executed_at timestamptz not null default now(),
  status text not null check (status in ('success', 'error')),
  output text,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  unique (company_id, job_run_id),
  foreign key (company_id, procedure_id) references public.procedures (company_id, id)
    on delete set null (procedure_id),
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete set null (device_id),
  foreign key (company_id, job_run_id) references public.job_runs (company_id, id) on delete set null (job_run_id)
);
comment on table public.procedure_logs is
  'Finished procedure runs, as Recent Activity reads them. Outlives the device, the procedure and the run.';
comment on column public.procedure_logs.output is 'The first 8,000 characters; job_runs has the whole output.';

create index procedure_logs_by_time on public.procedure_logs (company_id, executed_at desc, id);
create index procedure_logs_by_time_everywhere on public.procedure_logs (executed_at desc, id);
create index procedure_logs_by_procedure on public.procedure_logs (company_id, procedure_id, executed_at desc);
create index procedure_logs_by_device on public.procedure_logs (company_id, device_id, executed_at desc);

select app.keep_tenant('public.procedure_logs');
select app.keep_announced('public.procedure_logs');

revoke all on public.procedure_logs from public, anon, authenticated;
grant select on public.procedure_logs to authenticated;
grant all on public.procedure_logs to service_role;
alter table public.procedure_logs enable row level security;

create policy procedure_logs_select_member on public.procedure_logs for select to authenticated
  using ((select app.can('procedure_logs', 'list'))
    and ((select app.sees_all()) or company_id = (select app.own_company())));

-- Running and canceling -----------------------------------------------------------------------------------------------

create function app.bind_parameters(definitions jsonb, given jsonb, out plain jsonb, out secret jsonb)
  language plpgsql immutable set search_path = '' as $$
declare
  item jsonb;
  value jsonb;
  unknown text;
  label text;
begin
  plain := '{}';
  secret := '{}';
  if jsonb_typeof(given) is distinct from 'object' then
    raise exception 'The parameters must be an object of names and values.'
      using errcode = 'check_violation', hint = 'parameters_invalid';
  end if;
  select k into unknown from jsonb_object_keys(given) k
    where not exists (select 1 from jsonb_array_elements(definitions) d where d ->> 'name' = k) limit 1;
  if unknown is not null then
    raise exception 'The procedure has no parameter "%".', left(unknown, 60)
      using errcode = 'check_violation', hint = 'parameter_unknown';
  end if;
  for item in select * from jsonb_array_elements(definitions) loop
    label := coalesce(nullif(item ->> 'label', ''), item ->> 'name');
    value := given -> (item ->> 'name');
    if value is null or value in ('null', '""') then
      value := coalesce(item -> 'default', 'null');
    end if;
    if value in ('null', '""') then
      if coalesce((item ->> 'required')::boolean, false) then
        raise exception 'The parameter "%" is required.', label
          using errcode = 'check_violation', hint = 'parameter_required';
      end if;
      continue;
    end if;
    if jsonb_typeof(value) not in ('string', 'number', 'boolean') or length(value #>> '{}') > 4000
      or (item ->> 'kind' = 'number' and (value #>> '{}') !~ '^-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$')
      or (item ->> 'kind' = 'boolean' and (value #>> '{}') not in ('true', 'false'))
      or (item ->> 'kind' = 'choice' and not (item -> 'choices') @> jsonb_build_array(value #>> '{}')) then
      raise exception 'The value of the parameter "%" does not fit.', label
        using errcode = 'check_violation', hint = 'parameter_invalid';
    end if;
    if item ->> 'kind' = 'secret' then
      -- Shorter values are parts of ordinary words: masking them would garble the output and give them away.
      if length(value #>> '{}') < 4 then
        raise exception 'The secret "%" must have at least 4 characters.', label
          using errcode = 'check_violation', hint = 'parameter_secret_short';
      end if;
      secret := secret || jsonb_build_object(item ->> 'name', value #>> '{}');
    else
      plain := plain || jsonb_build_object(item ->> 'name', value);
    end if;
  end loop;
end $$;
comment on function app.bind_parameters(jsonb, jsonb) is
  'Checks given values against the definitions, fills in defaults, and parts secret values from the others. Raises check_violation with a hint.';

-- Security definer: nobody may insert jobs and runs; this function checks the permission, the company and every device.
create function public.run_procedure(
  procedure_id uuid, device_ids uuid[], parameters jsonb default '{}', expires_at timestamptz default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  wanted uuid[];
  found public.procedures%rowtype;
  bound record;
  job uuid;
  until timestamptz := coalesce(run_procedure.expires_at, now() + interval '24 hours');
  -- A driver may hand an object over as its text.
  given jsonb := case jsonb_typeof(run_procedure.parameters)
    when 'string' then (run_procedure.parameters #>> '{}')::jsonb else coalesce(run_procedure.parameters, '{}') end;
begin
  perform app.require('procedures', 'run');

  select array_agg(distinct d) into wanted from unnest(device_ids) d where d is not null;
  if wanted is null then
    raise exception 'Choose at least one device.' using errcode = 'check_violation', hint = 'devices_none';
  end if;
  if cardinality(wanted) > 1000 then
    raise exception 'A job runs on at most 1,000 devices.' using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if until <= now() or until > now() + interval '31 days' then
    raise exception 'A job must expire in the future, within 31 days.' using errcode = 'check_violation', hint = 'expiry_invalid';
  end if;

  -- A procedure or device of another company looks exactly like one that does not exist.
  select p.* into found from public.procedures p
    where p.id = run_procedure.procedure_id and p.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  if (select count(*) from public.devices d where d.company_id = found.company_id and d.id = any (wanted))
    <> cardinality(wanted) then
    raise exception 'A chosen device was not found in the company of the procedure.'
      using errcode = 'PT404', hint = 'device_gone';
  end if;

  select * into bound from app.bind_parameters(found.parameters, given);
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total)
  select found.company_id, 'procedure', found.name, found.id, v.id, found.type, found.script,
    encode(sha256(convert_to(found.script, 'UTF8')), 'hex'), found.timeout_seconds, bound.plain,
    (select p.id from public.profiles p where p.id = app.current_user_id()), until, cardinality(wanted)
  from public.procedure_versions v
  where v.company_id = found.company_id and v.procedure_id = found.id and v.number = found.revision
  returning id into job;
  if bound.secret <> '{}' then
    insert into app.job_secrets (job_id, company_id, parameters) values (job, found.company_id, bound.secret);
  end if;
  insert into public.job_runs (company_id, job_id, device_id, procedure_id)
    select found.company_id, job, d, found.id from unnest(wanted) d;
  return job;
end $$;
comment on function public.run_procedure(uuid, uuid[], jsonb, timestamptz) is
  'Asks for a procedure to be run on devices of its company; returns the job. A device that is offline runs it when it comes back, until expires_at (24 hours unless given).';
grant execute on function public.run_procedure(uuid, uuid[], jsonb, timestamptz) to authenticated;

create function app.cancel_runs(company uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One order for all who lock runs: by id.
  perform 1 from public.job_runs r
    where r.company_id = company and r.id = any (run_ids) and r.status in ('queued', 'claimed', 'running')
    order by r.id for update;
  update public.job_runs r
    set status = case when r.status = 'queued' then 'cancelled' else r.status end,
      finished_at = case when r.status = 'queued' then now() end,
      error = case when r.status = 'queued' then 'cancelled' end,
      cancel_requested_at = coalesce(r.cancel_requested_at, now())
    where r.company_id = company and r.id = any (run_ids) and r.status in ('queued', 'claimed', 'running');
end $$;
comment on function app.cancel_runs(uuid, uuid[]) is
  'Cancels what no device has claimed, and asks the devices to stop the rest at their next check-in.';

-- Security definer: nobody may update runs; this function checks the permission and the company.
create function public.cancel_run(run_id uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  perform app.require('job_runs', 'cancel');
  select r.id, r.company_id into found from public.job_runs r
    where r.id = run_id and r.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The run was not found.' using errcode = 'PT404', hint = 'run_gone';
  end if;
  perform app.cancel_runs(found.company_id, array[found.id]);
  return (select r.status from public.job_runs r where r.company_id = found.company_id and r.id = found.id);
end $$;
comment on function public.cancel_run(uuid) is
  'Cancels a run and returns its status: a queued one is canceled at once, one on its device when the device has stopped it; a finished one stays as it is.';
grant execute on function public.cancel_run(uuid) to authenticated;

-- Security definer: nobody may update jobs and runs; this function checks the permission and the company.
create function public.cancel_job(job_id uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  perform app.require('jobs', 'cancel');
  select j.id, j.company_id, j.status into found from public.jobs j
    where j.id = cancel_job.job_id and j.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The job was not found.' using errcode = 'PT404', hint = 'job_gone';
  end if;
  -- Runs first, then the job: the order in which a device's report takes its locks.
  perform app.cancel_runs(found.company_id, array(
    select r.id from public.job_runs r
    where r.company_id = found.company_id and r.job_id = found.id and r.status in ('queued', 'claimed', 'running')
  ));
  -- A job that was over before stays finished.
  if found.status = 'running' then
    update public.jobs j set status = 'cancelled' where j.company_id = found.company_id and j.id = found.id;
  end if;
  return (select j.status from public.jobs j where j.company_id = found.company_id and j.id = found.id);
end $$;
comment on function public.cancel_job(uuid) is 'Cancels every open run of a job and returns the job''s status.';
grant execute on function public.cancel_job(uuid) to authenticated;

create function app.expire_runs() returns integer
  language plpgsql set search_path = '' as $$
declare
  moved integer;
begin
  -- One statement, so that the jobs of both kinds are locked in one order.
  with unclaimed as (
    -- Never claimed until the job expired.
    select r.id from public.jobs j
      join public.job_runs r on r.company_id = j.company_id and r.job_id = j.id and r.status = 'queued'
    where j.status = 'running' and j.expires_at <= now()
    order by r.id limit 1000 for update of r skip locked
  ), silent as (
    -- Claimed, and the device fell silent: canceled if that was requested, given up when the script can no
    -- longer be running and the job has expired. A result that still comes is taken (reported_at is null).
    select r.id, r.cancel_requested_at is not null as is_cancelled from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.status in ('claimed', 'running') and r.lease_until < now()
      and (r.cancel_requested_at is not null or (
        j.expires_at < now()
        and coalesce(r.started_at, r.claimed_at) + make_interval(secs => j.timeout_seconds) < now() - interval '1 hour'
      ))
    order by r.id limit 1000 for update of r skip locked
  ), due as (
    select u.id, 'expired' as status, 'expired' as error from unclaimed u
    union all
    select s.id, case when s.is_cancelled then 'cancelled' else 'expired' end,
      case when s.is_cancelled then 'cancelled' else 'lost' end from silent s
  )
  update public.job_runs r set status = due.status, error = due.error, finished_at = now(), lease_until = null
    from due where r.id = due.id;
  get diagnostics moved = row_count;
  return moved;
end $$;
comment on function app.expire_runs() is
  'Ends runs nobody will answer for any more, at most 1,000 of a kind a call; safe to run many times at once. Returns how many ended.';

create function public.search_procedures(q text) returns setof public.procedures
  language sql stable rows 500 as $$
  select t.* from public.procedures t
  where case when app.search_ids('procedures', q) is null then t.search operator(pg_catalog.~~) all (app.search_patterns(q))
    else t.id = any (app.search_ids('procedures', q)) end
$$;
comment on function public.search_procedures(text) is
  'The procedures that match every word of q, whatever its case and accents; filter, order and page it like the table.';
revoke execute on function public.search_procedures(text) from public, anon;
grant execute on function public.search_procedures(text) to authenticated;

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
