-- A ticket that an alert opened leads to the alert and to the run that repairs, and says when the alert was resolved.

-- Without foreign keys, as app.alert_tickets: they would make PostgREST's embedding of the device ambiguous.
alter table public.tickets
  add column alert_table text generated always as ('alerts') stored,
  add column alert_id uuid,
  add column alert_message text check (length(alert_message) <= 2000),
  add column alert_resolved_at timestamptz,
  add column repair_table text generated always as ('job_runs') stored,
  add column repair_run_id uuid,
  add column repair_name text check (length(repair_name) <= 200);
comment on column public.tickets.alert_id is
  'The alert that opened the ticket, or the last one of its monitor and device while the ticket was open; null for a ticket of a person.';
comment on column public.tickets.alert_resolved_at is 'When that alert was resolved. The ticket stays open: people close it.';
comment on column public.tickets.repair_run_id is 'The run of the monitor''s script for that alert, named repair_name.';
create index tickets_alert_idx on public.tickets (company_id, alert_id) where alert_id is not null;

-- Security definer, as before: a device's check-in may not write tickets.
create or replace function app.open_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device text;
  ticket uuid;
begin
  select m.* into monitor from public.monitors m where m.company_id = new.company_id and m.id = new.monitor_id and m.open_ticket;
  if monitor.id is null then
    return null;
  end if;
  update public.tickets t set alert_id = new.id, alert_message = new.message, alert_resolved_at = null, repair_run_id = null, repair_name = null
    from app.alert_tickets x
    where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id
      and t.company_id = x.company_id and t.id = x.ticket_id and t.status in ('open', 'pending');
  if found then
    return null;
  end if;
  select d.name into device from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  insert into public.tickets (company_id, subject, description, priority, device_id, alert_id, alert_message)
    values (new.company_id, left(monitor.name || ' · ' || device, 200), new.message,
      case new.severity when 'critical' then 'urgent' when 'warning' then 'high' else 'normal' end, new.device_id, new.id, new.message)
    returning id into ticket;
  insert into app.alert_tickets (company_id, monitor_id, device_id, ticket_id)
    values (new.company_id, new.monitor_id, new.device_id, ticket)
    on conflict (company_id, monitor_id, device_id) do update set ticket_id = excluded.ticket_id;
  return null;
end $$;
comment on function app.open_ticket() is
  'Row trigger: a new alert opens a ticket where its monitor says so, or is noted in the one of them that is open. Definer, because a '
  'device''s check-in may not write tickets.';

-- Security definer: whoever resolves an alert may not write tickets, nor may a device.
create function app.note_resolution() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.tickets t set alert_resolved_at = new.resolved_at
    where t.company_id = new.company_id and t.alert_id = new.id and t.alert_resolved_at is distinct from new.resolved_at;
  return null;
end $$;
comment on function app.note_resolution() is
  'Row trigger of alerts: the ticket of the alert says that it was resolved, or opened again. Definer, because those who decide alerts may '
  'not write tickets.';
revoke execute on function app.note_resolution() from public;
create trigger alerts_ticket_note after update of status on public.alerts
  for each row when (old.resolved_at is distinct from new.resolved_at) execute function app.note_resolution();

create or replace function app.repair(alert public.alerts, monitor public.monitors) returns void
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
