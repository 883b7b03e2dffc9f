-- Schedules by each device's clock: the day that is still ahead of a device is not left out when a schedule is made, and the next
-- times are told by the clocks of its devices. A task that runs once is in the future, and done when it ran.

alter table public.scheduled_tasks add column set_at timestamptz not null default now();
comment on column public.scheduled_tasks.set_at is
  'When its times were last changed. A device whose time had passed by then waits for the next one.';
alter table public.scheduled_tasks add column state text generated always as (
  case when not enabled then 'paused' when frequency <> 'once' or next_run_at is not null then 'active'
    when last_run_at is null then 'missed' else 'done' end) stored;
comment on column public.scheduled_tasks.state is 'paused, active, or what became of a task that runs once: done or missed.';
create index scheduled_tasks_company_state_idx on public.scheduled_tasks (company_id, state, next_run_at, id);

drop trigger scheduled_tasks_audit_insert on public.scheduled_tasks;
drop trigger scheduled_tasks_audit_update on public.scheduled_tasks;
drop trigger scheduled_tasks_audit_delete on public.scheduled_tasks;
select app.keep_audit('public.scheduled_tasks', 'id', array['next_run_at', 'last_run_at', 'last_error', 'set_at', 'state']);

create function app.zone_span(task public.scheduled_tasks) returns interval
  language sql immutable set search_path = '' as $$
  select case when task.device_time then interval '26 hours' else interval '0' end
$$;
comment on function app.zone_span(public.scheduled_tasks) is
  'How long after the first zone of the earth the last one has the same time of day, for a schedule by each device''s clock.';
revoke execute on function app.zone_span(public.scheduled_tasks) from public;

create or replace function app.next_run(task public.scheduled_tasks, after timestamptz) returns timestamptz
  language plpgsql stable set search_path = '' as $$
declare
  -- By the devices' clocks a day counts while it lies ahead of one zone; the device itself asks for its own start.
  starts constant timestamptz := task.starts_at - app.zone_span(task);
  base timestamptz := greatest(after, starts);
  -- Where the devices' own clocks decide, the day begins on the line of the date: no zone is earlier.
  zone constant text := case when task.device_time then 'Etc/GMT-14' else task.timezone end;
  -- A day early: the zone's day may have begun before the server's.
  today date := (base at time zone zone)::date - 1;
  step interval;
  found timestamptz;
begin
  if task.frequency = 'once' then
    return case when task.starts_at > after then task.starts_at end;
  elsif task.frequency = 'every' then
    if after < task.starts_at then
      return task.starts_at;
    end if;
    step := make_interval(mins => task.every_minutes);
    return task.starts_at + step * (floor(extract(epoch from after - task.starts_at) / (task.every_minutes * 60)) + 1);
  end if;
  -- The zone's own clock decides. A time that a day leaves out (spring) is the same time after the change, a time that a day
  -- has twice (autumn) is the second: never skipped, never run twice.
  select min(c.moment) into found
  from (
    select (d.day + task.time_of_day::time) at time zone zone as moment
    from (
      select today + n as day from generate_series(0, 9) n where task.frequency in ('daily', 'weekly')
      union all
      -- The 31st is the last day where a month is shorter.
      select least(m.first + task.month_day - 1, (m.first + interval '1 month')::date - 1)
      from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
            from generate_series(0, 3) n) m
      where task.frequency = 'monthly'
      union all
      select case when task.month_week = 'last'
        then m.last - (extract(isodow from m.last)::integer - m.wanted + 7) % 7
        else m.first + (m.wanted - extract(isodow from m.first)::integer + 7) % 7
          + 7 * (array_position(array['first', 'second', 'third', 'fourth'], task.month_week) - 1) end
      from (
        select x.first, (x.first + interval '1 month')::date - 1 as last,
          array_position(array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], task.month_weekday) as wanted
        from (select (date_trunc('month', today::timestamp) + make_interval(months => n))::date as first
              from generate_series(0, 3) n) x
      ) m
      where task.frequency = 'monthly_weekday'
    ) d
    where task.frequency <> 'weekly'
      or (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from d.day)::integer] = any (task.weekdays)
  ) c
  where c.moment > after and c.moment >= starts;
  return found;
end $$;

create function app.first_run(task public.scheduled_tasks) returns timestamptz
  language sql stable set search_path = '' as $$
  select case
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when task.frequency = 'once' then case when task.last_run_at is null or task.last_run_at < task.starts_at then task.starts_at end
    -- By the devices' clocks also a day that began, while a zone has its time still ahead.
    else app.next_run(task, now() - app.zone_span(task)) end
