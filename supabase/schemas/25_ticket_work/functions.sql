create function app.lock_ticket_work(company uuid) returns void
  language sql volatile set search_path = '' as $$
  select pg_advisory_xact_lock(hashtextextended('ticket_work/' || company, 0))
$$;
comment on function app.lock_ticket_work(uuid) is
  'Until the end of the transaction nobody else merges, splits or links tickets of the company. It is taken before the rows of tickets, which are locked by id.';
grant execute on function app.lock_ticket_work(uuid) to authenticated, service_role;

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

create function app.reverse_link(kind text) returns text
  language sql immutable parallel safe
  return case kind when 'blocks' then 'blocked_by' when 'blocked_by' then 'blocks' when 'duplicates' then 'duplicated_by'
    when 'duplicated_by' then 'duplicates' when 'split_from' then 'split_into' when 'split_into' then 'split_from' else kind end;
comment on function app.reverse_link(text) is 'What a link is called from the other ticket.';

create function app.guard_ticket_link() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated') and new.kind in ('split_from', 'split_into') then
      raise exception using errcode = '23514', hint = 'link_split', table = 'ticket_links', schema = 'public', column = 'kind',
        message = 'this kind of link is made by splitting a ticket';
    end if;
    perform app.lock_ticket_work(new.company_id);
    -- As the caller: a ticket of others and none at all get one answer, which the foreign key or the mirror gives.
    if current_user in ('anon', 'authenticated') and exists (select 1 from public.tickets t where t.company_id = new.company_id and t.id = new.other_id) then
      perform app.refuse_merged(new.company_id, new.other_id, 'ticket_links');
    end if;
    return new;
  end if;
  perform app.lock_ticket_work(old.company_id);
  return old;
end $$;
comment on function app.guard_ticket_link() is
  'Row trigger: people link no ticket that was merged, on either side, and links of a company are written one after the other, because each has two rows.';

-- Security definer: the second row is not the caller's own.
create function app.mirror_ticket_link() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into public.ticket_links (company_id, ticket_id, kind, other_id)
      values (new.company_id, new.other_id, app.reverse_link(new.kind), new.ticket_id) on conflict do nothing;
  else
    delete from public.ticket_links l where l.company_id = old.company_id and l.ticket_id = old.other_id and l.other_id = old.ticket_id
      and l.kind = app.reverse_link(old.kind);
  end if;
  return null;
end $$;
comment on function app.mirror_ticket_link() is
  'Row trigger: a link is written and removed on both tickets. Definer, because the second row is of another record.';

-- Security definer: whoever removes a link may not write the ticket.
create function app.note_split() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  link public.ticket_links := case when tg_op = 'DELETE' then old else new end;
begin
  update public.tickets t set split_from_id = (select l.other_id from public.ticket_links l
      where l.company_id = t.company_id and l.ticket_id = t.id and l.kind = 'split_from' order by l.created_at, l.id limit 1)
    where t.company_id = link.company_id and t.id = link.ticket_id;
  return null;
end $$;
comment on function app.note_split() is
  'Row trigger: a ticket names the one that it was split from. Definer, because links are written by people who may not write the ticket.';

-- Security definer: counts tickets that the writer may not see.
create function app.count_subtickets() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  parent uuid;
begin
  for parent in
    select distinct p from unnest(array[case when tg_op <> 'INSERT' then old.parent_id end, case when tg_op <> 'DELETE' then new.parent_id end]) p
    where p is not null order by p
  loop
    update public.tickets t set subticket_count = (select count(*) from public.tickets c where c.company_id = t.company_id and c.parent_id = t.id and c.deleted_at is null)
      where t.id = parent;
  end loop;
  return null;
end $$;
comment on function app.count_subtickets() is 'Row trigger: the parent knows how many subtickets it has. Definer, because the writer may not see all of them.';

-- Security definer: the row is locked, and the survivor may be one that the caller does not see.
create function app.survivor_of(company uuid, ticket uuid) returns table (id uuid, number integer, is_trashed boolean)
  language plpgsql volatile security definer set search_path = '' rows 1 as $$
declare
  survivor uuid;
begin
  -- A merge holds the row until it has ended; whoever writes meanwhile waits here.
  select t.merged_into_id into survivor from public.tickets t where t.company_id = company and t.id = ticket for key share;
  return query select t.id, t.number, t.deleted_at is not null from public.tickets t where t.company_id = company and t.id = survivor;
end $$;
comment on function app.survivor_of(uuid, uuid) is
  'The ticket into which this one was merged, or no row; waits for a merge under way. Definer, because it locks a row that the caller may not edit.';
grant execute on function app.survivor_of(uuid, uuid) to authenticated, service_role;

create function app.refuse_merged(company uuid, ticket uuid, written text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  survivor record;
begin
  select s.number, s.is_trashed into survivor from app.survivor_of(company, ticket) s;
  -- Nobody is told the number of a ticket that nobody sees.
  if survivor.is_trashed then
    raise exception using errcode = '23514', hint = 'ticket_merged_gone', table = written, schema = 'public',
      message = 'the ticket was merged into one that was deleted';
  elsif survivor.number is not null then
    raise exception using errcode = '23514', hint = 'ticket_merged', table = written, schema = 'public',
      message = format('the ticket was merged into #%s', survivor.number), detail = jsonb_build_object('number', survivor.number::text)::text;
  end if;
end $$;
comment on function app.refuse_merged(uuid, uuid, text) is
  'Refuses to write in this table about a ticket that was merged, and says into which one (23514, ticket_merged), or that this one was deleted (ticket_merged_gone).';
grant execute on function app.refuse_merged(uuid, uuid, text) to authenticated, service_role;

create function app.refuse_merged_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  survivor record;
begin
  -- As the caller: a ticket of others and none at all get one answer, which a later trigger gives.
  if not exists (select 1 from public.tickets t where t.company_id = new.company_id and t.id = new.ticket_id) then
    return new;
  end if;
  if current_user in ('anon', 'authenticated') then
    perform app.refuse_merged(new.company_id, new.ticket_id, tg_table_name);
  end if;
  select s.id, s.is_trashed into survivor from app.survivor_of(new.company_id, new.ticket_id) s;
  -- A reply by mail, which the server writes, lands where the conversation goes on, and stays where it was sent to while that ticket is in the trash.
  new.ticket_id := case when survivor.is_trashed then new.ticket_id else coalesce(survivor.id, new.ticket_id) end;
  return new;
end $$;
comment on function app.refuse_merged_ticket() is
  'Row trigger: people write nothing on a merged ticket and are told where to; what the server writes is written on the ticket that took it over.';

create function app.tell_thread(ticket uuid) returns void
  language plpgsql volatile set search_path = '' as $$
begin
  perform app.send_live('record:tickets:' || ticket, jsonb_build_object('table', 'ticket_comments', 'op', 'update', 'ids', '[]'::jsonb)),
    app.send_live('record:tickets:' || ticket || ':note', jsonb_build_object('table', 'ticket_comments', 'op', 'update', 'ids', '[]'::jsonb));
end $$;
comment on function app.tell_thread(uuid) is 'Open pages of a ticket read its whole thread again.';

create function app.move_ticket_work(company uuid, ids uuid[], target_id uuid) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  requesters uuid[];
begin
  update public.time_entries e set ticket_id = target_id where e.company_id = company and e.ticket_id = any (ids);
  update public.ticket_checklist_items i set ticket_id = target_id where i.company_id = company and i.ticket_id = any (ids);
  perform app.guard_own_approvals(array(select a.id from public.ticket_approvals a where a.company_id = company and a.ticket_id = any (ids)));
  -- Decisions stay where they were made; nobody is asked about a ticket that is closed.
  update public.ticket_approvals a set status = 'canceled', resumes = false
    where a.company_id = company and a.ticket_id = any (ids) and (a.status in ('queued', 'asked') or a.resumes);
  requesters := array(select distinct r.user_id from public.tickets t
      cross join lateral unnest(app.requesters_of(t) || t.created_by) r (user_id)
    where t.company_id = company and t.id = any (ids) and r.user_id is not null order by 1);
  perform app.refuse_deciders(company, target_id, requesters);
  insert into app.past_requesters (company_id, ticket_id, user_id)
    select company, target_id, r from unnest(requesters) r on conflict do nothing;
end $$;
comment on function app.move_ticket_work(uuid, uuid[], uuid) is
  'For public.merge_tickets(), which has asked for the permission: time and checklists of everybody move, and open approvals end. Whose requests were '
  'merged decides no approval of the survivor.';

create function app.count_ticket_work(ids uuid[]) returns jsonb
  language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'time_entries', (select count(*) from public.time_entries e where e.ticket_id = any (ids)),
    'checklist', (select count(*) from public.ticket_checklist_items i where i.ticket_id = any (ids)),
    'approvals', (select count(*) from public.ticket_approvals a where a.ticket_id = any (ids) and a.status in ('queued', 'asked')))
