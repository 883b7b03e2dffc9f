-- Status of a board.

drop function public.set_ticket_status(uuid[], text, bool);

create function public.set_ticket_status(ids uuid[], status text, with_subtickets boolean default false, status_id uuid default null) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
  wanted uuid[] := ids;
begin
  if with_subtickets then
    wanted := ids || array(select t.id from public.tickets t where t.parent_id = any (ids) and t.status in ('new', 'open', 'waiting'));
  end if;
  perform app.require_rows('tickets', 'assign', wanted);
  -- In one order, so that two people who change the same tickets wait for each other instead of blocking each other.
  perform 1 from public.tickets t where t.id = any (wanted) order by t.id for no key update;
  update public.tickets t set status = set_ticket_status.status, status_id = coalesce(set_ticket_status.status_id, t.status_id)
    where t.id = any (wanted);
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.set_ticket_status(uuid[], text, boolean, uuid) is
  'Resolves, reopens or closes these tickets, on request with their open subtickets, all or none, and returns how many. '
  'status_id names a status of the company; without it they get the default status of the kind. The kind follows the status that is named.';
grant execute on function public.set_ticket_status(uuid[], text, boolean, uuid) to authenticated;
