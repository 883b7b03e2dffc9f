-- What a job runs on, how many devices at once, and when.

alter table public.jobs add column max_running integer check (max_running between 1 and 1000);
comment on column public.jobs.max_running is
  'On how many devices it runs at the same time; null is all of them. Enforced by app.claim_runs().';
alter table public.job_runs add column is_capped boolean not null default false;
comment on column public.job_runs.is_capped is 'Whether its job has max_running: the index of those that run has no entries of other jobs.';
alter table public.job_runs add column start_after timestamptz;
comment on column public.job_runs.start_after is 'No device claims it before; null is at once.';
alter table public.job_runs add column waits_for text check (waits_for in ('approval'));
comment on column public.job_runs.waits_for is 'What kept its device from claiming it, when it last asked.';
create index job_runs_capped_idx on public.job_runs (company_id, job_id) where is_capped and status in ('claimed', 'running');

drop trigger job_runs_audit_insert on public.job_runs;
drop trigger job_runs_audit_update on public.job_runs;
drop trigger job_runs_audit_delete on public.job_runs;
select app.keep_audit('public.job_runs', 'id', array['status', 'attempt', 'queued_at', 'claimed_at', 'lease_until', 'started_at',
  'finished_at', 'reported_at', 'exit_code', 'output', 'output_truncated', 'error', 'duration_seconds', 'device_key', 'automation_run_id', 'waits_for', 'start_after', 'is_capped']);
-- Who asked for what is said once, by the job: a row a device took five sixths of the time that a job on 10,000 devices needs.
drop trigger job_runs_audit_insert on public.job_runs;

-- Queueing ----------------------------------------------------------------------------------------------------------------

create function app.max_targets() returns integer
  language sql immutable set search_path = '' as $$ select 20000 $$;
comment on function app.max_targets() is 'On how many devices one job runs at most.';
revoke execute on function app.max_targets() from public, anon;
grant execute on function app.max_targets() to authenticated;

create or replace function app.queue_job(asked public.jobs, secret jsonb, device_ids uuid[]) returns uuid
  language plpgsql set search_path = '' as $$
declare
  wanted uuid[];
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
  insert into public.jobs
    (company_id, kind, name, procedure_id, procedure_version_id, script_type, script, script_sha256,
     timeout_seconds, parameters, created_by, expires_at, total, max_running)
  values (asked.company_id, asked.kind, asked.name, asked.procedure_id, asked.procedure_version_id, asked.script_type, asked.script,
    encode(sha256(convert_to(asked.script, 'UTF8')), 'hex'), asked.timeout_seconds, coalesce(asked.parameters, '{}'),
    (select p.id from public.profiles p where p.id = app.current_user_id()), asked.expires_at, cardinality(wanted),
    -- A cap that no run could ever meet costs nothing at the check-ins.
    case when asked.max_running < cardinality(wanted) then asked.max_running end)
  returning id, max_running into asked.id, asked.max_running;
  if secret <> '{}' then
    insert into app.job_secrets (job_id, company_id, parameters) values (asked.id, asked.company_id, secret);
  end if;
  insert into public.job_runs (company_id, job_id, device_id, procedure_id, is_capped)
    select asked.company_id, asked.id, d, asked.procedure_id, asked.max_running is not null from unnest(wanted) d;
  return asked.id;
end $$;

create or replace function app.device_company(device_ids uuid[]) returns uuid
  language plpgsql stable set search_path = '' as $$
declare
  company uuid;
begin
  -- A device of another company looks exactly like one that does not exist.
  select d.company_id into company from unnest(device_ids) w (id) join public.devices d on d.id = w.id
    where d.company_id = any (app.visible_company_ids()) order by d.id limit 1;
  if company is null and cardinality(array_remove(device_ids, null)) > 0 then
    raise exception 'A chosen device was not found.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  return company;
end $$;

drop function app.queue_task(uuid, text, jsonb, uuid[], integer, timestamptz);
create function app.queue_task(company uuid, name text, task jsonb, device_ids uuid[], seconds integer, until timestamptz,
  max_running integer default null
) returns uuid
  language plpgsql set search_path = '' as $$
declare
  job public.jobs%rowtype;
