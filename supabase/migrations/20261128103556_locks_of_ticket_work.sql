-- Locks of ticket work.

set check_function_bodies = off;

create or replace function app.follow_profile_name() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- In one order, as everybody locks them. Whoever decides holds the ticket of an approval, whose name app.follow_work_names() writes.
  perform 1 from public.tickets t where t.id in (
    select r.id from public.tickets r where r.requester_id = new.id or r.assignee_id = new.id
    union all select a.ticket_id from public.ticket_approvals a where a.person_id = new.id) order by t.id for no key update;
  update public.tickets t set requester_name = new.name where t.requester_id = new.id;
  update public.tickets t set assignee_name = new.name where t.assignee_id = new.id;
  return null;
end $$;

create function app.lock_checklists(company uuid) returns void
  language sql volatile set search_path = '' as $$
  select pg_advisory_xact_lock(hashtextextended('checklists/', 0)), pg_advisory_xact_lock(hashtextextended('checklists/' || company, 0))
$$;
comment on function app.lock_checklists(uuid) is
  'Until the end of the transaction nobody changes or deletes items of checklists of the company (app.share_checklists()). A merge takes it before the '
  'rows of tickets: it writes tickets, then their items, where others write items, then their tickets.';

create function app.share_checklists() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('checklists/' || coalesce(app.own_company()::text, ''), 0));
  return null;
end $$;
comment on function app.share_checklists() is
  'Statement trigger: whoever changes or deletes items waits for a merge, before they hold an item that it moves. A Super Admin and the server, who '
  'write items of all companies, wait for every merge.';

-- Security definer: comments, files and watchers of others move.
create or replace function public.merge_tickets(ids uuid[], target_id uuid) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  target public.tickets%rowtype;
  wanted uuid[] := array(select distinct i from unnest(ids) i where i is not null order by 1);
  refused text;
  answered timestamptz;
  told uuid;
  hidden uuid[];
  merged public.tickets%rowtype;
  first_words uuid;
begin
  perform app.require_rows('tickets', 'assign', wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company());
  if target.id is null or wanted = '{}' or exists (
      select 1 from unnest(wanted) w where not exists (
        select 1 from public.tickets t where t.id = w and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()))) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  if cardinality(wanted) > 100 then
    raise exception using errcode = '22023', message = 'at most 100 tickets at a time';
  end if;
  perform app.lock_ticket_work(target.company_id);
  perform app.lock_checklists(target.company_id);
  perform 1 from public.tickets t where t.id = any (wanted || target_id) order by t.id for update;
  select t.* into target from public.tickets t where t.id = target_id;
  -- Somebody may have deleted one of them while this waited.
  if exists (select 1 from public.tickets t where t.id = any (wanted || target_id) and t.deleted_at is not null) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  refused := case
    when target_id = any (wanted) then 'merge_self'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.company_id <> target.company_id) then 'merge_company'
    when target.merged_into_id is not null then 'merge_into_merged'
    when exists (select 1 from public.tickets t where t.id = any (wanted) and t.merged_into_id is not null) then 'merge_merged' end;
  if refused is not null then
    raise exception using errcode = '23514', hint = refused, message = case refused
      when 'merge_self' then 'a ticket is not merged into itself'
      when 'merge_company' then 'tickets of one company are merged'
      when 'merge_into_merged' then format('ticket #%s was merged itself', target.number)
      else 'one of these tickets was merged already' end,
      detail = jsonb_build_object('number', target.number::text)::text;
  end if;
  -- Nobody outside the desk reads the words of a ticket without a requester in the console: the requester of the survivor must not read them by a merge.
  -- An account that became the requester later has another address than the mail that opened the ticket.
  hidden := array(select t.id from public.tickets t where t.id = any (wanted) and t.requester_id is null
    and lower(t.requester_email) is distinct from coalesce(lower(case when target.requester_id is null then target.requester_email
      else (select p.email from public.profiles p where p.id = target.requester_id) end), ''));
  update public.ticket_comments c set ticket_id = target_id, kind = case when c.ticket_id = any (hidden) then 'note' else c.kind end
    where c.company_id = target.company_id and c.ticket_id = any (wanted);
  -- A merged ticket asked for something: its words are the first ones of its part of the thread.
  for merged in select t.* from public.tickets t where t.id = any (wanted) order by t.id loop
    insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id, author_name, created_at, origin)
      values (merged.company_id, target_id, case when merged.id = any (hidden) then 'note' else 'reply' end,
        case when merged.description ~ '\S' then merged.description else merged.subject end, merged.requester_id, merged.requester_name, merged.created_at,
        "left"(format('#%s: %s', merged.number, merged.subject), 300))
      returning id into first_words;
    -- The attachments of a ticket whose words become notes are files of its first note, which are read by whoever reads notes.
    update public.files f set resource = case when merged.id = any (hidden) then 'ticket_comments' else f.resource end,
        record_id = case when merged.id = any (hidden) then first_words else target_id end
      where f.company_id = target.company_id and f.resource = 'tickets' and f.record_id = merged.id and f.field is null;
  end loop;
  -- People who have left are not added again.
  insert into public.ticket_watchers (company_id, ticket_id, user_id)
    select target.company_id, target_id, p.id
    from (select w.user_id as id from public.ticket_watchers w where w.company_id = target.company_id and w.ticket_id = any (wanted)
      union select t.requester_id from public.tickets t where t.id = any (wanted)) p
    where p.id is distinct from target.requester_id and exists (select 1 from public.user_roles r
      where r.user_id = p.id and r.deactivated_at is null and (r.company_id = target.company_id or r.role = 'Super Admin'))
    on conflict do nothing;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id)
    select distinct target.company_id, target_id, l.kind, l.other_id from public.ticket_links l
    where l.company_id = target.company_id and l.ticket_id = any (wanted) and l.other_id <> target_id and l.other_id <> all (wanted)
    on conflict do nothing;
  delete from public.ticket_links l where l.company_id = target.company_id and l.ticket_id = any (wanted);
  perform app.move_ticket_work(target.company_id, wanted, target_id);
  update app.alert_tickets x set ticket_id = target_id where x.company_id = target.company_id and x.ticket_id = any (wanted);
  -- Subtickets are one level deep: those of a merged ticket go to the survivor, or to its parent.
  update public.tickets t set parent_id = null where t.id = any (wanted || target_id) and t.parent_id = any (wanted || target_id);
  select t.* into target from public.tickets t where t.id = target_id;
  update public.tickets t set parent_id = coalesce(target.parent_id, target_id)
    where t.company_id = target.company_id and t.parent_id = any (wanted);
  -- The older ones lead on to the ticket that is open.
  update public.tickets t set merged_into_id = target_id where t.company_id = target.company_id and t.merged_into_id = any (wanted);
  -- The thread of the survivor now shows the desk's answer: its requester had it when it was theirs, and reads one to somebody else from now on.
  answered := (select min(case when t.requester_id = target.requester_id then greatest(t.first_responded_at, target.created_at) else now() end)
    from public.tickets t where t.id = any (wanted) and t.id <> all (hidden) and t.first_responded_at is not null);
  if answered is not null then
    update public.tickets t set first_responded_at = least(t.first_responded_at, answered), status = case t.status when 'new' then 'open' else t.status end
      where t.id = target_id;
  end if;
  update public.tickets t set status = 'closed', merged_into_id = target_id, parent_id = null where t.id = any (wanted);
  foreach told in array wanted || target_id loop
    perform app.tell_thread(told);
  end loop;
  return cardinality(wanted);