$$;
comment on function app.first_run(public.scheduled_tasks) is 'next_run_at of a schedule that is set now; null for one that ran for the last time.';
revoke execute on function app.first_run(public.scheduled_tasks) from public;

-- Security definer, as before: app.next_run() is granted to nobody.
create or replace function app.stamp_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.acting_user_id() is not null then
      new.created_by := app.acting_user_id();
    end if;
  elsif new.created_by is not null then
    -- Null comes from a deleted profile alone: the column is nobody's to write.
    new.created_by := old.created_by;
  end if;
  -- What another frequency or kind of target left behind.
  new.device_time := new.device_time and new.frequency not in ('once', 'every');
  new.device_id := case when new.target_kind = 'device' then new.device_id end;
  new.group_id := case when new.target_kind = 'group' then new.group_id end;
  if new.frequency = 'once' and not app.is_server_work() and new.starts_at < now() - interval '5 minutes'
    and (tg_op = 'INSERT' or (new.frequency, new.starts_at) is distinct from (old.frequency, old.starts_at)) then
    -- Named as a constraint of the column is, so that a form shows it there.
    raise exception using errcode = '23514', hint = 'starts_in_past', constraint = 'scheduled_tasks_starts_at_check',
      table = 'scheduled_tasks', schema = 'public', message = 'A task that runs once starts in the future.';
  end if;
  if tg_op = 'UPDATE' and (new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays, new.month_day, new.month_week, new.month_weekday,
      new.timezone, new.device_time, new.enabled)
    is not distinct from (old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays, old.month_day, old.month_week, old.month_weekday,
      old.timezone, old.device_time, old.enabled) then
    return new;
  end if;
  new.set_at := now();
  new.next_run_at := case when new.enabled then app.first_run(new) end;
  return new;
end $$;

create or replace function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
  job uuid;
  capped boolean;
begin
  select array_agg(d.id order by d.id) into wanted from public.devices d
  where d.company_id = task.company_id and case task.target_kind
    when 'device' then d.id = task.device_id
    when 'group' then exists (select 1 from public.group_devices g
      where g.company_id = task.company_id and g.group_id = task.group_id and g.device_id = d.id)
    else true end;
  if wanted is null then
    return 'no_devices';
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
  begin
    select * into bound from app.bind_parameters(script.parameters, '{}');
  exception when check_violation then
    return 'parameters';
  end;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, schedule_id, due_at, max_running)
  select task.company_id, 'procedure', script.name, script.id, v.id, script.type, script.script,
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, task.created_by,
    -- A device that stays away catches up with one run, not with a day of them.
    greatest(now() + interval '15 minutes', least(now() + interval '24 hours', following)) + make_interval(mins => task.random_delay_minutes)
      -- The last zone's day begins 26 hours after the first one's.
      + app.zone_span(task),
    cardinality(wanted), task.id, due, case when task.max_running < cardinality(wanted) then task.max_running end
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
comment on function app.queue_scheduled(public.scheduled_tasks, timestamptz, timestamptz) is
  'Makes the job of a task for one of its times, once however often it is asked; returns the reason when no job was made (passed: no '
  'device has the time still ahead), otherwise null.';

create or replace function app.run_schedules() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
  following timestamptz;
  outcome text;
  made integer := 0;
begin
  for task in
    select s.* from public.scheduled_tasks s
    join public.companies c on c.id = s.company_id
    where s.enabled and s.next_run_at <= now()
      -- A read-only company runs nothing, and does not catch up later.
      and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
    order by s.next_run_at
    limit 100 for update of s skip locked
  loop
    begin
      following := app.next_run(task, case when task.device_time then greatest(task.next_run_at, now() - app.zone_span(task)) else now() end);
    exception when others then
      -- A time that cannot be computed pauses this task, and no other.
      outcome := left(sqlstate || ' ' || sqlerrm, 500);
      insert into app.tick_log (step, error) values ('schedules', left(task.id || ' ' || outcome, 1000));
      update public.scheduled_tasks s set enabled = false, last_error = outcome where s.id = task.id;
      continue;
    end;
    if task.missed_run = 'skip' and task.next_run_at + app.zone_span(task) < now() - interval '15 minutes' then
      update public.scheduled_tasks s set next_run_at = following where s.id = task.id;
      continue;
    end if;
    begin
      outcome := app.queue_scheduled(task, task.next_run_at, following);
    exception when others then
      outcome := left(sqlstate || ' ' || sqlerrm, 500);
      insert into app.tick_log (step, error) values ('schedules', left(task.id || ' ' || outcome, 1000));
    end;
    if outcome = 'passed' then
      update public.scheduled_tasks s set next_run_at = following where s.id = task.id;
      continue;
    end if;
    update public.scheduled_tasks s set next_run_at = following, last_run_at = now(), last_error = outcome where s.id = task.id;
    if outcome is null then
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

