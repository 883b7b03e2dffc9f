-- Retry -----------------------------------------------------------------------------------------------------------------
-- A job once more, on those of its devices where it did not succeed.

-- Security definer, as run_procedure.
create function public.retry_job(job_id uuid) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  old public.jobs%rowtype;
begin
  select j.* into old from public.jobs j where j.id = retry_job.job_id and j.company_id = any (app.visible_company_ids());
  perform app.require(case old.kind when 'command' then 'custom-commands' else 'procedures' end, 'run');
  if old.id is null then
    raise exception 'The job was not found.' using errcode = 'PT404', hint = 'job_gone';
  end if;
  if old.status = 'running' then
    raise exception 'The job still runs.' using errcode = 'check_violation', hint = 'job_runs';
  end if;
  -- The values of secrets are deleted with the last open run.
  if exists (
    select 1 from public.procedure_versions v
    where v.company_id = old.company_id and v.id = old.procedure_version_id and v.parameters @> '[{"kind": "secret"}]'
  ) then
    raise exception 'This script takes a secret, which is not kept. Run it again from the script.'
      using errcode = 'check_violation', hint = 'secrets_needed';
  end if;
  old.expires_at := now() + (old.expires_at - old.created_at);
  return app.queue_job(old, '{}', array(
    select r.device_id from public.job_runs r
    where r.company_id = old.company_id and r.job_id = old.id and r.status in ('failed', 'timed_out', 'cancelled', 'expired')
  ));
end $$;
comment on function public.retry_job(uuid) is
  'Runs the script of a job, as it was sent then, on the devices where it failed, timed out, was canceled or expired; returns the new job.';
revoke execute on function public.retry_job(uuid) from public, anon;
grant execute on function public.retry_job(uuid) to authenticated;
