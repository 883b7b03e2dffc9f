-- A monitor that fails and recovers again and again writes one alert for each cooldown, which counts how often it opened.

alter table public.alerts
  add column times integer not null default 1 check (times > 0),
  add column flapping text generated always as (case when times > 1 then 'Flapping, ' || times || ' times' end) stored;
comment on column public.alerts.times is 'How often the alert opened: a device that fails again within the cooldown opens the same one.';

-- The alert counts its openings itself: the audit log keeps what people decide.
drop trigger alerts_audit_update on public.alerts;
create trigger alerts_audit_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement
  when (app.acting_user_id() is not null) execute function app.audit('id');

create function app.cooldown_of(monitor public.monitors) returns interval
  language sql immutable set search_path = '' as $$
  -- A script may cause the very failure that starts it.
  select make_interval(mins => greatest(monitor.cooldown_minutes, (monitor.procedure_id is not null)::integer))
$$;
comment on function app.cooldown_of(public.monitors) is 'How long a monitor tells nobody of the same failure again.';
revoke execute on function app.cooldown_of(public.monitors) from public;

create or replace function app.open_alert(monitor public.monitors, device uuid, message text) returns void
  language plpgsql set search_path = '' as $$
declare
  -- Also without a cooldown: what fails every few seconds is one alert.
  min_pause constant interval := interval '5 minutes';
  pause constant interval := app.cooldown_of(monitor);
  words constant text := coalesce(nullif(open_alert.message, ''), monitor.name);
  alert public.alerts%rowtype;
begin
  update public.alerts a set status = 'open', message = words, severity = monitor.severity, times = a.times + 1,
      in_cooldown = a.opened_at > now() - pause
    where a.company_id = monitor.company_id and a.id = (
      select x.id from public.alerts x
      where x.company_id = monitor.company_id and x.monitor_id = monitor.id and x.device_id = device and x.status = 'resolved'
        and x.opened_at > now() - greatest(pause, min_pause)
      order by x.opened_at desc, x.id desc limit 1)
      and not exists (select 1 from public.alerts x
        where x.company_id = monitor.company_id and x.monitor_id = monitor.id and x.device_id = device and x.status in ('open', 'acknowledged'))
    returning a.* into alert;
  if alert.id is null then
    insert into public.alerts (company_id, monitor_id, device_id, severity, message)
      values (monitor.company_id, monitor.id, device, monitor.severity, words)
      on conflict (company_id, monitor_id, device_id) where status in ('open', 'acknowledged') do nothing
      returning * into alert;
  end if;
  if alert.id is null or alert.in_cooldown then
    return;
  end if;
  perform app.tell_alert(alert, monitor);
end $$;
comment on function app.open_alert(public.monitors, uuid, text) is
  'Opens an alert unless one is open: the last one again if it opened within the cooldown, or within five minutes, else a new one. Tells '
  'people and runs the monitor''s script, unless the alert is within the cooldown.';

create or replace function app.end_cooldowns() returns integer
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
      and (a.times = 1 or a.opened_at <= now() - app.cooldown_of(m))
      and not exists (
        select 1 from public.alerts b
        where b.company_id = a.company_id and b.monitor_id = a.monitor_id and b.device_id = a.device_id and b.opened_at < a.opened_at
          and b.suppressed_by is null and not b.in_cooldown and b.opened_at > now() - app.cooldown_of(m))
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

create or replace function app.take_monitor_states(company uuid, device uuid, states jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  reported record;
  monitor public.monitors%rowtype;
  known public.monitor_states%rowtype;
  maintenance text := app.maintenance_of(company, device);
begin
  if not app.company_runs(company) then
    return;
  end if;
  -- One order for all: an alert writes its monitor, and many devices may notice the same at once.
  for reported in
    select distinct on (s.id) s.id, s.state, nullif(s.message, '') as message
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
    select s.* into known from public.monitor_states s
      where s.company_id = company and s.monitor_id = monitor.id and s.device_id = device;
    if known.state is distinct from reported.state then
      insert into public.monitor_states as s (company_id, monitor_id, device_id, state, message, suppressed, changed_at)
        values (company, monitor.id, device, reported.state, reported.message, reported.state = 'failing' and maintenance is not null, now())
        on conflict (company_id, monitor_id, device_id) do update
        set state = excluded.state, message = excluded.message, suppressed = excluded.suppressed, changed_at = now(), reopen_at = null;
    elsif reported.state <> 'ok' and known.message is distinct from reported.message and known.updated_at < now() - interval '4 minutes' then
      update public.monitor_states s set message = reported.message where s.company_id = company and s.id = known.id;
    end if;
    if reported.state = 'failing' and maintenance is null then
      -- After a person resolved it, app.reopen_alerts() decides when.
      if known.state is distinct from 'failing' or known.reopen_at is null then
        perform app.open_alert(monitor, device, reported.message);
      end if;
    elsif reported.state = 'failing' then
      -- A restarted agent tells every state again, and a restarted machine fails many times: one alert for a maintenance and a day.
      if known.state is distinct from 'failing' and not exists (select 1 from public.alerts a
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status in ('open', 'acknowledged'))
      then
        update public.alerts a set times = a.times + 1, message = coalesce(reported.message, monitor.name)
          where a.company_id = company and a.id = (
            select x.id from public.alerts x
            where x.company_id = company and x.monitor_id = monitor.id and x.device_id = device and x.status = 'suppressed'
              and x.suppressed_by = maintenance and x.opened_at > now() - interval '1 day'
            order by x.opened_at desc, x.id desc limit 1);
        if not found then
          insert into public.alerts (company_id, monitor_id, device_id, severity, message, status, suppressed_by)
            values (company, monitor.id, device, monitor.severity, coalesce(reported.message, monitor.name), 'suppressed', maintenance);
        end if;
      end if;
    elsif reported.state = 'ok' and monitor.auto_resolve then
      update public.alerts a set status = 'resolved'
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status in ('open', 'acknowledged');
    end if;
  end loop;
end $$;
comment on function app.take_monitor_states(uuid, uuid, jsonb) is
  'Takes [{monitor_id, state: ok, failing or unknown, message?}] from a device: opens an alert, or resolves the one that is open. During a '
  'maintenance the alert is only noted, as suppressed, once for it and a day. unknown, where the device cannot make the check, changes no '
  'alert. A monitor that is not the device''s is passed over.';