-- Security definer: app.next_run() is granted to nobody. It reads no table: the schedule and the zones are the caller's.
create function app.schedule_times(task public.scheduled_tasks, zones jsonb, max_runs integer) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  moment timestamptz := task.next_run_at;
  times jsonb := '[]';
  span record;
  left_over integer := 40;
begin
  while moment is not null and left_over > 0 and jsonb_array_length(times) < least(greatest(max_runs, 1), 20) loop
    left_over := left_over - 1;
    select min(s.at) filter (where s.is_ahead) as first, max(s.at) filter (where s.is_ahead) as last,
      coalesce(sum(s.devices) filter (where s.is_ahead), 0) as ahead, coalesce(sum(s.devices), 0) as devices
    into span
    from (
      select app.device_start(task, z.zone, moment) as at, z.devices,
        app.device_start(task, z.zone, moment) >= greatest(task.set_at, task.starts_at, now()) as is_ahead
      from jsonb_to_recordset(case when task.device_time then zones else '[]' end) z (zone text, devices integer)
    ) s;
    if not task.device_time or span.ahead > 0 or (span.devices = 0 and moment + app.zone_span(task) > now()) then
      times := times || jsonb_build_object('at', moment,
        'local', case when task.device_time then to_char(moment at time zone 'Etc/GMT-14', 'YYYY-MM-DD"T"HH24:MI') end,
        'first', span.first, 'last', span.last, 'ahead', span.ahead, 'devices', span.devices);
    end if;
    moment := app.next_run(task, case when task.device_time then moment else greatest(moment, now()) end);
  end loop;
  return times;
end $$;
comment on function app.schedule_times(public.scheduled_tasks, jsonb, integer) is
  'The next times of a schedule from next_run_at on: [{at, local, first, last, ahead, devices}]. By each device''s clock, `local` is the time '
  'that all of them start at, `first` and `last` when the first and last device of [{zone, devices}] do, `ahead` how many have it still ahead.';
revoke execute on function app.schedule_times(public.scheduled_tasks, jsonb, integer) from public, anon;
grant execute on function app.schedule_times(public.scheduled_tasks, jsonb, integer) to authenticated;

create function app.target_zones(target jsonb) returns jsonb
  language plpgsql stable set search_path = '' as $$
declare
  query record := app.target_query(target);
  zones jsonb;
begin
  execute format($query$
    select coalesce(jsonb_agg(z), '[]') from (
      select t.timezone as zone, count(*) as devices from (select t.timezone from %s where %s limit %s) t group by t.timezone) z
  $query$, query.source, query.condition, app.max_targets()) into zones;
  return zones;
end $$;
comment on function app.target_zones(jsonb) is
  'The time zones of the devices of a target (app.target_query()): [{zone, devices}]; a null zone is that of devices that report none. Runs as the caller.';
revoke execute on function app.target_zones(jsonb) from public, anon;
grant execute on function app.target_zones(jsonb) to authenticated;

create function app.schedule_target(task public.scheduled_tasks) returns jsonb
  language sql immutable set search_path = '' as $$
  select case task.target_kind
    when 'device' then jsonb_build_object('kind', 'filter', 'filter', jsonb_build_object('id', jsonb_build_object('_eq', task.device_id)))
    when 'group' then jsonb_build_object('kind', 'groups', 'group_ids', jsonb_build_array(task.group_id))
    else '{"kind": "all"}'::jsonb end || jsonb_build_object('company_id', task.company_id)
$$;
comment on function app.schedule_target(public.scheduled_tasks) is 'What a schedule runs on, as app.target_query() takes it.';
revoke execute on function app.schedule_target(public.scheduled_tasks) from public, anon;
grant execute on function app.schedule_target(public.scheduled_tasks), app.schedule_of(public.automations) to authenticated;

create or replace function public.next_runs(resource text, record_id uuid, max_runs integer default 5) returns jsonb
  language plpgsql stable security invoker set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
  automation public.automations%rowtype;
begin
  perform app.require(case resource when 'automations' then 'automations' else 'scheduled_tasks' end, 'list');
  if resource = 'automations' then
    select a.* into automation from public.automations a where a.id = record_id and a.enabled and a.trigger = 'schedule';
    task := app.schedule_of(automation);
  else
    select t.* into task from public.scheduled_tasks t where t.id = record_id and t.enabled;
  end if;
  if task.id is null then
    return '[]';
  end if;
  return app.schedule_times(task,
    case when task.device_time and app.can('devices', 'list') then app.target_zones(app.schedule_target(task)) else '[]' end, max_runs);
