-- The health of a monitor follows what devices found, not its alerts alone: one that nothing can check is not healthy.

alter table public.monitors add column health text not null default 'not_checked'
  check (health in ('failing', 'suppressed', 'healthy', 'unknown', 'not_checked'));
comment on column public.monitors.health is
  'failing: a device fails or an alert is unresolved. suppressed: all devices that fail are in maintenance. healthy: a device succeeded and '
  'none fails. unknown: no device can make the check. not_checked: disabled, or no device has reported. Kept by app.rate_monitors().';
comment on table public.monitors is
  'Checks the agents make. is_active is false while health is failing (what the dashboard counts); enabled is the on/off switch.';
create index monitors_company_health_idx on public.monitors (company_id, health);
create index monitors_health_idx on public.monitors (health, id);
create index monitor_states_health_idx on public.monitor_states (company_id, monitor_id, state, suppressed);

-- Machines write this one too.
drop trigger monitors_audit_insert on public.monitors;
drop trigger monitors_audit_update on public.monitors;
drop trigger monitors_audit_delete on public.monitors;
select app.keep_audit('public.monitors', 'id', array['is_active', 'health', 'last_check_at']);

-- Security definer, as before: people change monitors, and nobody may write stamps.
create or replace function app.stamp_monitors() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  -- Columns that a device never gets.
  ignored constant text[] := array['is_active', 'health', 'last_check_at', 'name', 'description', 'severity', 'threshold', 'auto_resolve',
    'open_ticket', 'procedure_id', 'name_key', 'search', 'version', 'updated_at'];
  companies uuid[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(distinct n.company_id order by n.company_id) into companies
      from new_rows n join old_rows o on o.id = n.id where to_jsonb(n) - ignored is distinct from to_jsonb(o) - ignored;
  elsif tg_op = 'INSERT' then
    select array_agg(distinct n.company_id order by n.company_id) into companies from new_rows n;
  else
    select array_agg(distinct o.company_id order by o.company_id) into companies from old_rows o;
  end if;
  if companies is not null then
    insert into app.monitor_stamps as s (company_id) select c.id from public.companies c where c.id = any (companies) order by c.id
      on conflict (company_id) do update set stamp = s.stamp + 1;
  end if;
  return null;
end $$;

create function app.rate_monitors(ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One order for all. The statement after it sees what those who held the locks wrote.
  perform 1 from public.monitors m where m.id = any (ids) order by m.id for no key update;
  update public.monitors m set health = r.health, is_active = r.health <> 'failing'
    from (
      -- Each question is one step down an index, however many devices there are.
      select x.id, case
        when exists (select 1 from public.alerts a
          where a.company_id = x.company_id and a.monitor_id = x.id and a.status <> 'resolved') then 'failing'
        when not x.enabled then 'not_checked'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'failing' and not s.suppressed) then 'failing'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'failing') then 'suppressed'
        -- The console makes this check itself, and writes states only of devices that failed.
        when x.type = 'Offline' and x.last_check_at is not null then 'healthy'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'ok') then 'healthy'
        when exists (select 1 from public.monitor_states s
          where s.company_id = x.company_id and s.monitor_id = x.id and s.state = 'unknown') then 'unknown'
        else 'not_checked' end as health
      from public.monitors x where x.id = any (ids)
    ) r
    where m.id = r.id and (m.health <> r.health or m.is_active <> (r.health <> 'failing'));
end $$;
comment on function app.rate_monitors(uuid[]) is 'Keeps health and is_active of these monitors, by their alerts and the states of their devices.';
revoke execute on function app.rate_monitors(uuid[]) from public;

-- Security definer, as before: is_active and health are not a client's to write.
create or replace function app.follow_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    perform app.rate_monitors(array(select distinct o.monitor_id from old_rows o));
  else
    perform app.rate_monitors(array(select distinct n.monitor_id from new_rows n));
  end if;
  return null;
end $$;
comment on function app.follow_alerts() is
  'Statement trigger of alerts: keeps monitors.health and is_active. Definer, because they are not a client''s to write.';

-- Security definer: devices are deleted by people, who may not write what follows from it.
create function app.follow_states() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'DELETE' then
    touched := array(select distinct o.monitor_id from old_rows o);
  elsif tg_op = 'INSERT' then
    touched := array(select distinct n.monitor_id from new_rows n);
  else
    touched := array(select distinct n.monitor_id from new_rows n join old_rows o on o.id = n.id
      where (n.state, n.suppressed) is distinct from (o.state, o.suppressed));
  end if;
  if touched <> '{}' then
    perform app.rate_monitors(touched);
  end if;
  return null;
end $$;
comment on function app.follow_states() is
  'Statement trigger of monitor_states: keeps monitors.health and is_active. Definer, because they are not a client''s to write.';
revoke execute on function app.follow_states() from public;
create trigger monitor_states_follow_insert after insert on public.monitor_states
  referencing new table as new_rows for each statement execute function app.follow_states();
create trigger monitor_states_follow_update after update on public.monitor_states
  referencing old table as old_rows new table as new_rows for each statement execute function app.follow_states();
create trigger monitor_states_follow_delete after delete on public.monitor_states
  referencing old table as old_rows for each statement execute function app.follow_states();

-- Security definer, as app.follow_states().
create function app.follow_switch() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.rate_monitors(array[new.id]);
  return null;
end $$;
comment on function app.follow_switch() is
  'Row trigger of monitors: one that is disabled checks nothing. Definer, because health is not a client''s to write.';
revoke execute on function app.follow_switch() from public;
create trigger monitors_follow_switch after update of enabled on public.monitors
  for each row when (old.enabled is distinct from new.enabled) execute function app.follow_switch();