begin
  job.company_id := company;
  job.kind := 'task';
  job.name := left(name, 120);
  job.script_type := 'Agent';
  job.script := task::text;
  job.timeout_seconds := seconds;
  job.expires_at := until;
  job.max_running := queue_task.max_running;
  return app.queue_job(job, '{}', device_ids);
end $$;
comment on function app.queue_task(uuid, text, jsonb, uuid[], integer, timestamptz, integer) is
  'Writes the job of a task on devices of one company. Its callers have checked the permission.';
revoke execute on function app.queue_task(uuid, text, jsonb, uuid[], integer, timestamptz, integer) from public;

drop function app.queue_patches(uuid, text, uuid[], timestamptz);
create or replace function app.queue_patches(company uuid, name text, patch_rows uuid[], until timestamptz, max_running integer default null)
  returns uuid
  language plpgsql set search_path = '' as $$
declare
  -- What a device gets in one environment variable stays under 128 kB.
  max_per_device constant integer := 300;
  chosen uuid[];
  devices uuid[];
  job uuid;
begin
  select array_agg(x.id), array_agg(distinct x.device_id) into chosen, devices
  from (
    select t.id, t.device_id, row_number() over (partition by t.device_id order by t.title_key, t.id) as place
    from public.device_patches t
    join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.id = any (patch_rows) and t.status in ('missing', 'failed') and coalesce(t.exception, p.approval) = 'approved'
  ) x
  where x.place <= max_per_device;
  if chosen is null then
    raise exception 'No approved update is missing there.' using errcode = 'check_violation', hint = 'patches_none';
  end if;
  job := app.queue_task(company, name, '{"task": "install_patches"}', devices, 7200, until, max_running);
  update public.device_patches t set status = 'queued', run_id = r.id, error = null
    from public.job_runs r
    where r.company_id = company and r.job_id = job and t.company_id = company and t.device_id = r.device_id and t.id = any (chosen);
  return job;
end $$;
comment on function app.queue_patches(uuid, text, uuid[], timestamptz, integer) is
  'Has devices install those of the given rows of device_patches that are approved and missing; check_violation, patches_none, without one.';
revoke execute on function app.queue_patches(uuid, text, uuid[], timestamptz, integer) from public;