$$;
comment on function app.count_ticket_work(uuid[]) is
  'For public.merge_effects(), which has asked for the permission: what app.move_ticket_work() moves of everybody, and the open approvals that it ends.';

-- Security definer: comments, files and watchers of others move.
create function public.merge_tickets(ids uuid[], target_id uuid) returns integer
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
  -- In one order with a renamed author.
  perform 1 from public.ticket_comments c where c.company_id = target.company_id and c.ticket_id = any (wanted) order by c.id for no key update;
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
comment on function public.merge_tickets(uuid[], uuid) is
  'Merges tickets into another one of their company, which takes their description, comments, attachments, watchers, links, subtickets, time and checklists, and '
  'their first response; they are closed and lead to it, and their open approvals end. The words and attachments of a ticket without a requester become notes. Returns how many. 23514 for a ticket that was merged before, on either side. Definer, because comments and files of others move.';
grant execute on function public.merge_tickets(uuid[], uuid) to authenticated;

-- Security definer: the counts are of everybody's comments, files and time, as the merge moves them.
create function public.merge_effects(ids uuid[]) returns json
  language plpgsql stable security definer set search_path = '' as $$
declare
  found uuid[];
  work jsonb;
begin
  perform app.require_rows('tickets', 'assign', ids);
  found := array(select t.id from public.tickets t where t.id = any (ids) and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()));
  if cardinality(found) = 0 or exists (select 1 from unnest(ids) w where w <> all (found)) then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  work := app.count_ticket_work(found);
  -- A json keeps the order: what moves before what ends.
  return json_build_object(
    'comments', (select count(*) from public.ticket_comments c where c.ticket_id = any (found)),
    'files', (select count(*) from public.files f where f.resource = 'tickets' and f.record_id = any (found) and f.field is null and f.uploaded_at is not null),
    'time_entries', work -> 'time_entries',
    'checklist', work -> 'checklist',
    'links', (select count(*) from public.ticket_links l where l.ticket_id = any (found)),
    'subtickets', (select count(*) from public.tickets t where t.parent_id = any (found) and t.deleted_at is null),
    'watchers', (select count(distinct p.id) from (select w.user_id as id from public.ticket_watchers w where w.ticket_id = any (found)
      union select t.requester_id from public.tickets t where t.id = any (found) and t.requester_id is not null) p),
    'approvals', work -> 'approvals');
end $$;
comment on function public.merge_effects(uuid[]) is
  'What moves when these tickets are merged, and how many open approvals end, as counts by name. Definer, because the merge moves what the caller may not read.';
grant execute on function public.merge_effects(uuid[]) to authenticated;

-- Runs as the caller: row-level security decides which subtickets count.
create function public.resolve_effects(ids uuid[]) returns json
  language plpgsql stable set search_path = '' as $$
begin
  perform app.require_rows('tickets', 'assign', ids);
  return (
    select json_build_object(
      'approvals', coalesce(sum(t.open_approvals) filter (where t.id = any (ids)), 0),
      'checklist', coalesce(sum(t.checklist_total - t.checklist_done) filter (where t.id = any (ids)), 0),
      'subtickets', count(*) filter (where t.id <> all (ids)),
      'unfinished_subtickets', count(*) filter (where t.id <> all (ids) and t.unfinished is not null))
    from public.tickets t
    where t.deleted_at is null and (t.id = any (ids) or t.parent_id = any (ids) and t.status in ('new', 'open', 'waiting')));
end $$;
comment on function public.resolve_effects(uuid[]) is
  'How much of these tickets is left open when they are resolved, as counts by name: undecided approvals, which end, open checklist items, and open subtickets.';
grant execute on function public.resolve_effects(uuid[]) to authenticated;

-- Security definer: the parent is written by this function alone.
create function public.set_ticket_parent(ids uuid[], parent_id uuid default null) returns integer
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
comment on function public.set_ticket_parent(uuid[], uuid) is
  'Makes tickets subtickets of another one, or of none, and returns how many changed. Subtickets are one level deep, so no circle can arise. '
  'Definer, because nobody writes the column by hand.';
grant execute on function public.set_ticket_parent(uuid[], uuid) to authenticated;

-- Runs as the caller: row-level security decides whether they may open a ticket.
create function public.add_subticket(ticket_id uuid, subject text, description text default null, assignee_id uuid default null) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  company uuid;
  parent public.tickets%rowtype;
  made uuid;