create or replace function app.watch_offline() returns integer
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
      select d.id, 'failing' as state, format('Offline for %s minutes or more', monitor.offline_minutes) as message
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
    if monitor.health = 'not_checked' then
      perform app.rate_monitors(array[monitor.id]);
    end if;
  end loop;
  return done;
end $$;

select app.rate_monitors(array(select m.id from public.monitors m));

-- What a device found stays only while the monitor is the device's --------------------------------------------------------------

create table app.monitor_sweeps (
  company_id uuid not null,
  monitor_id uuid not null,
  after_device uuid,
  primary key (company_id, monitor_id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade
);
comment on table app.monitor_sweeps is
  'Monitors whose devices became fewer: app.sweep_monitor_states() deletes the states of those that are not theirs any more, in the order of devices.';
revoke all on app.monitor_sweeps from public, anon, authenticated;
alter table app.monitor_sweeps enable row level security;

-- Security definer: people change groups, and nobody may write this table.
create function app.note_sweep() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'group_devices' then
    insert into app.monitor_sweeps as s (company_id, monitor_id)
      select distinct g.company_id, g.monitor_id from changed c
        join public.monitor_groups g on g.company_id = c.company_id and g.group_id = c.group_id
        join public.monitors m on m.company_id = g.company_id and m.id = g.monitor_id
      order by g.company_id, g.monitor_id
      on conflict (company_id, monitor_id) do update set after_device = null where s.after_device is not null;
  else
    insert into app.monitor_sweeps as s (company_id, monitor_id)
      select distinct c.company_id, c.monitor_id from changed c
        join public.monitors m on m.company_id = c.company_id and m.id = c.monitor_id
      order by c.company_id, c.monitor_id
      on conflict (company_id, monitor_id) do update set after_device = null where s.after_device is not null;
  end if;
  return null;
end $$;
comment on function app.note_sweep() is 'Statement trigger of group_devices and monitor_groups: notes monitors whose devices may have become fewer.';
revoke execute on function app.note_sweep() from public;
create trigger group_devices_sweep_delete after delete on public.group_devices
  referencing old table as changed for each statement execute function app.note_sweep();
create trigger monitor_groups_sweep_insert after insert on public.monitor_groups
  referencing new table as changed for each statement execute function app.note_sweep();
create trigger monitor_groups_sweep_delete after delete on public.monitor_groups
  referencing old table as changed for each statement execute function app.note_sweep();

create function app.sweep_monitor_states() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  sweep app.monitor_sweeps%rowtype;
  devices uuid[];
  part integer;
  done integer := 0;
begin
  for sweep in select s.* from app.monitor_sweeps s order by s.company_id, s.monitor_id limit 10 for update skip locked loop
    devices := array(select s.device_id from public.monitor_states s
      where s.company_id = sweep.company_id and s.monitor_id = sweep.monitor_id
        and (sweep.after_device is null or s.device_id > sweep.after_device)
      order by s.device_id limit 500);
    perform 1 from public.monitors m where m.company_id = sweep.company_id and m.id = sweep.monitor_id for no key update;
    delete from public.monitor_states s
      where s.company_id = sweep.company_id and s.monitor_id = sweep.monitor_id and s.device_id = any (devices)
        and not app.is_monitored(s.company_id, s.monitor_id, s.device_id);
    get diagnostics part = row_count;
    done := done + part;
    if cardinality(devices) < 500 then
      delete from app.monitor_sweeps s where s.company_id = sweep.company_id and s.monitor_id = sweep.monitor_id;
    else
      update app.monitor_sweeps s set after_device = devices[500] where s.company_id = sweep.company_id and s.monitor_id = sweep.monitor_id;
    end if;
  end loop;
  return done;
end $$;
comment on function app.sweep_monitor_states() is
  'Step of app.tick(): deletes what devices found for monitors that are not theirs any more; at most 500 devices of ten monitors a call.';
revoke execute on function app.sweep_monitor_states() from public;
insert into app.tick_step (position, name, function) values (59, 'monitor_sweeps', 'sweep_monitor_states');

-- Security definer, as before: counts read indexes only, and it checks the permission and the company itself.
create or replace function public.dashboard(company uuid default null) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  -- Null means all companies, for callers who see all.
  scope uuid := dashboard.company;
  tenant text;
  answer jsonb;
begin
  perform app.require('dashboard', 'show');
  if not app.sees_all() then
    -- One answer for another's company and for one that does not exist.
    if scope is distinct from app.own_company() and scope is not null then
      raise exception using errcode = '42501', message = 'not your company', hint = 'role';
    end if;
    scope := app.own_company();
  end if;
  -- The company is part of the query text so that the planner sees it; each count reads an index only.
  tenant := case when scope is null then 'true' else format('company_id = %L', scope) end;
  execute format($query$
    with seen as materialized (
      select d.status, d.os, count(*) as count from public.devices d where %1$s group by d.status, d.os
    ), systems as (
      select coalesce(s.os, '') as os, sum(s.count) as count from seen s group by 1
    )
    select jsonb_build_object(
      'online', (select coalesce(sum(s.count), 0) from seen s where s.status = 'online'),
      'offline', (select coalesce(sum(s.count), 0) from seen s where s.status <> 'online'),
      'procedures', (select count(*) from public.procedures p where %1$s),
      'alerts', (select count(*) from public.monitors m where %1$s and not m.is_active),
      'unchecked', (select count(*) from public.monitors m where %1$s and m.health = 'unknown'),
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'compliance', case when app.can('device_patches', 'list') then app.compliance(%2$L, 30) end,
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'updated_at', now())
  $query$, tenant, scope) into answer;
  return answer;
end $$;