drop function public.run_procedure(uuid, uuid[], jsonb, timestamptz);
-- Security definer: nobody may insert jobs and runs; this function checks the permission, the company and every device.
create function public.run_procedure(
  procedure_id uuid, device_ids uuid[], parameters jsonb default '{}', expires_at timestamptz default null,
  max_running integer default null
) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.procedures%rowtype;
  made record;
  job public.jobs%rowtype;
  -- A driver may hand an object over as its text.
  given jsonb := case jsonb_typeof(run_procedure.parameters)
    when 'string' then (run_procedure.parameters #>> '{}')::jsonb else coalesce(run_procedure.parameters, '{}') end;
begin
  perform app.require('procedures', 'run');
  -- A procedure of another company looks exactly like one that does not exist.
  select p.* into found from public.procedures p
    where p.id = run_procedure.procedure_id and p.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The procedure was not found.' using errcode = 'PT404', hint = 'procedure_gone';
  end if;
  made := app.procedure_job(found, given);
  job := made.job;
  job.expires_at := coalesce(run_procedure.expires_at, job.expires_at);
  job.max_running := run_procedure.max_running;
  return app.queue_job(job, made.secret, device_ids);
end $$;
comment on function public.run_procedure(uuid, uuid[], jsonb, timestamptz, integer) is
  'Asks for a procedure to be run on devices of its company; returns the job. A device that is offline runs it when it comes back, until '
  'expires_at (24 hours unless given). max_running: on how many at the same time.';
revoke execute on function public.run_procedure(uuid, uuid[], jsonb, timestamptz, integer) from public, anon;
grant execute on function public.run_procedure(uuid, uuid[], jsonb, timestamptz, integer) to authenticated;

drop function public.run_command(text, text, uuid[], text, integer, timestamptz);
-- Security definer, as run_procedure.
create function public.run_command(
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
  job.timeout_seconds := run_command.timeout_seconds;
  job.expires_at := coalesce(run_command.expires_at, now() + interval '24 hours');
  job.max_running := run_command.max_running;
  return app.queue_job(job, '{}', device_ids);
end $$;
comment on function public.run_command(text, text, uuid[], text, integer, timestamptz, integer) is
  'Asks for a single command to be run on devices of one company; returns the job. `name` is what the job is called: the command''s '
  'first line unless given. A device that is offline runs it when it comes back, until expires_at (24 hours unless given). '
  'max_running: on how many at the same time.';
revoke execute on function public.run_command(text, text, uuid[], text, integer, timestamptz, integer) from public, anon;
grant execute on function public.run_command(text, text, uuid[], text, integer, timestamptz, integer) to authenticated;

drop function public.run_task(text, uuid[], text);
-- Security definer, as run_procedure.
create or replace function public.run_task(task text, device_ids uuid[], name text default null, max_running integer default null) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  company uuid;
  label text := nullif(btrim(run_task.name), '');
  release text;
begin
  if task is null or task not in ('reboot', 'shut_down', 'inventory', 'scan_patches', 'install_patches', 'update_agent') then
    raise exception 'There is no such task.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  perform app.require(app.task_object(jsonb_build_object('task', task)::text), 'run');
  company := app.device_company(device_ids);
  if task = 'install_patches' then
    if (select count(distinct d.id) from unnest(device_ids) w (id) join public.devices d on d.company_id = company and d.id = w.id)
      <> (select count(distinct d) from unnest(device_ids) d) then
      raise exception 'A chosen device was not found in the company of the job.' using errcode = 'PT404', hint = 'device_gone';
    end if;
    return app.queue_patches(company, coalesce(label, 'Install updates'), array(
      select t.id from public.device_patches t
        left join lateral app.policy_of(company, t.device_id, 'patch') p on true
      where t.company_id = company and t.device_id = any (device_ids) and t.status in ('missing', 'failed')
        -- "All" is what the policies would install; a single update is installed by install_patches(), whatever its ring.
        and (t.exception = 'approved' or p.id is null or not app.is_held(p, t.patch_id))), now() + interval '24 hours', max_running);
  end if;
  if task = 'update_agent' then
    release := (app.current_agent()).version;
    if release is null then
      raise exception 'The server serves no agent.' using errcode = 'check_violation', hint = 'agent_none';
    end if;
    update public.device_presence p set agent_target = release, agent_target_asked = true
      where p.company_id = company and p.device_id in (
        select x.device_id from public.device_presence x
        where x.company_id = company and x.device_id = any (device_ids) order by x.device_id for no key update);
  end if;
  return app.queue_task(company,
    coalesce(label, case task when 'reboot' then 'Restart' when 'shut_down' then 'Shut down' when 'update_agent' then 'Update the agent'
      when 'inventory' then 'Refresh inventory' else 'Check for updates' end),
    jsonb_strip_nulls(jsonb_build_object('task', task, 'version', release)), device_ids,
    case task when 'scan_patches' then 1800 when 'update_agent' then 1200 else 300 end,
    -- Nobody expects a device to restart when it comes back tomorrow.
    now() + case when task in ('reboot', 'shut_down') then interval '15 minutes' else interval '24 hours' end, max_running);
end $$;
comment on function public.run_task(text, uuid[], text, integer) is
  'Asks devices of one company to reboot, shut_down, send their inventory, scan_patches, or install_patches (all that are approved and missing); '
  'returns the job. `name` is what the job is called. A restart that no device took within 15 minutes expires, other tasks after a day.';
revoke execute on function public.run_task(text, uuid[], text, integer) from public, anon;
grant execute on function public.run_task(text, uuid[], text, integer) to authenticated;

drop function public.run_app(uuid, text, uuid[], text);
-- Security definer, as run_procedure.
create function public.run_app(app_id uuid, act text, device_ids uuid[], name text default null, max_running integer default null)
  returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.apps%rowtype;
begin
  perform app.require('apps', 'run');
  if run_app.act is null or run_app.act not in ('install', 'update', 'remove') then
    raise exception 'An app is installed, updated or removed.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  select a.* into found from public.apps a where a.id = run_app.app_id and (a.enabled or run_app.act = 'remove');
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return app.queue_task(app.device_company(device_ids),
    coalesce(nullif(btrim(run_app.name), ''), initcap(run_app.act) || ' ' || found.name),
    jsonb_build_object('task', 'app', 'act', run_app.act, 'name', found.name, 'ids', jsonb_strip_nulls(jsonb_build_object(
      'apt', found.apt_id, 'winget', found.winget_id, 'choco', found.choco_id, 'brew', found.brew_id))),
    device_ids, 3600, now() + interval '24 hours', max_running);
end $$;
comment on function public.run_app(uuid, text, uuid[], text, integer) is
  'Installs, updates or removes an app of the store on devices of one company with their package manager; returns the job.';
revoke execute on function public.run_app(uuid, text, uuid[], text, integer) from public, anon;
grant execute on function public.run_app(uuid, text, uuid[], text, integer) to authenticated;

drop function public.run_corporate_app(uuid, uuid[], text);
-- Security definer, as run_procedure.
create function public.run_corporate_app(corporate_app_id uuid, device_ids uuid[], name text default null, max_running integer default null)
  returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.corporate_apps%rowtype;
begin
  perform app.require('corporate_apps', 'run');
  select a.* into found from public.corporate_apps a
    where a.id = run_corporate_app.corporate_app_id and a.company_id = any (app.visible_company_ids());
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return app.queue_task(found.company_id,
    coalesce(nullif(btrim(run_corporate_app.name), ''), 'Install ' || found.name),
    jsonb_build_object('task', 'corporate_app', 'app', jsonb_strip_nulls(jsonb_build_object('name', found.name,
      'package_version', found.package_version, 'platform', found.platform, 'source_url', found.source_url, 'sha256', found.sha256,
      'install_arguments', found.install_arguments, 'detection_rule', found.detection_rule,
      'success_codes', found.success_codes, 'reboot_codes', found.reboot_codes))),
    device_ids, 7200, now() + interval '24 hours', max_running);
end $$;
comment on function public.run_corporate_app(uuid, uuid[], text, integer) is
  'Has devices of its company download, check and install a package; returns the job. Where its detection rule finds it, nothing is done.';
revoke execute on function public.run_corporate_app(uuid, uuid[], text, integer) from public, anon;
grant execute on function public.run_corporate_app(uuid, uuid[], text, integer) to authenticated;

-- Targets -----------------------------------------------------------------------------------------------------------------

create function app.target_query(target jsonb, out source text, out condition text)
  language plpgsql stable set search_path = '' as $$
declare
  company uuid := (target ->> 'company_id')::uuid;
  kind text := target ->> 'kind';
  filter jsonb := coalesce(target -> 'filter', '{}');
begin
  if jsonb_typeof(target) is distinct from 'object' or octet_length(target::text) > 200000
    or kind is null or kind not in ('all', 'groups', 'filter')
    or (kind = 'groups' and jsonb_typeof(target -> 'group_ids') is distinct from 'array')
    or (target ? 'platforms' and jsonb_typeof(target -> 'platforms') not in ('array', 'null')) then
    raise exception 'There is no such target.' using errcode = 'check_violation', hint = 'target_invalid';
  end if;
  source := app.matching_source('devices', filter, case kind when 'filter' then coalesce(target ->> 'q', '') else '' end);
  condition := case kind
    when 'groups' then format('t.id in (select m.device_id from public.group_devices m where m.group_id = any (%L::uuid[]))',
      array(select e::uuid from jsonb_array_elements_text(target -> 'group_ids') e limit 100))
    when 'filter' then app.filter_condition('devices', filter)
    else 'true' end;
  if company is not null then
    condition := format('t.company_id = %L::uuid and (%s)', company, condition);
  end if;
  if jsonb_typeof(target -> 'platforms') = 'array' then
    condition := format('(%s) and (t.platform is null or t.platform = any (%L::text[]))', condition,
      array(select e from jsonb_array_elements_text(target -> 'platforms') e limit 20));
  end if;
end $$;
comment on function app.target_query(jsonb) is
  'What a target reads devices (t) from, and by which condition. {kind: all, company_id}, {kind: groups, group_ids} or {kind: filter, '
  'filter, q?} in the filter language; platforms keeps devices of these and of unknown ones. Runs as the caller, who finds what a list shows.';
revoke execute on function app.target_query(jsonb) from public, anon;
grant execute on function app.target_query(jsonb) to authenticated;

create function public.preview_target(target jsonb, max_names integer default 12) returns jsonb
  language plpgsql stable set search_path = '' set statement_timeout = '30s' as $$
declare
  query record := app.target_query(target);
  answer jsonb;
begin
  execute format($query$
    with found as materialized (select t.company_id, t.platform, t.status, t.name, t.name_key, t.id from %s where %s),
    platforms as (
      select f.platform, count(*) as devices, count(*) filter (where f.status <> 'online') as offline from found f group by f.platform
    )
    select jsonb_build_object(
      'companies', (select coalesce(jsonb_agg(c.company_id), '[]') from (select distinct f.company_id from found f limit 2) c),
      'platforms', (select coalesce(jsonb_agg(jsonb_build_object('platform', p.platform, 'devices', p.devices, 'offline', p.offline,
        'names', (select jsonb_agg(n.name order by n.name_key, n.id) from (select f.name, f.name_key, f.id from found f
          where f.platform is not distinct from p.platform order by f.name_key, f.id limit %s) n)) order by p.platform), '[]') from platforms p))
  $query$, query.source, query.condition, least(greatest(coalesce(max_names, 12), 0), 100)) into answer;
  return answer;
end $$;
comment on function public.preview_target(jsonb, integer) is
  'The devices of a target (app.target_query()) by platform: {companies: up to two, platforms: [{platform, devices, offline, names}]}, '
  'names being the first few. Runs as the caller.';
revoke execute on function public.preview_target(jsonb, integer) from public, anon;
grant execute on function public.preview_target(jsonb, integer) to authenticated;

create function public.run_on_target(target jsonb, call text, args jsonb default '{}') returns uuid
  language plpgsql set search_path = '' set statement_timeout = '60s' as $$
declare
  query record := app.target_query(target);
  ids uuid[];
  cap integer := (args ->> 'max_running')::integer;
  until timestamptz := (args ->> 'expires_at')::timestamptz;
begin
  if call is null or call not in ('run_procedure', 'run_command', 'run_task', 'run_app', 'run_corporate_app', 'test_monitor') then
    raise exception 'There is no such call.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  -- As the caller, whom row-level security shows what a list would; the function that queues checks the permission.
  execute format('select array_agg(x.id) from (select t.id from %s where %s limit %s) x', query.source, query.condition, app.max_targets() + 1)
    into ids;
  return case call
    when 'run_procedure' then public.run_procedure((args ->> 'procedure_id')::uuid, ids, coalesce(args -> 'parameters', '{}'), until, cap)
    when 'run_command' then public.run_command(args ->> 'type', args ->> 'command', ids, args ->> 'name',
      coalesce((args ->> 'timeout_seconds')::integer, 300), until, cap)
    when 'run_task' then public.run_task(args ->> 'task', ids, args ->> 'name', cap)
    when 'run_app' then public.run_app((args ->> 'app_id')::uuid, args ->> 'act', ids, args ->> 'name', cap)
    when 'run_corporate_app' then public.run_corporate_app((args ->> 'corporate_app_id')::uuid, ids, args ->> 'name', cap)
    when 'test_monitor' then public.test_monitor((args ->> 'monitor_id')::uuid, ids, args ->> 'name')
  end;
end $$;
comment on function public.run_on_target(jsonb, text, jsonb) is
  'Calls run_procedure, run_command, run_task, run_app, run_corporate_app or test_monitor with the arguments `args` on the devices that a '
  'target (app.target_query()) has at this moment; returns the job. Runs as the caller.';
revoke execute on function public.run_on_target(jsonb, text, jsonb) from public, anon;
grant execute on function public.run_on_target(jsonb, text, jsonb) to authenticated;

-- Schedules -----------------------------------------------------------------------------------------------------------------

alter table public.scheduled_tasks add column random_delay_minutes integer not null default 0 check (random_delay_minutes between 0 and 1440);
alter table public.scheduled_tasks add column max_running integer check (max_running between 1 and 1000);
grant insert (random_delay_minutes, max_running), update (random_delay_minutes, max_running) on public.scheduled_tasks to authenticated;
create or replace trigger scheduled_tasks_touch before update on public.scheduled_tasks for each row execute function app.touch('name', 'procedure_id', 'target_kind', 'device_id', 'group_id', 'frequency',
  'starts_at', 'every_minutes', 'time_of_day', 'weekdays', 'month_day', 'timezone', 'missed_run', 'enabled', 'month_week', 'month_weekday',
  'random_delay_minutes', 'max_running');

create function app.spread_start(task uuid, device uuid, due timestamptz, minutes integer) returns timestamptz
  language sql stable set search_path = '' as $$
  select case when minutes > 0 then greatest(due, now()) + make_interval(secs =>
    ('x' || left(md5(task::text || device::text || extract(epoch from due)::text), 7))::bit(28)::integer % (minutes * 60 + 1)) end
$$;
comment on function app.spread_start(uuid, uuid, timestamptz, integer) is
  'When a device starts a run of a schedule with a random delay: a moment within so many minutes that follows from schedule, device and '
  'due time. Null without a delay.';
revoke execute on function app.spread_start(uuid, uuid, timestamptz, integer) from public;

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
    greatest(now() + interval '15 minutes', least(now() + interval '24 hours', following)) + make_interval(mins => task.random_delay_minutes),
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
      select task.company_id, job, d, script.id, capped, app.spread_start(task.id, d, due, task.random_delay_minutes) from unnest(wanted) d;
  end if;
  return null;
end $$;

-- Check-in ------------------------------------------------------------------------------------------------------------------

-- Security definer: an anonymous device has no privileges; the secret in the body is the credential.
create or replace function public.agent_check_in(payload jsonb) returns jsonb
  language plpgsql security definer set search_path = '' set jit = off as $$
declare
  body jsonb := app.agent_payload(payload, 4194304);
  device uuid := app.lenient_uuid(body ->> 'device_id');
  company uuid := app.agent_company(device, body ->> 'secret');
  known record;
  changes_device boolean;
  brings_inventory boolean;
  known_hash text;
  new_hash text := app.short_text(body -> 'inventory_hash', 128);
  metrics jsonb := body -> 'metrics';
  held uuid[] := '{}';
  kept integer := 0;
  has_open boolean;
  seconds integer := app.fleet_interval();
  runs jsonb := '[]';
  stop uuid[] := '{}';
  answer jsonb;
  list_stamp bigint;
  list_hash text;
  known_stamp bigint;
  monitors jsonb;
  reported text := app.short_text(body -> 'agent_version', 40);
  update_state text;
  update_version text;
  update_reason text;
  target text;
  target_asked boolean;
begin
  if body ? 'running' and jsonb_typeof(body -> 'running') not in ('array', 'null') then
    raise exception 'running must be a list of run ids.' using errcode = 'PT400';
  end if;
  if jsonb_typeof(body -> 'running') = 'array' then
    if jsonb_array_length(body -> 'running') > 64 then
      raise exception 'At most 64 running entries.' using errcode = 'PT413';
    end if;
    select coalesce(array_agg(distinct u.id), '{}') into held
      from jsonb_array_elements_text(body -> 'running') e, lateral (select app.lenient_uuid(e) as id) u
      where u.id is not null;
  end if;

  if body -> 'update' ->> 'state' in ('updating', 'failed') then
    update_state := body -> 'update' ->> 'state';
    update_version := app.short_text(body -> 'update' -> 'version', 40);
    update_reason := case when update_state <> 'failed' then null
      when body -> 'update' ->> 'reason' in ('no_check_in', 'ended', 'interrupted', 'signature', 'older', 'not_writable')
        then body -> 'update' ->> 'reason'
      else 'other' end;
  end if;
  select d.status, d.machine_id, d.clone_suspected, d.agent_version, d.agent_update_state, d.agent_update_version, d.agent_update_reason
    into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(reported, known.agent_version)
    or known.agent_update_state is distinct from update_state or known.agent_update_version is distinct from update_version
    or known.agent_update_reason is distinct from update_reason
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if changes_device or brings_inventory then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash, p.monitors_stamp, p.monitors_hash, greatest(seconds, p.check_in_seconds), p.agent_target, p.agent_target_asked
    into known_hash, known_stamp, list_hash, seconds, target, target_asked from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(reported, d.agent_version),
        agent_update_state = update_state, agent_update_version = update_version, agent_update_reason = update_reason,
        clone_suspected = d.clone_suspected or coalesce(d.machine_id <> app.short_text(body -> 'machine_id', 129), false)
      where d.company_id = company and d.id = device;
  end if;
  if brings_inventory then
    perform app.record_inventory(company, device, body -> 'inventory');
    known_hash := new_hash;
  end if;

  has_open := exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.status in ('queued', 'claimed', 'running')
  );
  if cardinality(held) > 0 then
    -- A lease is renewed in its last four minutes: every check-in of a long run would else rewrite the row.
    with lapsing as (
      select r.id from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held)
        and r.status in ('claimed', 'running') and r.lease_until < now() + interval '4 minutes'
      -- One that is being reported at this moment needs no lease.
      order by r.id for update skip locked
    )
    update public.job_runs r set lease_until = now() + interval '5 minutes' from lapsing where r.id = lapsing.id;
    select count(*) filter (where r.status in ('claimed', 'running')) into kept from public.job_runs r
      where r.company_id = company and r.device_id = device and r.id = any (held);
    -- Also what is not this device's, or no longer: a run that was deleted or canceled here must stop there.
    select coalesce(array_agg(h), '{}') into stop from unnest(held) h
      where not exists (
        select 1 from public.job_runs r
        where r.company_id = company and r.device_id = device and r.id = h
          and r.cancel_requested_at is null and r.status in ('claimed', 'running', 'expired')
      );
  end if;
  if has_open then
    runs := app.claim_runs(company, device, held, 4 - kept);
  end if;
  -- A run that waits for its turn, its time or an approval is asked about at the usual interval: thousands may wait for hours.
  if has_open and exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.status in ('queued', 'claimed', 'running')
      and (r.status <> 'queued' or not (r.is_capped or r.waits_for is not null or r.start_after > now()))
  ) or exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.queued_at > now() - interval '10 minutes'
      and not r.is_capped and r.start_after is null and r.waits_for is null
  ) then
    seconds := 5;
  end if;

  if jsonb_typeof(body -> 'samples') = 'array' then
    if jsonb_array_length(body -> 'samples') > 300 then
      raise exception 'At most 300 samples.' using errcode = 'PT413';
    end if;
    if jsonb_array_length(body -> 'samples') > 0 then
      perform app.take_samples(company, device, body -> 'samples');
    end if;
  end if;

  -- Agents of earlier versions make no checks.
  if body ? 'monitors_hash' then
    -- First what waits for locks, in one order; app.note_checks() waits for none.
    if jsonb_typeof(body -> 'monitor_states') = 'array' then
      if jsonb_array_length(body -> 'monitor_states') > 200 then
        raise exception 'At most 200 monitor states.' using errcode = 'PT413';
      end if;
      perform app.take_monitor_states(company, device, body -> 'monitor_states');
    end if;
    -- Before the list is read: a change in between makes the next check-in read it again.
    select coalesce((select s.stamp from app.monitor_stamps s where s.company_id = company), 0) into list_stamp
      where app.company_runs(company);
    if list_stamp is null then
      monitors := '[]';
    elsif list_stamp is distinct from known_stamp or list_hash is null or list_hash <> coalesce(body ->> 'monitors_hash', '') then
      monitors := app.monitors_of(company, device);
    end if;
    if monitors is not null then
      list_hash := md5(monitors::text);
    end if;
    known_stamp := list_stamp;
  end if;

  update public.device_presence p
    set last_seen_at = now(), online = true, interval_seconds = seconds, updated_at = now(),
      inventory_hash = known_hash, monitors_stamp = known_stamp, monitors_hash = list_hash,
      cpu_percent = app.percent(metrics -> 'cpu'), memory_percent = app.percent(metrics -> 'memory'),
      disk_percent = app.percent(metrics -> 'disk')
    where p.company_id = company and p.device_id = device;

  answer := jsonb_build_object('interval', seconds, 'runs', runs, 'cancel', to_jsonb(stop), 'time', now());
  if body ? 'monitors_hash' then
    if list_hash is distinct from body ->> 'monitors_hash' then
      answer := answer || jsonb_build_object('monitors', monitors, 'monitors_hash', list_hash);
    elsif list_hash <> md5('[]') then
      perform app.note_list(company, device, list_hash);
    end if;
  end if;
  if known_hash is distinct from new_hash or new_hash is null then
    answer := answer || '{"send_inventory": true}';
  end if;
  -- Most devices run their target, or failed to: nothing more is read for them. A version without a hash of its content is that of
  -- an agent that cannot update itself.
  if target <> reported and strpos(reported, '+') > 0 and (update_state is distinct from 'failed' or update_version is distinct from target) then
    target := app.agent_offer(company, target, target_asked);
    if target is not null then
      answer := answer || jsonb_build_object('update', target);
    end if;
  end if;
  return answer;
end $$;
