-- Schedules on several devices, several groups, or the devices of a filter: what the console's dialogs run on.

alter table public.scheduled_tasks add column target jsonb;
comment on column public.scheduled_tasks.target is
  'What it runs on: {kind: devices, device_ids}, {kind: groups, group_ids}, {kind: all} or {kind: filter, filter, q?, name?}, the filter as '
  'app.target_query() takes it. target_kind, device_id and group_id follow from it, and it from them where they alone were written.';
alter table public.scheduled_tasks add column set_by uuid references public.profiles (id) on delete set null;
comment on column public.scheduled_tasks.set_by is
  'Who last set its script or target. Several devices, groups and filters are found with the permissions of this person when it is due.';
create index scheduled_tasks_set_by_idx on public.scheduled_tasks (set_by);
create index scheduled_tasks_device_ids_idx on public.scheduled_tasks using gin ((target -> 'device_ids') jsonb_path_ops) where target_kind = 'devices';
grant insert (target), update (target) on public.scheduled_tasks to authenticated;

alter table public.scheduled_tasks drop constraint scheduled_tasks_target_kind_check;
alter table public.scheduled_tasks add constraint scheduled_tasks_target_kind_check
  check (target_kind in ('device', 'devices', 'group', 'groups', 'filter', 'all'));

drop trigger scheduled_tasks_audit_insert on public.scheduled_tasks;
drop trigger scheduled_tasks_audit_update on public.scheduled_tasks;
drop trigger scheduled_tasks_audit_delete on public.scheduled_tasks;
select app.keep_audit('public.scheduled_tasks', 'id', array['next_run_at', 'last_run_at', 'last_error', 'set_at', 'set_by', 'state']);
create or replace trigger scheduled_tasks_touch before update on public.scheduled_tasks for each row execute function app.touch('name', 'procedure_id', 'target_kind', 'device_id', 'group_id', 'target', 'frequency',
  'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day', 'timezone', 'device_time', 'missed_run', 'enabled', 'month_week', 'month_weekday',
  'random_delay_minutes', 'max_running');

create function app.target_ids(target jsonb, key text) returns uuid[]
  language sql immutable set search_path = '' as $$
  select coalesce(array_agg(distinct e::uuid), '{}') from jsonb_array_elements_text(
    case jsonb_typeof(target -> key) when 'array' then target -> key else '[]' end) e where e ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
$$;
comment on function app.target_ids(jsonb, text) is 'The ids of a list of a target, each once.';
revoke execute on function app.target_ids(jsonb, text) from public, anon;
grant execute on function app.target_ids(jsonb, text) to authenticated;

create or replace function app.schedule_target(task public.scheduled_tasks) returns jsonb
  language sql immutable set search_path = '' as $$
  select case coalesce(task.target ->> 'kind', task.target_kind)
    when 'device' then jsonb_build_object('kind', 'filter', 'filter', jsonb_build_object('id', jsonb_build_object('_eq', task.device_id)))
    when 'devices' then jsonb_build_object('kind', 'filter', 'filter', jsonb_build_object('id', jsonb_build_object('_in', task.target -> 'device_ids')))
    when 'group' then jsonb_build_object('kind', 'groups', 'group_ids', jsonb_build_array(task.group_id))
    when 'groups' then jsonb_build_object('kind', 'groups', 'group_ids', task.target -> 'group_ids')
    when 'filter' then jsonb_strip_nulls(jsonb_build_object('kind', 'filter', 'filter', coalesce(task.target -> 'filter', '{}'), 'q', task.target ->> 'q'))
    else '{"kind": "all"}'::jsonb end || jsonb_build_object('company_id', task.company_id)
$$;

-- Before the other triggers, by its name. Security definer: it asks whether devices and groups are of the company, whoever may list them.
create function app.settle_schedule_target() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ids uuid[];
  kind text;