end $$;

-- Security definer: the parent is written by this function alone.
create or replace function public.set_ticket_parent(ids uuid[], parent_id uuid default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  parent public.tickets%rowtype;
  company uuid;
  refused text;
  changed integer;
begin
  perform app.require_rows('tickets', 'assign', ids || set_ticket_parent.parent_id);
  if exists (select 1 from unnest(ids || set_ticket_parent.parent_id) w where w is not null and not exists (
      select 1 from public.tickets t where t.id = w and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()))) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  for company in select distinct t.company_id from public.tickets t where t.id = any (ids || set_ticket_parent.parent_id) order by 1 loop
    perform app.lock_ticket_work(company);
  end loop;
  -- The parents that they leave count their subtickets anew, and are written too.
  perform 1 from public.tickets t where t.id = any (ids || set_ticket_parent.parent_id
      || array(select c.parent_id from public.tickets c where c.id = any (ids))) order by t.id for no key update;
  -- Somebody may have deleted one of them while this waited.
  if exists (select 1 from public.tickets t where t.id = any (ids || set_ticket_parent.parent_id) and t.deleted_at is not null) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  if set_ticket_parent.parent_id is not null then
    select t.* into parent from public.tickets t where t.id = set_ticket_parent.parent_id;
    refused := case
      when parent.id = any (ids) then 'parent_self'
      when exists (select 1 from public.tickets t where t.id = any (ids) and t.company_id <> parent.company_id) then 'merge_company'
      when parent.merged_into_id is not null then 'merge_into_merged'
      when parent.parent_id is not null then 'parent_of_parent'
      when exists (select 1 from public.tickets t where t.parent_id = any (ids)) then 'parent_has_subtickets' end;
    if refused is not null then
      raise exception using errcode = '23514', hint = refused, detail = jsonb_build_object('number', parent.number::text)::text,
        message = case refused when 'parent_self' then 'a ticket is not its own parent' when 'merge_company' then 'the parent is of another company'
          when 'merge_into_merged' then format('ticket #%s was merged', parent.number)
          else 'subtickets are one level deep' end;
    end if;
  end if;
  update public.tickets t set parent_id = set_ticket_parent.parent_id
    where t.id = any (ids) and t.parent_id is distinct from set_ticket_parent.parent_id and t.merged_into_id is null;
  get diagnostics changed = row_count;
  return changed;
end $$;

-- A statement of another trigger, such as one that deletes the items with their ticket, has locked the ticket already and must not wait for a merge.
create trigger ticket_checklist_items_share before update or delete on public.ticket_checklist_items
  for each statement when (pg_trigger_depth() = 0) execute function app.share_checklists();