begin
  perform app.require_rows('tickets', 'assign', array[add_subticket.ticket_id]);
  select t.company_id into company from public.tickets t where t.id = add_subticket.ticket_id;
  -- Before the insert, which holds the counter of ticket numbers: whoever splits or merges meanwhile takes the two in this order.
  perform app.lock_ticket_work(company);
  select t.* into parent from public.tickets t where t.id = add_subticket.ticket_id for no key update;
  if parent.id is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  -- A merged ticket is closed too, and public.set_ticket_parent() says where it went.
  if parent.status = 'closed' and parent.merged_into_id is null then
    raise exception using errcode = '23514', hint = 'subticket_closed', message = 'a closed ticket takes no new subtickets';
  end if;
  insert into public.tickets (company_id, subject, description, assignee_id, device_id, priority)
    values (parent.company_id, add_subticket.subject, add_subticket.description, add_subticket.assignee_id, parent.device_id, parent.priority)
    returning id into made;
  perform public.set_ticket_parent(array[made], add_subticket.ticket_id);
  return made;
end $$;
comment on function public.add_subticket(uuid, text, text, uuid) is
  'Opens a ticket for a part of the work and returns its id: about the device of its parent, with its priority, and without a requester. 23514 for a closed parent.';
grant execute on function public.add_subticket(uuid, text, text, uuid) to authenticated;

-- Security definer: the files of the comment move, whoever uploaded them.
create function public.split_ticket(comment_id uuid, subject text) returns uuid
  language plpgsql volatile security definer set search_path = '' as $$
declare
  reply public.ticket_comments%rowtype;
  source public.tickets%rowtype;
  requester uuid;
  earlier integer;
  made uuid;
begin
  perform app.require('tickets', 'assign'), app.require('tickets', 'create');
  select c.* into reply from public.ticket_comments c
    where c.id = comment_id and (app.sees_all() or c.company_id = app.own_company()) and (c.kind <> 'note' or app.can('tickets-notes', 'list'));
  if reply.id is null then
    raise exception 'The comment was not found.' using errcode = 'PT404', hint = 'comment_gone';
  end if;
  perform app.require_rows('tickets', 'assign', array[reply.ticket_id]);
  -- A note must not reach a requester as the text of their ticket.
  if reply.kind = 'note' then
    raise exception using errcode = '23514', hint = 'split_note', message = 'a note is not split off';
  end if;
  perform app.lock_ticket_work(reply.company_id);
  select t.* into source from public.tickets t where t.company_id = reply.company_id and t.id = reply.ticket_id and t.deleted_at is null for no key update;
  -- The author may have changed or deleted it, or a merge moved it, while this waited.
  select c.* into reply from public.ticket_comments c where c.company_id = source.company_id and c.ticket_id = source.id and c.id = comment_id;
  if reply.id is null then
    raise exception 'The comment was not found.' using errcode = 'PT404', hint = 'comment_gone';
  end if;
  -- Two people who split one reply at once: the lock lets the second one find the ticket of the first.
  earlier := (select t.number from app.comment_splits s join public.tickets t on t.company_id = s.company_id and t.id = s.ticket_id
    where s.company_id = reply.company_id and s.comment_id = reply.id and t.deleted_at is null);
  if earlier is not null then
    raise exception using errcode = '23514', hint = 'split_done', message = format('the comment was split into #%s', earlier),
      detail = jsonb_build_object('number', earlier::text)::text;
  end if;
  requester := (select r.user_id from public.user_roles r where r.company_id = reply.company_id and r.deactivated_at is null
    and r.user_id in (reply.author_id, source.requester_id) order by r.user_id is distinct from reply.author_id limit 1);
  perform set_config('app.answered_before', 'on', true);
  insert into public.tickets (company_id, subject, description, category_id, issue_id, answers, requester_id, device_id)
    values (reply.company_id, split_ticket.subject, regexp_replace(reply.body, '\[(@[^]\n]{1,100})\]\(mention:[0-9a-f-]{36}\)', '\1', 'g'),
      source.category_id, source.issue_id,
      app.answers_for(coalesce((select c.fields from public.ticket_categories c where c.company_id = source.company_id and c.id = source.category_id), '[]'),
        source.answers), requester, source.device_id)
    returning id into made;
  perform set_config('app.answered_before', '', true);
  update public.files f set resource = 'tickets', record_id = made
    where f.company_id = reply.company_id and f.resource = 'ticket_comments' and f.record_id = comment_id and f.field is null;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id) values (reply.company_id, made, 'split_from', source.id);
  insert into app.comment_splits (company_id, comment_id, ticket_id) values (reply.company_id, reply.id, made)
    on conflict on constraint comment_splits_pkey do update set ticket_id = excluded.ticket_id;
  perform app.tell_thread(source.id);
  return made;
end $$;
comment on function public.split_ticket(uuid, text) is
  'Makes a ticket from a reply and returns its id: the author asks for it where they belong to the company, the files of the reply follow, category '
  'and answers are those of its source, and both tickets are linked. 23514 for a note, and for a reply that was split before. Definer, because files of others move.';
grant execute on function public.split_ticket(uuid, text) to authenticated;

-- Time.

create function app.stamp_time_entry() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.started_at > now() + interval '5 minutes' or new.ended_at > now() + interval '5 minutes' then
    raise exception using errcode = '23514', hint = 'time_in_future', table = 'time_entries', schema = 'public', column = 'started_at',
      message = 'time is entered once it has passed';
  end if;
  -- Each person has one timer in all companies: whoever started it for another would learn whether one runs elsewhere, or block it.
  if new.ended_at is null and current_user in ('anon', 'authenticated') and new.user_id is distinct from app.current_user_id() then
    raise exception using errcode = '23514', hint = 'timer_own', table = 'time_entries', schema = 'public', column = 'ended_at',
      message = 'a timer runs for the person who starts it';
  end if;
  if coalesce(new.ended_at, now()) >= new.started_at + interval '31 days' then
    raise exception using errcode = '23514', hint = 'time_too_long', table = 'time_entries', schema = 'public',
      column = case when new.ended_at is null then 'started_at' else 'ended_at' end, message = 'an entry of time has less than 31 days';
  end if;
  new.is_long := coalesce(new.ended_at, now()) - new.started_at > interval '12 hours';
  return new;
end $$;
comment on function app.stamp_time_entry() is 'Row trigger: less than 31 days of time that has passed, marked when it took more than 12 hours. Through the API time without an end is one''s own.';

create function app.check_people_of_time_entries() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  is_foreign constant boolean := app.current_user_id() is not null
    and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false));
begin
  if not exists (
    select 1 from public.user_roles r
    where r.user_id = new.user_id and (r.company_id = new.company_id
      or r.role = 'Super Admin' and (app.current_user_id() is null or app.sees_all()))
  ) then
    if is_foreign then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "time_entries"';
    end if;
    raise exception using errcode = '23503', message = 'insert or update on table "time_entries" violates foreign key constraint "time_entries_user_id_fkey"',
      detail = 'Key (user_id) is not present in the company.';
  end if;
  new.user_name := (select p.name from public.profiles p where p.id = new.user_id);
  return new;
end $$;
comment on function app.check_people_of_time_entries() is
  'Row trigger: user_id names somebody of the row''s company, or a Super Admin where a Super Admin or the server writes it; the name is stored. Definer, because the caller may not read every role.';

