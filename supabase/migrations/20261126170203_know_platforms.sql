-- Scripts, saved commands and monitors know on which systems they run; other devices are left out, and the job says how many.

create function app.script_platforms(type text) returns text[]
  language sql immutable set search_path = '' as $$
  select case
    when type in ('Batch', 'CMD', 'PowerShell') then array['windows']
    when type = 'Bash' then array['linux', 'macos']
    else array['linux', 'macos', 'windows'] end
$$;
comment on function app.script_platforms(text) is 'The systems on which scripts of this type run unless somebody says otherwise.';
revoke execute on function app.script_platforms(text) from public;

create function app.monitor_platforms(m public.monitors) returns text[]
  language sql immutable set search_path = '' as $$
  select case when m.type = 'Event ID' or m.type = 'Process' and m.process_name ~* '\.exe$' then array['windows']
    else array['linux', 'macos', 'windows'] end
$$;
comment on function app.monitor_platforms(public.monitors) is
  'The systems that have what a monitor looks at: event logs and programs named .exe are those of Windows.';
revoke execute on function app.monitor_platforms(public.monitors) from public;

alter table public.procedures add column platforms text[] not null default '{}';
alter table public.saved_commands add column platforms text[] not null default '{}';
alter table public.monitors add column platforms text[] not null default '{}';
comment on column public.procedures.platforms is 'The systems on which it runs; filled from the type where nobody names any.';
comment on column public.saved_commands.platforms is 'The systems on which it runs; filled from the type where nobody names any.';
comment on column public.monitors.platforms is 'The systems whose devices it checks; filled from what it looks at where nobody names any.';

set app.quiet = 'on';
alter table public.procedures disable trigger user;
update public.procedures p set platforms = app.script_platforms(p.type);
alter table public.procedures enable trigger user;
alter table public.saved_commands disable trigger user;
update public.saved_commands c set platforms = app.script_platforms(c.type);
alter table public.saved_commands enable trigger user;
alter table public.monitors disable trigger user;
update public.monitors m set platforms = app.monitor_platforms(m);
alter table public.monitors enable trigger user;
reset app.quiet;
alter table public.procedures add constraint procedures_platforms_check check (platforms <@ array['windows', 'macos', 'linux']::text[]);
alter table public.procedures add constraint procedures_platforms_limit check (cardinality(platforms) <= 100);
alter table public.saved_commands add constraint saved_commands_platforms_check
  check (platforms <@ array['windows', 'macos', 'linux']::text[] and cardinality(platforms) <= 100);
alter table public.monitors add constraint monitors_platforms_check check (platforms <@ array['windows', 'macos', 'linux']::text[]);
alter table public.monitors add constraint monitors_platforms_limit check (cardinality(platforms) <= 100);

-- Security definer: the functions that name the usual systems are granted to nobody.
create function app.fill_platforms() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  usual text[];
  before text[];
begin
  if tg_table_name = 'monitors' then
    usual := app.monitor_platforms(new);
    before := case when tg_op = 'UPDATE' then app.monitor_platforms(old) end;
  else
    usual := app.script_platforms(new.type);
    before := case when tg_op = 'UPDATE' then app.script_platforms(old.type) end;
  end if;
  -- What nobody narrowed follows the type.
  if coalesce(new.platforms, '{}') = '{}' or tg_op = 'UPDATE' and usual <> before and new.platforms = old.platforms and old.platforms = before then
    new.platforms := usual;
    return new;
  end if;
  new.platforms := array(select distinct p from unnest(new.platforms) p order by p);
  -- PowerShell is also made for other systems.
  if not new.platforms <@ usual and (to_jsonb(new) ->> 'type') not in ('PowerShell', 'Process') then
    raise exception using errcode = 'check_violation', hint = 'platform_of_type', table = tg_table_name, column = 'platforms',
      constraint = tg_table_name || '_platforms_check',
      message = format('new row for relation "%1$s" violates check constraint "%1$s_platforms_check"', tg_table_name);
  end if;
  return new;
end $$;
comment on function app.fill_platforms() is
  'Row trigger: the systems of a script, saved command or monitor, from its type where none are named. Each is one on which the type '
  'runs; PowerShell may be widened. Definer, because the functions it calls are granted to nobody; it reads no table.';
