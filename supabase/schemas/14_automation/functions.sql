create function app.place_step() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  new.position := coalesce(new.position, (
    select least(coalesce(max(s.position), 0) + 1, 1000) from public.automation_steps s
    where s.company_id = new.company_id and s.automation_id = new.automation_id and s.id <> new.id
  ));
  return new;
end $$;
comment on function app.place_step() is
  'Row trigger: a step without a position is the last one. Definer, because it counts all steps, whatever the writer may read.';

-- Security definer: app.next_run() is granted to nobody.
create function app.stamp_automation() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (new.trigger, new.enabled, new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays,
      new.month_day, new.month_week, new.month_weekday, new.timezone)
    is not distinct from (old.trigger, old.enabled, old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays,
      old.month_day, old.month_week, old.month_weekday, old.timezone) then
    return new;
  end if;
  new.next_run_at := case
    when not new.enabled or new.trigger <> 'schedule' then null
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when new.frequency = 'once' then case when new.last_run_at is null or new.last_run_at < new.starts_at then new.starts_at end
    else app.next_run(app.schedule_of(new), now()) end;
  return new;
end $$;
comment on function app.stamp_automation() is
  'Row trigger: next_run_at follows the schedule, and the tick keeps what it wrote. Definer, because app.next_run() is granted to nobody.';

create function app.guard_automation() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if not app.is_server_work() then
    perform app.require('automations', 'run');
  end if;
  return null;
end $$;
comment on function app.guard_automation() is
  'Statement trigger: an automation runs scripts, so whoever may not run it may not decide what it runs, when and where.';

create function app.procedure_job(procedure public.procedures, given jsonb default '{}', out job public.jobs, out secret jsonb)
  language plpgsql stable set search_path = '' as $$
begin
  select b.plain, b.secret into job.parameters, secret from app.bind_parameters(procedure.parameters, given) b;
  select v.id into job.procedure_version_id from public.procedure_versions v
    where v.company_id = procedure.company_id and v.procedure_id = procedure.id and v.number = procedure.revision;
  job.company_id := procedure.company_id;
  job.kind := 'procedure';
  job.name := procedure.name;
  job.procedure_id := procedure.id;
  job.script_type := procedure.type;
  job.platforms := procedure.platforms;
  job.script := procedure.script;
  job.timeout_seconds := procedure.timeout_seconds;
  job.expires_at := now() + interval '24 hours';
end $$;
comment on function app.procedure_job(public.procedures, jsonb) is
  'The job of a procedure for app.queue_job(), with its secret values apart. Raises check_violation where given values do not fit.';

create function app.automations_run(company uuid) returns boolean
  language sql stable set search_path = '' as $$
  select app.company_runs(company) and exists (select 1 from public.companies c where c.id = company and c.license_type = 'Pro')
$$;
comment on function app.automations_run(uuid) is 'Whether the license of a company holds and includes automations.';

create function app.automation_reach(automation public.automations, device_ids uuid[], is_any boolean)
  returns table (device_id uuid, reason text)
  language sql stable set search_path = '' as $$
  with named as (
    select n.device_id from public.automation_devices n
      where n.company_id = automation.company_id and n.automation_id = automation.id
    union
    select m.device_id from public.automation_groups g
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      where g.company_id = automation.company_id and g.automation_id = automation.id
  ), names_none as (
    select not exists (select 1 from public.automation_devices n
        where n.company_id = automation.company_id and n.automation_id = automation.id)
      and not exists (select 1 from public.automation_groups g
        where g.company_id = automation.company_id and g.automation_id = automation.id) as holds
  )
  select d.id,
    case
      when automation.platform is not null and d.platform is distinct from automation.platform then 'platform'
      when d.platform is not null
        and exists (select 1 from public.automation_steps s where s.company_id = automation.company_id and s.automation_id = automation.id)
        and not exists (select 1 from public.automation_steps s
          join public.procedures p on p.company_id = s.company_id and p.id = s.procedure_id
          where s.company_id = automation.company_id and s.automation_id = automation.id and d.platform = any (p.platforms)) then 'script'
      when automation.online_only and d.status <> 'online' then 'offline'
      when exists (select 1 from public.automation_runs r where r.company_id = automation.company_id
        and r.automation_id = automation.id and r.device_id = d.id and r.status = 'running') then 'running'
    end
  from public.devices d
  where d.company_id = automation.company_id and (device_ids is null or d.id = any (device_ids))
    and ((is_any and (select n.holds from names_none n)) or d.id in (select n.device_id from named n))
