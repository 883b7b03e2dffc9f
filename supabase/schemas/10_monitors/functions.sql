-- Security definer: is_active, health and states are not a client's to write.
create function app.follow_alerts() returns trigger
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

create function app.stamp_resolution() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.resolved_at := case when new.status = 'resolved' then coalesce(old.resolved_at, now()) end;
  return new;
end $$;
comment on function app.stamp_resolution() is 'Row trigger: the server''s clock says when an alert was resolved.';

create function app.is_monitored(company uuid, monitor uuid, device uuid) returns boolean
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
comment on function app.is_monitored(uuid, uuid, uuid) is
  'Whether a monitor checks a device: one without groups checks all of its company.';

create function app.monitors_of(company uuid, device uuid) returns jsonb
  language sql stable set search_path = '' as $$
  with rules as materialized (
    select coalesce(bool_or('service' = any (p.denied)), false) as denies from app.policy_of(company, device, 'permission') p
  )
  -- The service is watched all the same, and its alert opens.
  select coalesce(jsonb_agg(case when r.denies then app.monitor_object(m) || '{"restart": false}' else app.monitor_object(m) end order by m.id), '[]')
  from public.monitors m cross join rules r
  where m.company_id = company and m.enabled and m.type <> 'Offline' and app.is_monitored(m.company_id, m.id, device)
$$;
comment on function app.monitors_of(uuid, uuid) is
  'The monitors of a device as it gets them. Where its permission policy denies it, none of them starts a service.';

create function app.repair(alert public.alerts, monitor public.monitors) returns void
  language plpgsql set search_path = '' as $$
declare
  found public.procedures%rowtype;
  made record;
  job public.jobs%rowtype;
  queued uuid;
begin
  select p.* into found from public.procedures p where p.company_id = alert.company_id and p.id = monitor.procedure_id;
  if found.id is null or not app.company_runs(alert.company_id) then
    return;
  end if;
  if not app.holds(monitor.set_by, monitor.set_by_operator, monitor.company_id, 'procedures', 'run') then
    perform app.pause_for('monitors', monitor.id);
    return;
  elsif monitor.paused_for is not null then
    update public.monitors m set paused_for = null where m.company_id = monitor.company_id and m.id = monitor.id;
  end if;
  made := app.procedure_job(found);
  job := made.job;
  job.expires_at := now() + interval '1 hour';
  queued := app.queue_job(job, '{}', array[alert.device_id]);
  update public.tickets t set repair_run_id = r.id, repair_name = left(found.name, 200)
    from public.job_runs r
    where r.company_id = alert.company_id and r.job_id = queued and r.device_id = alert.device_id
      and t.company_id = alert.company_id and t.alert_id = alert.id;
exception when check_violation then
  -- It asks for a value that nobody gives here: the alert opens all the same.
  return;
end $$;
comment on function app.repair(public.alerts, public.monitors) is
  'Runs the monitor''s script on the device of a new alert; the alert''s ticket names the run.';

-- A device may send the message of a failure again, which tells of a figure that moved: written every four minutes at most.
create function app.take_monitor_states(company uuid, device uuid, states jsonb) returns void
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
  -- All lock in one order: an alert writes its monitor, and many devices may notice the same at once.
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

-- Security definer: a device's check-in may not write tickets.
create function app.open_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device text;
  ticket uuid;
  category uuid;
  desk uuid[];
  assignee uuid;
begin
  select m.* into monitor from public.monitors m where m.company_id = new.company_id and m.id = new.monitor_id and m.open_ticket;
  if monitor.id is null then
    return null;
  end if;
  update public.tickets t set alert_id = new.id, alert_message = new.message, alert_resolved_at = null, repair_run_id = null,
      repair_name = null, alert_note = null, status = case when t.status in ('new', 'waiting') then t.status else 'open' end
    from app.alert_tickets x
    where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id
      and t.company_id = x.company_id and t.id = x.ticket_id and t.deleted_at is null
      -- A ticket that closed with its alert opens again when the failure comes back within a day: one flapping device is one ticket.
      and (t.status in ('new', 'open', 'waiting')
        or x.is_closed and t.status = 'closed' and (t.alert_id = new.id or t.resolved_at > now() - interval '1 day'));
  if found then
    update app.alert_tickets x set is_closed = false
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id and x.is_closed;
    return null;
  end if;
  select d.name into device from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  category := coalesce(monitor.ticket_category_id, (select c.id from public.ticket_categories c
    where c.company_id = new.company_id order by c.position, c.name_key, c.id limit 1));
  desk := app.desk_people(new.company_id);
  -- Whoever left the desk is assigned nothing more: the ticket goes to who has the fewest.
  assignee := case when monitor.ticket_assignee_id = any (desk) then monitor.ticket_assignee_id else (
    select p from unnest(desk) p order by (select count(*) from public.tickets t
      where t.assignee_id = p and t.company_id = new.company_id and t.deleted_at is null and t.status in ('new', 'open', 'waiting')), p limit 1) end;
  insert into public.tickets (company_id, subject, description, priority, device_id, category_id, assignee_id, alert_id, alert_message)
    values (new.company_id, left(monitor.name || ' · ' || device, 200), new.message,
      coalesce(monitor.ticket_priority, case new.severity when 'critical' then 'urgent' when 'warning' then 'high' else 'normal' end), new.device_id, category, assignee,
      new.id, new.message)
    returning id into ticket;
  insert into app.alert_tickets (company_id, monitor_id, device_id, ticket_id)
    values (new.company_id, new.monitor_id, new.device_id, ticket)
    on conflict (company_id, monitor_id, device_id) do update set ticket_id = excluded.ticket_id, touched_at = null, is_closed = false;
  return null;
