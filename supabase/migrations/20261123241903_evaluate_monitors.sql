-- Monitors in operation ---------------------------------------------------------------------------------------------------
-- Devices make the checks. They fetch their monitors with a check-in when these changed, and report with one when a state did.

create function app.is_monitored(company uuid, monitor uuid, device uuid) returns boolean
  language sql stable set search_path = '' as $$
  select not exists (select 1 from public.monitor_groups g where g.company_id = company and g.monitor_id = monitor)
    or exists (
      select 1 from public.monitor_groups g
      join public.group_devices d on d.company_id = g.company_id and d.group_id = g.group_id
      where g.company_id = company and g.monitor_id = monitor and d.device_id = device)
$$;
comment on function app.is_monitored(uuid, uuid, uuid) is
  'Whether a monitor checks a device: one without groups checks all of its company.';
revoke execute on function app.is_monitored(uuid, uuid, uuid) from public;

create function app.monitors_of(company uuid, device uuid) returns jsonb
  language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'id', m.id, 'type', m.type, 'interval_seconds', m.check_interval, 'repeat_count', m.repeat_count,
      'metric', m.metric, 'above_percent', m.above_percent, 'service_name', m.service_name, 'restart', m.restart,
      'probe', m.probe, 'target', m.target, 'process_name', m.process_name, 'process_state', m.process_state,
      'event_id', m.event_id, 'log_name', m.log_name, 'event_minutes', m.event_minutes, 'event_count', m.event_count)) order by m.id), '[]')
  from public.monitors m
  where m.company_id = company and m.enabled and app.is_monitored(m.company_id, m.id, device)
$$;
comment on function app.monitors_of(uuid, uuid) is 'What a device has to check, as agent_check_in() gives it.';
revoke execute on function app.monitors_of(uuid, uuid) from public;

create function app.repair(alert public.alerts, monitor public.monitors) returns void
  language plpgsql set search_path = '' as $$
declare
  found public.procedures%rowtype;
  bound record;
  job public.jobs%rowtype;
begin
  select p.* into found from public.procedures p where p.company_id = alert.company_id and p.id = monitor.procedure_id;
  if found.id is null or not app.company_runs(alert.company_id) then
    return;
  end if;
  select * into bound from app.bind_parameters(found.parameters, '{}');
  select v.id into job.procedure_version_id from public.procedure_versions v
    where v.company_id = found.company_id and v.procedure_id = found.id and v.number = found.revision;
  job.company_id := found.company_id;
  job.kind := 'procedure';
  job.name := found.name;
  job.procedure_id := found.id;
  job.script_type := found.type;
  job.script := found.script;
  job.timeout_seconds := found.timeout_seconds;
  job.parameters := bound.plain;
  job.expires_at := now() + interval '1 hour';
  perform app.queue_job(job, '{}', array[alert.device_id]);
exception when check_violation then
  -- It asks for a value that nobody gives here: the alert stands all the same.
  return;
end $$;
comment on function app.repair(public.alerts, public.monitors) is 'Runs the monitor''s script on the device of a new alert.';
revoke execute on function app.repair(public.alerts, public.monitors) from public;

