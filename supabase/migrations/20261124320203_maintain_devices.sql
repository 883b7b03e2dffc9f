-- Maintenance, alerts for offline devices, and the other policies: check-in interval and what may be run.

-- Columns --------------------------------------------------------------------------------------------------------------------

alter table public.devices add column maintenance_until timestamptz;
alter table public.devices add column maintenance_note text check (length(maintenance_note) <= 200);
comment on column public.devices.maintenance_until is 'Until then the device raises no alerts. Written by set_maintenance().';
create index devices_company_maintenance_idx on public.devices (company_id, maintenance_until) where maintenance_until is not null;

alter table public.monitors drop constraint monitors_type_check;
alter table public.monitors add constraint monitors_type_check
  check (type in ('Performance', 'Service', 'Network', 'Process', 'Event ID', 'Offline'));
alter table public.monitors add column offline_minutes integer default 10 check (offline_minutes between 1 and 43200);
alter table public.monitors add constraint monitors_offline_minutes_check02 check (not (type = 'Offline') or offline_minutes is not null);
alter table public.monitors add column cooldown_minutes integer not null default 60 check (cooldown_minutes between 0 and 10080);
-- A monitor that the server evaluates has neither.
alter table public.monitors alter column check_interval drop not null;
alter table public.monitors alter column repeat_count drop not null;
alter table public.monitors add constraint monitors_check_interval_check02 check (not (type <> 'Offline') or check_interval is not null);
alter table public.monitors add constraint monitors_repeat_count_check02 check (not (type <> 'Offline') or repeat_count is not null);
grant insert (offline_minutes, cooldown_minutes), update (offline_minutes, cooldown_minutes) on public.monitors to authenticated;

alter table public.alerts add column suppressed_by text check (length(suppressed_by) <= 200);
comment on column public.alerts.suppressed_by is
  'The maintenance during which the monitor failed: such an alert is resolved from the start, and nobody is told.';
create index alerts_cooldown_idx on public.alerts (company_id, monitor_id, device_id, opened_at);
drop trigger alerts_ticket on public.alerts;
create trigger alerts_ticket after insert on public.alerts
  for each row when (new.suppressed_by is null) execute function app.open_ticket();

alter table public.monitor_states add column suppressed boolean not null default false;
comment on column public.monitor_states.suppressed is 'It began to fail during a maintenance; app.raise_suppressed() opens an alert at its end.';
create index monitor_states_suppressed_idx on public.monitor_states (company_id, id) where suppressed;

alter table public.policies rename column install_weekdays to window_weekdays;
alter table public.policies rename column install_from to window_from;
alter table public.policies rename column install_to to window_to;
alter table public.policies rename constraint policies_install_from_check02 to policies_window_from_check02;
alter table public.policies rename constraint policies_install_to_check02 to policies_window_to_check02;
alter table public.policies drop column settings;
alter table public.policies add column check_in_seconds integer check (check_in_seconds between 5 and 600);
alter table public.policies add column denied text[] not null default '{}'
  check (denied <@ array['procedure', 'command', 'app', 'patch', 'power']::text[] and cardinality(denied) <= 100);
-- Those of before had settings that bound nobody.
update public.policies set enabled = false where kind <> 'patch';
alter table public.policies drop constraint policies_window_from_check02;
alter table public.policies drop constraint policies_window_to_check02;
alter table public.policies drop constraint policies_timezone_check02;
update public.policies set window_from = coalesce(window_from, '22:00'), window_to = coalesce(window_to, '05:00'),
  timezone = coalesce(timezone, 'Europe/Istanbul') where kind = 'maintenance';
alter table public.policies add constraint policies_window_from_check02
  check (not (kind in ('patch', 'maintenance')) or coalesce(length(btrim(window_from)), 0) > 0);
alter table public.policies add constraint policies_window_to_check02
  check (not (kind in ('patch', 'maintenance')) or coalesce(length(btrim(window_to)), 0) > 0);