$$;
comment on function app.automation_reach(public.automations, uuid[], boolean) is
  'The devices of an automation, of device_ids alone unless it is null, each with the reason why it does not run there now: platform, '
  'offline, running, or null. is_any: without devices and groups of its own it is for any device. Reads as its caller may.';
grant execute on function app.automation_reach(automations, uuid[], boolean) to authenticated;

create function public.automation_matches(automation_id uuid, is_manual boolean default false) returns jsonb
  language sql stable set search_path = '' as $$
  with reached as (
    select r.reason, count(*) as devices
    from public.automations a
    cross join lateral app.automation_reach(a, null, not is_manual and a.trigger in ('new_device', 'alert')) r
    where a.id = automation_matches.automation_id
    group by r.reason
  )
  select jsonb_build_object(
    'matches', coalesce(sum(x.devices) filter (where x.reason is null), 0),
    'left_out', coalesce(jsonb_object_agg(x.reason, x.devices) filter (where x.reason is not null), '{}'))
  from reached x
$$;
comment on function public.automation_matches(uuid, boolean) is
  'On how many devices an automation would run now, by its trigger or, with is_manual, by hand: {matches, left_out: {reason: devices}}, with the '
  'reasons of app.automation_reach(). search_automation_devices() returns the devices. Runs as the caller.';
grant execute on function public.automation_matches(uuid, boolean) to authenticated;

-- Plain SQL without SET, so that the planner inlines it (see app.search_patterns()).
create function public.search_automation_devices(automation_id uuid, reason text, q text) returns setof public.devices
  language sql stable rows 500 as $$
  select d.* from public.search_devices(search_automation_devices.q) d
  where d.id in (
    select r.device_id from public.automations a
      cross join lateral app.automation_reach(a, null, a.trigger in ('new_device', 'alert')) r
    where a.id = search_automation_devices.automation_id
      and coalesce(r.reason, '') = search_automation_devices.reason)
$$;
comment on function public.search_automation_devices(uuid, text, text) is
  'The devices that an automation leaves out now for a reason of app.automation_reach(), or with an empty reason those on which it would run, '
  'that match q; filter, order and page it like the table. Runs as the caller.';
grant execute on function public.search_automation_devices(uuid, text, text) to authenticated;

create function app.queue_step(automation public.automations, after_position integer, after_id uuid, run_ids uuid[]) returns void
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
  -- A run that a person started needs the right of that person; the others need that of whoever set the automation.
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
comment on function app.queue_step(public.automations, integer, uuid, uuid[]) is
  'Queues the first step after a position on the devices of these runs of one automation, or ends the runs where none is left.';

create function app.start_automation(automation public.automations, cause text, device_ids uuid[], source_ids uuid[] default '{}')
  returns integer
  language plpgsql set search_path = '' as $$
declare
  is_event constant boolean := cause in ('new_device', 'alert', 'enters_group');
  made uuid[];