begin
  -- Row-level security asks after the triggers: this one must not tell of another company's devices first.
  if not app.is_server_work() and not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  if tg_op = 'UPDATE' then
    if not app.is_server_work() and (new.procedure_id, new.target, new.target_kind, new.device_id, new.group_id)
      is distinct from (old.procedure_id, old.target, old.target_kind, old.device_id, old.group_id) then
      new.set_by := app.acting_user_id();
    end if;
    if new.target is not distinct from old.target then
      if (new.target_kind, new.device_id, new.group_id) is not distinct from (old.target_kind, old.device_id, old.group_id) then
        return new;
      end if;
      new.target := null;
    end if;
  else
    new.set_by := coalesce(app.acting_user_id(), new.created_by);
  end if;
  if new.target is null then
    new.target := case new.target_kind
      when 'device' then jsonb_build_object('kind', 'devices', 'device_ids', jsonb_build_array(new.device_id))
      when 'group' then jsonb_build_object('kind', 'groups', 'group_ids', jsonb_build_array(new.group_id))
      when 'all' then '{"kind": "all"}'::jsonb end;
    if new.target is null then
      raise exception 'Choose what it runs on.' using errcode = 'check_violation', hint = 'target_invalid', constraint = 'scheduled_tasks_target_check';
    end if;
    return new;
  end if;
  kind := new.target ->> 'kind';
  if jsonb_typeof(new.target) <> 'object' or kind is null or kind not in ('devices', 'groups', 'filter', 'all')
    or length(new.target::text) > 100000 then
    raise exception 'There is no such target.' using errcode = 'check_violation', hint = 'target_invalid', constraint = 'scheduled_tasks_target_check';
  end if;
  new.device_id := null;
  new.group_id := null;
  new.target_kind := kind;
  if kind in ('devices', 'groups') then
    ids := app.target_ids(new.target, case kind when 'devices' then 'device_ids' else 'group_ids' end);
    if cardinality(ids) = 0 or cardinality(ids) > (case kind when 'devices' then 1000 else 100 end) then
      raise exception 'A task runs on 1 to 1,000 chosen devices, or 1 to 100 groups.'
        using errcode = 'check_violation', hint = 'schedule_target_count', constraint = 'scheduled_tasks_target_check';
    end if;
    -- A device of another company looks exactly like one that does not exist. Those that were deleted since are left out.
    if kind = 'devices' then
      select array_agg(d.id order by d.id) into ids from public.devices d where d.company_id = new.company_id and d.id = any (ids);
    else
      select array_agg(g.id order by g.id) into ids from public.groups g where g.company_id = new.company_id and g.id = any (ids);
    end if;
    if ids is null then
      raise exception 'The chosen devices were not found.' using errcode = 'check_violation', hint = 'device_gone', constraint = 'scheduled_tasks_target_check';
    end if;
    new.target := jsonb_build_object('kind', kind, case kind when 'devices' then 'device_ids' else 'group_ids' end, to_jsonb(ids));
    if cardinality(ids) = 1 then
      new.target_kind := left(kind, -1);
      new.device_id := case kind when 'devices' then ids[1] end;
      new.group_id := case kind when 'groups' then ids[1] end;
    end if;
  elsif kind = 'filter' then
    new.target := jsonb_strip_nulls(jsonb_build_object('kind', kind, 'filter', coalesce(new.target -> 'filter', '{}'),
      'q', nullif(btrim(new.target ->> 'q'), ''), 'name', left(nullif(btrim(new.target ->> 'name'), ''), 120)));
  else
    new.target := '{"kind": "all"}';
  end if;
  return new;
end $$;
comment on function app.settle_schedule_target() is
  'Row trigger: target_kind, device_id and group_id follow from the target, which has only what exists in the company; and who set it is kept.';
revoke execute on function app.settle_schedule_target() from public;
create trigger scheduled_tasks_a_target before insert or update on public.scheduled_tasks for each row execute function app.settle_schedule_target();

create function app.check_schedule_filter() returns trigger
  language plpgsql set search_path = '' as $$