alter table public.policies add constraint policies_timezone_check02
  check (not (kind in ('patch', 'maintenance')) or coalesce(length(btrim(timezone)), 0) > 0);
grant insert (check_in_seconds, denied), update (check_in_seconds, denied) on public.policies to authenticated;

alter table public.device_presence add column check_in_seconds integer;
comment on column public.device_presence.check_in_seconds is 'By the agent policy that applies to the device; written by app.apply_policies().';

-- Policies -------------------------------------------------------------------------------------------------------------------

create or replace function app.window_of(policy public.policies, moment timestamptz, out starts timestamptz, out ends timestamptz)
  language sql stable set search_path = '' as $$
  -- A window that begins on a day may end on the next one. The zone's own clock decides.
  select w.starts, w.ends
  from (
    select (d.day + policy.window_from::time) at time zone policy.timezone as starts,
      (d.day + (policy.window_to::time <= policy.window_from::time)::integer + policy.window_to::time) at time zone policy.timezone as ends,
      d.day
    from (select (moment at time zone policy.timezone)::date - n as day from generate_series(0, 1) n) d
  ) w
  where moment >= w.starts and moment < w.ends
    and (array['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])[extract(isodow from w.day)::integer] = any (policy.window_weekdays)
  order by w.starts desc limit 1
$$;

create or replace function app.enforce_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  policy public.policies%rowtype;
  done integer := 0;
begin
  for policy in
    select p.* from public.policies p join public.companies c on c.id = p.company_id
    where p.kind = 'patch' and p.enabled and c.status = 'Active' and (c.license_end_date is null or c.license_end_date > now())
      and c.license_type = 'Pro' and (p.approve_severities <> '{}' or p.window_weekdays <> '{}')
    order by p.company_id, p.position, p.id
    for no key update of p skip locked
  loop
    begin
      done := done + app.enforce_policy(policy);
    exception when others then
      insert into app.tick_log (step, error) values ('policies', left(policy.id || ' ' || sqlstate || ' ' || sqlerrm, 1000));
    end;
  end loop;
  return done;
end $$;

create or replace function public.device_policies(device_id uuid) returns jsonb
  language sql stable security definer set search_path = '' as $$
  -- Security definer: app.is_under() is granted to nobody. The first two conditions are those of the policies' own rows.
  select coalesce(jsonb_agg(to_jsonb(x) - 'company_id' order by x.kind, x.position, x.id), '[]')
  from (
    select p.id, p.name, p.kind, p.position, p.approve_severities, p.approve_after_days, p.window_weekdays, p.window_from, p.window_to,
      p.timezone, p.reboot, p.check_in_seconds, p.denied, p.company_id,
      first_value(p.name) over (partition by p.kind order by p.position, p.id) as first_name,
      row_number() over (partition by p.kind order by p.position, p.id) = 1 as applies
    from public.policies p
    join public.devices d on d.company_id = p.company_id and d.id = device_policies.device_id
    where app.can('policies', 'list') and app.can('devices', 'list') and p.company_id = any (app.visible_company_ids())
      and p.enabled and app.is_under(p, d.id)
  ) x
$$;

create function app.policy_of(company uuid, device uuid, kind text) returns setof public.policies
  language sql stable rows 1 set search_path = '' as $$
  select p.* from public.policies p
  where p.company_id = company and p.kind = policy_of.kind and p.enabled and app.is_under(p, device)
  order by p.position, p.id limit 1
$$;
comment on function app.policy_of(uuid, uuid, text) is 'The policy of a kind that applies to a device, the first by position; no row without one.';
revoke execute on function app.policy_of(uuid, uuid, text) from public;

create function app.job_act(job public.jobs) returns text
  language sql immutable set search_path = '' as $$
  select case when job.kind <> 'task' then job.kind else case job.script::jsonb ->> 'task'
    when 'app' then 'app' when 'corporate_app' then 'app' when 'scan_patches' then 'patch' when 'install_patches' then 'patch'
    when 'reboot' then 'power' when 'shut_down' then 'power' end end
$$;
comment on function app.job_act(public.jobs) is 'What a job does, in the words of policies.denied; null for what no policy denies.';
revoke execute on function app.job_act(public.jobs) from public;

create or replace function app.claim_runs(company uuid, device uuid, held uuid[], room integer) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  offered uuid[];
  denied text[];
begin
  -- At the last moment: the policy may be younger than the job.
  select p.denied into denied from app.policy_of(company, device, 'permission') p where p.denied <> '{}';
  if denied is not null then
    update public.job_runs r set status = 'failed', error = 'denied', finished_at = now()
      from public.jobs j
      where r.company_id = company and r.device_id = device and r.status = 'queued' and j.company_id = r.company_id and j.id = r.job_id
        and app.job_act(j) = any (denied);
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
      -- Said once more for the partial index.
      and r.status in ('queued', 'claimed', 'running')
      and ((r.status = 'queued' and j.expires_at > now()
          -- A license that ended stops new work, but not what the device already took, nor a Super Admin.
          and (app.company_runs(company) or exists (
            select 1 from public.user_roles u where u.user_id = j.created_by and u.role = 'Super Admin'
          )))
        or (r.status in ('claimed', 'running') and r.lease_until < now() and r.id <> all (held)))
    order by r.queued_at, r.id limit room for update of r skip locked
  ) picked;
  if offered is null then
    return '[]';
  end if;
  update public.job_runs r
    set status = case r.status when 'queued' then 'claimed' else r.status end,
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
        where j.kind = 'task' and t.company_id = company and t.run_id = r.id and t.status in ('queued', 'installing') and u.approval = 'approved'
        having count(*) > 0
      ) p on true
    where r.company_id = company and r.id = any (offered)
  );