begin
  if not automation.enabled or not app.automations_run(automation.company_id) or not exists (
    select 1 from public.automation_steps s where s.company_id = automation.company_id and s.automation_id = automation.id
  ) then
    return 0;
  end if;
  with source as (
    select distinct on (s.device_id) s.device_id, s.source_id from unnest(start_automation.device_ids, source_ids) s (device_id, source_id)
    order by s.device_id, s.source_id
  ), started as (
    insert into public.automation_runs (company_id, automation_id, device_id, trigger, alert_id, group_id, started_by)
    select automation.company_id, automation.id, d.device_id, cause,
      case cause when 'alert' then s.source_id end, case cause when 'enters_group' then s.source_id end,
      case cause when 'manual' then (select p.id from public.profiles p where p.id = app.current_user_id()) end
    from app.automation_reach(automation, start_automation.device_ids, start_automation.device_ids is not null) d
    left join source s on s.device_id = d.device_id
    -- A script may cause the very event that starts it again.
    where d.reason is null and not (is_event and (
      exists (select 1 from public.automation_runs r
        where r.company_id = automation.company_id and r.device_id = d.device_id and r.automation_id = automation.id
          and r.started_at > now() - interval '2 days' and r.finished_at > now() - interval '15 minutes')
      or (select count(*) from public.automation_runs r
        where r.company_id = automation.company_id and r.device_id = d.device_id and r.automation_id = automation.id
          and r.started_at > now() - interval '1 day' and r.trigger in ('new_device', 'alert', 'enters_group')) >= 5))
    on conflict (company_id, automation_id, device_id) where status = 'running' do nothing
    returning id
  )
  select coalesce(array_agg(t.id), '{}') into made from started t;
  if made <> '{}' then
    perform app.queue_step(automation, null, null, made);
  end if;
  return cardinality(made);
end $$;
comment on function app.start_automation(public.automations, text, uuid[], uuid[]) is
  'Starts an automation on those of these devices that it is for, on all of its own if device_ids is null; returns on how many. '
  'source_ids: the alert or group of each device. An event does not start it on a device within 15 minutes of the end of its last run '
  'there, nor a sixth time in a day, so that a script that causes the event does not repeat without end.';

create function app.try_automation(automation public.automations, cause text, device_ids uuid[], source_ids uuid[] default '{}')
  returns integer
  language plpgsql set search_path = '' as $$
begin
  return app.start_automation(automation, cause, device_ids, source_ids);
