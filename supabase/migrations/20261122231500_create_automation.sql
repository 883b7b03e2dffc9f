-- Automation: scheduled tasks, automations, and policies (device rules).

-- Scheduled tasks -----------------------------------------------------------------------------------------------------

create function app.stamp_schedule() returns trigger
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

create function app.guard_schedule() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  bound record;
begin
  if not app.is_server_work() then
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
  -- An unknown time zone fails here (22023), not when the task is due.
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
  -- Deleting the procedure or the target deletes the task.
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

create trigger scheduled_tasks_stamp before insert or update on public.scheduled_tasks
  for each row execute function app.stamp_schedule();
create trigger scheduled_tasks_guard before insert or update of procedure_id, target_kind, device_id, group_id, frequency, starts_at,
    every_minutes, time_of_day, weekdays, month_day, timezone, missed_run, enabled on public.scheduled_tasks
  for each row execute function app.guard_schedule();
-- A run must not outdate an open form.
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

alter table public.jobs add foreign key (company_id, schedule_id)
  references public.scheduled_tasks (company_id, id) on delete set null (schedule_id);

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
  'The first time after `after` at which a task runs, by the clock of its time zone; null without a next time.';

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
  'Makes the job of a task for one of its times, once however often it is asked; returns the reason when no job was made, otherwise null.';

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
      -- A read-only company runs nothing, and does not catch up later.
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
  'Queues due tasks, up to 100 per call; safe to run many times at once. A run more than 15 minutes late counts as missed. Returns how many were queued.';

-- Automations ---------------------------------------------------------------------------------------------------------