end $$;
comment on function app.open_ticket() is
  'Row trigger: a new alert opens a ticket where its monitor says so, or is noted in the one of its monitor and device that is open or closed '
  'with its alert within a day. The ticket has the category, the priority and the assignee that the monitor names, else the first category, '
  'the priority of the severity and the person of the desk with the fewest open tickets. '
  'Definer, because a device''s check-in may not write tickets.';

-- Security definer: people change monitors, and nobody may write stamps.
create function app.stamp_monitors() returns trigger
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
comment on function app.stamp_monitors() is
  'Statement trigger of monitors and monitor_groups: devices of these companies compute their list at the next check-in.';

create function app.recompute_monitors(devices uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All lock in one order, so that two statements over the same devices never wait for each other crosswise.
  perform 1 from public.device_presence p join public.devices d on d.company_id = p.company_id and d.id = p.device_id
    where d.id = any (devices) and p.monitors_hash is not null order by p.device_id for no key update of p;
  update public.device_presence p set monitors_hash = null
    from public.devices d
    where d.id = any (devices) and p.company_id = d.company_id and p.device_id = d.id and p.monitors_hash is not null;
end $$;
comment on function app.recompute_monitors(uuid[]) is 'Makes devices compute their list of monitors at the next check-in.';

-- Security definer: nobody may write presence.
create function app.regroup_monitors() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  devices uuid[];
begin
  -- A stamp for the company would make all of its devices compute their list, and enrollments wait for each other.
  select array_agg(distinct c.device_id) into devices from changed c
    where exists (select 1 from public.monitor_groups g where g.company_id = c.company_id and g.group_id = c.group_id)
      or exists (select 1 from public.policy_groups g join public.policies p on p.company_id = g.company_id and p.id = g.policy_id
        where g.company_id = c.company_id and g.group_id = c.group_id and p.kind = 'permission');
  if devices is not null then
    perform app.recompute_monitors(devices);
  end if;
  return null;
end $$;
comment on function app.regroup_monitors() is
  'Statement trigger of group_devices: a device that enters or leaves a group with monitors computes its list at the next check-in.';

create function app.note_list(company uuid, device uuid, list_hash text) returns void
  language plpgsql set search_path = '' as $$
begin
  -- A check-in costs one lookup; the monitors are read once a minute for each list.
  perform 1 from app.monitor_lists l
    where l.company_id = company and l.hash = list_hash and l.noted_at >= now() - interval '1 minute';
  if found then
    return;
  end if;
  insert into app.monitor_lists (company_id, hash) values (company, list_hash) on conflict do nothing;
  perform 1 from app.monitor_lists l
    where l.company_id = company and l.hash = list_hash and l.noted_at < now() - interval '1 minute' for update skip locked;
  if not found then
    return;
  end if;
  update app.monitor_lists l set noted_at = now() where l.company_id = company and l.hash = list_hash;
  perform app.note_checks(company, array(
    select (m ->> 'id')::uuid from jsonb_array_elements(app.monitors_of(company, device)) m));
end $$;
comment on function app.note_list(uuid, uuid, text) is
  'Notes that devices check the monitors of a list, at most once a minute for all devices that have it.';

create function app.forget_monitor_lists() returns integer
  language plpgsql set search_path = '' as $$
declare
  removed integer;
begin
  delete from app.monitor_lists l where (l.company_id, l.hash) in (
    select x.company_id, x.hash from app.monitor_lists x where x.noted_at < now() - interval '1 day' limit 1000 for update skip locked);
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function app.forget_monitor_lists() is
  'Step of app.tick(): removes lists of monitors that no device has reported for a day, at most 1,000 a call.';

create function app.monitor_object(m public.monitors) returns jsonb
  language sql stable set search_path = '' as $$
  select jsonb_strip_nulls(jsonb_build_object(
      'id', m.id, 'type', m.type, 'interval_seconds', m.check_interval, 'repeat_count', m.repeat_count,
      'metric', m.metric, 'above_percent', m.above_percent, 'service_name', m.service_name, 'restart', m.restart,
      'probe', m.probe, 'target', m.target, 'process_name', m.process_name, 'process_state', m.process_state,
      'event_id', m.event_id, 'log_name', m.log_name, 'event_minutes', m.event_minutes, 'event_count', m.event_count))
$$;
comment on function app.monitor_object(public.monitors) is 'A monitor as devices get it.';

create function app.open_alert(monitor public.monitors, device uuid, message text) returns void
  language plpgsql set search_path = '' as $$
declare
  -- A monitor without a cooldown keeps this pause: one that fails every few seconds is one alert.
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
comment on function app.watch_offline() is
  'Step of app.tick(): evaluates the monitors of type Offline, which no device can; at most 500 changes a monitor and call.';

-- Security definer: nobody may write jobs and runs.
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
  device_ids := array(select w.id from unnest(device_ids) w (id)
    left join public.devices d on d.company_id = monitor.company_id and d.id = w.id
    where d.platform is null or d.platform = any (monitor.platforms));
  if device_ids = '{}' then
    raise exception 'The monitor checks no device of these.' using errcode = 'check_violation', hint = 'platform_none';
  end if;
  return app.queue_task(monitor.company_id, coalesce(nullif(btrim(test_monitor.name), ''), monitor.name),
    jsonb_build_object('task', 'check_monitor', 'monitor', app.monitor_object(monitor)), device_ids, 120, now() + interval '15 minutes');
end $$;
comment on function public.test_monitor(uuid, uuid[], text) is
  'Has devices make the check of a monitor once, without a change of its state, and print what they found; returns the job.';
grant execute on function public.test_monitor(uuid, uuid[], text) to authenticated;

create function public.decide_alerts(ids uuid[], status text) returns integer
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
grant execute on function public.decide_alerts(uuid[], text) to authenticated;

create function app.tell_alert(alert public.alerts, monitor public.monitors) returns void
  language plpgsql set search_path = '' as $$
declare
  device text;
  person uuid;
  notice app.notices%rowtype;
  worst text;
begin
  -- The lock lets two alerts of one device find the same notice.
  select d.name into device from public.devices d where d.company_id = alert.company_id and d.id = alert.device_id for no key update;
  foreach person in array app.alert_people(alert.company_id, monitor.notify_role) loop
    notice := app.notice_for(person, 'alerts', alert.company_id, alert.device_id, array[alert.id], alert.severity <> 'info');
    continue when notice.id is null;
    if alert.severity = 'critical' then
      update app.notices n set is_critical = true where n.id = notice.id and not n.is_critical;
    end if;
    if notice.records = 1 then
      perform app.ring(notice, 'alert_opened',
        jsonb_build_object('monitor', monitor.name || ' · ' || device, 'message', alert.message, 'severity', alert.severity), '/alerts/' || alert.id);
    else
      select a.severity into worst from public.alerts a where a.company_id = alert.company_id and a.id = any (notice.record_ids)
        order by array_position(array['critical', 'warning', 'info'], a.severity) limit 1;
      perform app.ring(notice, 'alerts_opened',
        jsonb_build_object('device', device, 'count', notice.records, 'message', alert.message, 'severity', worst),
        '/alerts?device_id=' || alert.device_id || '&status=open');
    end if;
  end loop;
  if monitor.procedure_id is not null then
    perform app.repair(alert, monitor);
  end if;
end $$;
comment on function app.tell_alert(public.alerts, public.monitors) is
  'Tells the people of the monitor of an alert, and runs the monitor''s script. Alerts of a device within five minutes are one message. An '
  'alert of severity info rings the bell and sends no mail.';

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
comment on function app.end_cooldowns() is
  'Step of app.tick(): tells of alerts that opened within the cooldown of an earlier one and are still open when it is over; at most 500 a call.';

-- Definer, because a permission of its own is asked beside that of the row.
create function app.guard_monitor_groups() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_server_work() and exists (
    select 1 from public.monitors m
    where m.company_id = coalesce(new.company_id, old.company_id) and m.id = coalesce(new.monitor_id, old.monitor_id)
      and (m.procedure_id is not null or m.restart)
  ) then
    perform app.require('procedures', 'run');
  end if;
  return coalesce(new, old);
end $$;
comment on function app.guard_monitor_groups() is
  'Row trigger: on which devices a monitor runs a script or restarts a service is for who may run scripts.';

create function app.rate_monitors(ids uuid[]) returns void
  language plpgsql set search_path = '' as $$
begin
  -- All lock in one order. The statement after it sees what those who held the locks wrote.
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
comment on function app.rate_monitors(uuid[]) is 'Keeps health and is_active of these monitors, by their alerts and the states of their devices.';

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

-- Security definer, as app.follow_states().
create function app.follow_switch() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform app.rate_monitors(array[new.id]);
  return null;
end $$;
comment on function app.follow_switch() is
  'Row trigger of monitors: one that is disabled checks nothing. Definer, because health is not a client''s to write.';

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
grant execute on function public.still_failing(uuid[]) to authenticated;

-- A trigger, not a constraint: monitors of before may have others, and machines write their rows too.
create function app.check_monitor_target() returns trigger
  language plpgsql set search_path = '' as $$
declare
  fits boolean := case new.probe
    when 'http' then new.target ~* '^https?://[^[:space:]/?#]+'
    when 'tcp' then new.target ~ ('^(\[[0-9A-Fa-f][0-9A-Fa-f:.]*\]|[A-Za-z0-9_][A-Za-z0-9._-]*):'
      '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$')
    when 'ping' then new.target ~ '^([A-Za-z0-9_][A-Za-z0-9._-]*|[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9]+)?)$'
  end;
begin
  if not fits then
    raise exception using errcode = 'check_violation', message = format('not a target of the probe %s', new.probe),
      hint = 'target_' || new.probe, table = 'monitors', column = 'target', constraint = 'monitors_target_check';
  end if;
  return new;
end $$;
comment on function app.check_monitor_target() is
  'Row trigger of monitors: the target is a host for ping, host:port for tcp, and an http(s) address for http.';

-- Security definer: whoever resolves an alert may not write tickets, nor may a device.
create function app.note_resolution() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ticket record;
  follows boolean;
begin
  -- Within the cooldown nobody is told, and a ticket that opened and closed with each failure would tell everybody.
  if new.resolved_at is null and new.in_cooldown then
    return null;
  end if;
  select t.id, t.status, t.alert_resolved_at, x.touched_at, x.is_closed, x.ticket_id is not null as is_own into ticket
    from public.tickets t
    left join app.alert_tickets x on x.company_id = t.company_id and x.ticket_id = t.id
      and x.monitor_id = new.monitor_id and x.device_id = new.device_id
    where t.company_id = new.company_id and t.alert_id = new.id and t.deleted_at is null
    order by x.ticket_id is null limit 1 for no key update of t;
  if ticket.id is null then
    return null;
  end if;
  follows := ticket.is_own and case when new.resolved_at is null then ticket.is_closed and ticket.status = 'closed'
    else ticket.touched_at is null and ticket.status in ('new', 'open', 'waiting') end;
  if follows or (ticket.alert_resolved_at is null) <> (new.resolved_at is null) then
    update public.tickets t set alert_resolved_at = new.resolved_at,
        status = case when not follows then t.status when new.resolved_at is null then 'open' else 'closed' end,
        alert_note = case when new.resolved_at is null then null when follows then 'Closed with its alert: nobody had changed the ticket.'
          when t.status in ('new', 'open', 'waiting') then 'The alert is resolved. The ticket stays open because somebody has changed it.'
          else t.alert_note end
      where t.company_id = new.company_id and t.id = ticket.id;
  end if;
  if follows then
    update app.alert_tickets x set is_closed = new.resolved_at is not null
      where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id;
  end if;
  return null;
end $$;
comment on function app.note_resolution() is
  'Row trigger of alerts: the ticket of the alert closes with it, and opens with it again, unless a person has changed the ticket; it then '
  'says so. Definer, because those who decide alerts may not write tickets.';

create function app.cooldown_of(monitor public.monitors) returns interval
  language sql immutable set search_path = '' as $$
  -- A script may cause the very failure that starts it.
  select make_interval(mins => greatest(monitor.cooldown_minutes, (monitor.procedure_id is not null)::integer))
$$;
comment on function app.cooldown_of(public.monitors) is 'How long a monitor tells nobody of the same failure again.';

create function app.monitor_platforms(m public.monitors) returns text[]
  language sql immutable set search_path = '' as $$
  select case when m.type = 'Event ID' or m.type = 'Process' and m.process_name ~* '\.exe$' then array['windows']
    else array['linux', 'macos', 'windows'] end
$$;
comment on function app.monitor_platforms(public.monitors) is
  'The systems that have what a monitor looks at: event logs and programs named .exe are those of Windows.';