create function app.take_monitor_states(company uuid, device uuid, states jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  reported record;
  monitor public.monitors%rowtype;
  alert public.alerts%rowtype;
begin
  -- One order for all: an alert writes its monitor, and many devices may notice the same at once.
  for reported in
    select distinct on (s.id) s.id, s.state, s.message
    from (
      select app.lenient_uuid(e ->> 'monitor_id') as id, e ->> 'state' as state, app.short_text(e -> 'message', 500) as message
      from jsonb_array_elements(states) e where jsonb_typeof(e) = 'object'
    ) s
    where s.id is not null and s.state in ('ok', 'failing')
    order by s.id
  loop
    select m.* into monitor from public.monitors m
      where m.company_id = company and m.id = reported.id and m.enabled and app.is_monitored(company, m.id, device)
      for no key update;
    continue when monitor.id is null;
    insert into public.monitor_states as s (company_id, monitor_id, device_id, state, message, changed_at)
      values (company, monitor.id, device, reported.state, nullif(reported.message, ''), now())
      on conflict (company_id, monitor_id, device_id) do update
      set state = excluded.state, message = excluded.message, changed_at = now()
      where s.state is distinct from excluded.state;
    if reported.state = 'failing' then
      insert into public.alerts (company_id, monitor_id, device_id, severity, message)
        values (company, monitor.id, device, monitor.severity, coalesce(nullif(reported.message, ''), monitor.name))
        on conflict (company_id, monitor_id, device_id) where status <> 'resolved' do nothing
        returning * into alert;
      if alert.id is not null then
        insert into public.notifications (user_id, company_id, kind, params, link, once_key)
          select r.user_id, company, 'alert_opened',
            jsonb_build_object('monitor', monitor.name, 'message', alert.message, 'severity', alert.severity),
            '/alerts/' || alert.id, format('alert:%s:%s:%s', monitor.id, device, to_char(now(), 'YYYYMMDDHH24'))
          from public.user_roles r
          where r.company_id = company and r.role = any (app.roles_that_may('alerts', 'edit')) and r.deactivated_at is null
          on conflict (user_id, once_key) do nothing;
        if monitor.procedure_id is not null then
          perform app.repair(alert, monitor);
        end if;
      end if;
    elsif monitor.auto_resolve then
      update public.alerts a set status = 'resolved'
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status <> 'resolved';
    end if;
    alert := null;
  end loop;
end $$;
comment on function app.take_monitor_states(uuid, uuid, jsonb) is
  'Takes [{monitor_id, state: ok or failing, message?}] from a device: opens an alert that tells its company''s people and runs the '
  'monitor''s script, or resolves the one that is open. A monitor that is not the device''s is passed over.';
revoke execute on function app.take_monitor_states(uuid, uuid, jsonb) from public;

create function app.note_checks(company uuid, ids uuid[]) returns void
  language sql set search_path = '' as $$
  -- Once a minute for all devices together: what a check-in does must not grow with the fleet.
  update public.monitors m set last_check_at = now() from (
    select x.id from public.monitors x
    where x.company_id = company and x.id = any (ids) and (x.last_check_at is null or x.last_check_at < now() - interval '1 minute')
    order by x.id for no key update skip locked
  ) due where m.company_id = company and m.id = due.id
$$;
comment on function app.note_checks(uuid, uuid[]) is 'Notes that devices check these monitors, at most once a minute for each.';
revoke execute on function app.note_checks(uuid, uuid[]) from public;

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
  monitors jsonb;
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

  select d.status, d.machine_id, d.clone_suspected, d.agent_version into known from public.devices d
    where d.company_id = company and d.id = device;
  -- The wide row is written on transitions alone; what changes at every check-in lives in the narrow one.
  changes_device := known.status <> 'online'
    or known.agent_version is distinct from coalesce(app.short_text(body -> 'agent_version', 40), known.agent_version)
    or (not known.clone_suspected and known.machine_id <> app.short_text(body -> 'machine_id', 129));
  brings_inventory := body ? 'inventory' and jsonb_typeof(body -> 'inventory') <> 'null';
  if changes_device or brings_inventory then
    perform 1 from public.devices d where d.company_id = company and d.id = device for no key update;
  end if;
  select p.inventory_hash into known_hash from public.device_presence p
    where p.company_id = company and p.device_id = device for update;
  if changes_device then
    update public.devices d
      set status = 'online', offline_since = null,
        agent_version = coalesce(app.short_text(body -> 'agent_version', 40), d.agent_version),
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
  if has_open or exists (
    select 1 from public.job_runs r
    where r.company_id = company and r.device_id = device and r.queued_at > now() - interval '10 minutes'
  ) then
    seconds := 5;
  end if;

  update public.device_presence p
    set last_seen_at = now(), online = true, interval_seconds = seconds, updated_at = now(),
      inventory_hash = known_hash,
      cpu_percent = app.percent(metrics -> 'cpu'), memory_percent = app.percent(metrics -> 'memory'),
      disk_percent = app.percent(metrics -> 'disk')
    where p.company_id = company and p.device_id = device;

  answer := jsonb_build_object('interval', seconds, 'runs', runs, 'cancel', to_jsonb(stop), 'time', now());
  -- Agents of earlier versions make no checks.
  if body ? 'monitors_hash' then
    -- First what waits for locks, in one order; app.note_checks() waits for none.
    if jsonb_typeof(body -> 'monitor_states') = 'array' then
      if jsonb_array_length(body -> 'monitor_states') > 200 then
        raise exception 'At most 200 monitor states.' using errcode = 'PT413';
      end if;
      perform app.take_monitor_states(company, device, body -> 'monitor_states');
    end if;
    monitors := case when app.company_runs(company) then app.monitors_of(company, device) else '[]' end;
    if md5(monitors::text) is distinct from body ->> 'monitors_hash' then
      answer := answer || jsonb_build_object('monitors', monitors, 'monitors_hash', md5(monitors::text));
    elsif monitors <> '[]' then
      perform app.note_checks(company, array(select (m ->> 'id')::uuid from jsonb_array_elements(monitors) m));
    end if;
  end if;
  if known_hash is distinct from new_hash or new_hash is null then
    answer := answer || '{"send_inventory": true}';
  end if;
  return answer;
end $$;
comment on function public.agent_check_in(jsonb) is
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, running, agent_version, monitors_hash?, monitor_states?} → '
  '{interval, send_inventory?, runs, cancel, time, monitors?, monitors_hash?}. monitors_hash is that of the monitors the device has, null '
  'at first; they come when it is another. monitor_states: app.take_monitor_states().';