declare
  query record;
  began timestamptz := clock_timestamp();
begin
  if current_user in ('anon', 'authenticated') and new.target ->> 'kind' = 'filter' then
    -- As the caller, who may ask for nothing here that a list would not show.
    perform app.require_filter(app.schedule_target(new));
    query := app.target_query(app.schedule_target(new));
    execute format('select 1 from (select t.id from %s where %s limit %s) x', query.source, query.condition, app.max_targets());
    if clock_timestamp() - began > interval '2 seconds' then
      raise exception 'The filter takes too long.' using errcode = 'check_violation', hint = 'rule_too_slow', constraint = 'scheduled_tasks_target_check';
    end if;
  end if;
  return new;
end $$;
comment on function app.check_schedule_filter() is 'Row trigger: the filter of a schedule is one that its writer may ask, and is fast.';
revoke execute on function app.check_schedule_filter() from public;

create function app.require_filter(target jsonb) returns void
  language plpgsql stable set search_path = '' as $$
declare
  place record;
begin
  for place in
    select distinct substr(p.via, length('public.') + 1) as resource
    from jsonb_path_query(coalesce(target -> 'filter', '{}'), 'strict $.**') as part (item)
      cross join lateral jsonb_object_keys(case jsonb_typeof(part.item) when 'object' then part.item else '{}' end) as k (key)
      cross join lateral app.filter_path('devices', k.key) p
    where strpos(k.key, '.') > 0
  loop
    perform app.require(place.resource, 'list');
  end loop;
end $$;
comment on function app.require_filter(jsonb) is
  'Raises 42501 unless the caller may list each table that the filter of a target asks. For evaluating it where row-level security does not.';
revoke execute on function app.require_filter(jsonb) from public, anon;
grant execute on function app.require_filter(jsonb) to authenticated;
create trigger scheduled_tasks_b_filter before insert or update of target on public.scheduled_tasks
  for each row execute function app.check_schedule_filter();

drop trigger scheduled_tasks_guard on public.scheduled_tasks;
create trigger scheduled_tasks_guard before insert or update of procedure_id, target_kind, device_id, group_id, target, frequency, starts_at,
    every_minutes, time_of_day, weekdays, month_day, month_week, month_weekday, timezone, missed_run, enabled on public.scheduled_tasks
  for each row execute function app.guard_schedule();

alter table public.scheduled_tasks disable trigger user;
update public.scheduled_tasks t set set_by = t.created_by, target = case t.target_kind
  when 'device' then jsonb_build_object('kind', 'devices', 'device_ids', jsonb_build_array(t.device_id))
  when 'group' then jsonb_build_object('kind', 'groups', 'group_ids', jsonb_build_array(t.group_id))
  else '{"kind": "all"}'::jsonb end
where true;
alter table public.scheduled_tasks enable trigger user;
alter table public.scheduled_tasks alter column target set not null;

create function app.devices_as(person uuid, company uuid, target jsonb) returns uuid[]
  language plpgsql volatile set search_path = '' as $$
declare
  claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  subject constant text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  query record;
  ids uuid[];
begin
  -- An error takes the settings back with its transaction.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', person, 'role', 'authenticated')::text, true),
    set_config('request.jwt.claim.sub', coalesce(person::text, ''), true);
  -- The tick reads without row-level security: what it would say is asked here.
  if person is null or not app.can('procedures', 'run') or not company = any (app.visible_company_ids()) then
    raise exception 'The person may not run scripts there.' using errcode = '42501';
  end if;
  perform app.require_filter(target);
  query := app.target_query(target);
  execute format('select array_agg(x.id order by x.id) from (select t.id from %s where %s limit %s) x',
    query.source, query.condition, app.max_targets() + 1) into ids;
  perform set_config('request.jwt.claims', claims, true), set_config('request.jwt.claim.sub', subject, true);
  return ids;
end $$;
comment on function app.devices_as(uuid, uuid, jsonb) is
  'The devices of a company that a target (app.target_query()) has for a person now; 42501 where the person may not run scripts on them.';
