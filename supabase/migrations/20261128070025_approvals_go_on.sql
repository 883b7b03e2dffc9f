-- Approvals go on.

set check_function_bodies = off;

alter table public.ticket_approvals add column requester_id uuid references public.profiles (id) on delete set null;
alter table public.ticket_approvals add column resumes boolean not null default false;
comment on column public.ticket_approvals.requester_id is 'Whose request it was when the approval was asked for: whoever works the desk may change the requester of the ticket.';
comment on column public.ticket_approvals.resumes is 'It was canceled because its ticket was resolved or deleted, and is asked again when the ticket goes on.';

create index ticket_approvals_requester_idx on public.ticket_approvals (requester_id);

create or replace function app.guard_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text;
begin
  -- Cascades and the server's own work run as the owner.
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  -- Row-level security asks after the triggers: none of theirs may tell of another company first.
  if not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  if tg_op = 'UPDATE' and old.merged_into_id is not null then
    perform app.refuse_merged(old.company_id, old.id, 'tickets');
  end if;
  -- Whoever works the desk writes everything.
  if app.tickets_covers(case tg_op when 'INSERT' then new else old end, 'assign') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    -- The requester is whoever is signed in, whatever the request says.
    new.requester_id := app.current_user_id();
    refused := case
      when new.status <> 'new' then 'status'
      when new.priority is not null then 'priority'
      when new.assignee_id is not null then 'assignee_id'
      when new.device_id is not null and not app.is_own_device(new.device_id, new.company_id) then 'device_id'
      when new.due_at is not null then 'due_at'
      when new.category_id is not null and not exists (select 1 from public.ticket_categories c where c.id = new.category_id) then 'category_id' end;
  else
    refused := case
      when old.status = 'closed' then 'status'
      when (new.status, new.status_id) is distinct from (old.status, old.status_id) then 'status'
      when new.priority is distinct from old.priority then 'priority'
      when new.requester_id is distinct from old.requester_id then 'requester_id'
      when new.assignee_id is distinct from old.assignee_id then 'assignee_id'
      when new.device_id is distinct from old.device_id
        and not coalesce(new.device_id is null or app.is_own_device(new.device_id, new.company_id), false) then 'device_id'
      when new.due_at is distinct from old.due_at then 'due_at'
      -- The questions of a category that is not theirs are none that they answer.
      when (new.category_id, new.answers) is distinct from (old.category_id, old.answers) and new.category_id is not null
        and not exists (select 1 from public.ticket_categories c where c.id = new.category_id) then 'category_id' end;
    -- An approval is about what its approver has read.
    if refused is null and (new.subject, new.description, new.category_id, new.issue_id, new.answers, new.device_id)
        is distinct from (old.subject, old.description, old.category_id, old.issue_id, old.answers, old.device_id)
      and app.has_approval(old.id) then
      raise exception using errcode = '42501', hint = 'approval_fixed', message = 'an approval was asked for what the ticket says';
    end if;
  end if;
  if refused is not null then
    raise exception using errcode = '42501', hint = 'role', column = refused, table = 'tickets', schema = 'public',
      message = format('permission denied: %s of a ticket is for those who work the desk', refused);
  end if;
  return new;
end $$;
comment on function app.guard_ticket() is
  'Row trigger: nobody writes on a merged ticket. Without the permission to assign tickets a person writes what the ticket is about, until it is closed, and '
  'asks for themself.';

-- Runs as the caller: row-level security answers for a ticket that they do not see.
create or replace function app.guard_ticket_files(ticket uuid) returns void
  language plpgsql stable set search_path = '' as $$
declare
  found public.tickets%rowtype;