end $$;


create table app.policy_changes (
  company_id uuid primary key references public.companies (id) on delete cascade
);
comment on table app.policy_changes is 'Companies whose agent policies or their devices changed since app.apply_policies() last ran.';
revoke all on app.policy_changes from public, anon, authenticated;
alter table app.policy_changes enable row level security;

-- Security definer: people change policies and groups, and nobody may write this table.
create function app.note_policy_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into app.policy_changes (company_id)
    select distinct c.company_id from changed c
    where exists (select 1 from public.policies p where p.company_id = c.company_id and p.kind = 'agent')
      or exists (select 1 from public.device_presence p where p.company_id = c.company_id and p.check_in_seconds is not null)
    order by c.company_id
    on conflict do nothing;
  return null;
end $$;
comment on function app.note_policy_change() is 'Statement trigger of what decides which agent policy applies to a device.';
revoke execute on function app.note_policy_change() from public;
create index device_presence_check_in_idx on public.device_presence (company_id) where check_in_seconds is not null;

create trigger policies_note_insert after insert on public.policies
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger policies_note_update after update on public.policies
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger policies_note_delete after delete on public.policies
  referencing old table as changed for each statement execute function app.note_policy_change();
create trigger policy_groups_note_insert after insert on public.policy_groups
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger policy_groups_note_delete after delete on public.policy_groups
  referencing old table as changed for each statement execute function app.note_policy_change();
create trigger group_devices_policies_insert after insert on public.group_devices
  referencing new table as changed for each statement execute function app.note_policy_change();
create trigger group_devices_policies_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.note_policy_change();
create trigger devices_policies_insert after insert on public.devices
  referencing new table as changed for each statement execute function app.note_policy_change();

create function app.apply_policies() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  company uuid;
  part integer;
  done integer := 0;
