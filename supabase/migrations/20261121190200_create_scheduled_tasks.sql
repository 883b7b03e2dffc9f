-- Procedures that run by the clock: what, on which devices, when and in whose time zone. app.tick() makes the jobs.

create table public.scheduled_tasks (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  procedure_id uuid not null,
  target_kind text not null default 'device' check (target_kind in ('device', 'group', 'all')),
  device_id uuid,
  group_id uuid,
  frequency text not null default 'daily' check (frequency in ('once', 'every', 'daily', 'weekly', 'monthly')),
  starts_at timestamptz not null default now(),
  every_minutes integer check (every_minutes between 5 and 525600),
  time_of_day text check (time_of_day ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  weekdays text[] check (weekdays <@ array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']),
  month_day integer check (month_day between 1 and 31),
  -- An unknown zone fails here (22023), not at night.
  timezone text not null default 'Europe/Istanbul' check ((timestamptz 'epoch' at time zone timezone) is not null),
  missed_run text not null default 'skip' check (missed_run in ('skip', 'run_once')),
  enabled boolean not null default true,
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_error text check (length(last_error) <= 500),
  created_by uuid references public.profiles (id) on delete set null,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  -- What it runs and where it runs take the task along when they go.
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade,
  constraint scheduled_tasks_device_id_check check ((target_kind = 'device') = (device_id is not null)),
  constraint scheduled_tasks_group_id_check check ((target_kind = 'group') = (group_id is not null)),
  constraint scheduled_tasks_every_minutes_check1 check (frequency <> 'every' or every_minutes is not null),
  constraint scheduled_tasks_time_of_day_check1 check (frequency in ('once', 'every') or time_of_day is not null),
  constraint scheduled_tasks_weekdays_check1 check (frequency <> 'weekly' or coalesce(cardinality(weekdays), 0) > 0),
  constraint scheduled_tasks_month_day_check1 check (frequency <> 'monthly' or month_day is not null)
);
comment on table public.scheduled_tasks is
  'When which procedure runs on what. next_run_at is the database''s; null means never again. starts_at is the moment of a task that runs once, '
  'what "every" counts from, and before which no other runs.';
comment on column public.scheduled_tasks.missed_run is
  'What to do with a run whose time passed while nothing ticked: leave it out, or make up for all of them with one.';
comment on column public.scheduled_tasks.last_error is
  'Why the last run made no job: no_devices, parameters, or what the database said. Null when it did.';
create index scheduled_tasks_company_name_idx on public.scheduled_tasks (company_id, name_key, id);
create index scheduled_tasks_name_idx on public.scheduled_tasks (name_key, id);
create index scheduled_tasks_company_next_idx on public.scheduled_tasks (company_id, next_run_at, id);
create index scheduled_tasks_next_idx on public.scheduled_tasks (next_run_at, id);
create index scheduled_tasks_company_last_idx on public.scheduled_tasks (company_id, last_run_at, id);
create index scheduled_tasks_last_idx on public.scheduled_tasks (last_run_at, id);
create index scheduled_tasks_due_idx on public.scheduled_tasks (next_run_at) where enabled;
create index scheduled_tasks_procedure_idx on public.scheduled_tasks (company_id, procedure_id);
create index scheduled_tasks_device_idx on public.scheduled_tasks (company_id, device_id);
create index scheduled_tasks_group_idx on public.scheduled_tasks (company_id, group_id);
create index scheduled_tasks_author_idx on public.scheduled_tasks (created_by);

-- Whose schedule a job belongs to, and which of its times: two that tick at once make one job.
alter table public.jobs
  add column schedule_id uuid,
  add column due_at timestamptz,
  add foreign key (company_id, schedule_id) references public.scheduled_tasks (company_id, id) on delete set null (schedule_id),
  add constraint jobs_schedule_due_key unique (schedule_id, due_at);
create index jobs_by_schedule on public.jobs (company_id, schedule_id, created_at desc, id);

-- Time ------------------------------------------------------------------------------------------------------------

create function app.next_run(task public.scheduled_tasks, after timestamptz) returns timestamptz
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
    ) d
    where task.frequency <> 'weekly'
      or (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from d.day)::integer] = any (task.weekdays)
  ) c
  where c.moment > after and c.moment >= task.starts_at;
  return found;