begin
  select t.* into found from public.tickets t where t.id = ticket;
  if found.merged_into_id is not null then
    perform app.refuse_merged(found.company_id, found.id, 'files');
  end if;
  if found.id is null or app.tickets_covers(found, 'assign') then
    return;
  end if;
  if found.status = 'closed' then
    raise exception using errcode = '42501', hint = 'ticket_closed', message = 'a closed ticket takes and loses no files';
  end if;
  if app.has_approval(ticket) then
    raise exception using errcode = '42501', hint = 'approval_fixed', message = 'an approval was asked for what the ticket says';
  end if;
end $$;

create or replace function app.related_entries(record_id uuid, related text[], before timestamptz, before_id uuid) returns setof uuid
  language plpgsql stable security invoker set search_path = '' rows 50 as $$
declare
  max_records constant integer := 500;
  company constant uuid := (select a.company_id from public.audit_log a where a.row_id = record_id limit 1);
  wanted text;
  tbl text;
  by_column text;
  is_link boolean;
  ids uuid[];
begin
  if cardinality(related) > 20 then
    raise exception using errcode = '22023', message = 'at most 20 lists of related records';
  end if;
  foreach wanted in array related loop
    tbl := split_part(wanted, '.', 1);
    by_column := split_part(wanted, '.', 2);
    is_link := split_part(wanted, '.', 3) = 'links';
    if not exists (select 1 from pg_catalog.pg_attribute a
        where a.attrelid = to_regclass(format('public.%I', tbl)) and a.attname = by_column and a.atttypid = 'uuid'::regtype) then
      raise exception using errcode = '22023', message = format('no list of related records is %L', wanted);
    end if;
    execute format('select array_agg(r.id) from (select t.id from public.%I t where t.%I = $1 order by t.created_at desc, t.id desc limit $2) r', tbl, by_column)
      into ids using record_id, max_records;
    return query select a.id from public.audit_log a
      where a.row_id = any (ids) and a.table_name = tbl and (not is_link or a.changes -> by_column ->> 1 = record_id::text)
        and (before is null or (a.at, a.id) < (before, before_id))
      order by a.at desc, a.id desc limit 50;
    -- A record that is deleted is told of by its entry alone.
    return query select a.id from public.audit_log a
      where a.action = 'delete' and a.table_name = tbl and a.company_id = company and a.changes -> by_column ->> 0 = record_id::text
        and (before is null or (a.at, a.id) < (before, before_id))
      order by a.at desc, a.id desc limit 50;
  end loop;
end $$;

