-- What needs attention, counted where it changes: missing updates and open alerts of each device.

alter table public.devices add column missing_updates integer not null default 0 check (missing_updates >= 0);
alter table public.devices add column open_alerts integer not null default 0 check (open_alerts >= 0);
comment on column public.devices.missing_updates is 'Rows of device_patches that are not installed; kept by trigger.';
comment on column public.devices.open_alerts is 'Alerts that are not resolved; kept by trigger.';

-- Machines write these too.
drop trigger devices_audit_insert on public.devices;
drop trigger devices_audit_update on public.devices;
drop trigger devices_audit_delete on public.devices;
select app.keep_audit('public.devices', 'id', array['status', 'offline_since', 'hostname', 'os', 'os_version', 'make', 'model', 'serial', 'cpu', 'cpu_cores', 'memory_mb', 'disks', 'network', 'ip_address', 'logged_in_user', 'agent_version', 'boot_time', 'reboot_required', 'missing_updates', 'open_alerts']);

update public.devices d set missing_updates = x.count from (
  select p.company_id, p.device_id, count(*) as count from public.device_patches p where p.status <> 'installed' group by 1, 2) x
  where d.company_id = x.company_id and d.id = x.device_id;
update public.devices d set open_alerts = x.count from (
  select a.company_id, a.device_id, count(*) as count from public.alerts a where a.status <> 'resolved' group by 1, 2) x
  where d.company_id = x.company_id and d.id = x.device_id;
create index devices_company_missing_updates_idx on public.devices (company_id, missing_updates, id);
create index devices_missing_updates_idx on public.devices (missing_updates, id);
create index devices_company_open_alerts_idx on public.devices (company_id, open_alerts, id);
create index devices_open_alerts_idx on public.devices (open_alerts, id);
create index devices_reboot_idx on public.devices (company_id) where reboot_required;

-- Security definer: nobody may write what is counted.
create function app.count_missing_updates() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.device_id) into touched from new_rows n where n.status <> 'installed';
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.device_id) into touched from old_rows o where o.status <> 'installed';
  else
    select array_agg(distinct n.device_id) into touched from new_rows n join old_rows o on o.id = n.id where (n.status <> 'installed') <> (o.status <> 'installed');
  end if;
  if touched is null then
    return null;
  end if;
  -- One order for all.
  perform 1 from public.devices d where d.id = any (touched) order by d.id for no key update;
  update public.devices d set missing_updates = c.count from (
    select t.id, count(x.id) as count from unnest(touched) t (id)
      left join public.device_patches x on x.device_id = t.id and x.company_id = (select y.company_id from public.devices y where y.id = t.id) and x.status <> 'installed'
    group by t.id) c
    where d.id = c.id and d.missing_updates <> c.count;
  return null;
end $$;
comment on function app.count_missing_updates() is 'Statement trigger: keeps devices.missing_updates, how many updates a device lacks.';
revoke execute on function app.count_missing_updates() from public;
create trigger device_patches_count_insert after insert on public.device_patches
  referencing new table as new_rows for each statement execute function app.count_missing_updates();
create trigger device_patches_count_update after update on public.device_patches
  referencing old table as old_rows new table as new_rows for each statement execute function app.count_missing_updates();
create trigger device_patches_count_delete after delete on public.device_patches
  referencing old table as old_rows for each statement execute function app.count_missing_updates();

-- Security definer: nobody may write what is counted.
create function app.count_open_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.device_id) into touched from new_rows n where n.status <> 'resolved';
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.device_id) into touched from old_rows o where o.status <> 'resolved';
  else
    select array_agg(distinct n.device_id) into touched from new_rows n join old_rows o on o.id = n.id where (n.status <> 'resolved') <> (o.status <> 'resolved');
  end if;
  if touched is null then
    return null;
  end if;
  -- One order for all.
  perform 1 from public.devices d where d.id = any (touched) order by d.id for no key update;
  update public.devices d set open_alerts = c.count from (
    select t.id, count(x.id) as count from unnest(touched) t (id)
      left join public.alerts x on x.device_id = t.id and x.company_id = (select y.company_id from public.devices y where y.id = t.id) and x.status <> 'resolved'
    group by t.id) c
    where d.id = c.id and d.open_alerts <> c.count;
  return null;
end $$;
comment on function app.count_open_alerts() is 'Statement trigger: keeps devices.open_alerts, how many alerts of a device are not resolved.';
revoke execute on function app.count_open_alerts() from public;
create trigger alerts_count_insert after insert on public.alerts
  referencing new table as new_rows for each statement execute function app.count_open_alerts();
create trigger alerts_count_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.count_open_alerts();
create trigger alerts_count_delete after delete on public.alerts
  referencing old table as old_rows for each statement execute function app.count_open_alerts();

-- Edits of columns that were added since count for the lock of a record, too.
create or replace trigger monitors_touch before update on public.monitors for each row execute function app.touch('name', 'description', 'type',
  'severity', 'settings', 'threshold', 'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled', 'metric', 'above_percent',
  'restart', 'probe', 'process_state', 'event_minutes', 'event_count', 'check_interval', 'repeat_count', 'auto_resolve', 'procedure_id',
  'open_ticket', 'offline_minutes', 'cooldown_minutes');

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
      'systems', (select coalesce(jsonb_agg(jsonb_build_object('os', s.os, 'count', s.count) order by s.count desc, s.os), '[]') from systems s),
      'recent', (select coalesce(jsonb_agg(to_jsonb(l) order by l.executed_at desc, l.id), '[]') from (
        select r.id, r.executed_at, r.status, "left"(r.output, 2000) as output, r.procedure_name, r.device_name,
          r.job_run_id, r.device_id
        from public.procedure_logs r where %1$s order by r.executed_at desc, r.id limit 4) l),
      'severities', (select coalesce(jsonb_object_agg(x.severity, x.count), '{}') from (
        select r.severity, count(*) as count from public.alerts r where %1$s and r.status in ('open', 'acknowledged') group by 1) x),
      'outdated', (select count(*) from public.devices d where %1$s and d.missing_updates > 0),
      'reboots', (select count(*) from public.devices d where %1$s and d.reboot_required),
      'updated_at', now())
  $query$, tenant) into answer;
  return answer;
end $$;