end $$;
comment on function app.next_run(public.scheduled_tasks, timestamptz) is
  'The first time after `after` at which a task runs, by the clock of its time zone; null when there is none.';

create function app.stamp_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if app.current_user_id() is not null then
      new.created_by := app.current_user_id();
    end if;
  elsif new.created_by is not null then
    -- Null comes from a deleted profile alone: the column is nobody's to write.
    new.created_by := old.created_by;
  end if;
  -- What another kind of target left behind.
  new.device_id := case when new.target_kind = 'device' then new.device_id end;
  new.group_id := case when new.target_kind = 'group' then new.group_id end;
  if tg_op = 'UPDATE' and (new.frequency, new.starts_at, new.every_minutes, new.time_of_day, new.weekdays, new.month_day,
      new.timezone, new.enabled)
    is not distinct from (old.frequency, old.starts_at, old.every_minutes, old.time_of_day, old.weekdays, old.month_day,
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
comment on function app.stamp_schedule() is
  'Row trigger: author and next_run_at are not the writer''s, and a target of another kind is left out. The tick, which changes neither the rule nor the switch, keeps what it wrote. '
  'Definer, because app.next_run() is granted to nobody.';
create trigger scheduled_tasks_stamp before insert or update on public.scheduled_tasks
  for each row execute function app.stamp_schedule();

create function app.guard_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  bound record;
begin
  if app.current_user_id() is not null then
    -- A schedule runs scripts: whoever may not run them shall not let the clock do it.
    perform app.require('procedures', 'run');
    -- Row-level security asks after the triggers: this one must not tell of another company's scripts first.
    if not app.sees_all() and new.company_id is distinct from app.own_company() then
      raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
    end if;
  end if;
  begin
    select app.bind_parameters(p.parameters, '{}') as ok into bound
      from public.procedures p where p.company_id = new.company_id and p.id = new.procedure_id;
  exception when check_violation then
    -- Named as a constraint of the column is, so that a form shows it there.
    raise exception using errcode = '23514', hint = 'parameter_required', detail = sqlerrm,
      constraint = 'scheduled_tasks_procedure_id_check', table = 'scheduled_tasks', schema = 'public',
      message = 'new row for relation "scheduled_tasks" violates check constraint "scheduled_tasks_procedure_id_check"';
  end;
  return new;
end $$;
comment on function app.guard_schedule() is
  'Row trigger: only who may run procedures schedules them, and a procedure that asks for values (check_violation, parameter_required) cannot be scheduled. '
  'Definer, because it binds parameters as run_procedure does.';
create trigger scheduled_tasks_guard before insert or update of procedure_id, target_kind, device_id, group_id, frequency, starts_at,
    every_minutes, time_of_day, weekdays, month_day, timezone, missed_run, enabled on public.scheduled_tasks
  for each row execute function app.guard_schedule();

create function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
  job uuid;
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
  select p.* into script from public.procedures p where p.company_id = task.company_id and p.id = task.procedure_id;
  begin
    select * into bound from app.bind_parameters(script.parameters, '{}');
  exception when check_violation then
    return 'parameters';
  end;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, schedule_id, due_at)
  select task.company_id, 'procedure', script.name, script.id, v.id, script.type, script.script,
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, task.created_by,
    -- A device that stays away catches up with one run, not with a day of them.
    greatest(now() + interval '15 minutes', least(now() + interval '24 hours', following)), cardinality(wanted), task.id, due
  from public.procedure_versions v
  where v.company_id = script.company_id and v.procedure_id = script.id and v.number = script.revision
  on conflict (schedule_id, due_at) do nothing
  returning id into job;
  if job is not null then
    if bound.secret <> '{}' then
      insert into app.job_secrets (job_id, company_id, parameters) values (job, task.company_id, bound.secret);
    end if;
    insert into public.job_runs (company_id, job_id, device_id, procedure_id)
      select task.company_id, job, d, script.id from unnest(wanted) d;
  end if;
  return null;
end $$;
comment on function app.queue_scheduled(public.scheduled_tasks, timestamptz, timestamptz) is
  'Makes the job of a task for one of its times, once however often it is asked; returns why there is none, or null.';