revoke execute on function app.fill_platforms() from public;
create trigger procedures_platforms before insert or update on public.procedures for each row execute function app.fill_platforms();
create trigger saved_commands_platforms before insert or update on public.saved_commands for each row execute function app.fill_platforms();
create trigger monitors_platforms before insert or update of type, process_name, platforms on public.monitors
  for each row execute function app.fill_platforms();
grant insert (platforms), update (platforms) on public.procedures, public.saved_commands, public.monitors to authenticated;
create or replace trigger monitors_touch before update on public.monitors for each row execute function app.touch('name', 'description', 'type',
  'severity', 'settings', 'threshold', 'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled', 'metric', 'above_percent',
  'restart', 'probe', 'process_state', 'event_minutes', 'event_count', 'check_interval', 'repeat_count', 'auto_resolve', 'procedure_id',
  'open_ticket', 'offline_minutes', 'cooldown_minutes', 'notify_role', 'ticket_category_id', 'ticket_assignee_id', 'platforms');

-- Monitors ------------------------------------------------------------------------------------------------------------

-- Security definer: people narrow monitors, and nobody may write states.
create function app.leave_platforms() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from public.monitor_states s using public.devices d
    where s.company_id = new.company_id and s.monitor_id = new.id and d.company_id = s.company_id and d.id = s.device_id
      and d.platform <> all (new.platforms);
  update public.alerts a set status = 'resolved' from public.devices d
    where a.company_id = new.company_id and a.monitor_id = new.id and a.status in ('open', 'acknowledged')
      and d.company_id = a.company_id and d.id = a.device_id and d.platform <> all (new.platforms);
  return null;
end $$;
comment on function app.leave_platforms() is
  'Row trigger: a monitor that was narrowed forgets the devices it no longer checks, and their alerts are resolved. Definer, because '
  'nobody may write states.';
revoke execute on function app.leave_platforms() from public;
create trigger monitors_narrowed after update of platforms on public.monitors
  for each row when (old.platforms is distinct from new.platforms) execute function app.leave_platforms();

-- Security definer: the list of a device is the server's.
create function app.follow_platform() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.recompute_monitors(array[new.id]);
  return null;
end $$;
comment on function app.follow_platform() is
  'Row trigger of devices: another system has other monitors. Definer, because nobody may write presence.';
revoke execute on function app.follow_platform() from public;
create trigger devices_platform after update of platform on public.devices
  for each row when (old.platform is distinct from new.platform) execute function app.follow_platform();

-- Jobs ----------------------------------------------------------------------------------------------------------------

alter table public.jobs
  add column platforms text[],
  add column left_out integer not null default 0 check (left_out >= 0),
  add column left_full integer not null default 0 check (left_full >= 0);
comment on column public.jobs.platforms is 'The systems on which its script runs; null for all.';
comment on column public.jobs.left_out is 'Chosen devices that got no run because the script does not run on their system.';
comment on column public.jobs.left_full is 'Chosen devices that got no run because they have as many open ones as a device may have.';

create function app.max_open_runs() returns integer
  language sql immutable set search_path = '' as $$ select 200 $$;
comment on function app.max_open_runs() is 'How many runs of a device may wait or run at once.';
revoke execute on function app.max_open_runs() from public;

create function app.runnable_devices(company uuid, wanted uuid[], platforms text[], out devices uuid[], out other integer, out "full" integer)
  language sql stable set search_path = '' as $$
  with chosen as (
    select d.id, platforms is not null and d.platform is not null and d.platform <> all (platforms) as is_other,
      (select count(*) from (
        select 1 from public.job_runs r
        where r.company_id = company and r.device_id = d.id and r.status in ('queued', 'claimed', 'running')
        limit app.max_open_runs()) x) >= app.max_open_runs() as is_full
    from unnest(wanted) w (id) join public.devices d on d.company_id = company and d.id = w.id
  )
  select array_agg(c.id order by c.id) filter (where not c.is_other and not c.is_full),
    (count(*) filter (where c.is_other))::integer, (count(*) filter (where c.is_full and not c.is_other))::integer
  from chosen c