-- Security definer: a person renames themself and may not write what others recorded.
create function app.follow_work_names() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.time_entries e set user_name = new.name where e.user_id = new.id;
  update public.ticket_approvals a set person_name = new.name where a.person_id = new.id;
  return null;
end $$;
comment on function app.follow_work_names() is
  'Row trigger on profiles: time and approvals show the name of today. Definer, because a person may rename themself and not write them.';

-- Security definer: whoever stops a timer may not write the ticket.
create function app.note_timers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  case tg_op
    when 'INSERT' then touched := array(select n.ticket_id from new_rows n where n.ended_at is null);
    when 'DELETE' then touched := array(select o.ticket_id from old_rows o where o.ended_at is null);
    else touched := array(select unnest(array[o.ticket_id, n.ticket_id]) from new_rows n join old_rows o on o.id = n.id
      where (o.ended_at is null or n.ended_at is null)
        and (o.ticket_id, o.started_at, o.ended_at) is distinct from (n.ticket_id, n.started_at, n.ended_at));
  end case;
  -- In one order, and before the timers are read: of two that start at once the second one sees the first.
  perform 1 from public.tickets t where t.id = any (touched) order by t.id for no key update;
  update public.tickets t set timer_started_at = x.started_at
    from (select s.id, (select min(e.started_at) from public.time_entries e
        where e.company_id = s.company_id and e.ticket_id = s.id and e.ended_at is null) as started_at
      from public.tickets s where s.id = any (touched)) x
    where t.id = x.id and t.timer_started_at is distinct from x.started_at;
  return null;
end $$;
comment on function app.note_timers() is 'Statement trigger: a ticket shows since when a timer runs on it. Definer, because time is written by people who may not write the ticket.';

create function app.end_timers() returns trigger
  language plpgsql
  -- definer: the timers of others end too
  security definer set search_path = '' as $$
begin
  -- An entry that began before the longest one would ends with it, so that a forgotten timer keeps no ticket from being deleted.
  update public.time_entries e
    set ended_at = greatest(least(now(), e.started_at + interval '31 days' - interval '1 second'), e.started_at)
    where e.ticket_id = new.id and e.ended_at is null;
  return null;
end $$;
comment on function app.end_timers() is 'Row trigger: nobody''s timer runs on a ticket in the trash.';

create function app.end_left_timers() returns trigger
  language plpgsql
  -- definer: whoever changes an account may not write its time
  security definer set search_path = '' as $$
declare
  running constant uuid[] := array(select e.ticket_id from public.time_entries e where e.user_id = old.user_id and e.ended_at is null
    and (new.deactivated_at is not null or e.company_id <> new.company_id and new.role <> 'Super Admin'));
begin
  perform 1 from public.tickets t where t.id = any (running) order by t.id for no key update;
  update public.time_entries e
    set ended_at = greatest(least(now(), e.started_at + interval '31 days' - interval '1 second'), e.started_at)
    where e.user_id = old.user_id and e.ended_at is null and e.ticket_id = any (running);
  return null;
end $$;
comment on function app.end_left_timers() is
  'Row trigger on user_roles: whoever is deactivated or moves to another company leaves no timer that they could neither see nor stop. Definer, because '
  'whoever changes an account may not write its time.';

-- Runs as the caller: row-level security decides whose time is written.
create function public.start_timer(ticket_id uuid) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  company uuid;
  running uuid;
begin
  perform app.require_rows('tickets', 'assign', array[start_timer.ticket_id]);
  select t.company_id into company from public.tickets t where t.id = start_timer.ticket_id;
  if company is null then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  -- Two starts of one person wait for each other.
  perform pg_advisory_xact_lock(hashtextextended('timer/' || me, 0));
  select e.id into running from public.time_entries e where e.user_id = me and e.ended_at is null and e.ticket_id = start_timer.ticket_id;
  if running is not null then
    return running;
  end if;
  -- The ticket whose timer ends is written before the one whose timer begins: both are locked in the order of all others.
  perform app.lock_rows('public.tickets', array(select e.ticket_id from public.time_entries e where e.user_id = me and e.ended_at is null)
    || start_timer.ticket_id);
  -- Another start may have begun after this one, and been first.
  update public.time_entries e set ended_at = greatest(now(), e.started_at) where e.user_id = me and e.ended_at is null and not e.is_long
    and e.started_at >= now() - interval '12 hours';
  -- A timer that was forgotten is asked about first, because its end is not known.
  if exists (select 1 from public.time_entries e where e.user_id = me and e.ended_at is null) then
    raise exception using errcode = '23514', hint = 'timer_long', message = 'a timer has run for more than 12 hours: say when it ended';
  end if;
  insert into public.time_entries (company_id, ticket_id) values (company, start_timer.ticket_id) returning id into running;
  return running;
end $$;
comment on function public.start_timer(uuid) is
  'Starts the timer of the caller on a ticket and stops the one that runs on another ticket; returns the entry.';
grant execute on function public.start_timer(uuid) to authenticated;

create function public.stop_timer(note text default null, ended_at timestamptz default null) returns uuid
  language plpgsql volatile set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  stopped public.time_entries%rowtype;
begin
  perform pg_advisory_xact_lock(hashtextextended('timer/' || me, 0));
  select e.* into stopped from public.time_entries e where e.user_id = me and e.ended_at is null;
  if stopped.id is null then
    raise exception 'No timer runs.' using errcode = 'PT404', hint = 'timer_none';
  end if;
  if stop_timer.ended_at not between stopped.started_at and now() then
    raise exception using errcode = '23514', hint = 'timer_end', message = 'a timer ends between its start and now';
  end if;
  if stop_timer.ended_at is null and now() >= stopped.started_at + interval '31 days' then
    raise exception using errcode = '23514', hint = 'timer_long', message = 'a timer has run for more than 31 days: say when it ended';
  end if;
  update public.time_entries e set ended_at = coalesce(stop_timer.ended_at, greatest(now(), e.started_at)), note = coalesce(stop_timer.note, e.note) where e.id = stopped.id;
  return stopped.id;
end $$;
comment on function public.stop_timer(text, timestamptz) is
  'Stops the timer of the caller, now or at a moment since its start, and returns the entry. PT404 when none runs.';
grant execute on function public.stop_timer(text, timestamptz) to authenticated;

create function app.ask_about_timers() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  entry record;
  notice app.notices%rowtype;
  asked integer := 0;
begin
  for entry in
    update public.time_entries e set is_long = true where e.id in (
      select x.id from public.time_entries x where x.ended_at is null and not x.is_long and x.started_at < now() - interval '12 hours'
      limit 100 for update skip locked)
    returning e.id, e.company_id, e.user_id, e.ticket_id
  loop
    notice := app.notice_for(entry.user_id, 'tickets', entry.company_id, entry.id, array[entry.ticket_id], false);
    if notice.id is not null then
      perform app.ring(notice, 'timer_long', jsonb_build_object('number', t.number::text, 'subject', t.subject), '/tickets/' || t.id)
      from public.tickets t where t.id = entry.ticket_id;
    end if;
    asked := asked + 1;
  end loop;
  return asked;