revoke execute on function app.devices_as(uuid, uuid, jsonb) from public;

create or replace function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
  job uuid;
  capped boolean;
begin
  if task.target_kind in ('devices', 'groups', 'filter') then
    begin
      wanted := app.devices_as(task.set_by, task.company_id, app.schedule_target(task));
    exception when insufficient_privilege then
      return 'person';
    end;
  else
    select array_agg(d.id order by d.id) into wanted from public.devices d
    where d.company_id = task.company_id and case task.target_kind
      when 'device' then d.id = task.device_id
      when 'group' then exists (select 1 from public.group_devices g
        where g.company_id = task.company_id and g.group_id = task.group_id and g.device_id = d.id)
      else true end;
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
  'device has the time still ahead; person: who set it may no longer run scripts there), otherwise null.';

-- Definer, because whoever deletes a group need not see what names it.
create or replace function app.keep_last_group() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Not where the company goes.
  if pg_trigger_depth() > 1 then
    return old;
  end if;
  if exists (
    select 1 from public.policy_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.policy_groups o where o.company_id = g.company_id and o.policy_id = g.policy_id and o.group_id <> old.id)
    union all
    select 1 from public.monitor_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.monitor_groups o where o.company_id = g.company_id and o.monitor_id = g.monitor_id and o.group_id <> old.id)
    union all
    select 1 from public.automation_groups g where g.company_id = old.company_id and g.group_id = old.id
      and not exists (select 1 from public.automation_groups o
        where o.company_id = g.company_id and o.automation_id = g.automation_id and o.group_id <> old.id)
      and not exists (select 1 from public.automation_devices d where d.company_id = g.company_id and d.automation_id = g.automation_id)
  ) then
    raise exception 'It is the only group of a policy, a monitor or an automation.' using errcode = 'check_violation', hint = 'group_in_use';
  end if;
  -- The foreign key would delete the task with it.
  if exists (
    select 1 from public.scheduled_tasks s where s.company_id = old.company_id and s.group_id = old.id
    union all
    select 1 from public.scheduled_tasks s where s.company_id = old.company_id and s.target_kind = 'groups'
      and old.id = any (app.target_ids(s.target, 'group_ids'))
      and not exists (select 1 from public.groups o where o.company_id = s.company_id and o.id <> old.id
        and o.id = any (app.target_ids(s.target, 'group_ids')))
  ) then
    raise exception 'A scheduled task runs on this group.' using errcode = 'check_violation', hint = 'group_of_schedule';
  end if;
  return old;
end $$;
comment on function app.keep_last_group() is
  'Row trigger: a group is not deleted while a policy, monitor or automation names no other, which would then be for all devices, or a '
  'scheduled task runs on it alone, which would be deleted with it.';

-- Security definer, as before: whoever changes a group need not see what names it.
create or replace function app.guard_group_devices(company uuid, group_ids uuid[], adds boolean) returns void
  language plpgsql stable security definer set search_path = '' as $$
begin
  if not app.can('policies', 'edit') and exists (
    select 1 from public.policy_groups g join public.policies p on p.company_id = g.company_id and p.id = g.policy_id
    where g.company_id = company and g.group_id = any (group_ids) and p.kind = 'permission'
  ) then
    raise exception 'A permission policy is for this group: only who may edit policies changes its devices.'
      using errcode = 'check_violation', hint = 'group_of_policy';
  end if;
  if adds and not app.can('automations', 'run') and exists (
    select 1 from public.automation_groups g join public.automations a on a.company_id = g.company_id and a.id = g.automation_id
    where g.company_id = company and g.group_id = any (group_ids) and a.trigger = 'enters_group' and a.enabled
  ) then
    raise exception 'An automation runs on devices that join this group: only who may run automations adds some.'
      using errcode = 'check_violation', hint = 'group_of_automation';
  end if;
  if not app.can('procedures', 'run') and (exists (
    select 1 from public.scheduled_tasks s where s.company_id = company and (
      s.group_id = any (group_ids) and s.target_kind = 'group'
      or s.target_kind = 'groups' and app.target_ids(s.target, 'group_ids') && group_ids
      -- A filter may ask for groups: by which, the database cannot tell.
      or s.target_kind = 'filter' and s.target::text like '%group_devices%')
  ) or exists (
    select 1 from public.monitor_groups g join public.monitors m on m.company_id = g.company_id and m.id = g.monitor_id
    where g.company_id = company and g.group_id = any (group_ids) and (m.procedure_id is not null or m.restart)
  )) then
    raise exception 'A script runs on the devices of this group: only who may run scripts changes them.'
      using errcode = 'check_violation', hint = 'group_of_script';
  end if;