begin
  for company in
    delete from app.policy_changes c where c.company_id in (
      select x.company_id from app.policy_changes x order by x.company_id limit 10 for update skip locked)
    returning c.company_id
  loop
    update public.device_presence p set check_in_seconds = e.seconds
      from (
        select d.id, (select x.check_in_seconds from app.policy_of(d.company_id, d.id, 'agent') x) as seconds
        from public.devices d where d.company_id = company
      ) e
      where p.company_id = company and p.device_id = e.id and p.check_in_seconds is distinct from e.seconds;
    get diagnostics part = row_count;
    done := done + part;
  end loop;
  return done;
end $$;
comment on function app.apply_policies() is 'Step of app.tick(): gives devices the check-in interval of their agent policy, after a change, for ten companies a call.';
revoke execute on function app.apply_policies() from public;
insert into app.tick_step (position, name, function) values (52, 'agent_policies', 'apply_policies');

-- Maintenance ----------------------------------------------------------------------------------------------------------------

create function app.maintenance_of(company uuid, device uuid) returns text
  language sql stable set search_path = '' as $$
  select coalesce(
    (select coalesce(nullif(btrim(d.maintenance_note), ''), 'Maintenance') from public.devices d
      where d.company_id = company and d.id = device and d.maintenance_until > now()),
    (select p.name from app.policy_of(company, device, 'maintenance') p cross join lateral app.window_of(p, now()) w where w.starts is not null))
$$;
comment on function app.maintenance_of(uuid, uuid) is
  'What keeps a device from raising alerts now: the note of its own maintenance, or the name of its policy; null without either.';
revoke execute on function app.maintenance_of(uuid, uuid) from public;

-- Security definer: people may not write these columns of devices.
create function public.set_maintenance(device_ids uuid[], minutes integer, note text default null) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('devices', 'edit');
  if minutes is null or minutes not between 0 and 43200 then
    raise exception 'A maintenance takes at most 30 days.' using errcode = 'check_violation', hint = 'maintenance_minutes';
  end if;
  if cardinality(device_ids) > 1000 then
    raise exception 'At most 1,000 devices at once.' using errcode = 'check_violation', hint = 'devices_too_many';
  end if;
  update public.devices d
    set maintenance_until = case when minutes > 0 then now() + make_interval(mins => minutes) end,
      maintenance_note = case when minutes > 0 then left(nullif(btrim(set_maintenance.note), ''), 200) end
    where d.id in (select x.id from public.devices x
      where x.id = any (device_ids) and x.company_id = any (app.visible_company_ids()) order by x.id for no key update);
  get diagnostics changed = row_count;
  if changed < (select count(distinct x) from unnest(device_ids) x) then
    raise exception 'A chosen device was not found.' using errcode = 'PT404', hint = 'device_gone';
  end if;
  return changed;
end $$;
comment on function public.set_maintenance(uuid[], integer, text) is
  'Keeps devices from raising alerts for so many minutes, or ends that with 0; returns how many. `note` is shown with what is suppressed.';
revoke execute on function public.set_maintenance(uuid[], integer, text) from public, anon;
grant execute on function public.set_maintenance(uuid[], integer, text) to authenticated;

-- Monitors -------------------------------------------------------------------------------------------------------------------

create function app.monitor_object(m public.monitors) returns jsonb
  language sql stable set search_path = '' as $$
  select jsonb_strip_nulls(jsonb_build_object(
      'id', m.id, 'type', m.type, 'interval_seconds', m.check_interval, 'repeat_count', m.repeat_count,
      'metric', m.metric, 'above_percent', m.above_percent, 'service_name', m.service_name, 'restart', m.restart,
      'probe', m.probe, 'target', m.target, 'process_name', m.process_name, 'process_state', m.process_state,
      'event_id', m.event_id, 'log_name', m.log_name, 'event_minutes', m.event_minutes, 'event_count', m.event_count))
$$;
comment on function app.monitor_object(public.monitors) is 'A monitor as devices get it.';
revoke execute on function app.monitor_object(public.monitors) from public;

create or replace function app.monitors_of(company uuid, device uuid) returns jsonb
  language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(app.monitor_object(m) order by m.id), '[]')
  from public.monitors m
  where m.company_id = company and m.enabled and m.type <> 'Offline' and app.is_monitored(m.company_id, m.id, device)