create function app.refuse_merged(company uuid, ticket uuid, written text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  survivor constant integer := (select s.number from app.survivor_of(company, ticket) s);
begin
  if survivor is not null then
    raise exception using errcode = '23514', hint = 'ticket_merged', table = written, schema = 'public',
      message = format('the ticket was merged into #%s', survivor), detail = jsonb_build_object('number', survivor::text)::text;
  end if;
end $$;
comment on function app.refuse_merged(uuid, uuid, text) is
  'Refuses to write in this table about a ticket that was merged, and says into which one (23514, ticket_merged).';
grant execute on function app.refuse_merged(uuid, uuid, text) to authenticated, service_role;

create or replace function app.refuse_merged_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  survivor record;
begin
  -- As the caller: a ticket of others and none at all get one answer, which a later trigger gives.
  if not exists (select 1 from public.tickets t where t.company_id = new.company_id and t.id = new.ticket_id) then
    return new;
  end if;
  select s.id, s.number into survivor from app.survivor_of(new.company_id, new.ticket_id) s;
  if survivor.id is null then
    return new;
  end if;
  if current_user in ('anon', 'authenticated') then
    perform app.refuse_merged(new.company_id, new.ticket_id, tg_table_name);
  end if;
  -- A reply by mail, which the server writes, lands where the conversation goes on.
  new.ticket_id := survivor.id;
  return new;
end $$;

create or replace function app.move_ticket_work(company uuid, ids uuid[], target_id uuid) returns void
  language plpgsql volatile set search_path = '' as $$
begin
  update public.time_entries e set ticket_id = target_id where e.company_id = company and e.ticket_id = any (ids);
  update public.ticket_checklist_items i set ticket_id = target_id where i.company_id = company and i.ticket_id = any (ids);
  perform app.guard_own_approvals(array(select a.id from public.ticket_approvals a where a.company_id = company and a.ticket_id = any (ids)));
  -- Decisions stay where they were made; nobody is asked about a ticket that is closed.
  update public.ticket_approvals a set status = 'canceled' where a.company_id = company and a.ticket_id = any (ids) and a.status in ('queued', 'asked');
end $$;

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
  perform 1 from public.tickets t where t.id = any (ids || set_ticket_parent.parent_id) order by t.id for no key update;
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

-- Security definer: the files of the comment move, whoever uploaded them.
create or replace function public.split_ticket(comment_id uuid, subject text) returns uuid
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
  insert into public.tickets (company_id, subject, description, category_id, issue_id, requester_id, device_id)
    values (reply.company_id, split_ticket.subject, regexp_replace(reply.body, '\[(@[^]\n]{1,100})\]\(mention:[0-9a-f-]{36}\)', '\1', 'g'),
      source.category_id, source.issue_id, requester, source.device_id)
    returning id into made;
  update public.files f set resource = 'tickets', record_id = made
    where f.company_id = reply.company_id and f.resource = 'ticket_comments' and f.record_id = comment_id and f.field is null;
  insert into public.ticket_links (company_id, ticket_id, kind, other_id) values (reply.company_id, made, 'split_from', source.id);
  insert into app.comment_splits (company_id, comment_id, ticket_id) values (reply.company_id, reply.id, made)
    on conflict on constraint comment_splits_pkey do update set ticket_id = excluded.ticket_id;
  perform app.tell_thread(source.id);
  return made;
end $$;

-- Security definer: nobody writes approvals by hand, and whoever resolves a ticket may not see them.
create or replace function app.cancel_approvals() returns trigger
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
      where a.id = any (ids) and a.status in ('queued', 'asked') and me in (t.requester_id, a.requester_id) and a.asked_by is distinct from me
        and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = a.company_id), false)) then
    raise exception using errcode = '42501', hint = 'approval_cancel_own', message = 'the requester of a ticket does not cancel what others have asked';
  end if;
end $$;
comment on function app.guard_own_approvals(uuid[]) is
  'Nobody goes on with a request of their own by taking away the question that somebody else has asked about it (42501). Granted to nobody.';

create or replace function app.tell_approval(approval public.ticket_approvals, kind text) returns void
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