end $$;

create function app.target_has(target jsonb, device uuid) returns boolean
  language plpgsql stable set search_path = '' as $$
declare
  query record := app.target_query(target);
  answer boolean;
begin
  execute format('select exists (select 1 from %s where t.id = $1 and (%s))', query.source, query.condition) into answer using device;
  return answer;
exception when insufficient_privilege or check_violation or invalid_parameter_value then
  -- A filter that the caller may not ask tells nothing.
  return false;
end $$;
comment on function app.target_has(jsonb, uuid) is 'Whether a target has this device now. Runs as the caller.';
revoke execute on function app.target_has(jsonb, uuid) from public, anon;
grant execute on function app.target_has(jsonb, uuid) to authenticated;

create or replace function public.device_upcoming(device_id uuid) returns table (
  kind text, id uuid, name text, next_run_at timestamptz, target text
)
  language sql stable set search_path = '' rows 50 as $$
  with device as (
    select d.company_id, d.id, d.timezone from public.devices d where d.id = device_upcoming.device_id
  )
  select * from (
    (select 'scheduled_tasks', s.id, s.name, app.device_next(s, d.timezone), case s.target_kind
         when 'devices' then 'device' when 'groups' then 'group' else s.target_kind end
     from device d join public.scheduled_tasks s on s.company_id = d.company_id
     where s.enabled and s.next_run_at is not null and (s.device_id = d.id or s.target_kind = 'all'
       or s.target_kind = 'devices' and s.target -> 'device_ids' @> to_jsonb(d.id)
       or exists (select 1 from public.group_devices g where g.company_id = d.company_id and g.device_id = d.id
         and (g.group_id = s.group_id or s.target_kind = 'groups' and g.group_id = any (app.target_ids(s.target, 'group_ids')))))
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
    union all
    -- Filters are asked about this device alone, one by one; a company has few.
    (select 'scheduled_tasks', f.id, f.name, app.device_next(f.task, d.timezone), 'filter'
     from device d cross join lateral (
       select s.id, s.name, s.next_run_at, s as task from public.scheduled_tasks s
       where s.company_id = d.company_id and s.enabled and s.next_run_at is not null and s.target_kind = 'filter'
       order by s.next_run_at, s.id limit 20) f
     where app.target_has(app.schedule_target(f.task), d.id))
  ) u (kind, id, name, next_run_at, target)
  order by u.next_run_at, u.id limit 50
$$;
comment on function public.device_upcoming(uuid) is
  'The next 50 scheduled tasks and automations that run on a device, of tasks with a filter those that match it now, of the next 20 ones: kind is '
  'the resource, target how the device is meant (device, group, filter, all), next_run_at when this device starts. Conditions of an automation '
  'are checked when it runs. Runs as the caller: row-level security of each table limits the rows.';

-- Security definer: app.next_run() is granted to nobody. It reads no table: the schedule and the zones are the caller's.
create or replace function app.schedule_times(task public.scheduled_tasks, zones jsonb, max_runs integer) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Also a day whose job is made, while a device has its time still ahead.
  moment timestamptz := least(task.next_run_at, case when task.device_time then app.next_run(task, now() - app.zone_span(task)) end);
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
