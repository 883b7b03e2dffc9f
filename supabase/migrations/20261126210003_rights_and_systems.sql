-- What is queued by a schedule or a step of an automation asks for the right of its holder, and leaves out the devices on
-- which the script does not run.

create or replace function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
  fitting record;
  job uuid;
  capped boolean;
begin
  if not app.holds(task.set_by, task.set_by_operator, task.company_id, 'procedures', 'run') then
    perform app.pause_for('scheduled_tasks', task.id);
    return 'person';
  end if;
  if task.target_kind in ('devices', 'groups', 'filter') and not task.set_by_operator then
    begin
      wanted := app.devices_as(task.set_by, task.company_id, app.schedule_target(task));
    exception when insufficient_privilege then
      perform app.pause_for('scheduled_tasks', task.id);
      return 'person';
    end;
  elsif task.target_kind = 'filter' then
    -- A filter is asked with somebody's permissions.
    perform app.pause_for('scheduled_tasks', task.id);
    return 'person';
  else
    select array_agg(d.id order by d.id) into wanted from public.devices d
    where d.company_id = task.company_id and case task.target_kind
      when 'all' then true
      when 'device' then d.id = task.device_id
      when 'devices' then d.id = any (app.target_ids(task.target, 'device_ids'))
      else exists (select 1 from public.group_devices g where g.company_id = task.company_id and g.device_id = d.id
        and g.group_id = any (case task.target_kind when 'group' then array[task.group_id] else app.target_ids(task.target, 'group_ids') end)) end;
  end if;
  if wanted is null then
    return 'no_devices';
  end if;
  if cardinality(wanted) > app.max_targets() then
    return 'devices_too_many';
  end if;
  if task.device_time then
    -- Those whose time had passed when the schedule was set, or passed while nothing ticked, wait for the next one.
    select array_agg(d.id order by d.id) into wanted
    from unnest(wanted) w (id) join public.devices d on d.company_id = task.company_id and d.id = w.id
    where app.device_start(task, d.timezone, due) >= greatest(task.set_at, task.starts_at,
      case when task.missed_run = 'skip' then now() - interval '15 minutes' end);
    if wanted is null then
      return 'passed';
    end if;
  end if;
  select p.* into script from public.procedures p where p.company_id = task.company_id and p.id = task.procedure_id;
  fitting := app.runnable_devices(task.company_id, wanted, script.platforms);
  wanted := fitting.devices;
  if wanted is null then
    return case when fitting.full > 0 then 'Each device has as many open runs as a device may have'
      else 'The script runs on no system of the target' end;
  end if;
  begin
    select * into bound from app.bind_parameters(script.parameters, '{}');
  exception when check_violation then
    return 'parameters';
  end;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, schedule_id, due_at, max_running,
     platforms, left_out, left_full)
  select task.company_id, 'procedure', script.name, script.id, v.id, script.type, script.script,
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, coalesce(task.set_by, task.created_by),
    -- A device that stays away catches up with one run, not with a day of them.
    greatest(now() + interval '15 minutes', least(now() + interval '24 hours', following)) + make_interval(mins => task.random_delay_minutes)
      -- The last zone's day begins 26 hours after the first one's.
      + app.zone_span(task),
    cardinality(wanted), task.id, due, case when task.max_running < cardinality(wanted) then task.max_running end,
    script.platforms, fitting.other, fitting.full
  from public.procedure_versions v
  where v.company_id = script.company_id and v.procedure_id = script.id and v.number = script.revision
  on conflict (schedule_id, due_at) do nothing
  returning id, max_running is not null into job, capped;
  if job is not null then
    if bound.secret <> '{}' then
      insert into app.job_secrets (job_id, company_id, parameters) values (job, task.company_id, bound.secret);
    end if;
    insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped, start_after)
      select task.company_id, job, d.id, script.id, capped, coalesce(
        app.spread_start(task.id, d.id, coalesce(app.device_start(task, d.timezone, due), due), task.random_delay_minutes),
        app.device_start(task, d.timezone, due))
      from unnest(wanted) w (id) join public.devices d on d.company_id = task.company_id and d.id = w.id;
  end if;
  return null;
end $$;

create or replace function app.queue_step(automation public.automations, after_position integer, after_id uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
declare
  next_step public.automation_steps%rowtype;
  script public.procedures%rowtype;
  made record;
  queued uuid;
  part record;
  lost uuid[];
  misfits uuid[];
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
  -- Of a run that a person started, the right of that person; of the others, that of whoever set the automation.
  select array_agg(r.id) into lost from public.automation_runs r
  where r.company_id = automation.company_id and r.id = any (run_ids) and not case
    when r.trigger = 'manual' and r.started_by is not null then app.holds(r.started_by, false, r.company_id, 'automations', 'run')
    else app.holds(automation.set_by, automation.set_by_operator, r.company_id, 'automations', 'run') end;
  if lost is not null then
    update public.automation_runs r set status = 'failed', error = 'person', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (lost);
    if not app.holds(automation.set_by, automation.set_by_operator, automation.company_id, 'automations', 'run') then
      perform app.pause_for('automations', automation.id);
    end if;
    run_ids := array(select u from unnest(run_ids) u where u <> all (lost));
    if run_ids = '{}' then
      return;
    end if;
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
    -- A device of another system goes on with the step after it.
    misfits := array(select r.id from public.automation_runs r join public.devices d on d.company_id = r.company_id and d.id = r.device_id
      where r.company_id = automation.company_id and r.id = any (run_ids) and not coalesce(d.platform = any (script.platforms), true) order by r.id);
    if misfits <> '{}' then
      perform app.queue_step(automation, next_step.position, next_step.id, misfits);
      run_ids := array(select i from unnest(run_ids) i where i <> all (misfits));
      if run_ids = '{}' then
        return;
      end if;
    end if;
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
    begin
      queued := app.queue_job(made.job, made.secret, part.device_ids);
    exception when check_violation then
      queued := null;
    end;
    -- A device with too many open runs takes no further one, and its run of the automation ends.
    update public.automation_runs r set status = 'failed', failed_steps = r.failed_steps + 1, error = 'runs_too_many', finished_at = now()
      where r.company_id = automation.company_id and r.id = any (part.run_ids)
        and not exists (select 1 from public.job_runs j where j.company_id = r.company_id and j.job_id = queued and j.device_id = r.device_id);
    continue when queued is null;
    update public.jobs j set automation_id = automation.id where j.company_id = automation.company_id and j.id = queued;
    update public.job_runs j set automation_run_id = n.run_id from unnest(part.run_ids, part.device_ids) n (run_id, device_id)
      where j.company_id = automation.company_id and j.job_id = queued and j.device_id = n.device_id;
  end loop;
end $$;