end $$;
comment on function public.next_runs(text, uuid, integer) is
  'The next times at which a scheduled task, or an automation with a schedule, runs, at most 20, as app.schedule_times() tells them; empty '
  'while it is paused. Runs as the caller: row-level security of each table limits the rows.';

-- Security definer: app.first_run() is granted to nobody. It reads no table.
create function app.draft_schedule(draft jsonb) returns public.scheduled_tasks
  language plpgsql stable security definer set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype := jsonb_populate_record(null::public.scheduled_tasks, draft);
begin
  task.set_at := now();
  task.starts_at := coalesce(task.starts_at, now());
  task.device_time := coalesce(task.device_time, false) and task.frequency not in ('once', 'every');
  task.last_run_at := null;
  if task.starts_at not between '2000-01-01 00:00+00' and '2100-01-01 00:00+00' or task.every_minutes < 5
    or (task.frequency = 'once' and task.starts_at < now() - interval '5 minutes') then
    return null;
  end if;
  task.next_run_at := app.first_run(task);
  return task;
end $$;
comment on function app.draft_schedule(jsonb) is 'A schedule as it would be if it were saved now; null where it would be refused.';
revoke execute on function app.draft_schedule(jsonb) from public, anon;
grant execute on function app.draft_schedule(jsonb) to authenticated;

create function public.preview_schedule(draft jsonb, max_runs integer default 5) returns jsonb
  language plpgsql stable security invoker set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
begin
  perform app.require('scheduled_tasks', 'list');
  task := app.draft_schedule(draft);
  if task.next_run_at is null then
    return '[]';
  end if;
  return app.schedule_times(task, case when task.device_time and task.company_id is not null and app.can('devices', 'list')
    then app.target_zones(app.schedule_target(task)) else '[]' end, max_runs);
end $$;
comment on function public.preview_schedule(jsonb, integer) is
  'The next times of a schedule that is not saved yet, as next_runs() tells them; the draft has the columns of scheduled_tasks. Runs as the caller.';
revoke execute on function public.preview_schedule(jsonb, integer) from public, anon;
grant execute on function public.preview_schedule(jsonb, integer) to authenticated;

-- Security definer: app.next_run() is granted to nobody. It reads no table.
create function app.device_next(task public.scheduled_tasks, zone text) returns timestamptz
  language plpgsql stable security definer set search_path = '' as $$
declare
  moment timestamptz := task.next_run_at;
  start timestamptz := task.next_run_at;
begin
  for _ in 1..5 loop
    exit when not task.device_time or moment is null;
    start := app.device_start(task, zone, moment);
    exit when start >= greatest(task.set_at, task.starts_at, now());
    moment := app.next_run(task, moment);
  end loop;
  return start;
end $$;
comment on function app.device_next(public.scheduled_tasks, text) is
  'When a device in this zone starts a schedule next: next_run_at, or the time of its own clock.';
revoke execute on function app.device_next(public.scheduled_tasks, text) from public, anon;
grant execute on function app.device_next(public.scheduled_tasks, text) to authenticated;

create or replace function public.device_upcoming(device_id uuid) returns table (
  kind text, id uuid, name text, next_run_at timestamptz, target text
)
  language sql stable set search_path = '' rows 50 as $$
  with device as (
    select d.company_id, d.id, d.timezone from public.devices d where d.id = device_upcoming.device_id
  )
  select * from (
    (select 'scheduled_tasks', s.id, s.name, app.device_next(s, d.timezone), s.target_kind
     from device d join public.scheduled_tasks s on s.company_id = d.company_id
     where s.enabled and s.next_run_at is not null and (s.device_id = d.id or s.target_kind = 'all'
       or exists (select 1 from public.group_devices g where g.company_id = d.company_id and g.group_id = s.group_id and g.device_id = d.id))
     order by s.next_run_at, s.id limit 50)
    union all
    (select 'automations', a.id, a.name, a.next_run_at, case
         when exists (select 1 from public.automation_devices x where x.company_id = d.company_id and x.automation_id = a.id and x.device_id = d.id)
           then 'device' else 'group' end
     from device d join public.automations a on a.company_id = d.company_id
     where a.enabled and a.trigger = 'schedule' and a.next_run_at is not null
       and (exists (select 1 from public.automation_devices x where x.company_id = d.company_id and x.automation_id = a.id and x.device_id = d.id)
         or exists (select 1 from public.automation_groups x join public.group_devices g on g.company_id = x.company_id and g.group_id = x.group_id
           where x.company_id = d.company_id and x.automation_id = a.id and g.device_id = d.id))
     order by a.next_run_at, a.id limit 50)
  ) u (kind, id, name, next_run_at, target)
  order by u.next_run_at, u.id limit 50
$$;
