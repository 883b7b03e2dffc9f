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
  -- Their automations too, whose next step the device's report would queue. As cancel_automation_run().
  for own in
    select r.company_id, r.id from public.automation_runs r
    where r.started_by = any (ids) and r.status = 'running' order by r.id
  loop
    for round in 1..2 loop
      perform app.cancel_runs(own.company_id, array(
        select j.id from public.job_runs j
        where j.company_id = own.company_id and j.automation_run_id = own.id and j.status in ('queued', 'claimed', 'running')
      ));
      update public.automation_runs r set status = 'cancelled', finished_at = now()
        where r.company_id = own.company_id and r.id = own.id and r.status = 'running';
    end loop;
  end loop;
  return changed;
end $$;
comment on function public.deactivate_users(uuid[]) is
  'These accounts may not sign in any more, are signed out everywhere, and the jobs and automations that they started are canceled. Definer, '
  'because accounts and sessions belong to the auth server, and nobody may update jobs; it checks permission, company and rank itself.';
create index if not exists automation_runs_started_by_idx on public.automation_runs (started_by) where status = 'running';