create table public.automations (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  trigger text not null default 'manual' check (trigger in ('manual', 'schedule', 'new_device', 'alert')),
  enabled boolean not null default true,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.automations is 'Bundles of monitors and scripts on devices and groups, with what sets them going.';

create index automations_company_name_idx on public.automations (company_id, name_key, id);
create index automations_name_idx on public.automations (name_key, id);
create index automations_company_created_idx on public.automations (company_id, created_at, id);
create index automations_created_idx on public.automations (created_at, id);
create index automations_author_idx on public.automations (created_by);

create trigger automations_author before insert on public.automations for each row execute function app.stamp_author();
select app.keep_tenant('public.automations');
select app.keep_audit('public.automations');
select app.keep_announced('public.automations');
select app.keep_search('public.automations');

revoke all on public.automations from public, anon, authenticated;
grant select, delete, insert (company_id, name, description, trigger, enabled), update (name, description, trigger, enabled)
  on public.automations to authenticated;
grant select, insert, update, delete on public.automations to service_role;
alter table public.automations enable row level security;

create policy automations_select_member on public.automations for select to authenticated
  using ((select app.can('automations', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_insert_member on public.automations for insert to authenticated
  with check ((select app.can('automations', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_update_member on public.automations for update to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automations_delete_member on public.automations for delete to authenticated
  using ((select app.can('automations', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.automation_monitors (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  monitor_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, monitor_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade
);
comment on table public.automation_monitors is 'Which monitors an automation brings along.';

create index automation_monitors_monitor_idx on public.automation_monitors (company_id, monitor_id);

create trigger automation_monitors_permission before insert or update or delete on public.automation_monitors
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_monitors', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_monitors', 'company', 'company_id', 'automation_id');

revoke all on public.automation_monitors from public, anon, authenticated;
grant select, delete, insert (company_id, automation_id, monitor_id) on public.automation_monitors to authenticated;
grant select, insert, update, delete on public.automation_monitors to service_role;
alter table public.automation_monitors enable row level security;

create policy automation_monitors_select_member on public.automation_monitors for select to authenticated
  using ((select app.can('automation_monitors', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_monitors_insert_member on public.automation_monitors for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_monitors_delete_member on public.automation_monitors for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.automation_procedures (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  procedure_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, procedure_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.automation_procedures is 'Which scripts an automation runs.';

create index automation_procedures_procedure_idx on public.automation_procedures (company_id, procedure_id);

create trigger automation_procedures_permission before insert or update or delete on public.automation_procedures
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_procedures', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_procedures', 'company', 'company_id', 'automation_id');

revoke all on public.automation_procedures from public, anon, authenticated;
grant select, delete, insert (company_id, automation_id, procedure_id) on public.automation_procedures to authenticated;
grant select, insert, update, delete on public.automation_procedures to service_role;
alter table public.automation_procedures enable row level security;

create policy automation_procedures_select_member on public.automation_procedures for select to authenticated
  using ((select app.can('automation_procedures', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_procedures_insert_member on public.automation_procedures for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_procedures_delete_member on public.automation_procedures for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.automation_devices (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  device_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, device_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade
);
comment on table public.automation_devices is 'Devices that an automation applies to, in addition to those of its groups.';

create index automation_devices_device_idx on public.automation_devices (company_id, device_id);

create trigger automation_devices_permission before insert or update or delete on public.automation_devices
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_devices', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_devices', 'company', 'company_id', 'automation_id');

revoke all on public.automation_devices from public, anon, authenticated;
grant select, delete, insert (company_id, automation_id, device_id) on public.automation_devices to authenticated;
grant select, insert, update, delete on public.automation_devices to service_role;
alter table public.automation_devices enable row level security;

create policy automation_devices_select_member on public.automation_devices for select to authenticated
  using ((select app.can('automation_devices', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_devices_insert_member on public.automation_devices for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_devices_delete_member on public.automation_devices for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.automation_groups (
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  group_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, automation_id, group_id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.automation_groups is 'Groups of devices that an automation applies to.';

create index automation_groups_group_idx on public.automation_groups (company_id, group_id);

create trigger automation_groups_permission before insert or update or delete on public.automation_groups
  for each statement execute function app.require_edit('automations');
select app.keep_audit('public.automation_groups', 'automation_id', array['automation_id', 'company_id', 'added_at']);
select app.keep_announced('public.automation_groups', 'company', 'company_id', 'automation_id');

revoke all on public.automation_groups from public, anon, authenticated;
grant select, delete, insert (company_id, automation_id, group_id) on public.automation_groups to authenticated;
grant select, insert, update, delete on public.automation_groups to service_role;
alter table public.automation_groups enable row level security;

create policy automation_groups_select_member on public.automation_groups for select to authenticated
  using ((select app.can('automation_groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_groups_insert_member on public.automation_groups for insert to authenticated
  with check ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_groups_delete_member on public.automation_groups for delete to authenticated
  using ((select app.can('automations', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));

-- Policies ------------------------------------------------------------------------------------------------------------

create table public.policies (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 120),
  description text check (length(description) <= 2000),
  kind text not null default 'patch' check (kind in ('patch', 'maintenance', 'agent', 'permission')),
  settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object' and length(settings::text) <= 20000),
  position integer not null default 0 check (position between 0 and 100000),
  enabled boolean not null default true,
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(description, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id)
);
comment on table public.policies is
  'Rules on groups of devices: patches, maintenance windows, the agent, what may be run. The lower position goes first.';

create index policies_company_position_idx on public.policies (company_id, position, id);
create index policies_position_idx on public.policies (position, id);
create index policies_company_name_idx on public.policies (company_id, name_key, id);
create index policies_name_idx on public.policies (name_key, id);
create index policies_company_created_idx on public.policies (company_id, created_at, id);
create index policies_created_idx on public.policies (created_at, id);
create index policies_author_idx on public.policies (created_by);

create trigger policies_author before insert on public.policies for each row execute function app.stamp_author();
select app.keep_tenant('public.policies');
select app.keep_audit('public.policies');
select app.keep_announced('public.policies');
select app.keep_search('public.policies');

revoke all on public.policies from public, anon, authenticated;
grant select, delete, insert (company_id, name, description, kind, settings, position, enabled),
  update (name, description, kind, settings, position, enabled) on public.policies to authenticated;
grant select, insert, update, delete on public.policies to service_role;
alter table public.policies enable row level security;

create policy policies_select_member on public.policies for select to authenticated
  using ((select app.can('policies', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_insert_member on public.policies for insert to authenticated
  with check ((select app.can('policies', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_update_member on public.policies for update to authenticated
  using ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policies_delete_member on public.policies for delete to authenticated
  using ((select app.can('policies', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

create table public.policy_groups (
  company_id uuid not null references public.companies (id),
  policy_id uuid not null,
  group_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (company_id, policy_id, group_id),
  foreign key (company_id, policy_id) references public.policies (company_id, id) on delete cascade,
  foreign key (company_id, group_id) references public.groups (company_id, id) on delete cascade
);
comment on table public.policy_groups is 'Which groups a policy is for; without any it is for every device.';

create index policy_groups_group_idx on public.policy_groups (company_id, group_id);

create trigger policy_groups_permission before insert or update or delete on public.policy_groups
  for each statement execute function app.require_edit('policies');
select app.keep_audit('public.policy_groups', 'policy_id', array['policy_id', 'company_id', 'added_at']);
select app.keep_announced('public.policy_groups', 'company', 'company_id', 'policy_id');

revoke all on public.policy_groups from public, anon, authenticated;
grant select, delete, insert (company_id, policy_id, group_id) on public.policy_groups to authenticated;
grant select, insert, update, delete on public.policy_groups to service_role;
alter table public.policy_groups enable row level security;

create policy policy_groups_select_member on public.policy_groups for select to authenticated
  using ((select app.can('policy_groups', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policy_groups_insert_member on public.policy_groups for insert to authenticated
  with check ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy policy_groups_delete_member on public.policy_groups for delete to authenticated
  using ((select app.can('policies', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