create or replace function app.add_approval(ticket public.tickets, person uuid, approver_role text, question text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  last_step integer := coalesce((select max(a.step) from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id), 0);
  made public.ticket_approvals%rowtype;
begin
  if last_step >= 20 then
    raise exception using errcode = '23514', hint = 'approval_steps', message = 'a ticket takes at most 20 approvals';
  end if;
  if exists (select 1 from public.ticket_approvals a where a.company_id = ticket.company_id and a.ticket_id = ticket.id and a.status in ('asked', 'queued')
      and (a.person_id, a.role) is not distinct from (person, approver_role)) then
    raise exception using errcode = '23514', hint = 'approval_again', message = 'this approval is asked for already (column "'
      || case when person is null then 'approver_role' else 'person_id' end || '")';
  end if;
  insert into public.ticket_approvals
      (company_id, ticket_id, step, requester_id, person_id, person_name, role, question, asked_by, asked_by_name, status, asked_at)
    values (ticket.company_id, ticket.id, last_step + 1, ticket.requester_id, person,
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

-- Security definer: whoever decides may not write the ticket.
create or replace function public.decide_approvals(ids uuid[], approved boolean, note text default null) returns integer
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
      if me in (ticket.requester_id, approval.requester_id, approval.asked_by) and not coalesce(settings.approve_own, false) then
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

-- Security definer: nobody writes approvals by hand.
create or replace function public.cancel_approval_requests(ids uuid[]) returns integer
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

create or replace function app.ticket_mail_content(mail app.ticket_mails) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  survivor public.tickets%rowtype;
  comments jsonb;
  events text[] := mail.events;
  asked public.ticket_approvals%rowtype;
begin
  select t.* into ticket from public.tickets t where t.company_id = mail.company_id and t.id = mail.ticket_id and t.deleted_at is null;
  if ticket.id is null then
    return null;
  end if;
  if events @> array['refused'] then
    return jsonb_build_object('events', events, 'number', ticket.number, 'subject', ticket.subject, 'comments', '[]'::jsonb);
  end if;
  -- A request that is canceled before it is mailed is not mailed, nor is its end.
  if events @> array['approval'] then
    events := array_remove(events, 'approval_canceled');
    -- Somebody else may be asked something else by now.
    select a.* into asked from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' and mail.user_id = any (app.approvers_of(a));
    if asked.id is null then
      events := array_remove(events, 'approval');
    end if;
  end if;
  -- The right to read it may have been taken since.
  if mail.user_id is not null then
    if not exists (select 1 from public.user_roles r where r.user_id = mail.user_id and r.deactivated_at is null) then
      return null;
    end if;
    if app.people_who_see(array[mail.user_id], mail.company_id, 'tickets', mail.ticket_id) = '{}' then
      -- Whoever was asked by name saw the ticket only while they were asked.
      return case when events @> array['approval_canceled'] and exists (select 1 from public.user_roles r
          where r.user_id = mail.user_id and r.company_id = mail.company_id and r.deactivated_at is null) then jsonb_build_object('events', array['approval_canceled'], 'number', ticket.number,
        'subject', ticket.subject, 'comments', '[]'::jsonb, 'company', (select c.name from public.companies c where c.id = ticket.company_id)) end;
    end if;
  elsif lower(ticket.requester_email) is distinct from mail.email then
    return null;
  end if;
  if events @> array['merged'] then
    select t.* into survivor from public.tickets t where t.company_id = mail.company_id and t.id = ticket.merged_into_id and t.deleted_at is null;
    -- Where it goes on is said to those who may read on there.
    if survivor.id is null or mail.user_id is null and lower(survivor.requester_email) is distinct from mail.email
       or mail.user_id is not null and app.people_who_see(array[mail.user_id], mail.company_id, 'tickets', survivor.id) = '{}' then
      events := array_remove(events, 'merged');
      survivor := null;
    end if;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'author', c.author_name, 'body', c.body, 'files', (
      select coalesce(jsonb_agg(f.name order by f.created_at, f.id), '[]') from public.files f
      where f.company_id = c.company_id and f.resource = 'ticket_comments' and f.record_id = c.id and f.uploaded_at is not null))
    order by c.created_at, c.id), '[]') into comments
  from public.ticket_comments c
  where c.company_id = mail.company_id and c.ticket_id = mail.ticket_id and c.id = any (mail.comment_ids)
    and c.kind = 'reply';
  if events <@ array['reply', 'mention'] and comments = '[]' then
    return null;
  end if;
  return jsonb_build_object('events', events, 'number', ticket.number, 'subject', ticket.subject, 'comments', comments,
    'description', case when events && array['opened', 'assigned', 'approval'] then "left"(ticket.description, 4000) end,
    'question', asked.question,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || coalesce(survivor.id, ticket.id),
    'into', case when survivor.id is not null then format('#%s: %s', survivor.number, survivor.subject) end,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;

create trigger ticket_links_1_merged before insert on public.ticket_links
  for each row execute function app.refuse_merged_ticket();
create trigger tickets_approvals_resume after update of status, status_id, deleted_at on public.tickets
  for each row when (new.deleted_at is null and new.status in ('new', 'open', 'waiting')
    and (old.status in ('resolved', 'closed') or old.deleted_at is not null))
  execute function app.resume_approvals();
create trigger ticket_tags_merged before insert on public.ticket_tags
  for each row execute function app.refuse_merged_ticket();
