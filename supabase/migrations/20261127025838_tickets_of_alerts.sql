-- Tickets of alerts.

alter table public.monitors add column ticket_priority text check (ticket_priority in ('low', 'normal', 'high', 'urgent'));

create function app.check_device_owner() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.owner_id is not distinct from old.owner_id then
    return new;
  end if;
  -- A stranger and nobody get the same answer: the one that a missing record gives.
  if not exists (select 1 from public.user_roles r where r.user_id = new.owner_id and r.company_id = new.company_id) then
    raise exception using errcode = '23503', constraint = 'devices_owner_id_fkey', table = 'devices', schema = 'public',
      message = 'insert or update on table "devices" violates foreign key constraint "devices_owner_id_fkey"',
      detail = format('Key (owner_id)=(%s) is not present in table "profiles".', new.owner_id);
  end if;
  return new;
end $$;
comment on function app.check_device_owner() is
  'Row trigger: whoever uses a device belongs to its company. Definer, because the writer may not read people.';

-- Security definer: a device's check-in may not write tickets.
create or replace function app.open_ticket() returns trigger
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
      and t.company_id = x.company_id and t.id = x.ticket_id
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
      where t.assignee_id = p and t.company_id = new.company_id and t.status in ('new', 'open', 'waiting')), p limit 1) end;
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

create function app.note_ticket_words() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if app.acting_user_id() is not null then
    update app.alert_tickets x set touched_at = coalesce(x.touched_at, now()), is_closed = false
      where x.company_id = new.company_id and x.ticket_id = new.ticket_id;
  end if;
  return null;
end $$;
comment on function app.note_ticket_words() is
  'Row trigger of what people add to a ticket, such as comments: the ticket of an alert then no longer closes with it. Definer, because '
  'app.alert_tickets is private.';

create trigger devices_people before insert or update of owner_id on public.devices
  for each row when (new.owner_id is not null) execute function app.check_device_owner();
create or replace trigger monitors_touch before update on public.monitors for each row execute function app.touch('name', 'description', 'type',
  'severity', 'settings', 'threshold', 'service_name', 'target', 'process_name', 'event_id', 'log_name', 'enabled', 'metric', 'above_percent',
  'restart', 'probe', 'process_state', 'event_minutes', 'event_count', 'check_interval', 'repeat_count', 'auto_resolve', 'procedure_id',
  'open_ticket', 'offline_minutes', 'cooldown_minutes', 'notify_role', 'ticket_category_id', 'ticket_priority',
  'ticket_assignee_id', 'platforms');
create trigger ticket_comments_words after insert on public.ticket_comments for each row execute function app.note_ticket_words();

revoke all on table public.monitors from public, authenticated, service_role;
grant select, delete,
  insert (company_id, name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled, metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count, auto_resolve, procedure_id, open_ticket, offline_minutes, cooldown_minutes, notify_role, ticket_category_id, ticket_priority, ticket_assignee_id, platforms),
  update (name, description, type, severity, settings, threshold, service_name, target, process_name, event_id, log_name, enabled, metric, above_percent, restart, probe, process_state, event_minutes, event_count, check_interval, repeat_count, auto_resolve, procedure_id, open_ticket, offline_minutes, cooldown_minutes, notify_role, ticket_category_id, ticket_priority, ticket_assignee_id, platforms)
  on public.monitors to authenticated;
grant select, insert, update, delete on public.monitors to service_role;
