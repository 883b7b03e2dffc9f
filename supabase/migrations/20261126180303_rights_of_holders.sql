-- A right ends with its holder: schedules, automations, installations of policies and repairs of monitors ask, when they are due, for the
-- right of whoever set them. Without it they pause and say whose it is; somebody else can take them over.

create function app.may_as(person uuid, company uuid, object text, verb text) returns boolean
  language sql stable set search_path = '' as $$
  select exists (
    select 1 from public.user_roles r
    where r.user_id = person and r.deactivated_at is null and (r.company_id = company or r.company_id is null)
      and r.role = any (app.roles_that_may(object, verb)))
$$;
comment on function app.may_as(uuid, uuid, text, text) is
  'Whether a person may do this in a company now, by their role alone: the license is asked elsewhere. False for a deactivated account and for null.';
revoke execute on function app.may_as(uuid, uuid, text, text) from public;

create function app.holds(person uuid, by_operator boolean, company uuid, object text, verb text) returns boolean
  language sql stable set search_path = '' as $$
  select by_operator or app.may_as(person, company, object, verb)
$$;
comment on function app.holds(uuid, boolean, uuid, text, text) is
  'Whether what somebody set may still act: the operator''s always, anybody else''s while that person has the right. An account that was deleted has none.';
revoke execute on function app.holds(uuid, boolean, uuid, text, text) from public;

create function app.job_object(job public.jobs) returns text
  language sql immutable set search_path = '' as $$
  select case job.kind when 'command' then 'custom-commands' when 'task' then app.task_object(job.script) else 'procedures' end
$$;
comment on function app.job_object(public.jobs) is 'The permission object whose verb run a job needs.';
revoke execute on function app.job_object(public.jobs) from public;

alter table public.automations add column set_by uuid references public.profiles (id) on delete set null;
alter table public.policies add column set_by uuid references public.profiles (id) on delete set null;
alter table public.monitors add column set_by uuid references public.profiles (id) on delete set null;
create index automations_set_by_idx on public.automations (set_by);
create index policies_set_by_idx on public.policies (set_by);
create index monitors_set_by_idx on public.monitors (set_by);
comment on column public.automations.set_by is 'Who last set what it runs, where and when. Its right is asked when the automation is due.';
comment on column public.policies.set_by is 'Who last set it. Of kind patch: its right to edit policies is asked before it approves and installs.';
comment on column public.monitors.set_by is 'Who last set what it checks and runs. Its right to run scripts is asked before a repair.';
comment on column public.scheduled_tasks.set_by is
  'Who last set its script or target, or took it over. Its right to run scripts there is asked when the task is due.';

alter table public.scheduled_tasks add column set_by_operator boolean not null default false;
alter table public.scheduled_tasks add column paused_for text;
comment on column public.scheduled_tasks.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.scheduled_tasks.paused_for is 'By name, whose right was missing when it was due; null while none is.';
alter table public.automations add column set_by_operator boolean not null default false;
alter table public.automations add column paused_for text;
comment on column public.automations.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.automations.paused_for is 'By name, whose right was missing when it was due; null while none is.';
alter table public.policies add column set_by_operator boolean not null default false;
alter table public.policies add column paused_for text;
comment on column public.policies.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.policies.paused_for is 'By name, whose right was missing when it was due; null while none is.';
alter table public.monitors add column set_by_operator boolean not null default false;
alter table public.monitors add column paused_for text;
comment on column public.monitors.set_by_operator is 'Set in SQL, by nobody who is signed in: nobody''s right is asked.';
comment on column public.monitors.paused_for is 'By name, whose right was missing when it was due; null while none is.';

set app.quiet = 'on';
alter table public.scheduled_tasks disable trigger user;
alter table public.automations disable trigger user;
alter table public.policies disable trigger user;
alter table public.monitors disable trigger user;
update public.scheduled_tasks t set set_by_operator = t.set_by is null and t.created_by is null where true;
update public.automations t set set_by = t.created_by, set_by_operator = t.created_by is null where true;
update public.policies t set set_by = t.created_by, set_by_operator = t.created_by is null where true;
-- Monitors did not keep their author: the log knows who changed one last.
update public.monitors m set set_by = x.actor_id
from (select distinct on (l.row_id) l.row_id, l.actor_id from public.audit_log l join public.profiles p on p.id = l.actor_id
      where l.table_name = 'monitors' and l.action in ('create', 'edit') order by l.row_id, l.at desc, l.id desc) x
