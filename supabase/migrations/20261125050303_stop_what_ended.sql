-- What somebody set going ends with their account; a disabled automation begins no further step; texts of devices keep their direction.

create or replace function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(value,
    '[\u0001-\u001f\u007f-\u009f]+', ' ', 'g'), '[\u200e\u200f\u202a-\u202e\u2066-\u2069]+', '', 'g'),
    '([\u0300-\u036f]{2})[\u0300-\u036f]+', '\1', 'g')), most);
comment on function app.clean_text(text, integer) is
  'Text from a machine: control characters and marks that turn the direction of text out, two combining marks on a letter at most, '
  'trimmed, cut to length.';

-- Security definer, as before; see its comment.
create or replace function public.deactivate_users(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  company uuid;
  changed integer;
  own record;
begin
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  -- Whoever may switch others off never leaves a company, or the platform, without anybody who can switch them on again.
  for company in
    select distinct r.company_id from public.user_roles r
    where r.user_id = any (ids) and r.role = case when r.company_id is null then 'Super Admin' else 'Admin' end
      and (r.company_id is null or not app.sees_all())
    order by r.company_id
  loop
    perform app.keep_an_admin(company, ids);
  end loop;
  -- Again after the wait for the lock.
  perform app.require('users', 'edit');
  perform app.require_reach(ids);
  -- The role first: its triggers need the session of a caller who deactivates the own account.
  update public.user_roles r set deactivated_at = now() where r.user_id = any (ids) and r.deactivated_at is null;
  get diagnostics changed = row_count;
  update auth.users u set banned_until = now() + interval '100 years' where u.id = any (ids);
  delete from auth.sessions s where s.user_id = any (ids);
  -- What they asked for and no device has done yet. Runs first, then the job, as cancel_job().
  for own in
    select j.company_id, j.id from public.jobs j
    where j.created_by = any (ids) and j.status = 'running' and j.schedule_id is null order by j.id
  loop
    perform app.cancel_runs(own.company_id, array(
      select r.id from public.job_runs r
      where r.company_id = own.company_id and r.job_id = own.id and r.status in ('queued', 'claimed', 'running')
    ));
    update public.jobs j set status = 'cancelled' where j.company_id = own.company_id and j.id = own.id and j.status = 'running';
  end loop;
  return changed;
end $$;
comment on function public.deactivate_users(uuid[]) is
  'These accounts may not sign in any more, are signed out everywhere, and the jobs that they started are canceled. Definer, because '
  'accounts and sessions belong to the auth server, and nobody may update jobs; it checks permission, company and rank itself.';

alter table public.automation_runs drop constraint automation_runs_error_check;
alter table public.automation_runs add constraint automation_runs_error_check check (error in ('step_failed', 'parameters', 'license', 'disabled'));
comment on column public.automation_runs.error is
  'Why it did not succeed: step_failed, parameters (a script asks for a value), license, disabled. Null where a person canceled it.';

create or replace function app.queue_step(automation public.automations, after_position integer, after_id uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
declare
  next_step public.automation_steps%rowtype;
  script public.procedures%rowtype;
  made record;
  queued uuid;
  part record;
begin
  if not app.automations_run(automation.company_id) then
    update public.automation_runs r set status = 'failed', error = 'license', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (run_ids);
    return;
  end if;
  if not automation.enabled then
    update public.automation_runs r set status = 'cancelled', error = 'disabled', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (run_ids);
    return;
  end if;
  loop
    select s.* into next_step from public.automation_steps s
      where s.company_id = automation.company_id and s.automation_id = automation.id
        and (s.position, s.id) > (coalesce(after_position, 0), coalesce(after_id, '00000000-0000-0000-0000-000000000000'))
      order by s.position, s.id limit 1;
    if next_step.id is null then
      update public.automation_runs r
        set status = case when r.failed_steps = 0 then 'succeeded' else 'partial' end, finished_at = now()
        where r.company_id = automation.company_id and r.id = any (run_ids);
      return;
    end if;
    select p.* into script from public.procedures p where p.company_id = next_step.company_id and p.id = next_step.procedure_id;
    begin
      made := app.procedure_job(script);
      exit;
    exception when check_violation then
      -- It asks for a value that nobody gives here.
      update public.automation_runs r
        set step = next_step.position, step_id = next_step.id, procedure_id = script.id,
          failed_steps = r.failed_steps + 1, error = 'parameters',
          status = case next_step.on_failure when 'stop' then 'failed' else r.status end,
          finished_at = case next_step.on_failure when 'stop' then now() end
        where r.company_id = automation.company_id and r.id = any (run_ids);
      if next_step.on_failure = 'stop' then
        return;
      end if;
      after_position := next_step.position;
      after_id := next_step.id;
    end;
  end loop;
  update public.automation_runs r set step = next_step.position, step_id = next_step.id, procedure_id = script.id
    where r.company_id = automation.company_id and r.id = any (run_ids);
  -- A job takes at most 1,000 devices.
  for part in
    select array_agg(n.id order by n.id) as run_ids, array_agg(n.device_id order by n.id) as device_ids
    from (
      select r.id, r.device_id, (row_number() over (order by r.id) - 1) / 1000 as number from public.automation_runs r
      where r.company_id = automation.company_id and r.id = any (run_ids)
    ) n group by n.number order by n.number
  loop
    queued := app.queue_job(made.job, made.secret, part.device_ids);
    update public.job_runs j set automation_run_id = n.run_id from unnest(part.run_ids, part.device_ids) n (run_id, device_id)
      where j.company_id = automation.company_id and j.job_id = queued and j.device_id = n.device_id;
  end loop;
end $$;
