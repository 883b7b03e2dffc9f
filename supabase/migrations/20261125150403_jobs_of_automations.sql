-- A job says which automation started it.

alter table public.jobs add column automation_id uuid;
comment on column public.jobs.automation_id is 'The automation of which it is a step, if it is one.';
alter table public.jobs add foreign key (company_id, automation_id)
  references public.automations (company_id, id) on delete set null (automation_id);
create index jobs_by_automation on public.jobs (company_id, automation_id, created_at desc, id);

update public.jobs j set automation_id = x.automation_id from (
  select distinct r.company_id, r.job_id, a.automation_id from public.job_runs r
    join public.automation_runs a on a.company_id = r.company_id and a.id = r.automation_run_id) x
  where j.company_id = x.company_id and j.id = x.job_id;

drop trigger jobs_audit_insert on public.jobs;
drop trigger jobs_audit_update on public.jobs;
drop trigger jobs_audit_delete on public.jobs;
select app.keep_audit('public.jobs', 'id', array['total', 'succeeded', 'failed', 'automation_id']);

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
    update public.jobs j set automation_id = automation.id where j.company_id = automation.company_id and j.id = queued;
    update public.job_runs j set automation_run_id = n.run_id from unnest(part.run_ids, part.device_ids) n (run_id, device_id)
      where j.company_id = automation.company_id and j.job_id = queued and j.device_id = n.device_id;
  end loop;
end $$;