end $$;
comment on function app.ask_about_timers() is
  'Step of app.tick(): marks timers that have run for more than 12 hours and asks their people; nothing is stopped. At most 100 a call.';

-- Approvals.

create function app.follow_approvers() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' and old.person_id is not null and not (tg_op = 'UPDATE' and new.status = 'asked' and new.person_id = old.person_id) then
    delete from public.ticket_approvers a where a.company_id = old.company_id and a.ticket_id = old.ticket_id and a.user_id = old.person_id;
  end if;
  if tg_op <> 'DELETE' and new.status = 'asked' and new.person_id is not null then
    insert into public.ticket_approvers (company_id, ticket_id, user_id) values (new.company_id, new.ticket_id, new.person_id) on conflict do nothing;
  end if;
  return null;
end $$;
comment on function app.follow_approvers() is
  'Row trigger: whoever is asked by name sees the ticket while they are asked. Definer, because nobody writes the link.';

create function app.move_approvers() returns trigger
  language plpgsql
  -- definer: nobody writes the link
  security definer set search_path = '' as $$
begin
  delete from public.ticket_approvers a where a.user_id = new.user_id and a.company_id <> new.company_id;
  insert into public.ticket_approvers (company_id, ticket_id, user_id)
    select a.company_id, a.ticket_id, a.person_id from public.ticket_approvals a
    where a.company_id = new.company_id and a.person_id = new.user_id and a.status = 'asked'
    on conflict do nothing;
  return null;
end $$;
comment on function app.move_approvers() is
  'Row trigger: whoever moves to another company sees no ticket of the first because they were asked there, and whoever comes back does again. '
  'Definer, because nobody writes the link.';

-- Security definer: whoever asks or decides may not write the ticket.
create function app.count_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  ticket uuid;
begin
  for ticket in
    select distinct i from unnest(array[case when tg_op <> 'INSERT' then old.ticket_id end, case when tg_op <> 'DELETE' then new.ticket_id end]) i
    where i is not null order by i
  loop
    perform 1 from public.tickets t where t.id = ticket for no key update;
    update public.tickets t set open_approvals = (select count(*) from public.ticket_approvals a where a.ticket_id = ticket and a.status in ('queued', 'asked'))
      where t.id = ticket;
  end loop;
  return null;
end $$;
comment on function app.count_approvals() is 'Row trigger: the ticket says how many approvals are undecided. Definer, because the writer may not write the ticket.';

-- Security definer: nobody writes approvals by hand, and whoever resolves a ticket may not see them.
create function app.cancel_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.ticket_approvals a set status = 'canceled', resumes = true
    where a.company_id = new.company_id and a.ticket_id = new.id and a.status in ('queued', 'asked');
  if new.deleted_at is not null then
    -- Nobody reads a ticket in the trash, so its bells lead nowhere.
    update public.notifications n set link = null from public.ticket_approvals a
      where a.company_id = new.company_id and a.ticket_id = new.id and n.once_key = 'approval:' || a.id and n.link is not null;
  end if;
  return null;
end $$;
comment on function app.cancel_approvals() is
  'Row trigger: nobody decides about a ticket that is resolved or in the trash. Definer, because nobody writes approvals by hand.';

-- Security definer: nobody writes approvals by hand, and whoever opens a ticket again may not see them.
create function app.resume_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  update public.ticket_approvals a set status = 'queued', asked_at = null, resumes = false
    where a.company_id = new.company_id and a.ticket_id = new.id and a.resumes;
  if found and app.ask_next_approval(new.id) then
    update public.tickets t set status = 'waiting' where t.id = new.id and t.status in ('new', 'open');
  end if;
  return null;
end $$;
comment on function app.resume_approvals() is
  'Row trigger: what was not decided when the ticket was resolved or deleted is asked again when it goes on, so that nobody gets around an approval by '
  'closing a ticket and opening it. Definer, because nobody writes approvals by hand.';

-- Security definer: whoever changes the requester writes no other table.
create function app.keep_requester() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- An account that is deleted leaves its tickets without a requester.
  insert into app.past_requesters (company_id, ticket_id, user_id)
    select new.company_id, new.id, p.id from public.profiles p where p.id = any (app.requesters_of(old)) on conflict do nothing;
  return null;
end $$;
comment on function app.keep_requester() is
  'Row trigger: a ticket remembers whose request it was. Definer, because whoever changes the requester writes no other table.';

create function app.requesters_of(ticket public.tickets) returns uuid[]
  language sql stable set search_path = '' as $$
  select array(select p.user_id from app.past_requesters p where p.company_id = ticket.company_id and p.ticket_id = ticket.id) || ticket.requester_id
    -- A mail that proves no sender opens a ticket without an account.
    || array(select p.id from public.profiles p where lower(p.email) = lower(ticket.requester_email))
$$;
comment on function app.requesters_of(public.tickets) is
  'Whose request a ticket is, and was: nobody decides about their own by handing it to somebody else first. Granted to nobody.';

-- Security definer: who asked before is nobody's to read.
create function app.is_requester(ticket uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
  select coalesce((select app.current_user_id() = any (app.requesters_of(t)) from public.tickets t where t.id = ticket), false)
$$;
comment on function app.is_requester(uuid) is
  'Whether a ticket is or was the caller''s own request. Definer, because app.past_requesters is private; it tells the caller about themself alone.';
grant execute on function app.is_requester(uuid) to authenticated;

create function app.refuse_deciders(company uuid, ticket uuid, people uuid[]) returns void
  language plpgsql stable set search_path = '' as $$
declare
  decider text;
begin
  select a.decided_by_name into decider from public.ticket_approvals a
    where a.company_id = company and a.ticket_id = ticket and a.status = 'approved' and a.decided_by = any (people)
      and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = company), false)
    order by a.step limit 1;
  if found then
    raise exception using errcode = '23514', hint = 'approval_decider', table = 'tickets', schema = 'public', column = 'requester_id',
      message = 'whoever approved a ticket does not become its requester', detail = jsonb_build_object('name', coalesce(decider, '–'))::text;
  end if;
end $$;
comment on function app.refuse_deciders(uuid, uuid, uuid[]) is
  'Nobody puts a request of their own under what they have approved (23514, approval_decider), by a merge or as the new requester. Granted to nobody.';

-- Security definer: whoever changes the requester may not read the approvals.
create function app.guard_requester() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if app.current_user_id() is not null then
    perform app.refuse_deciders(new.company_id, new.id, array[new.requester_id]);
  end if;
  return new;
end $$;
comment on function app.guard_requester() is
  'Row trigger: whoever approved a ticket does not become its requester. Definer, because whoever changes the requester may not read the approvals.';

