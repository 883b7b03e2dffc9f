-- An alert that opened within the cooldown and is still open when it is over was never told to anybody.

create function app.tell_alert(alert public.alerts, monitor public.monitors) returns void
  language plpgsql set search_path = '' as $$
begin
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
comment on function app.tell_alert(public.alerts, public.monitors) is 'Tells the company''s people of an alert, and runs the monitor''s script.';
revoke execute on function app.tell_alert(public.alerts, public.monitors) from public;

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
  perform app.tell_alert(alert, monitor);
end $$;

create trigger alerts_ticket_later after update of in_cooldown on public.alerts
  for each row when (old.in_cooldown and not new.in_cooldown and new.suppressed_by is null) execute function app.open_ticket();
create index alerts_in_cooldown_idx on public.alerts (opened_at) where in_cooldown and status = 'open';

create function app.end_cooldowns() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  due record;
  alert public.alerts%rowtype;
  monitor public.monitors%rowtype;
  done integer := 0;
begin
  for due in
    select a.company_id, a.id, a.monitor_id from public.alerts a
      join public.monitors m on m.company_id = a.company_id and m.id = a.monitor_id
    where a.in_cooldown and a.status = 'open'
      and not exists (
        select 1 from public.alerts b
        where b.company_id = a.company_id and b.monitor_id = a.monitor_id and b.device_id = a.device_id and b.opened_at < a.opened_at
          and b.suppressed_by is null and not b.in_cooldown
          and b.opened_at > now() - make_interval(mins => greatest(m.cooldown_minutes, (m.procedure_id is not null)::integer)))
      and app.maintenance_of(a.company_id, a.device_id) is null
    -- As take_monitor_states() takes its locks.
    order by a.monitor_id, a.device_id limit 500
  loop
    select m.* into monitor from public.monitors m where m.company_id = due.company_id and m.id = due.monitor_id for no key update;
    continue when not monitor.enabled or not app.company_runs(due.company_id);
    update public.alerts a set in_cooldown = false
      where a.company_id = due.company_id and a.id = due.id and a.in_cooldown and a.status = 'open' returning a.* into alert;
    if found then
      perform app.tell_alert(alert, monitor);
      done := done + 1;
    end if;
  end loop;
  return done;
end $$;
comment on function app.end_cooldowns() is
  'Step of app.tick(): tells of alerts that opened within the cooldown of an earlier one and are still open when it is over; at most 500 a call.';
revoke execute on function app.end_cooldowns() from public;
insert into app.tick_step (position, name, function) values (114, 'cooldowns', 'end_cooldowns');
