-- Alerts within the cooldown say so, open no ticket, and name the device in their notification. Devices say what they cannot check.

alter table public.alerts add column in_cooldown boolean not null default false;
comment on column public.alerts.in_cooldown is
  'The device''s last alert of this monitor was younger than the cooldown: nobody was told, no script was run and no ticket opened.';
drop trigger alerts_ticket on public.alerts;
create trigger alerts_ticket after insert on public.alerts
  for each row when (new.suppressed_by is null and not new.in_cooldown) execute function app.open_ticket();

create or replace function app.open_alert(monitor public.monitors, device uuid, message text) returns void
  language plpgsql set search_path = '' as $$
declare
  alert public.alerts%rowtype;
  -- A script may cause the very failure that starts it.
  pause constant interval := make_interval(mins => greatest(monitor.cooldown_minutes, (monitor.procedure_id is not null)::integer));
begin
  insert into public.alerts (company_id, monitor_id, device_id, severity, message, in_cooldown)
    values (monitor.company_id, monitor.id, device, monitor.severity, coalesce(nullif(open_alert.message, ''), monitor.name), exists (
      select 1 from public.alerts a
      where a.company_id = monitor.company_id and a.monitor_id = monitor.id and a.device_id = device
        and a.opened_at > now() - pause and a.suppressed_by is null))
    on conflict (company_id, monitor_id, device_id) where status <> 'resolved' do nothing
    returning * into alert;
  if alert.id is null or alert.in_cooldown then
    return;
  end if;
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, alert.company_id, 'alert_opened',
      jsonb_build_object('monitor', monitor.name || ' · ' || d.name, 'message', alert.message, 'severity', alert.severity),
      '/alerts/' || alert.id, 'alert:' || alert.id
    from public.user_roles r
    join public.devices d on d.company_id = alert.company_id and d.id = alert.device_id
    where r.company_id = alert.company_id and r.role = any (app.roles_that_may('alerts', 'edit')) and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
  if monitor.procedure_id is not null then
    perform app.repair(alert, monitor);
  end if;
end $$;
comment on function app.open_alert(public.monitors, uuid, text) is
  'Opens an alert unless one is open. Tells the company''s people and runs the monitor''s script, unless the last alert of the device is '
  'younger than the cooldown, or than a minute where there is a script.';

alter table public.monitor_states drop constraint monitor_states_state_check;
alter table public.monitor_states add constraint monitor_states_state_check check (state in ('ok', 'failing', 'unknown'));
comment on column public.monitor_states.state is 'unknown: the device cannot make the check, such as of a service that it does not have.';

-- The states of a device whose company has no license are not taken: its agent is told to watch nothing.
create or replace function app.take_monitor_states(company uuid, device uuid, states jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  reported record;
  monitor public.monitors%rowtype;
  maintenance text := app.maintenance_of(company, device);
  is_new boolean;
begin
  if not app.company_runs(company) then
    return;
  end if;
  -- One order for all: an alert writes its monitor, and many devices may notice the same at once.
  for reported in
    select distinct on (s.id) s.id, s.state, s.message
    from (
      select app.lenient_uuid(e ->> 'monitor_id') as id, e ->> 'state' as state, app.short_text(e -> 'message', 500) as message
      from jsonb_array_elements(states) e where jsonb_typeof(e) = 'object'
    ) s
    where s.id is not null and s.state in ('ok', 'failing', 'unknown')
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
    elsif reported.state = 'ok' and monitor.auto_resolve then
      update public.alerts a set status = 'resolved'
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status <> 'resolved';
    end if;
  end loop;
end $$;
comment on function app.take_monitor_states(uuid, uuid, jsonb) is
  'Takes [{monitor_id, state: ok, failing or unknown, message?}] from a device: opens an alert, or resolves the one that is open. During a '
  'maintenance the alert is only noted, as resolved. unknown, where the device cannot make the check, changes no alert. A monitor that is '
  'not the device''s is passed over.';