where m.id = x.row_id;
update public.monitors m set set_by_operator = m.set_by is null where true;
alter table public.scheduled_tasks enable trigger user;
alter table public.automations enable trigger user;
alter table public.policies enable trigger user;
alter table public.monitors enable trigger user;
reset app.quiet;

create function app.stamp_holder() returns trigger
  language plpgsql set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
begin
  if tg_op = 'INSERT' then
    if tg_table_name <> 'scheduled_tasks' then
      new.set_by := coalesce(actor, (to_jsonb(new) ->> 'created_by')::uuid);
    end if;
    new.set_by_operator := new.set_by is null;
    new.paused_for := null;
    return new;
  end if;
  -- A pause is nobody's change, and a take-over names its own holder.
  if new.paused_for is not null and new.paused_for is distinct from old.paused_for then
    return new;
  end if;
  if new.enabled and not old.enabled then
    new.paused_for := null;
  end if;
  if actor is not null and tg_table_name <> 'scheduled_tasks' then
    new.set_by := actor;
  end if;
  if new.set_by is not null and (actor is not null or new.set_by is distinct from old.set_by) then
    new.set_by_operator := false;
  end if;
  if new.set_by is distinct from old.set_by then
    new.paused_for := null;
  end if;
  return new;
end $$;
comment on function app.stamp_holder() is
  'Row trigger: whoever sets a record answers for it. scheduled_tasks has its own rule for set_by (app.settle_schedule_target()).';
revoke execute on function app.stamp_holder() from public;

-- After the triggers that settle created_by and set_by, by their names. Columns that devices, alerts and the tick write are left out.
create trigger scheduled_tasks_z_holder before insert or update of procedure_id, target, target_kind, device_id, group_id, set_by, enabled
  on public.scheduled_tasks for each row execute function app.stamp_holder();
create trigger automations_z_holder before insert or update of trigger, enabled, platform, online_only, frequency, starts_at, every_minutes,
    time_of_day, weekdays, month_day, month_week, month_weekday, timezone, set_by
  on public.automations for each row execute function app.stamp_holder();
create trigger policies_z_holder before insert or update of kind, position, enabled, approve_severities, approve_after_days, window_weekdays,
    window_from, window_to, timezone, reboot, reboot_weekdays, reboot_from, reboot_to, ring, promote_after_days, promote_success_percent,
    promote_min_devices, set_by
  on public.policies for each row execute function app.stamp_holder();
create trigger monitors_z_holder before insert or update of type, enabled, service_name, target, process_name, event_id, log_name, metric,
    above_percent, restart, procedure_id, threshold, set_by
  on public.monitors for each row execute function app.stamp_holder();

-- Security definer: whoever changes a step or a group answers for the record, whose column set_by nobody may write.
create function app.stamp_holder_of() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor uuid := app.acting_user_id();
  link jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  -- Not where the record itself goes, and not for what a deleted device or group takes with it.
  if actor is not null and pg_trigger_depth() = 1 then
    execute format('update public.%I t set set_by = $1 where t.company_id = $2 and t.id = $3 and t.set_by is distinct from $1', tg_argv[0])
      using actor, (link ->> 'company_id')::uuid, (link ->> tg_argv[1])::uuid;
  end if;
  return null;
end $$;
comment on function app.stamp_holder_of() is 'Row trigger of what belongs to a record (table, column): whoever changes it has set the record.';
revoke execute on function app.stamp_holder_of() from public;
create trigger automation_steps_holder after insert or update or delete on public.automation_steps
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger automation_devices_holder after insert or delete on public.automation_devices
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger automation_groups_holder after insert or delete on public.automation_groups
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger automation_monitors_holder after insert or delete on public.automation_monitors
  for each row execute function app.stamp_holder_of('automations', 'automation_id');
create trigger policy_groups_holder after insert or delete on public.policy_groups
  for each row execute function app.stamp_holder_of('policies', 'policy_id');
create trigger monitor_groups_holder after insert or delete on public.monitor_groups
  for each row execute function app.stamp_holder_of('monitors', 'monitor_id');

-- Pause and take over -------------------------------------------------------------------------------------------------------