$$;

create function app.open_alert(monitor public.monitors, device uuid, message text) returns void
  language plpgsql set search_path = '' as $$
declare
  alert public.alerts%rowtype;
begin
  insert into public.alerts (company_id, monitor_id, device_id, severity, message)
    values (monitor.company_id, monitor.id, device, monitor.severity, coalesce(nullif(open_alert.message, ''), monitor.name))
    on conflict (company_id, monitor_id, device_id) where status <> 'resolved' do nothing
    returning * into alert;
  if alert.id is null or exists (
    select 1 from public.alerts a
    where a.company_id = alert.company_id and a.monitor_id = alert.monitor_id and a.device_id = alert.device_id and a.id <> alert.id
      and a.opened_at > now() - make_interval(mins => monitor.cooldown_minutes) and a.suppressed_by is null
  ) then
    return;
  end if;
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, alert.company_id, 'alert_opened',
      jsonb_build_object('monitor', monitor.name, 'message', alert.message, 'severity', alert.severity),
      '/alerts/' || alert.id, 'alert:' || alert.id
    from public.user_roles r
    where r.company_id = alert.company_id and r.role = any (app.roles_that_may('alerts', 'edit')) and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
  if monitor.procedure_id is not null then
    perform app.repair(alert, monitor);
  end if;
end $$;
comment on function app.open_alert(public.monitors, uuid, text) is
  'Opens an alert unless one is open. Tells the company''s people and runs the monitor''s script, unless the last alert of the device is younger than the cooldown.';
revoke execute on function app.open_alert(public.monitors, uuid, text) from public;

