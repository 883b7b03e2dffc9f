-- One person, or what runs by itself, fills half of the open runs of a device: the others can still reach it. Two sessions do not pass
-- the bound side by side.

create function app.max_open_runs_of_person() returns integer
  language sql immutable set search_path = '' as $$ select 100 $$;
comment on function app.max_open_runs_of_person() is 'How many of the open runs of a device one person may have, and automations and repairs together.';
revoke execute on function app.max_open_runs_of_person() from public;

drop function app.runnable_devices(uuid, uuid[], text[]);
create function app.runnable_devices(company uuid, wanted uuid[], platforms text[], person uuid default app.current_user_id(),
  out devices uuid[], out other integer, out "full" integer)
  language plpgsql volatile set search_path = '' as $$
begin
  -- Whoever queues runs in a company waits here for the others, and then counts theirs.
  perform pg_advisory_xact_lock(hashtext('app.runnable_devices'), hashtext(company::text));
  with chosen as (
    select d.id, platforms is not null and d.platform is not null and d.platform <> all (platforms) as is_other,
      o.runs >= app.max_open_runs() or o.own >= app.max_open_runs_of_person() as is_full
    from unnest(wanted) w (id) join public.devices d on d.company_id = company and d.id = w.id
      cross join lateral (
        select count(*) as runs, count(*) filter (where x.created_by is not distinct from person) as own from (
          select j.created_by from public.job_runs r join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
          where r.company_id = company and r.device_id = d.id and r.status in ('queued', 'claimed', 'running')
          limit app.max_open_runs()) x
      ) o
  )
  select array_agg(c.id order by c.id) filter (where not c.is_other and not c.is_full),
      (count(*) filter (where c.is_other))::integer, (count(*) filter (where c.is_full and not c.is_other))::integer
    into devices, other, "full"
  from chosen c;
end $$;
comment on function app.runnable_devices(uuid, uuid[], text[], uuid) is
  'Of these devices those that can take a run of a script for these systems (null for all), how many are of another system, and how many '
  'have as many open runs as a device may have, or as the person may have there (null: automations and repairs). A device whose system is '
  'unknown is taken. Until the end of the transaction nobody else queues runs in the company.';
revoke execute on function app.runnable_devices(uuid, uuid[], text[], uuid) from public;

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
  fitting := app.runnable_devices(task.company_id, wanted, script.platforms, coalesce(task.set_by, task.created_by));
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