$$;
comment on function app.runnable_devices(uuid, uuid[], text[]) is
  'Of these devices those that can take a run of a script for these systems (null for all), how many are of another system, and how many '
  'have as many open runs as a device may have. A device whose system is unknown is taken.';
revoke execute on function app.runnable_devices(uuid, uuid[], text[]) from public;

-- Whatever queued it: a run for a device of another system does not exist.
create function app.require_platform() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if exists (
    select 1 from new_rows n join public.jobs j on j.company_id = n.company_id and j.id = n.job_id
      join public.devices d on d.company_id = n.company_id and d.id = n.device_id
    where j.platforms is not null and d.platform <> all (j.platforms)
  ) then
    raise exception 'The script does not run on the system of a device.' using errcode = 'check_violation', hint = 'platform_none';
  end if;
  return null;
end $$;
comment on function app.require_platform() is 'Statement trigger of job_runs: the device of a run has a system on which the script of its job runs.';
revoke execute on function app.require_platform() from public;
create trigger job_runs_platform after insert on public.job_runs
  referencing new table as new_rows for each statement execute function app.require_platform();

-- Where jobs are made -------------------------------------------------------------------------------------------------


create or replace function app.queue_job(asked public.jobs, secret jsonb, device_ids uuid[]) returns uuid
  language plpgsql set search_path = '' as $$
declare
  wanted uuid[];
  fitting record;
begin
  select array_agg(distinct d) into wanted from unnest(device_ids) d where d is not null;
  if wanted is null then
    raise exception 'Choose at least one device.' using errcode = 'check_violation', hint = 'devices_none';
  end if;
  if cardinality(wanted) > app.max_targets() then
    raise exception 'A job runs on at most % devices.', app.max_targets() using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  if asked.max_running not between 1 and 1000 then
    raise exception 'A job runs on 1 to 1,000 devices at once.' using errcode = 'check_violation', hint = 'max_running_invalid';
  end if;
  if asked.expires_at <= now() or asked.expires_at > now() + interval '31 days' then
    raise exception 'A job must expire in the future, within 31 days.' using errcode = 'check_violation', hint = 'expiry_invalid';
  end if;
  -- Joined: = any () would compare each device with each of thousands of entries.
  if (select count(*) from unnest(wanted) w (id) join public.devices d on d.company_id = asked.company_id and d.id = w.id)
    <> cardinality(wanted) then
    raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  fitting := app.runnable_devices(asked.company_id, wanted, asked.platforms);
  wanted := fitting.devices;
  if wanted is null then
    raise exception 'None of the chosen devices can take the run.' using errcode = 'check_violation',
      hint = case when fitting.full > 0 then 'runs_too_many' else 'platform_none' end;
  end if;
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, secret_names, created_by, expires_at, total, max_running,
     platforms, left_out, left_full)
  values (asked.company_id, asked.kind, asked.name, asked.procedure_id, asked.procedure_version_id, asked.script_type, asked.script,
    encode(sha256(convert_to(asked.script, 'UTF8')), 'hex'), asked.timeout_seconds, coalesce(asked.parameters, '{}'),
    array(select k from jsonb_object_keys(secret) k order by k),
    (select p.id from public.profiles p where p.id = app.current_user_id()), asked.expires_at, cardinality(wanted),
    -- A cap that no run could ever meet costs nothing at the check-ins.
    case when asked.max_running < cardinality(wanted) then asked.max_running end, asked.platforms, fitting.other, fitting.full)
  returning id, max_running into asked.id, asked.max_running;
  if secret <> '{}' then
    insert into app.job_secrets (job_id, company_id, parameters) values (asked.id, asked.company_id, secret);
  end if;
  insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped)
    select asked.company_id, asked.id, d, asked.procedure_id, asked.max_running is not null from unnest(wanted) d;
  return asked.id;
end $$;

create or replace function app.procedure_job(procedure public.procedures, given jsonb default '{}', out job public.jobs, out secret jsonb)
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