create function app.approvers_of(approval public.ticket_approvals) returns uuid[]
  language sql stable set search_path = '' as $$
  -- People leave, move to another company and lose a role: whoever is not asked any more reads nothing of the ticket.
  select array(select r.user_id from public.user_roles r
    where r.company_id = approval.company_id and r.deactivated_at is null
      and (r.user_id = approval.person_id or approval.person_id is null and r.role = approval.role) order by r.user_id)
$$;
comment on function app.approvers_of(public.ticket_approvals) is 'Who may decide an approval now: the person, or whoever has the role. Granted to nobody.';

create function app.guard_own_approvals(ids uuid[]) returns void
  language plpgsql stable set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
begin
  if exists (select 1 from public.ticket_approvals a join public.tickets t on t.company_id = a.company_id and t.id = a.ticket_id
      where a.id = any (ids) and (a.status in ('queued', 'asked') or a.resumes) and me = any (app.requesters_of(t)) and a.asked_by is distinct from me
        and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = a.company_id), false)) then
    raise exception using errcode = '42501', hint = 'approval_cancel_own', message = 'the requester of a ticket does not cancel what others have asked';
  end if;
end $$;
comment on function app.guard_own_approvals(uuid[]) is
  'Nobody goes on with a request of their own by taking away the question that somebody else has asked about it (42501). Granted to nobody.';

create function app.tell_approval(approval public.ticket_approvals, kind text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  person uuid;
  key constant text := 'approval:' || approval.id;
  words jsonb;
  to_approver boolean := kind in ('approval_asked', 'approval_canceled');
  told text := kind;
  desk constant uuid[] := app.desk_people(approval.company_id);
  approvers constant uuid[] := app.approvers_of(approval);
begin
  select t.* into ticket from public.tickets t where t.company_id = approval.company_id and t.id = approval.ticket_id;
  if kind = 'approval_asked' and approvers = '{}' then
    told := 'approval_left';
    to_approver := false;
  end if;
  words := jsonb_build_object('number', ticket.number::text, 'subject', ticket.subject,
    'by', coalesce(case told when 'approval_asked' then approval.asked_by_name when 'approval_left' then coalesce(approval.person_name, approval.role)
      else approval.decided_by_name end, '–'),
    -- A bell is short: of a long question or note, its beginning.
    'about', "left"(coalesce(case when kind = 'approval_asked' then approval.question else approval.note end, ticket.subject), 300));
  -- Whoever is asked by name sees the ticket only while they are asked: outside the desk the bell then leads nowhere.
  update public.notifications n set kind = tell_approval.kind, params = case when n.user_id = any (approvers || desk) then words else n.params end,
      link = case when n.user_id = any (desk) then n.link end, read_at = coalesce(n.read_at, now())
    where n.once_key = key and n.kind = 'approval_asked' and tell_approval.kind <> 'approval_asked';
  foreach person in array case when to_approver then approvers
    when ticket.assignee_id = any (desk) and told <> 'approval_left' then array[ticket.assignee_id] else desk end
  loop
    continue when person = app.current_user_id() and told <> 'approval_left';
    insert into public.notifications as n (user_id, company_id, kind, params, link, once_key)
      values (person, approval.company_id, told, words,
        case when told <> 'approval_canceled' or person = any (desk) then '/tickets/' || ticket.id end, key)
      on conflict (user_id, once_key) do update
      set kind = excluded.kind, params = excluded.params, link = excluded.link, read_at = null, created_at = now();
    if to_approver then
      perform app.queue_ticket_mail(ticket.company_id, ticket.id, person, null,
        case kind when 'approval_asked' then 'approval' else 'approval_canceled' end);
    end if;
  end loop;
end $$;
comment on function app.tell_approval(public.ticket_approvals, text) is
  'The bell of an approval, one for each person: whoever is asked, and told when it is canceled, by mail too, or, once it is decided, the assignee or the '
  'desk. The bell that asked says how it ended, and is read. The desk hears of a step whose person or role has left.';

-- Security definer: whoever resolves a ticket may not write what others are told.
create function app.tell_canceled_approval() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not app.quiet() then
    perform app.tell_approval(new, 'approval_canceled');
  end if;
  return null;
end $$;
comment on function app.tell_canceled_approval() is
  'Row trigger: approvers hear that what was asked of them was canceled. Definer, because whoever resolves a ticket may not write what others are told.';

-- Security definer: whoever changes an account may not read approvals.
create function app.tell_left_approvals() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  approval public.ticket_approvals%rowtype;
begin
  for approval in
    select a.* from public.ticket_approvals a
    where a.company_id = old.company_id and a.status = 'asked' and (a.person_id = old.user_id or a.person_id is null and a.role = old.role)
    order by a.ticket_id, a.id
  loop
    if app.approvers_of(approval) = '{}' then
      perform app.tell_approval(approval, 'approval_asked');
    end if;
  end loop;
  return null;
end $$;
comment on function app.tell_left_approvals() is
  'Row trigger on user_roles: the desk hears of an approval that nobody can decide any more, so that no ticket waits for somebody who has left. Definer, '
  'because whoever changes an account may not read approvals.';

-- As the caller, whose rows row-level security has chosen.
create function app.guard_approved_words() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.guard_approved(old.ticket_id, old.created_at);
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
comment on function app.guard_approved_words() is
  'Row trigger of the comments of tickets: what an approver has read is changed by the desk alone, and not by whoever asks for it.';

-- Runs as the caller: row-level security answers for a reply that they do not see.
create function app.guard_comment_files(comment uuid, adds boolean) returns void
  language plpgsql stable set search_path = '' as $$
declare
  found public.ticket_comments%rowtype;
begin
  select c.* into found from public.ticket_comments c where c.id = comment;
  if found.id is not null then
    perform app.guard_files_about(found.ticket_id, found.created_at, adds);
  end if;
end $$;
comment on function app.guard_comment_files(uuid, boolean) is
  'For app.keep_files(): the files of a reply are part of its words, so that nobody replaces what an approver has read.';
grant execute on function app.guard_comment_files(uuid, boolean) to authenticated;

create function app.add_approval(ticket public.tickets, person uuid, approver_role text, question text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  last_step integer := coalesce((select max(a.step) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id), 0);
  made public.ticket_approvals%rowtype;
begin
  -- Each request that was canceled keeps its step, and counts no more.
  if (select count(*) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status <> 'canceled') >= 20 then
    raise exception using errcode = '23514', hint = 'approval_steps', message = 'a ticket takes at most 20 approvals';
  end if;
  if exists (select 1 from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status in ('asked', 'queued')
      and (a.person_id, a.role) is not distinct from (person, approver_role)) then
    raise exception using errcode = '23514', hint = 'approval_again', message = 'this approval is asked for already (column "'
      || case when person is null then 'approver_role' else 'person_id' end || '")';
  end if;
  insert into public.ticket_approvals
      (company_id, ticket_id, step, person_id, person_name, role, question, asked_by, asked_by_name, status, asked_at)
    values (ticket.company_id, ticket.id, last_step + 1, person,
      (select p.name from public.profiles p where p.id = person), approver_role, nullif(btrim(add_approval.question), ''),
      app.current_user_id(), (select p.name from public.profiles p where p.id = app.current_user_id()),
      case when exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then 'queued' else 'asked' end,
      case when not exists (select 1 from public.ticket_approvals a
        where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status = 'asked') then now() end)
    returning * into made;
  if made.status = 'asked' then
    perform app.tell_approval(made, 'approval_asked');
  end if;
end $$;
comment on function app.add_approval(public.tickets, uuid, text, text) is
  'The next step of a ticket, for public.request_approval(), which holds the lock of the ticket: asked now, or once the steps before it are approved.';

-- Security definer: nobody writes approvals by hand, and whoever asks may not read roles.
create function public.request_approval(ids uuid[], person_id uuid default null, approver_role text default null, question text default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  refused text;
  asked integer := 0;
begin
  perform app.require_rows('tickets', 'assign', ids);
  for ticket in
    select t.* from public.tickets t where t.id = any (ids) and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company()) order by t.id for no key update
  loop
    refused := case
      when request_approval.person_id is null and approver_role is null then 'approval_nobody'
      when request_approval.person_id is not null and approver_role is not null then 'approval_whom'
      when ticket.status in ('resolved', 'closed') then 'approval_closed'
      when request_approval.person_id is not null and not exists (select 1 from public.user_roles r
        where r.user_id = request_approval.person_id and r.company_id = ticket.company_id and r.deactivated_at is null) then 'approval_person'
      when approver_role is not null and not (approver_role = any (app.roles_that_may('tickets', 'list'))
        and exists (select 1 from public.user_roles r
          where r.company_id = ticket.company_id and r.role = approver_role and r.deactivated_at is null)) then 'approval_role'
      when (request_approval.person_id = app.current_user_id() or request_approval.person_id = any (app.requesters_of(ticket) || ticket.created_by))
        and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = ticket.company_id), false) then 'approval_own'
      when ticket.merged_into_id is not null then 'approval_closed' end;
    if refused is not null then
      raise exception using errcode = '23514', hint = refused, message = 'the approval cannot be asked for: ' || refused
        || case when refused in ('approval_nobody', 'approval_whom') then ' (column "person_id" or column "approver_role")'
          when refused in ('approval_person', 'approval_own') then ' (column "person_id")'
          when refused = 'approval_role' then ' (column "approver_role")' else '' end;
    end if;
    perform app.add_approval(ticket, request_approval.person_id, approver_role, request_approval.question);
    update public.tickets t set status = 'waiting' where t.id = ticket.id and t.status in ('new', 'open');
    asked := asked + 1;
  end loop;
  if asked = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return asked;
