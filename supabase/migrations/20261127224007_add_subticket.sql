-- Add subticket.

-- Runs as the caller: row-level security decides whether they may open a ticket.
create function public.add_subticket(ticket_id uuid, subject text, description text default null, assignee_id uuid default null) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  company uuid;
  device uuid;
  urgency text;
  made uuid;
begin
  perform app.require_rows('tickets', 'assign', array[add_subticket.ticket_id]);
  select t.company_id, t.device_id, t.priority into company, device, urgency from public.tickets t where t.id = add_subticket.ticket_id;
  if company is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  insert into public.tickets (company_id, subject, description, assignee_id, device_id, priority)
    values (company, add_subticket.subject, add_subticket.description, add_subticket.assignee_id, device, urgency)
    returning id into made;
  perform public.set_ticket_parent(array[made], add_subticket.ticket_id);
  return made;
end $$;
comment on function public.add_subticket(uuid, text, text, uuid) is
  'Opens a ticket for a part of the work and returns its id: about the device of its parent, with its priority, and without a requester.';
grant execute on function public.add_subticket(uuid, text, text, uuid) to authenticated;