-- Security definer: an alert that a person resolves, or a device's report, may find a right missing.
create function app.pause_for(resource text, record_id uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  paused record;
begin
  -- A policy stays in force, so that its devices do not fall to the next one, and a monitor goes on checking: what they would do waits.
  execute format($query$
    update public.%1$I t set paused_for = coalesce((select coalesce(nullif(p.name, ''), p.email) from public.profiles p where p.id = t.set_by), '–') %2$s
    where t.id = $1 and t.paused_for is null
    returning t.company_id, t.paused_for, t.set_by, t.name$query$, resource,
    case when resource in ('scheduled_tasks', 'automations') then ', enabled = false' end)
    into paused using record_id;
  if paused.company_id is null then
    return;
  end if;
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
  select r.user_id, paused.company_id, 'right_missing', jsonb_build_object('name', paused.name, 'person', paused.paused_for),
    case resource when 'scheduled_tasks' then '/scheduled-tasks/' when 'automations' then '/automation/' else '/' || resource || '/' end || record_id,
    'right_missing:' || record_id || ':' || coalesce(paused.set_by::text, '') || ':' || to_char(now(), 'YYYYMMDD')
  from public.user_roles r
  where r.company_id = paused.company_id and r.deactivated_at is null and r.role = any (app.roles_that_may(resource, 'edit'))
  order by r.user_id limit 1000
  on conflict (user_id, once_key) do nothing;
end $$;
comment on function app.pause_for(text, uuid) is
  'Pauses a schedule, an automation, the installations of a policy or the repairs of a monitor whose holder lost the right, and tells whoever may edit it, once.';
revoke execute on function app.pause_for(text, uuid) from public;

-- Security definer: nobody may write set_by. It asks for the right to edit the record and the one that the record uses, in the caller's companies.
create function public.take_over(resource text, ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  changed integer;
begin
  if resource is null or resource not in ('scheduled_tasks', 'automations', 'policies', 'monitors') then
    raise exception using errcode = '22023', message = 'nobody takes over a record of this kind';
  end if;
  perform app.require(resource, 'edit');
  if resource <> 'policies' then
    perform app.require(case resource when 'automations' then 'automations' else 'procedures' end, 'run');
  end if;
  if cardinality(ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 records at a time';
  end if;
  if resource = 'scheduled_tasks' then
    -- The filter is asked with the permissions of its holder.
    perform app.require_filter(app.schedule_target(t)) from public.scheduled_tasks t
      where t.id = any (ids) and t.company_id = any (app.visible_company_ids());
  end if;
  execute format('update public.%I t set set_by = $1, paused_for = null %s where t.id = any ($2) and t.company_id = any ($3)', resource,
    case resource when 'scheduled_tasks' then ', last_error = case when t.paused_for is null then t.last_error end, enabled = t.enabled or t.paused_for is not null'
      when 'automations' then ', enabled = t.enabled or t.paused_for is not null' end)
    using app.current_user_id(), ids, app.visible_company_ids();
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception using errcode = 'PT404', message = 'no such record to take over', hint = 'record_gone';
  end if;
  return changed;
end $$;
comment on function public.take_over(text, uuid[]) is
  'Makes the caller the holder of schedules, automations, policies or monitors: from then on the caller''s right counts, and what was paused for '
  'a missing right goes on. 42501 without the right to edit them, or without the one that they use; 404 where none was found.';
revoke execute on function public.take_over(text, uuid[]) from public, anon;
grant execute on function public.take_over(text, uuid[]) to authenticated;

-- Where it is asked ---------------------------------------------------------------------------------------------------------

alter table public.automation_runs drop constraint automation_runs_error_check;
alter table public.automation_runs add constraint automation_runs_error_check check (error in ('step_failed', 'parameters', 'license', 'disabled', 'person'));
comment on column public.automation_runs.error is
  'Why it did not succeed: step_failed, parameters (a script asks for a value), license, disabled, person (whoever set or started it has '
  'lost the right). Null where a person canceled it.';
comment on column public.job_runs.error is
  'Why a run did not succeed, as a code: interrupted, hash_mismatch, no_interpreter, start_failed, refused, timed_out, ''cancelled'', expired, '
  'lost, denied (a policy), values_denied (a policy, values given at the run), no_right (whoever asked for it may not run it any more), unapproved '
  '(no version of a script), replaced (edited before it was approved), declined. Null for a plain non-zero exit code.';

create or replace function app.queue_scheduled(task public.scheduled_tasks, due timestamptz, following timestamptz) returns text
  language plpgsql volatile set search_path = '' as $$
declare
  wanted uuid[];
  script public.procedures%rowtype;
  bound record;
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
  begin
    select * into bound from app.bind_parameters(script.parameters, '{}');
  exception when check_violation then
    return 'parameters';
  end;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, schedule_id, due_at, max_running)
  select task.company_id, 'procedure', script.name, script.id, v.id, script.type, script.script,
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, coalesce(task.set_by, task.created_by),
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

create or replace function app.queue_step(automation public.automations, after_position integer, after_id uuid, run_ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
declare
  next_step public.automation_steps%rowtype;
  script public.procedures%rowtype;
  made record;
  queued uuid;
  part record;
  lost uuid[];
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

create or replace function app.enforce_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  policy public.policies%rowtype;
  done integer := 0;
begin
  for policy in
    select p.* from public.policies p join public.companies c on c.id = p.company_id
    where p.kind = 'patch' and p.enabled and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
      and c.license_type = 'Pro' and (p.approve_severities <> '{}' or p.window_weekdays <> '{}' or p.ring > 1 or p.reboot = 'in_window')
    order by p.company_id, p.position, p.id
    for no key update of p skip locked
  loop
    if not app.holds(policy.set_by, policy.set_by_operator, policy.company_id, 'policies', 'edit') then
      perform app.pause_for('policies', policy.id);
      continue;
    elsif policy.paused_for is not null then
      update public.policies p set paused_for = null where p.id = policy.id;
    end if;
    begin
      done := done + app.enforce_policy(policy);
    exception when others then
      insert into app.tick_log (step, error) values ('policies', left(policy.id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
    end;
  end loop;
  return done;
end $$;

create or replace function app.repair(alert public.alerts, monitor public.monitors) returns void
  language plpgsql set search_path = '' as $$
declare
  found public.procedures%rowtype;
  made record;
  job public.jobs%rowtype;
  queued uuid;
begin
  select p.* into found from public.procedures p where p.company_id = alert.company_id and p.id = monitor.procedure_id;
  if found.id is null or not app.company_runs(alert.company_id) then
    return;
  end if;
  if not app.holds(monitor.set_by, monitor.set_by_operator, monitor.company_id, 'procedures', 'run') then
    perform app.pause_for('monitors', monitor.id);
    return;
  elsif monitor.paused_for is not null then
    update public.monitors m set paused_for = null where m.company_id = monitor.company_id and m.id = monitor.id;
  end if;
  made := app.procedure_job(found);
  job := made.job;
  job.expires_at := now() + interval '1 hour';
  queued := app.queue_job(job, '{}', array[alert.device_id]);
  update public.tickets t set repair_run_id = r.id, repair_name = left(found.name, 200)
    from public.job_runs r
    where r.company_id = alert.company_id and r.job_id = queued and r.device_id = alert.device_id
      and t.company_id = alert.company_id and t.alert_id = alert.id;
exception when check_violation then
  -- It asks for a value that nobody gives here: the alert opens all the same.
  return;
end $$;

-- Security definer, as before: nobody may write this table.
create or replace function app.count_script_runs() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_stats as s (procedure_id, company_id, runs, succeeded, last_run_at)
    select n.procedure_id, n.company_id, count(*), count(*) filter (where n.status = 'succeeded'), max(n.finished_at)
    from new_runs n join old_runs o on o.id = n.id
    where n.procedure_id is not null and n.status in ('succeeded', 'failed', 'timed_out')
      and o.status not in ('succeeded', 'failed', 'timed_out')
      -- Those never ran, so that they say nothing about the script.
      and coalesce(n.error, '') not in ('denied', 'unapproved', 'replaced', 'declined', 'values_denied', 'no_right')
    group by n.procedure_id, n.company_id
    -- One order for all, as statements that end runs of the same scripts would wait for each other.
    order by n.procedure_id
  on conflict (procedure_id) do update
    set runs = s.runs + excluded.runs, succeeded = s.succeeded + excluded.succeeded,
      last_run_at = greatest(s.last_run_at, excluded.last_run_at);
  return null;
end $$;

create or replace function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  offered uuid[];
  rules record;
begin
  -- At the last moment: the policy may be younger than the job.
  select p.denied, p.needs_approval, p.denies_values into rules from app.policy_of(company, device, 'permission') p;
  if rules.denied <> '{}' then
    update public.job_runs r set status = 'failed', error = 'denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and app.job_act(j) = any (rules.denied);
  end if;
  -- Whoever asked may have lost the right while the device was away.
  update public.job_runs r set status = 'failed', error = 'no_right', finished_at = now()
    from public.jobs j
    where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
      and j.created_by is not null and not app.may_as(j.created_by, company, app.job_object(j), 'run');
  if rules.denies_values then
    update public.job_runs r set status = 'failed', error = 'values_denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and app.free_values(j) <> '{}';
  end if;
  if rules.needs_approval then
    -- A text that is no version of a script: nobody can approve it.
    update public.job_runs r set status = 'failed', error = 'unapproved', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and j.procedure_version_id is null;
    -- Nobody can approve a version that was replaced, and somebody declined this one.
    update public.job_runs r set status = 'failed', error = case when v.declined_at is null then 'replaced' else 'declined' end, finished_at = now()
      from public.jobs j
        join public.procedure_versions v on v.company_id = j.company_id and v.id = j.procedure_version_id
        join public.procedures p on p.company_id = v.company_id and p.id = v.procedure_id
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and v.approved_at is null and (v.declined_at is not null or v.number <> p.revision);
    update public.job_runs r set waits_for = case when app.is_approved(j) then null else 'approval' end
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and j.kind = 'procedure' and (r.waits_for is null) <> app.is_approved(j);
    perform app.begin_waiting(company, device);
  else
    update public.job_runs r set waits_for = null
      where r.company_id = company and r.device_id = device and r.status = 'queued' and r.waits_for = 'approval';
  end if;
  if room <= 0 then
    return '[]';
  end if;
  -- Queued ones, and those whose lease lapsed: the same attempt again, which the device answers from its journal.
  select array_agg(picked.id order by picked.queued_at, picked.id) into offered from (
    select r.id, r.queued_at
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
    where r.company_id = company and r.device_id = device and r.cancel_requested_at is null
      -- Once more: a step of an automation may have been queued by the failure above, and a lease may have lapsed before the policy.
      and (r.status = 'running' or rules.denied is null or app.job_act(j) is null or app.job_act(j) <> all (rules.denied))
      and (r.status = 'running' or rules.denies_values is not true or j.kind <> 'procedure' or app.free_values(j) = '{}')
      and (r.status = 'running' or rules.needs_approval is not true or j.kind <> 'procedure' or app.is_approved(j))
      -- Said once more for the partial index.
      and r.status in ('queued', 'claimed', 'running')
      and ((r.status = 'queued' and j.expires_at > now() and (r.start_after is null or r.start_after <= now())
          and (rules.needs_approval is not true or j.kind <> 'procedure' or app.is_approved(j))
          -- A license that ended stops new work, but not what the device already took, nor a Super Admin.
          and (app.company_runs(company) or exists (
            select 1 from public.user_roles u where u.user_id = j.created_by and u.role = 'Super Admin'
          ))
          and (not r.is_capped or app.has_slot(company, j.id, j.max_running)))
        or (r.status in ('claimed', 'running') and r.lease_until < now() and r.id <> all (held)))
    order by r.queued_at, r.id limit room for update of r skip locked
  ) picked;
  if offered is null then
    return '[]';
  end if;
  update public.job_runs r
    set status = case r.status when 'queued' then 'claimed' else r.status end,
      waits_for = null,
      attempt = greatest(r.attempt, 1),
      claimed_at = coalesce(r.claimed_at, now()),
      lease_until = now() + interval '5 minutes'
    where r.company_id = company and r.id = any (offered);
  return (
    select jsonb_agg(jsonb_build_object(
        'run_id', r.id, 'attempt', r.attempt, 'type', j.script_type, 'script', j.script, 'sha256', j.script_sha256,
        'parameters', j.parameters || coalesce(s.parameters, '{}') || coalesce(p.parameters, '{}'),
        'timeout_seconds', j.timeout_seconds,
        -- Whose values the device takes out of the output before it reports.
        'secrets', coalesce((select jsonb_agg(k order by k) from jsonb_object_keys(s.parameters) k), '[]')
      ) order by r.queued_at, r.id)
    from public.job_runs r
      join public.jobs j on j.company_id = r.company_id and j.id = r.job_id
      left join app.job_secrets s on s.job_id = j.id
      -- The updates that this device is to install: each has its own.
      left join lateral (
        select jsonb_build_object('patches', jsonb_agg(jsonb_build_object('title', u.title, 'kb_number', u.kb_number) order by u.title)::text) as parameters
        from public.device_patches t
          join public.patches u on u.company_id = t.company_id and u.id = t.patch_id
        where j.kind = 'task' and t.company_id = company and t.run_id = r.id and t.status in ('queued', 'installing')
            -- Not the copy: an exception may be as young as the row.
            and coalesce((select x.approval from app.exception_of(company, u.id, device) x), u.approval) = 'approved'
        having count(*) > 0
      ) p on true
    where r.company_id = company and r.id = any (offered)
  );
end $$;