end $$;
comment on function public.request_approval(uuid[], uuid, text, text) is
  'Asks a person or a role to approve tickets, after those who were asked before; the tickets wait meanwhile. Returns how many. '
  'Definer, because nobody writes approvals by hand.';
grant execute on function public.request_approval(uuid[], uuid, text, text) to authenticated;

create function app.ask_next_approval(ticket uuid) returns boolean
  language plpgsql volatile set search_path = '' as $$
declare
  next_step public.ticket_approvals%rowtype;
begin
  if exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket and a.status = 'asked') then
    return true;
  end if;
  update public.ticket_approvals a set status = 'asked', asked_at = now() where a.id = (select x.id from public.ticket_approvals x
    where x.ticket_id = ticket and x.status = 'queued' order by x.step limit 1) returning * into next_step;
  if next_step.id is not null then
    perform app.tell_approval(next_step, 'approval_asked');
    return true;
  end if;
  update public.tickets t set status = 'open' where t.id = ticket and t.status = 'waiting';
  return false;
end $$;
comment on function app.ask_next_approval(uuid) is
  'Asks the next step of a ticket when no step is asked, or lets the ticket go on after the last one. Returns whether an approval is open. '
  'For the functions of approvals, which hold the lock of the ticket.';

-- Security definer: whoever decides may not write the ticket.
create function public.decide_approvals(ids uuid[], approved boolean, note text default null) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  wanted uuid;
  approval public.ticket_approvals%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  decided integer := 0;
begin
  perform app.require('ticket_approvals', 'approve');
  if approved is null then
    raise exception using errcode = '22023', message = 'approved is true or false';
  end if;
  for wanted in select distinct a.ticket_id from public.ticket_approvals a where a.id = any (ids) order by 1 loop
    -- Two people of a role who decide at once: the second one finds it decided.
    select t.* into ticket from public.tickets t where t.id = wanted and t.deleted_at is null for no key update;
    continue when ticket.id is null or not app.tickets_covers(ticket, 'list');
    for approval in select a.* from public.ticket_approvals a where a.ticket_id = wanted and a.id = any (ids) order by a.step loop
      continue when me <> all (app.approvers_of(approval)) or not app.ticket_approvals_covers(approval, 'approve');
      if approval.status <> 'asked' then
        raise exception using errcode = '23514', hint = case approval.status when 'queued' then 'approval_queued' else 'approval_decided' end,
          message = format('the approval is %s', approval.status);
      end if;
      select s.* into settings from public.desk_settings s where s.company_id = approval.company_id;
      -- Whoever wrote it down for somebody else chose its words.
      if (me = approval.asked_by or me = any (app.requesters_of(ticket) || ticket.created_by)) and not coalesce(settings.approve_own, false) then
        raise exception using errcode = '42501', hint = 'approval_own', message = 'nobody approves their own request';
      end if;
      update public.ticket_approvals a set status = case when approved then 'approved' else 'denied' end, note = nullif(btrim(decide_approvals.note), ''),
          decided_at = now(), decided_by = me, decided_by_name = (select p.name from public.profiles p where p.id = me)
        where a.id = approval.id returning * into approval;
      decided := decided + 1;
      if not approved then
        update public.ticket_approvals a set status = 'canceled' where a.ticket_id = wanted and a.status = 'queued';
        update public.tickets t set status = coalesce(settings.on_denied, 'open') where t.id = wanted and t.status in ('new', 'open', 'waiting');
        perform app.tell_approval(approval, 'approval_denied');
      elsif not app.ask_next_approval(wanted) then
        perform app.tell_approval(approval, 'approval_given');
      end if;
    end loop;
  end loop;
  if decided = 0 then
    -- An approval of others and none at all get one answer.
    raise exception 'No approval of yours was found.' using errcode = 'PT404', hint = 'approval_gone';
  end if;
  return decided;
end $$;
comment on function public.decide_approvals(uuid[], boolean, text) is
  'Approves or denies what the caller is asked for, and returns how many; then the next step is asked, or the ticket goes on. 23514 for an approval that is '
  'not asked now, 42501 for a request of the caller''s own. Definer, because whoever decides may not write the ticket.';
grant execute on function public.decide_approvals(uuid[], boolean, text) to authenticated;

