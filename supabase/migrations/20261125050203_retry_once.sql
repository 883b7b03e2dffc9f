-- A job is retried where it failed and nothing repeats it yet, and not without its script.

alter table public.jobs add column retry_of uuid;
alter table public.jobs add constraint jobs_retry_of_fkey foreign key (company_id, retry_of) references public.jobs (company_id, id)
  on delete set null (retry_of);
comment on column public.jobs.retry_of is 'The first of the jobs that this one repeats; written by retry_job().';
create index jobs_company_retry_of_idx on public.jobs (company_id, retry_of) where retry_of is not null;

-- Security definer, as before: nobody may insert jobs; it checks the permission and the company itself.
create or replace function public.retry_job(job_id uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  old public.jobs%rowtype;
  first_job uuid;
  devices uuid[];
  retry uuid;
begin
  select j.* into old from public.jobs j where j.id = retry_job.job_id and j.company_id = any (app.visible_company_ids());
  perform app.require(case old.kind when 'command' then 'custom-commands' when 'task' then app.task_object(old.script)
    else 'procedures' end, 'run');
  if old.id is null then
    raise exception 'The job was not found.' using errcode = 'PT404', hint = 'job_gone';
  end if;
  first_job := coalesce(old.retry_of, old.id);
  -- Of two people who ask at the same time, the second sees what the first one queued.
  perform 1 from public.jobs j where j.company_id = old.company_id and j.id = first_job for update;
  if old.status = 'running' then
    raise exception 'The job still runs.' using errcode = 'check_violation', hint = 'job_runs';
  end if;
  if old.kind = 'procedure' and old.procedure_version_id is null then
    raise exception 'The script was deleted.' using errcode = 'check_violation', hint = 'procedure_gone';
  end if;
  -- The values of secrets are deleted with the last open run.
  if exists (
    select 1 from public.procedure_versions v
    where v.company_id = old.company_id and v.id = old.procedure_version_id and v.parameters @> '[{"kind": "secret"}]'
  ) then
    raise exception 'This script takes a secret, which is not kept. Run it again from the script.'
      using errcode = 'check_violation', hint = 'secrets_needed';
  end if;
  devices := array(
    select r.device_id from public.job_runs r
    where r.company_id = old.company_id and r.job_id = old.id and r.status in ('failed', 'timed_out', 'cancelled', 'expired')
      and not exists (
        select 1 from public.jobs j join public.job_runs t on t.company_id = j.company_id and t.job_id = j.id
        where j.company_id = old.company_id and j.retry_of = first_job and j.id <> old.id
          and t.device_id = r.device_id and t.status in ('queued', 'claimed', 'running', 'succeeded'))
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
comment on function public.retry_job(uuid) is
  'Runs a job that has ended once more on the devices where it did not succeed, unless a retry of it is open or has succeeded there; '
  'returns the new job. 23514 with hint job_runs, procedure_gone, secrets_needed or retry_none.';
