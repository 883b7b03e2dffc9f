-- An alert of a maintenance is suppressed, not resolved. An alert that a person resolves while its device still fails opens again.

drop trigger alerts_audit_update on public.alerts;
drop trigger alerts_announce_update on public.alerts;
alter table public.alerts drop constraint alerts_status_check;
alter table public.alerts drop constraint alerts_resolved_at_check;
update public.alerts set status = 'suppressed', resolved_at = null where suppressed_by is not null;
alter table public.alerts add constraint alerts_status_check check (status in ('open', 'acknowledged', 'resolved', 'suppressed'));
alter table public.alerts add constraint alerts_resolved_at_check check ((status = 'resolved') = (resolved_at is not null));
alter table public.alerts add constraint alerts_suppressed_check check ((status = 'suppressed') = (suppressed_by is not null));
comment on column public.alerts.status is
  'suppressed: it was raised during a maintenance, which suppressed_by names. Such an alert is never open, and nobody changes its status.';
comment on column public.alerts.suppressed_by is 'The maintenance during which the monitor failed: nobody is told.';
create trigger alerts_audit_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.audit('id');
create trigger alerts_announce_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.announce('company', 'company_id', 'id');
comment on table public.alerts is 'What a monitor found on a device. At most one open or acknowledged alert a monitor and device.';
drop index public.alerts_unresolved_idx;
create unique index alerts_unresolved_idx on public.alerts (company_id, monitor_id, device_id) where status in ('open', 'acknowledged');

alter table public.monitor_states add column reopen_at timestamptz;
comment on column public.monitor_states.reopen_at is
  'A person resolved the alert while the device failed: app.reopen_alerts() opens another one then, if it still does.';
create index monitor_states_reopen_idx on public.monitor_states (reopen_at) where reopen_at is not null;