-- Security definer: nobody may write jobs and runs.
create or replace function public.run_command(
  type text, command text, device_ids uuid[], name text default null, timeout_seconds integer default 300,
  expires_at timestamptz default null, max_running integer default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  job public.jobs%rowtype;
begin
  perform app.require('custom-commands', 'run');
  if run_command.type is null or run_command.type not in ('CMD', 'PowerShell', 'Python', 'Bash') then
    raise exception 'A command is of type CMD, PowerShell, Python or Bash.' using errcode = 'check_violation', hint = 'type_invalid';
  end if;
  if coalesce(btrim(command, E' \t\n\r'), '') = '' then
    raise exception 'Enter a command.' using errcode = 'check_violation', hint = 'command_empty';
  end if;
  if octet_length(command) > 20000 then
    raise exception 'A command has at most 20,000 bytes. Save a longer one as a script.'
      using errcode = 'check_violation', hint = 'command_too_long';
  end if;
  if coalesce(run_command.timeout_seconds, 0) not between 1 and 86400 then
    raise exception 'The timeout is between 1 second and 1 day.' using errcode = 'check_violation', hint = 'timeout_invalid';
  end if;
  job.company_id := app.device_company(device_ids);
  job.kind := 'command';
  job.name := left(coalesce(nullif(btrim(run_command.name), ''), split_part(btrim(command, E' \t\n\r'), E'\n', 1)), 120);
  job.script_type := case run_command.type when 'CMD' then 'Batch' else run_command.type end;
  job.script := command;
  -- A saved command says where it runs; any other runs where its type does.
  job.platforms := coalesce((
    select array_agg(distinct x.platform order by x.platform) from public.saved_commands s cross join lateral unnest(s.platforms) x (platform)
    where s.company_id = job.company_id and s.type = run_command.type and s.command = run_command.command), app.script_platforms(run_command.type));
  job.timeout_seconds := run_command.timeout_seconds;
  job.expires_at := coalesce(run_command.expires_at, now() + interval '24 hours');
  job.max_running := run_command.max_running;
  return app.queue_job(job, '{}', device_ids);
end $$;

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
    encode(sha256(convert_to(script.script, 'UTF8')), 'hex'), script.timeout_seconds, bound.plain, task.created_by,
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

create or replace function app.automation_reach(automation public.automations, device_ids uuid[], is_any boolean)
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

create or replace function app.is_monitored(company uuid, monitor uuid, device uuid) returns boolean
  language sql stable set search_path = '' as $$
  select exists (
    select 1 from public.monitors m join public.devices d on d.company_id = m.company_id and d.id = device
    where m.company_id = company and m.id = monitor and (d.platform is null or d.platform = any (m.platforms)))
  and (not exists (select 1 from public.monitor_groups g where g.company_id = company and g.monitor_id = monitor)
    or exists (
      select 1 from public.monitor_groups g
      join public.group_devices d on d.company_id = g.company_id and d.group_id = g.group_id
      where g.company_id = company and g.monitor_id = monitor and d.device_id = device))
$$;

-- Security definer: nobody may write jobs and runs.
create or replace function public.test_monitor(monitor_id uuid, device_ids uuid[], name text default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
begin
  perform app.require('monitors', 'run');
  select m.* into monitor from public.monitors m where m.id = test_monitor.monitor_id and m.company_id = any (app.visible_company_ids());
  if monitor.id is null then
    raise exception 'The monitor was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  if monitor.type = 'Offline' then
    raise exception 'A device cannot check whether it is offline.' using errcode = 'check_violation', hint = 'monitor_untestable';
  end if;
  device_ids := array(select w.id from unnest(device_ids) w (id)
    left join public.devices d on d.company_id = monitor.company_id and d.id = w.id
    where d.platform is null or d.platform = any (monitor.platforms));
  if device_ids = '{}' then
    raise exception 'The monitor checks no device of these.' using errcode = 'check_violation', hint = 'platform_none';
  end if;
  return app.queue_task(monitor.company_id, coalesce(nullif(btrim(test_monitor.name), ''), monitor.name),
    jsonb_build_object('task', 'check_monitor', 'monitor', app.monitor_object(monitor)), device_ids, 120, now() + interval '15 minutes');
end $$;
