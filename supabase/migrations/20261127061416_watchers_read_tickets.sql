-- Watchers read tickets.

create function app.leave_tickets(ids uuid[]) returns integer
  language plpgsql volatile
  -- definer: a watcher reads a ticket without the right to edit it, and the links of a ticket are written by those who edit it
  security definer set search_path = '' as $$
declare
  changed integer;
begin
  delete from public.ticket_watchers w where w.ticket_id = any (ids) and w.user_id = app.current_user_id()
    and w.company_id = any (app.visible_company_ids());
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function app.leave_tickets(uuid[]) is 'Ends the watching of the caller, and of nobody else. Called by public.watch_tickets().';
grant execute on function app.leave_tickets(uuid[]) to authenticated;

-- Runs as the caller: row-level security decides which tickets are reached.
create or replace function public.watch_tickets(ids uuid[], watching boolean default true) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  if not watching then
    perform app.require_rows('tickets', 'list', ids);
    return app.leave_tickets(ids);
  end if;
  -- Whoever sees a ticket for a while, as somebody who is asked to approve it, does not keep it by watching.
  perform app.require_rows('tickets', 'edit', ids);
  insert into public.ticket_watchers (company_id, ticket_id, user_id)
  select t.company_id, t.id, app.current_user_id() from public.tickets t where t.id = any (ids)
  on conflict do nothing;
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function public.watch_tickets(uuid[], boolean) is
  'Lets the caller watch these tickets, or no longer, and returns how many that changed. 42501 for tickets that the caller may not edit, and for '
  'those that they do not see where they end it.';