create or replace function app.rate_monitors(ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- One order for all. The statement after it sees what those who held the locks wrote.
  perform 1 from public.monitors m where m.id = any (ids) order by m.id for no key update;
  update public.monitors m set health = r.health, is_active = r.health <> 'failing'
    from (
      -- Each question is one step down an index, however many devices there are.
      select x.id, case
        when exists (select 1 from public.alerts a
          where a.company_id = x.company_id and a.monitor_id = x.id and a.status in ('open', 'acknowledged')) then 'failing'
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

-- Security definer, as before: counted columns are not a client's to write.
create or replace function app.count_open_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct n.device_id) into touched from new_rows n where n.status in ('open', 'acknowledged');
  elsif tg_op = 'DELETE' then
    select array_agg(distinct o.device_id) into touched from old_rows o where o.status in ('open', 'acknowledged');
  else
    select array_agg(distinct n.device_id) into touched from new_rows n join old_rows o on o.id = n.id where (n.status in ('open', 'acknowledged')) <> (o.status in ('open', 'acknowledged'));
  end if;
  if touched is null then
    return null;
  end if;
  -- One order for all.
  perform 1 from public.devices d where d.id = any (touched) order by d.id for no key update;
  update public.devices d set open_alerts = c.count from (
    select t.id, count(x.id) as count from unnest(touched) t (id)
      left join public.alerts x on x.device_id = t.id and x.company_id = (select y.company_id from public.devices y where y.id = t.id) and x.status in ('open', 'acknowledged')
    group by t.id) c
    where d.id = c.id and d.open_alerts <> c.count;
  return null;
end $$;

-- Security definer, as before: devices, people and the server open alerts, and nobody may write runs.
create or replace function app.start_on_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  found record;
begin
  for found in
    select a as automation, array_agg(n.device_id order by n.id) as devices, array_agg(n.id order by n.id) as alerts
    from new_rows n
    join public.automation_monitors m on m.company_id = n.company_id and m.monitor_id = n.monitor_id
    join public.automations a on a.company_id = m.company_id and a.id = m.automation_id
    where a.enabled and a.trigger = 'alert' and n.status in ('open', 'acknowledged')
    group by a.id order by a.id
  loop
    perform app.try_automation(found.automation, 'alert', found.devices, found.alerts);
  end loop;
  return null;
end $$;

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
    on conflict (company_id, monitor_id, device_id) where status in ('open', 'acknowledged') do nothing
    returning * into alert;
  if alert.id is null or alert.in_cooldown then
    return;
  end if;
  perform app.tell_alert(alert, monitor);
end $$;

-- Security definer, as before: is_active, health and states are not a client's to write.
create or replace function app.follow_alerts() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform app.rate_monitors(array(select distinct n.monitor_id from new_rows n));
    return null;
  end if;
  perform app.rate_monitors(array(select distinct o.monitor_id from old_rows o));
  if tg_op = 'DELETE' then
    update public.monitor_states s set reopen_at = now() + make_interval(mins => m.cooldown_minutes)
      from old_rows o join public.monitors m on m.company_id = o.company_id and m.id = o.monitor_id
      where o.status in ('open', 'acknowledged') and s.company_id = o.company_id and s.monitor_id = o.monitor_id and s.device_id = o.device_id
        and s.state = 'failing' and not s.suppressed;
  else
    update public.monitor_states s set reopen_at = now() + make_interval(mins => m.cooldown_minutes)
      from new_rows n join old_rows o on o.id = n.id join public.monitors m on m.company_id = n.company_id and m.id = n.monitor_id
      where n.status = 'resolved' and o.status in ('open', 'acknowledged')
        and s.company_id = n.company_id and s.monitor_id = n.monitor_id and s.device_id = n.device_id
        and s.state = 'failing' and not s.suppressed;
  end if;
  return null;
end $$;
comment on function app.follow_alerts() is
  'Statement trigger of alerts: keeps monitors.health and is_active, and has an alert open again that ended while its device failed. '
  'Definer, because these columns are not a client''s to write.';
drop trigger alerts_follow_update on public.alerts;
create trigger alerts_follow_update after update on public.alerts
  referencing old table as old_rows new table as new_rows for each statement execute function app.follow_alerts();

-- A device may send the message of a failure again, which tells of a figure that moved: written every four minutes at most.
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
      -- A restarted agent tells every state again.
      insert into public.alerts (company_id, monitor_id, device_id, severity, message, status, suppressed_by)
        select company, monitor.id, device, monitor.severity, coalesce(reported.message, monitor.name), 'suppressed', maintenance
        where known.state is distinct from 'failing' and not exists (select 1 from public.alerts a
          where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status in ('open', 'acknowledged'));
    elsif reported.state = 'ok' and monitor.auto_resolve then
      update public.alerts a set status = 'resolved'
        where a.company_id = company and a.monitor_id = monitor.id and a.device_id = device and a.status in ('open', 'acknowledged');
    end if;
  end loop;
end $$;
comment on function app.take_monitor_states(uuid, uuid, jsonb) is
  'Takes [{monitor_id, state: ok, failing or unknown, message?}] from a device: opens an alert, or resolves the one that is open. During a '
  'maintenance the alert is only noted, as suppressed. unknown, where the device cannot make the check, changes no alert; its message says '
  'why. A monitor that is not the device''s is passed over.';

create function app.reopen_alerts() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  due record;
  monitor public.monitors%rowtype;
  maintenance text;
  done integer := 0;
begin
  for due in
    select d.* from (
      select s.company_id, s.id, s.monitor_id, s.device_id, s.message from public.monitor_states s
      where s.reopen_at <= now() order by s.reopen_at limit 500
    ) d
    -- As take_monitor_states() takes its locks.
    order by d.monitor_id, d.device_id
  loop
    select m.* into monitor from public.monitors m where m.company_id = due.company_id and m.id = due.monitor_id for no key update;
    maintenance := app.maintenance_of(due.company_id, due.device_id);
    update public.monitor_states s set reopen_at = null, suppressed = maintenance is not null
      where s.company_id = due.company_id and s.id = due.id and s.reopen_at <= now() and s.state = 'failing';
    continue when not found or maintenance is not null or not monitor.enabled or not app.company_runs(due.company_id);
    perform app.open_alert(monitor, due.device_id, due.message);
    done := done + 1;
  end loop;
  return done;
end $$;
comment on function app.reopen_alerts() is
  'Step of app.tick(): opens an alert again that was resolved by a person, a cooldown ago, while its device failed, and still does; at most '
  '500 a call. During a maintenance, app.raise_suppressed() does so at its end.';
revoke execute on function app.reopen_alerts() from public;
insert into app.tick_step (position, name, function) values (115, 'reopened_alerts', 'reopen_alerts');

create or replace function public.decide_alerts(ids uuid[], status text) returns integer
  language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
declare
  decided integer;
begin
  perform app.require('alerts', 'edit');
  if cardinality(decide_alerts.ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 alerts at a time';
  end if;
  if decide_alerts.status is null or decide_alerts.status not in ('acknowledged', 'resolved') then
    raise exception using errcode = '22023', message = 'an alert is acknowledged or resolved';
  end if;
  update public.alerts a set status = decide_alerts.status
    where a.id = any (decide_alerts.ids) and a.status in ('open', case decide_alerts.status when 'resolved' then 'acknowledged' else 'open' end);
  get diagnostics decided = row_count;
  -- To decide the same again is no error: a double click, or a colleague who was faster.
  if decided = 0 and not exists (select 1 from public.alerts a where a.id = any (decide_alerts.ids)) then
    raise exception using errcode = 'PT404', message = 'no such alert', hint = 'record_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_alerts(uuid[], text) is
  'Acknowledges open alerts, or resolves open and acknowledged ones, and returns how many; 0 where that was done before. Row-level security '
  'says which; the permission is alerts edit.';

create function public.still_failing(ids uuid[]) returns integer
  language plpgsql stable set search_path = '' as $$
begin
  perform app.require('alerts', 'list');
  if cardinality(ids) > 1000 then
    raise exception using errcode = '22023', message = 'at most 1,000 alerts at a time';
  end if;
  return (
    select count(distinct a.device_id) from public.alerts a
      join public.monitor_states s on s.company_id = a.company_id and s.monitor_id = a.monitor_id and s.device_id = a.device_id
    where a.id = any (ids) and a.status in ('open', 'acknowledged') and s.state = 'failing');
end $$;
comment on function public.still_failing(uuid[]) is
  'On how many devices the checks of these open alerts fail still. Runs as the caller: row-level security of alerts and monitor_states limits the rows.';
revoke execute on function public.still_failing(uuid[]) from public, anon;
grant execute on function public.still_failing(uuid[]) to authenticated;
