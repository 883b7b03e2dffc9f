-- Monitors as their definition has them now.

alter table public.monitors add column open_ticket boolean not null default false;
grant insert (open_ticket), update (open_ticket) on public.monitors to authenticated;

create table app.alert_tickets (
  company_id uuid not null,
  monitor_id uuid not null,
  device_id uuid not null,
  ticket_id uuid not null,
  primary key (company_id, monitor_id, device_id),
  foreign key (company_id, monitor_id) references public.monitors (company_id, id) on delete cascade,
  foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade,
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade
);
comment on table app.alert_tickets is 'The last ticket that the alerts of a monitor opened for a device.';
create index alert_tickets_device_idx on app.alert_tickets (company_id, device_id);
create index alert_tickets_ticket_idx on app.alert_tickets (company_id, ticket_id);
revoke all on app.alert_tickets from public, anon, authenticated;
alter table app.alert_tickets enable row level security;

create function app.open_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  monitor public.monitors%rowtype;
  device text;
  ticket uuid;
begin
  select m.* into monitor from public.monitors m where m.company_id = new.company_id and m.id = new.monitor_id and m.open_ticket;
  if monitor.id is null or exists (
    select 1 from app.alert_tickets x
    join public.tickets t on t.company_id = x.company_id and t.id = x.ticket_id
    where x.company_id = new.company_id and x.monitor_id = new.monitor_id and x.device_id = new.device_id
      and t.status in ('open', 'pending')
  ) then
    return null;
  end if;
  select d.name into device from public.devices d where d.company_id = new.company_id and d.id = new.device_id;
  insert into public.tickets (company_id, subject, description, priority, device_id)
    values (new.company_id, left(monitor.name || ' · ' || device, 200), new.message,
      case new.severity when 'critical' then 'urgent' when 'warning' then 'high' else 'normal' end, new.device_id)
    returning id into ticket;
  insert into app.alert_tickets (company_id, monitor_id, device_id, ticket_id)
    values (new.company_id, new.monitor_id, new.device_id, ticket)
    on conflict (company_id, monitor_id, device_id) do update set ticket_id = excluded.ticket_id;
  return null;
end $$;
comment on function app.open_ticket() is
  'Row trigger: a new alert opens a ticket where its monitor says so, and no ticket of them is open. Definer, because a device''s check-in may not write tickets.';
revoke execute on function app.open_ticket() from public;
create trigger alerts_ticket after insert on public.alerts for each row execute function app.open_ticket();