create or replace function app.take_monitor_states(company uuid, device uuid, states jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  reported record;
  monitor public.monitors%rowtype;
  maintenance text := app.maintenance_of(company, device);
  is_new boolean;
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
    insert into public.monitor_states as s (company_id, monitor_id, device_id, state, message, suppressed, changed_at)
      values (company, monitor.id, device, reported.state, nullif(reported.message, ''), reported.state = 'failing' and maintenance is not null, now())
      on conflict (company_id, monitor_id, device_id) do update
      set state = excluded.state, message = excluded.message, suppressed = excluded.suppressed, changed_at = now()
      where s.state is distinct from excluded.state;
    is_new := found;
    if reported.state = 'failing' and maintenance is null then
      perform app.open_alert(monitor, device, reported.message);
    elsif reported.state = 'failing' then
      -- A restarted agent tells every state again.
      insert into public.alerts (company_id, monitor_id, device_id, severity, message, status, resolved_at, suppressed_by)
        select company, monitor.id, device, monitor.severity, coalesce(nullif(reported.message, ''), monitor.name), 'resolved', now(), maintenance
        where is_new and not exists (select 1 from public.alerts a
          where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status <> 'resolved');
    elsif monitor.auto_resolve then
      update public.alerts a set status = 'resolved'
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status <> 'resolved';
    end if;
  end loop;
end $$;
comment on function app.take_monitor_states(uuid, uuid, jsonb) is
  'Takes [{monitor_id, state: ok or failing, message?}] from a device: opens an alert, or resolves the one that is open. During a '
  'maintenance the alert is only noted, as resolved. A monitor that is not the device''s is passed over.';

create function app.raise_suppressed() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  over record;
  monitor public.monitors%rowtype;
  done integer := 0;
begin
  for over in
    select s.id, s.company_id, s.monitor_id, s.device_id, s.message from public.monitor_states s
    where s.suppressed and app.maintenance_of(s.company_id, s.device_id) is null
    -- As take_monitor_states() takes its locks.
    order by s.monitor_id, s.device_id limit 500
  loop
    select m.* into monitor from public.monitors m where m.company_id = over.company_id and m.id = over.monitor_id for no key update;
    update public.monitor_states s set suppressed = false where s.company_id = over.company_id and s.id = over.id and s.suppressed and s.state = 'failing';
    if found and monitor.enabled then
      perform app.open_alert(monitor, over.device_id, over.message);
      done := done + 1;
    end if;
  end loop;
  return done;
end $$;
comment on function app.raise_suppressed() is
  'Step of app.tick(): opens alerts for what began to fail during a maintenance that is over, and still does; at most 500 a call.';
revoke execute on function app.raise_suppressed() from public;
insert into app.tick_step (position, name, function) values (58, 'maintenance', 'raise_suppressed');

create function app.watch_offline() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device record;
  done integer := 0;
begin
  for monitor in
    select m.* from public.monitors m join public.companies c on c.id = m.company_id
    where m.type = 'Offline' and m.enabled and c.status = 'Active' order by m.id limit 1000
  loop
    for device in
      select d.id, 'failing' as state, format('Offline since %s UTC', to_char(d.offline_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI')) as message
      from public.devices d
      where d.company_id = monitor.company_id and d.status = 'offline'
        and d.offline_since <= now() - make_interval(mins => monitor.offline_minutes)
        and not exists (select 1 from public.monitor_states s
          where s.company_id = d.company_id and s.monitor_id = monitor.id and s.device_id = d.id and s.state = 'failing')
        and app.is_monitored(d.company_id, monitor.id, d.id)
      union all
      select d.id, 'ok', null
      from public.monitor_states s join public.devices d on d.company_id = s.company_id and d.id = s.device_id
      where s.company_id = monitor.company_id and s.monitor_id = monitor.id and s.state = 'failing' and d.status = 'online'
      limit 500
    loop
      perform app.take_monitor_states(monitor.company_id, device.id, jsonb_build_array(jsonb_strip_nulls(
        jsonb_build_object('monitor_id', monitor.id, 'state', device.state, 'message', device.message))));
      done := done + 1;
    end loop;
    perform app.note_checks(monitor.company_id, array[monitor.id]);
  end loop;
  return done;
end $$;
comment on function app.watch_offline() is
  'Step of app.tick(): evaluates the monitors of type Offline, which no device can; at most 500 changes a monitor and call.';
revoke execute on function app.watch_offline() from public;
create index monitors_offline_idx on public.monitors (id) where type = 'Offline';
insert into app.tick_step (position, name, function) values (57, 'offline_monitors', 'watch_offline');

-- Security definer: nobody may insert jobs; this function checks the permission, the company and every device.
create function public.test_monitor(monitor_id uuid, device_ids uuid[], name text default null) returns uuid
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
  return app.queue_task(monitor.company_id, coalesce(nullif(btrim(test_monitor.name), ''), monitor.name),
    jsonb_build_object('task', 'check_monitor', 'monitor', app.monitor_object(monitor)), device_ids, 120, now() + interval '15 minutes');
end $$;
comment on function public.test_monitor(uuid, uuid[], text) is
  'Has devices make the check of a monitor once, without a change of its state, and print what they found; returns the job.';
revoke execute on function public.test_monitor(uuid, uuid[], text) from public, anon;
grant execute on function public.test_monitor(uuid, uuid[], text) to authenticated;

-- Check-in -------------------------------------------------------------------------------------------------------------------

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
  select p.inventory_hash, p.monitors_stamp, p.monitors_hash, greatest(seconds, p.check_in_seconds)
    into known_hash, known_stamp, list_hash, seconds from public.device_presence p
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
  return answer;
end $$;
comment on function public.agent_check_in(jsonb) is
  '{device_id, secret, machine_id?, metrics, inventory_hash, inventory?, running, agent_version, monitors_hash?, monitor_states?, samples?} → '
  '{interval, send_inventory?, runs, cancel, time, monitors?, monitors_hash?}. monitors_hash is that of the monitors the device has, null '
  'at first; they come when it is another. monitor_states: app.take_monitor_states(); samples: app.take_samples().';