-- Security definer: nobody writes approvals by hand.
create function public.cancel_approval_requests(ids uuid[]) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  tickets constant uuid[] := array(select distinct a.ticket_id from public.ticket_approvals a where a.id = any (ids) order by 1);
  ticket public.tickets%rowtype;
  ended integer;
  canceled integer := 0;
begin
  perform app.require_rows('tickets', 'assign', tickets), app.require_rows('ticket_approvals', 'list', ids);
  for ticket in
    select t.* from public.tickets t where t.id = any (tickets) and t.deleted_at is null and (app.sees_all() or t.company_id = app.own_company())
    order by t.id for no key update
  loop
    if exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket.id and a.id = any (ids) and a.status not in ('queued', 'asked')) then
      raise exception using errcode = '23514', hint = 'approval_decided', message = 'the approval is decided or canceled';
    end if;
    perform app.guard_own_approvals(array(select a.id from public.ticket_approvals a where a.ticket_id = ticket.id and a.id = any (ids)));
    update public.ticket_approvals a set status = 'canceled' where a.ticket_id = ticket.id and a.id = any (ids);
    get diagnostics ended = row_count;
    canceled := canceled + ended;
    perform app.ask_next_approval(ticket.id);
  end loop;
  if canceled = 0 then
    raise exception 'The approval was not found.' using errcode = 'PT404', hint = 'approval_gone';
  end if;
  return canceled;
end $$;
comment on function public.cancel_approval_requests(uuid[]) is
  'Cancels approvals that are not decided, and returns how many; then the next step is asked, or the ticket goes on. For those who may ask for approvals. '
  '23514 for one that is decided, 42501 for what others have asked about a ticket of the caller''s own. Definer, because nobody writes approvals by hand.';
grant execute on function public.cancel_approval_requests(uuid[]) to authenticated;

-- Checklists.

-- Security definer: the name of whoever has done it.
create function app.stamp_checklist_item() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  actor constant uuid := app.acting_user_id();
begin
  if not new.done then
    new.done_at := null;
    new.done_by := null;
    new.done_by_name := null;
  elsif tg_op = 'INSERT' or not old.done then
    new.done_at := now();
    new.done_by := actor;
    new.done_by_name := (select p.name from public.profiles p where p.id = actor);
  end if;
  if tg_op = 'INSERT' and new.position = 0 then
    new.position := coalesce((select max(i.position) from public.ticket_checklist_items i
      where i.company_id = new.company_id and i.ticket_id = new.ticket_id), 0) + 1;
  end if;
  return new;
end $$;
comment on function app.stamp_checklist_item() is
  'Row trigger: by whom and when an item was done, and a new one is the last. Definer, because the caller may read no names.';

-- Security definer: whoever ticks an item need not be allowed to edit the ticket.
create function app.count_checklist() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  touched uuid[];
begin
  case tg_op
    when 'INSERT' then touched := array(select n.ticket_id from new_rows n);
    when 'DELETE' then touched := array(select o.ticket_id from old_rows o);
    else touched := array(select unnest(array[o.ticket_id, n.ticket_id]) from new_rows n join old_rows o on o.id = n.id
      where (o.ticket_id, o.done) is distinct from (n.ticket_id, n.done));
  end case;
  -- In one order, and before the count: of two items that are ticked at once the second one counts the first.
  perform 1 from public.tickets t where t.id = any (touched) order by t.id for no key update;
  update public.tickets t set (checklist_total, checklist_done) = (
      select count(*), count(*) filter (where c.done) from public.ticket_checklist_items c
      where c.company_id = t.company_id and c.ticket_id = t.id)
    where t.id = any (touched);
  return null;
end $$;
comment on function app.count_checklist() is 'Statement trigger: the ticket says how many items of its checklist are done. Definer, because the writer may not write the ticket.';

-- Runs as the caller: row-level security decides which items are reached.
create function public.check_items(ids uuid[], done boolean default true) returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('ticket_checklist_items', 'edit');
  update public.ticket_checklist_items i set done = check_items.done where i.id = any (ids) and i.done <> check_items.done;
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function public.check_items(uuid[], boolean) is 'Marks items of checklists as done, or not done, and returns how many changed.';
grant execute on function public.check_items(uuid[], boolean) to authenticated;

-- Security definer: whoever opens a ticket writes no checklist.
create function app.fill_checklist() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.ticket_checklist_items (company_id, ticket_id, text, position)
    select new.company_id, new.id, left(btrim(i.item ->> 'text'), 300), i.place
    from public.ticket_categories c cross join jsonb_array_elements(c.checklist) with ordinality as i (item, place)
    where c.company_id = new.company_id and c.id = new.category_id
      and not exists (select 1 from public.ticket_checklist_items x where x.company_id = new.company_id and x.ticket_id = new.id);
  return null;
end $$;
comment on function app.fill_checklist() is
  'Row trigger: a ticket without a checklist begins with that of its category. Definer, because requesters write no checklist.';

create function app.time_entries_covers(t public.time_entries, action text) returns boolean
  language sql stable set search_path = '' as $guard$
  select coalesce(app.sees_rows('time_entries', action)
    or (app.has_rule('time_entries', action, 'own') and (t.user_id = (select app.current_user_id()))), false)
$guard$;
comment on function app.time_entries_covers(public.time_entries, text) is
  'Whether the caller may do `action` on this row of time_entries: on every row, or by a row rule of their lines. For triggers and app.require_rows().';
grant execute on function app.time_entries_covers(public.time_entries, text) to authenticated;

create function app.time_entries_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('time_entries', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.time_entries t
    where ((select app.has_rule('time_entries', 'list', 'own')) and (t.user_id = (select app.current_user_id())))
    limit 501) f), '{}') end
$guard$;
comment on function app.time_entries_by_rules() is
  'The ids of the rows of time_entries that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.time_entries_by_rules() to authenticated;

create function app.ticket_approvals_covers(t public.ticket_approvals, action text) returns boolean
  language sql stable set search_path = '' as $guard$
  select coalesce(app.sees_rows('ticket_approvals', action)
    or (app.has_rule('ticket_approvals', action, 'own') and (t.person_id = (select app.current_user_id()))), false)
$guard$;
comment on function app.ticket_approvals_covers(public.ticket_approvals, text) is
  'Whether the caller may do `action` on this row of ticket_approvals: on every row, or by a row rule of their lines. For triggers and app.require_rows().';
grant execute on function app.ticket_approvals_covers(public.ticket_approvals, text) to authenticated;

create function app.ticket_approvals_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('ticket_approvals', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.ticket_approvals t
    where ((select app.has_rule('ticket_approvals', 'list', 'own')) and (t.person_id = (select app.current_user_id())))
    limit 501) f), '{}') end
$guard$;
comment on function app.ticket_approvals_by_rules() is
  'The ids of the rows of ticket_approvals that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.ticket_approvals_by_rules() to authenticated;
