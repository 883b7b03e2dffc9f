-- A retry says beforehand where it will run, and leaves out canceled runs unless they are asked for.

create function app.retried_job(job_id uuid) returns public.jobs
  language plpgsql stable set search_path = '' as $$
declare
  old public.jobs%rowtype;
begin
  select j.* into old from public.jobs j where j.id = retried_job.job_id and j.company_id = any (app.visible_company_ids());
  perform app.require(case old.kind when 'command' then 'custom-commands' when 'task' then app.task_object(old.script)
    else 'procedures' end, 'run');
  if old.id is null then
    raise exception 'The job was not found.' using errcode = 'PT404', hint = 'job_gone';
  end if;
  if old.status = 'running' then
    raise exception 'The job still runs.' using errcode = 'check_violation', hint = 'job_runs';
  end if;
  if old.kind = 'procedure' and old.procedure_version_id is null then
    raise exception 'The script was deleted.' using errcode = 'check_violation', hint = 'procedure_gone';
  end if;
  return old;
end $$;
comment on function app.retried_job(uuid) is
  'A job that the caller may run again. PT404 with hint job_gone, 23514 with hint job_runs or procedure_gone.';
revoke execute on function app.retried_job(uuid) from public;

create function app.takes_secret(job public.jobs) returns boolean
  language sql stable set search_path = '' as $$
  select exists (
    select 1 from public.procedure_versions v
    where v.company_id = job.company_id and v.id = job.procedure_version_id and v.parameters @> '[{"kind": "secret"}]')
$$;
comment on function app.takes_secret(public.jobs) is
  'Whether the script of a job has a parameter whose value is deleted with the last open run.';
revoke execute on function app.takes_secret(public.jobs) from public;

create function app.retry_devices(job public.jobs) returns table (device_id uuid, is_canceled boolean)
  language sql stable set search_path = '' as $$
  select r.device_id, r.status = 'cancelled'
  from public.job_runs r
  where r.company_id = job.company_id and r.job_id = job.id and r.status in ('failed', 'timed_out', 'expired', 'cancelled')
    and not exists (
      select 1 from public.jobs j join public.job_runs t on t.company_id = j.company_id and t.job_id = j.id
      where j.company_id = job.company_id and j.retry_of = coalesce(job.retry_of, job.id) and j.id <> job.id
        and t.device_id = r.device_id and t.status in ('queued', 'claimed', 'running', 'succeeded'))
$$;
comment on function app.retry_devices(public.jobs) is
  'The devices where a job did not succeed, unless a retry of it is open or has succeeded there.';
revoke execute on function app.retry_devices(public.jobs) from public;

-- Security definer: retries count for everybody, also for those who may not list runs; app.retried_job() checks permission and company.
create function public.preview_retry(job_id uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  max_names constant integer := 100;
  -- As many as a form takes one by one.
  max_ids constant integer := 1000;
  old public.jobs%rowtype := app.retried_job(job_id);
  takes_secret boolean := app.takes_secret(old);
  is_named boolean := app.can('devices', 'list');
begin
  return (
    with ready as materialized (
      select d.id, d.name, d.status, t.is_canceled,
        row_number() over (partition by t.is_canceled order by d.name_key, d.id) as place
      from app.retry_devices(old) t join public.devices d on d.company_id = old.company_id and d.id = t.device_id
    ), groups as (
      select k.is_canceled, jsonb_build_object('devices', count(f.id), 'offline', count(f.id) filter (where f.status <> 'online'),
        'names', coalesce(jsonb_agg(f.name order by f.place) filter (where is_named and f.place <= max_names), '[]'),
        'ids', coalesce(jsonb_agg(f.id order by f.place) filter (where takes_secret and f.place <= max_ids), '[]')) as preview
      from (values (false), (true)) k (is_canceled) left join ready f on f.is_canceled = k.is_canceled
      group by k.is_canceled
    )
    select jsonb_build_object('takes_secret', takes_secret,
      'left_out', old.failed + old.canceled - (select count(*) from ready),
      'failed', (select g.preview from groups g where not g.is_canceled),
      'canceled', (select g.preview from groups g where g.is_canceled)));
end $$;
comment on function public.preview_retry(uuid) is
  'Where retry_job() would run a job again: {takes_secret, left_out, failed, canceled}, the last two being {devices, offline, names, ids}: '
  'names of the first 100 devices, and ids of the first 1,000 where the script takes a secret, which the caller has to ask for. left_out: '
  'devices that a retry is open on or has succeeded on, or that are gone. Refuses as retry_job().';
revoke execute on function public.preview_retry(uuid) from public, anon;
grant execute on function public.preview_retry(uuid) to authenticated;

drop function public.retry_job(uuid);
-- Security definer, as before: nobody may insert jobs; app.retried_job() checks the permission and the company.
create function public.retry_job(job_id uuid, failed boolean default true, canceled boolean default false) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  old public.jobs%rowtype := app.retried_job(job_id);
  first_job uuid := coalesce(old.retry_of, old.id);
  devices uuid[];
  retry uuid;
begin
  -- Of two people who ask at the same time, the second sees what the first one queued.
  perform 1 from public.jobs j where j.company_id = old.company_id and j.id = first_job for update;
  if app.takes_secret(old) then
    raise exception 'This script takes a secret, which is not kept. Run it again from the script.'
      using errcode = 'check_violation', hint = 'secrets_needed';
  end if;
  devices := array(
    select t.device_id from app.retry_devices(old) t
    where case when t.is_canceled then retry_job.canceled else retry_job.failed end
  );
  if cardinality(devices) = 0 then
    raise exception 'Each device where it failed runs it again already, or has done so since.'
      using errcode = 'check_violation', hint = 'retry_none';
  end if;
  old.expires_at := now() + (old.expires_at - old.created_at);
  if old.kind = 'task' and old.script::jsonb ->> 'task' = 'install_patches' then
    -- What each device is to install is with its updates, not in the script.
    retry := app.queue_patches(old.company_id, old.name, array(
      select t.id from public.device_patches t
      join public.job_runs r on r.company_id = t.company_id and r.id = t.run_id
      where t.company_id = old.company_id and r.job_id = old.id and r.device_id = any (devices) and t.status in ('missing', 'failed')
    ), old.expires_at, old.max_running);
  else
    retry := app.queue_job(old, '{}', devices);
  end if;
  update public.jobs j set retry_of = first_job where j.company_id = old.company_id and j.id = retry;
  return retry;
end $$;
comment on function public.retry_job(uuid, boolean, boolean) is
  'Runs a job that has ended once more on the devices where it failed, timed out or expired (failed) or was canceled (canceled), unless '
  'a retry of it is open or has succeeded there; returns the new job. 23514 with hint job_runs, procedure_gone, secrets_needed or retry_none.';
revoke execute on function public.retry_job(uuid, boolean, boolean) from public, anon;
grant execute on function public.retry_job(uuid, boolean, boolean) to authenticated;