exception when others then
  insert into app.tick_log (step, error) values ('automations', left(automation.id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
  return 0;
end $$;
comment on function app.try_automation(public.automations, text, uuid[], uuid[]) is
  'app.start_automation() for events and the tick: an automation that fails must not refuse a check-in, so the error goes to app.tick_log.';

-- Security definer: a run also ends by a device's report and by a person's cancel, and nobody may write jobs and runs.
create function app.follow_automation_steps() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  over record;
  automation public.automations%rowtype;
begin
  if not exists (select 1 from new_runs n where n.automation_run_id is not null) then
    return null;
  end if;
  for over in
    with finished as (
      select n.company_id, n.automation_run_id,
        case n.status when 'succeeded' then 'succeeded' when 'cancelled' then 'cancelled' else 'failed' end as outcome
      from new_runs n join old_runs o on o.id = n.id
      where n.automation_run_id is not null and o.status in ('queued', 'claimed', 'running')
        and n.status not in ('queued', 'claimed', 'running')
    ), locked as (
      select r.company_id, r.automation_id, r.id, r.step, r.step_id, f.outcome
      from public.automation_runs r join finished f on f.company_id = r.company_id and f.automation_run_id = r.id
      where r.status = 'running' order by r.id for update of r
    )
    select l.company_id, l.automation_id, l.step, l.step_id, l.outcome, array_agg(l.id) as ids, coalesce(s.on_failure, 'stop') as on_failure
    from locked l left join public.automation_steps s on s.company_id = l.company_id and s.id = l.step_id
    group by l.company_id, l.automation_id, l.step, l.step_id, l.outcome, s.on_failure
  loop
    if over.outcome <> 'succeeded' then
      update public.automation_runs r
        set failed_steps = r.failed_steps + (over.outcome = 'failed')::integer,
          error = case over.outcome when 'failed' then 'step_failed' else r.error end,
          status = case when over.outcome = 'cancelled' then 'cancelled' when over.on_failure = 'stop' then 'failed' else r.status end,
          finished_at = case when over.outcome = 'cancelled' or over.on_failure = 'stop' then now() end
        where r.company_id = over.company_id and r.id = any (over.ids);
    end if;
    if over.outcome = 'succeeded' or (over.outcome = 'failed' and over.on_failure = 'continue') then
      select a.* into automation from public.automations a where a.company_id = over.company_id and a.id = over.automation_id;
      begin
        perform app.queue_step(automation, over.step, over.step_id, over.ids);
      exception when others then
        -- The report of a device must be taken all the same.
        insert into app.tick_log (step, error) values ('automations', left(automation.id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
        update public.automation_runs r set status = 'failed', error = 'step_failed', finished_at = now()
          where r.company_id = over.company_id and r.id = any (over.ids);
      end;
    end if;
  end loop;
  return null;
end $$;
comment on function app.follow_automation_steps() is
  'Statement trigger: a step that ends on a device queues the next one there, or ends the run of its automation.';

-- Security definer: nobody may insert runs; this function checks the permission, the company and every device.
create function public.run_automation(automation_id uuid, device_ids uuid[] default null) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  found public.automations%rowtype;
  made integer;
begin
  perform app.require('automations', 'run');
  -- An automation of another company looks exactly like one that does not exist.
  select a.* into found from public.automations a
    where a.id = run_automation.automation_id and a.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The automation was not found.' using errcode = 'PT404', hint = 'automation_gone';
  end if;
  if not app.automations_run(found.company_id) then
    raise exception 'The license of the company does not include automations.' using errcode = '42501',
      hint = case when app.company_runs(found.company_id) then 'without-pro' else 'read-only' end;
  end if;
  if not found.enabled then
    raise exception 'The automation is disabled.'
      using errcode = 'check_violation', hint = 'automation_disabled';
  end if;
  if not exists (select 1 from public.automation_steps s where s.company_id = found.company_id and s.automation_id = found.id) then
    raise exception 'The automation has no steps.'
      using errcode = 'check_violation', hint = 'automation_empty';
  end if;
  if cardinality(device_ids) > 1000 then
    raise exception 'Choose at most 1,000 devices.' using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if exists (select 1 from unnest(device_ids) i where i is null or not exists (
    select 1 from public.devices d where d.company_id = found.company_id and d.id = i)) then
    raise exception 'A chosen device was not found in the company of the automation.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  made := app.start_automation(found, 'manual', device_ids);
  if made = 0 then
    raise exception 'The automation matches no device now.'
      using errcode = 'check_violation', hint = 'automation_no_devices';
  end if;
  return made;
end $$;
comment on function public.run_automation(uuid, uuid[]) is
  'Starts an automation now, on its own devices or on those of device_ids that it is for; returns on how many. One that it still runs on '
  'is left out.';
grant execute on function public.run_automation(uuid, uuid[]) to authenticated;

-- Security definer: nobody may update runs; this function checks the permission and the company.
create function public.cancel_automation_run(run_id uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
  open_runs uuid[];
begin
  perform app.require('automation_runs', 'cancel');
  select r.company_id into company from public.automation_runs r
    where r.id = run_id and r.company_id = any (app.visible_company_ids());
  if company is null then
    raise exception 'The run was not found.' using errcode = 'PT404', hint = 'run_gone';
  end if;
  -- Twice: a step may have ended, and the next one been queued, before this run was locked.
  for round in 1..2 loop
    select array_agg(j.id) into open_runs from public.job_runs j
      where j.company_id = company and j.automation_run_id = run_id and j.status in ('queued', 'claimed', 'running');
    if open_runs is not null then
      perform app.cancel_runs(company, open_runs);
    end if;
    update public.automation_runs r set status = 'cancelled', finished_at = now()
      where r.company_id = company and r.id = run_id and r.status = 'running';
  end loop;
  return (select r.status from public.automation_runs r where r.company_id = company and r.id = run_id);
end $$;
comment on function public.cancel_automation_run(uuid) is
  'Cancels a run of an automation and its open step, and returns the run''s status. A script on its device stops at the next check-in.';
grant execute on function public.cancel_automation_run(uuid) to authenticated;

-- Security definer: devices, people and the server open alerts, and nobody may write runs.
create function app.start_on_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  for found in
    select a as automation, array_agg(n.device_id order by n.id) as devices, array_agg(n.id order by n.id) as alerts
    from new_rows n
    join public.automation_monitors m on m.company_id = n.company_id and m.monitor_id = n.monitor_id
    join public.automations a on a.company_id = m.company_id and a.id = m.automation_id
    where a.enabled and a.trigger = 'alert' and n.status in ('open', 'acknowledged')
    group by a.id order by a.id
  loop
    perform app.try_automation(found.automation, 'alert', found.devices, found.alerts);
  end loop;
  return null;
end $$;
comment on function app.start_on_alerts() is 'Statement trigger: new alerts start the automations of their monitors on their devices.';

-- Security definer, as app.start_on_alerts().
create function app.start_on_members() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  for found in
    select a as automation, array_agg(n.device_id order by n.device_id, n.group_id) as devices,
      array_agg(n.group_id order by n.device_id, n.group_id) as groups
    from new_rows n
    join public.automation_groups g on g.company_id = n.company_id and g.group_id = n.group_id
    join public.automations a on a.company_id = g.company_id and a.id = g.automation_id
    join public.devices d on d.company_id = n.company_id and d.id = n.device_id
    where a.enabled
      -- A device joins the group of its token after it was added, in the same transaction.
      and (a.trigger = 'enters_group' or (a.trigger = 'new_device' and d.created_at = now() and d.enrolled_at = now()))
    group by a.id order by a.id
  loop
    perform app.try_automation(found.automation, (found.automation).trigger, found.devices, found.groups);
  end loop;
  return null;
end $$;
comment on function app.start_on_members() is
  'Statement trigger: devices that enter a group start its automations there, and new devices those for new devices of the group.';

-- Security definer, as app.start_on_alerts().
create function app.start_on_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  joined uuid[];
  found record;
begin
  if tg_op = 'INSERT' then
    select array_agg(n.id) into joined from new_rows n where n.enrolled_at is not null;
  else
    select array_agg(n.id) into joined from new_rows n join old_rows o on o.id = n.id
      where n.enrolled_at is not null and o.enrolled_at is null;
  end if;
  for found in
    select a as automation, array_agg(d.id order by d.id) as devices
    from public.devices d
    join public.automations a on a.company_id = d.company_id and a.enabled and a.trigger = 'new_device'
    where d.id = any (joined)
    group by a.id order by a.id
  loop
    perform app.try_automation(found.automation, 'new_device', found.devices);
  end loop;
  return null;
end $$;
comment on function app.start_on_devices() is
  'Statement trigger: devices that enroll for the first time start the automations for new devices.';

create function app.run_automations() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  automation public.automations%rowtype;
  started integer := 0;
  begun integer;
begin
  for automation in
    select a.* from public.automations a join public.companies c on c.id = a.company_id
    where a.enabled and a.trigger = 'schedule' and a.next_run_at <= now()
      -- A company without the license runs nothing, and does not catch up later.
      and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now()) and c.license_type = 'Pro'
    order by a.next_run_at
    limit 100 for no key update of a skip locked
  loop
    if automation.next_run_at < now() - interval '15 minutes' then
      update public.automations a set next_run_at = app.next_run(app.schedule_of(automation), now()) where a.id = automation.id;
      continue;
    end if;
    begun := app.try_automation(automation, 'schedule', null);
    started := started + begun;
    update public.automations a set next_run_at = app.next_run(app.schedule_of(automation), now()),
        last_run_at = case when begun > 0 then now() else a.last_run_at end
      -- A missing right has just paused it.
      where a.id = automation.id and a.enabled;
  end loop;
  return started;
end $$;
comment on function app.run_automations() is
  'Step of app.tick(): starts due automations, up to 100 per call; safe to run many times at once. One more than 15 minutes late is '
  'missed. Returns on how many devices.';

create function app.forget_automation_runs() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  removed integer;
begin
  perform set_config('app.quiet', 'on', true);
  delete from public.automation_runs r where r.id in (
    select x.id from public.automation_runs x where x.started_at < now() - interval '365 days' and x.status <> 'running'
    order by x.started_at limit 1000);
  get diagnostics removed = row_count;
  perform set_config('app.quiet', '', true);
  return removed;
end $$;
comment on function app.forget_automation_runs() is 'Step of app.tick(): forgets runs of automations after a year, at most 1,000 a call.';

create function app.automation_problem(company uuid, automation uuid, trigger text) returns text
  language sql stable set search_path = '' as $$
  with named as (
    select n.device_id from public.automation_devices n where n.company_id = company and n.automation_id = automation
    union
    select m.device_id from public.automation_groups g
      join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
      where g.company_id = company and g.automation_id = automation
  )
  select case
    when not exists (select 1 from public.automation_steps s where s.company_id = company and s.automation_id = automation) then 'no_steps'
    when trigger = 'alert'
      and not exists (select 1 from public.automation_monitors m where m.company_id = company and m.automation_id = automation) then 'no_monitors'
    when trigger in ('enters_group', 'schedule')
      and not exists (select 1 from public.automation_groups g where g.company_id = company and g.automation_id = automation)
      and (trigger = 'enters_group'
        or not exists (select 1 from public.automation_devices d where d.company_id = company and d.automation_id = automation))
    then case when trigger = 'enters_group' then 'no_groups' else 'no_devices' end
    -- A device whose system is unknown may run any step, as in app.automation_reach().
    when exists (select 1 from named) and not exists (
      select 1 from named n join public.devices d on d.company_id = company and d.id = n.device_id
      where d.platform is null or exists (
        select 1 from public.automation_steps s join public.procedures p on p.company_id = s.company_id and p.id = s.procedure_id
        where s.company_id = company and s.automation_id = automation and d.platform = any (p.platforms))
    ) then 'no_platform'
  end
$$;
comment on function app.automation_problem(uuid, uuid, text) is 'The value of automations.problem for a trigger.';

-- Definer, because it counts all parts of an automation, whatever the writer may read.
create function app.stamp_automation_problem() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  new.problem := app.automation_problem(new.company_id, new.id, new.trigger);
  return new;
end $$;
comment on function app.stamp_automation_problem() is 'Row trigger: problem is never the writer''s.';

-- Definer, because whoever changes a part may not write the column.
create function app.follow_automation_parts() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
    where (a.company_id, a.id) in (select c.company_id, c.automation_id from changed c)
      and a.problem is distinct from app.automation_problem(a.company_id, a.id, a.trigger);
  return null;
end $$;
comment on function app.follow_automation_parts() is 'Statement trigger: problem follows steps, monitors, groups and devices of an automation.';

create function app.asked_parameter(definitions jsonb) returns text
  language sql immutable set search_path = '' as $$
  select coalesce(nullif(d.item ->> 'label', ''), d.item ->> 'name')
  from jsonb_array_elements(case jsonb_typeof(definitions) when 'array' then definitions else '[]' end) with ordinality as d (item, place)
  where coalesce((d.item ->> 'required')::boolean, false) and coalesce(d.item -> 'default', 'null') in ('null', '""')
  order by d.place limit 1
$$;
comment on function app.asked_parameter(jsonb) is
  'The label of the first parameter of a script that needs a value and has no default; null when it runs without questions.';

-- Definer, because it reads parameters as run_procedure does.
create function app.guard_unattended_script() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  script text;
  parameter text;
begin
  -- Row-level security asks after the triggers: this one must not tell of another company's scripts first.
  if new.procedure_id is null or app.is_server_work() or not (app.sees_all() or new.company_id is not distinct from app.own_company()) then
    return new;
  end if;
  select p.name, app.asked_parameter(p.parameters) into script, parameter
    from public.procedures p where p.company_id = new.company_id and p.id = new.procedure_id;
  if parameter is not null then
    -- Named as a constraint of the column is, so that a form shows it there.
    raise exception using errcode = '23514', hint = 'parameter_required',
      detail = jsonb_build_object('script', script, 'parameter', parameter)::text,
      constraint = tg_table_name || '_procedure_id_check', table = tg_table_name, schema = 'public',
      message = format('new row for relation "%1$s" violates check constraint "%1$s_procedure_id_check"', tg_table_name);
  end if;
  return new;
end $$;
comment on function app.guard_unattended_script() is
  'Row trigger: a script that needs a value which nobody gives (check_violation, parameter_required; the detail names script and parameter) '
  'cannot be a step of an automation, a response of a monitor, or scheduled.';

-- Security definer: devices, people and the server open alerts, and nobody may write runs.
create function app.start_on_reopened() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  for found in
    select a as automation, array_agg(n.device_id order by n.id) as devices, array_agg(n.id order by n.id) as alerts
    from new_rows n
    join old_rows o on o.id = n.id
    join public.automation_monitors m on m.company_id = n.company_id and m.monitor_id = n.monitor_id
    join public.automations a on a.company_id = m.company_id and a.id = m.automation_id
    where a.enabled and a.trigger = 'alert' and n.status = 'open' and o.status = 'resolved'
    group by a.id order by a.id
  loop
    perform app.try_automation(found.automation, 'alert', found.devices, found.alerts);
  end loop;
  return null;
end $$;
comment on function app.start_on_reopened() is
  'Statement trigger of alerts: starts automations when an alert opens again, within their own limits. Definer, because nobody may write runs.';

-- Definer, because whoever changes a device, a group or a script may not write the column.
create function app.follow_automation_systems() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
    where (a.company_id, a.id) in (
      select s.company_id, s.automation_id from public.automation_steps s
        where tg_table_name = 'procedures' and s.company_id = new.company_id and s.procedure_id = new.id
      union
      select s.company_id, s.automation_id from public.automation_steps s
        where tg_table_name = 'automation_steps' and s.company_id = new.company_id and s.id = new.id
      union
      select n.company_id, n.automation_id from public.automation_devices n
        where tg_table_name = 'devices' and n.company_id = new.company_id and n.device_id = new.id
      union
      select g.company_id, g.automation_id from public.automation_groups g
        join public.group_devices m on m.company_id = g.company_id and m.group_id = g.group_id
        where tg_table_name = 'devices' and m.company_id = new.company_id and m.device_id = new.id)
      and a.problem is distinct from app.automation_problem(a.company_id, a.id, a.trigger);
  return null;
end $$;
comment on function app.follow_automation_systems() is
  'Row trigger: problem follows the script of a step, the systems of a script and the system of a device.';

create function app.follow_automation_groups() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.automations a set problem = app.automation_problem(a.company_id, a.id, a.trigger)
    where (a.company_id, a.id) in (
      select g.company_id, g.automation_id from changed c
        join public.automation_groups g on g.company_id = c.company_id and g.group_id = c.group_id)
      and a.problem is distinct from app.automation_problem(a.company_id, a.id, a.trigger);
  return null;
end $$;
comment on function app.follow_automation_groups() is
  'Statement trigger: problem follows the devices of its groups. Definer, because whoever changes a group may not write the column.';
