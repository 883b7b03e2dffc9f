-- Schedules on the nth weekday of a month, and the next times of a schedule.

alter table public.scheduled_tasks drop constraint scheduled_tasks_frequency_check;
alter table public.scheduled_tasks add constraint scheduled_tasks_frequency_check
  check (frequency in ('once', 'every', 'daily', 'weekly', 'monthly', 'monthly_weekday'));
alter table public.scheduled_tasks add column month_week text default 'first' check (month_week in ('first', 'second', 'third', 'fourth', 'last'));
alter table public.scheduled_tasks add column month_weekday text default 'mon'
  check (month_weekday in ('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'));
alter table public.scheduled_tasks add constraint scheduled_tasks_month_week_check02 check (not (frequency = 'monthly_weekday') or month_week is not null);
alter table public.scheduled_tasks add constraint scheduled_tasks_month_weekday_check02
  check (not (frequency = 'monthly_weekday') or month_weekday is not null);
grant insert (month_week, month_weekday), update (month_week, month_weekday) on public.scheduled_tasks to authenticated;
drop trigger scheduled_tasks_guard on public.scheduled_tasks;
create trigger scheduled_tasks_guard before insert or update of procedure_id, target_kind, device_id, group_id, frequency, starts_at,
    every_minutes, time_of_day, weekdays, month_day, month_week, month_weekday, timezone, missed_run, enabled on public.scheduled_tasks
  for each row execute function app.guard_schedule();
create or replace trigger scheduled_tasks_touch before update on public.scheduled_tasks for each row execute function app.touch('name', 'procedure_id', 'target_kind', 'device_id', 'group_id', 'frequency',
  'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day', 'timezone', 'missed_run', 'enabled', 'month_week', 'month_weekday');

alter table public.automations drop constraint automations_frequency_check;
alter table public.automations add constraint automations_frequency_check
  check (frequency in ('once', 'every', 'daily', 'weekly', 'monthly', 'monthly_weekday'));
alter table public.automations drop constraint automations_time_of_day_check02;
alter table public.automations add constraint automations_time_of_day_check02
  check (not (trigger = 'schedule' and frequency in ('daily', 'weekly', 'monthly', 'monthly_weekday')) or coalesce(length(btrim(time_of_day)), 0) > 0);
alter table public.automations add column month_week text default 'first' check (month_week in ('first', 'second', 'third', 'fourth', 'last'));
alter table public.automations add column month_weekday text default 'mon'
  check (month_weekday in ('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'));
alter table public.automations add constraint automations_month_week_check02
  check (not (trigger = 'schedule' and frequency = 'monthly_weekday') or month_week is not null);
alter table public.automations add constraint automations_month_weekday_check02
  check (not (trigger = 'schedule' and frequency = 'monthly_weekday') or month_weekday is not null);
grant insert (month_week, month_weekday), update (month_week, month_weekday) on public.automations to authenticated;
create or replace trigger automations_touch before update on public.automations for each row execute function app.touch('name', 'description',
  'trigger', 'enabled', 'platform', 'online_only', 'frequency', 'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day',
  'timezone', 'month_week', 'month_weekday');

create or replace function app.next_run(task public.scheduled_tasks, after timestamptz) returns timestamptz
  language plpgsql stable set search_path = '' as $$
declare
  base timestamptz := greatest(after, task.starts_at);
  -- A day early: the zone's day may have begun before the server's.
  today date := (base at time zone task.timezone)::date - 1;
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
    select (d.day + task.time_of_day::time) at time zone task.timezone as moment
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
  where c.moment > after and c.moment >= task.starts_at;
  return found;
end $$;

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
  -- What another kind of target left behind.
  new.device_id := case when new.target_kind = 'device' then new.device_id end;
  new.group_id := case when new.target_kind = 'group' then new.group_id end;
  if tg_op = 'UPDATE' and (new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays, new.month_day, new.month_week, new.month_weekday,
      new.timezone, new.enabled)
    is not distinct from (old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays, old.month_day, old.month_week, old.month_weekday,
      old.timezone, old.enabled) then
    return new;
  end if;
  new.next_run_at := case
    when not new.enabled then null
    -- Filled in for now and saved a moment later: it still runs, unless it did.
    when new.frequency = 'once' then case when new.last_run_at is null or new.last_run_at < new.starts_at then new.starts_at end
    else app.next_run(new, now()) end;
  return new;
end $$;

-- Security definer, as before: app.next_run() is granted to nobody.
create or replace function app.stamp_automation() returns trigger
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

-- Security definer: app.next_run() is granted to nobody. The conditions are those of the rows themselves.
create function public.next_runs(resource text, record_id uuid, max_runs integer default 5) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  task public.scheduled_tasks%rowtype;
  automation public.automations%rowtype;
  moment timestamptz := now();
  found timestamptz[] := '{}';
begin
  perform app.require(case resource when 'automations' then 'automations' else 'scheduled_tasks' end, 'list');
  if resource = 'automations' then
    select a.* into automation from public.automations a
      where a.id = record_id and a.company_id = any (app.visible_company_ids()) and a.enabled and a.trigger = 'schedule';
    task := app.schedule_of(automation);
  else
    select t.* into task from public.scheduled_tasks t
      where t.id = record_id and t.company_id = any (app.visible_company_ids()) and t.enabled;
  end if;
  if task.id is null then
    return '[]';
  end if;
  -- The first may be due already.
  if task.next_run_at is not null then
    found := array[task.next_run_at];
    moment := greatest(moment, task.next_run_at);
  end if;
  while cardinality(found) < least(greatest(max_runs, 1), 20) loop
    moment := app.next_run(task, moment);
    exit when moment is null;
    found := found || moment;
  end loop;
  return to_jsonb(found);
end $$;
comment on function public.next_runs(text, uuid, integer) is
  'The next times at which a scheduled task, or an automation with a schedule, runs, at most 20; empty while it is paused.';
revoke execute on function public.next_runs(text, uuid, integer) from public, anon;
grant execute on function public.next_runs(text, uuid, integer) to authenticated;