create function app.run_schedules() returns integer
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
      -- A company that may only read runs nothing; what it missed meanwhile is missed.
      and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
    order by s.next_run_at
    limit 100 for update of s skip locked
  loop
    following := app.next_run(task, now());
    if task.missed_run = 'skip' and task.next_run_at < now() - interval '15 minutes' then
      update public.scheduled_tasks s set next_run_at = following where s.id = task.id;
      continue;
    end if;
    begin
      outcome := app.queue_scheduled(task, task.next_run_at, following);
    exception when others then
      outcome := left(sqlstate || ' ' || sqlerrm, 500);
      insert into app.tick_log (step, error) values ('schedules', left(task.id || ' ' || outcome, 1000));
    end;
    update public.scheduled_tasks s set next_run_at = following, last_run_at = now(), last_error = outcome where s.id = task.id;
    if outcome is null then
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;
comment on function app.run_schedules() is
  'Queues what is due, at most 100 tasks a call; safe to run many times at once. A run more than 15 minutes late counts as missed. Returns how many were queued.';

create or replace function app.tick() returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
declare
  heard_since timestamptz := '-infinity';
  step text;
  moved integer;
  done jsonb := '{}';
begin
  foreach step in array array['gap', 'presence', 'licences', 'tokens', 'schedules', 'runs', 'notifications', 'demo', 'retention'] loop
    begin
      moved := 0;
      case step
        when 'gap' then heard_since := coalesce(app.note_tick(), '-infinity');
        when 'presence' then moved := app.sweep_offline(heard_since);
        when 'licences' then moved := app.expire_licences();
        when 'tokens' then moved := app.forget_tokens();
        when 'schedules' then moved := app.run_schedules();
        when 'runs' then moved := app.expire_runs();
        when 'notifications' then moved := app.notify_licences();
        -- Demo devices have no agent; where the demo data was loaded, its own function keeps them present.
        when 'demo' then
          if to_regprocedure('app.demo_tick()') is not null then
            execute 'select app.demo_tick()' into moved;
          end if;
        when 'retention' then moved := app.remove_old_rows();
      end case;
      done := done || jsonb_build_object(step, moved);
    exception when others then
      insert into app.tick_log (step, error) values (step, sqlstate || ' ' || sqlerrm);
      done := done || jsonb_build_object(step, null);
    end;
  end loop;
  return done;
end $$;
-- Definer, so that a scheduler needs no other right: as it was, with the step of the schedules.

-- Keeping, grants and row-level security --------------------------------------------------------------------------

-- A run must not make an open form out of date.
select app.keep_tenant('public.scheduled_tasks', null, array['name', 'procedure_id', 'target_kind', 'device_id', 'group_id', 'frequency',
  'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day', 'timezone', 'missed_run', 'enabled']);
select app.keep_audit('public.scheduled_tasks', 'id', array['next_run_at', 'last_run_at', 'last_error']);
select app.keep_announced('public.scheduled_tasks');
select app.keep_search('public.scheduled_tasks');

revoke all on public.scheduled_tasks from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, procedure_id, target_kind, device_id, group_id, frequency, starts_at, every_minutes, time_of_day,
    weekdays, month_day, timezone, missed_run, enabled),
  update (name, procedure_id, target_kind, device_id, group_id, frequency, starts_at, every_minutes, time_of_day,
    weekdays, month_day, timezone, missed_run, enabled)
  on public.scheduled_tasks to authenticated;
grant select, insert, update, delete on public.scheduled_tasks to service_role;

alter table public.scheduled_tasks enable row level security;
create policy scheduled_tasks_select_member on public.scheduled_tasks for select to authenticated
  using ((select app.can('scheduled_tasks', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy scheduled_tasks_insert_member on public.scheduled_tasks for insert to authenticated
  with check ((select app.can('scheduled_tasks', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy scheduled_tasks_update_member on public.scheduled_tasks for update to authenticated
  using ((select app.can('scheduled_tasks', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('scheduled_tasks', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy scheduled_tasks_delete_member on public.scheduled_tasks for delete to authenticated
  using ((select app.can('scheduled_tasks', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));
