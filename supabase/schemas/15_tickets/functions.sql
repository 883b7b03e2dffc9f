create function app.has_approval(ticket uuid, words_of timestamptz default null, adds boolean default false) returns boolean
  language plpgsql stable
  -- definer: a requester reads no approvals
  security definer set search_path = '' as $$
begin
  return exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket
    and (a.status in ('queued', 'asked') and not adds or a.status = 'approved' and coalesce(a.decided_at >= words_of, true)));
end $$;
comment on function app.has_approval(uuid, timestamptz, boolean) is
  'Whether a ticket waits for an approval or has one, of words that were there at this moment where one is given; whoever adds something is not held up by an '
  'approval that is only asked for. For app.guard_approved(), which knows the ticket; definer, because a requester reads no approvals.';
grant execute on function app.has_approval(uuid, timestamptz, boolean) to authenticated;

-- Runs as the caller: row-level security answers for a ticket that they do not see.
create function app.guard_approved(ticket uuid, words_of timestamptz default null, adds boolean default false) returns void
  language plpgsql stable set search_path = '' as $$
begin
  if app.has_approval(ticket, words_of, adds) and (app.is_requester(ticket)
      or not coalesce((select app.tickets_covers(t, 'assign') from public.tickets t where t.id = ticket), false)) then
    raise exception using errcode = '42501', hint = 'approval_fixed', message = 'an approval was asked for what the ticket says';
  end if;
end $$;
comment on function app.guard_approved(uuid, timestamptz, boolean) is
  'Refuses to change what an approver has read (42501, approval_fixed): to everybody outside the desk, and to whoever asks for the ticket in it.';
grant execute on function app.guard_approved(uuid, timestamptz, boolean) to authenticated;

create function app.guard_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text;
begin
  -- Row-level security asks after the triggers: none of theirs may tell of another company first.
  if not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  if tg_op = 'UPDATE' and old.merged_into_id is not null then
    perform app.refuse_merged(old.company_id, old.id, 'tickets');
  end if;
  -- An approval is about what its approver has read.
  if tg_op = 'UPDATE' and (new.subject, new.description, new.category_id, new.issue_id, new.answers, new.device_id)
      is distinct from (old.subject, old.description, old.category_id, old.issue_id, old.answers, old.device_id) then
    perform app.guard_approved(old.id);
  end if;
  -- Whoever works the desk writes everything else.
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
create function app.guard_files_about(ticket uuid, words_of timestamptz, adds boolean) returns void
  language plpgsql stable set search_path = '' as $$
declare
  found public.tickets%rowtype;
begin
  select t.* into found from public.tickets t where t.id = ticket;
  if found.merged_into_id is not null then
    perform app.refuse_merged(found.company_id, found.id, 'files');
  end if;
  if found.status = 'closed' and not app.tickets_covers(found, 'assign') then
    raise exception using errcode = '42501', hint = 'ticket_closed', message = 'a closed ticket takes and loses no files';
  end if;
  if found.id is not null then
    perform app.guard_approved(ticket, words_of, adds);
  end if;
end $$;
comment on function app.guard_files_about(uuid, timestamptz, boolean) is
  'For app.guard_ticket_files() and app.guard_comment_files(): the files of a ticket and of its replies follow one rule.';
grant execute on function app.guard_files_about(uuid, timestamptz, boolean) to authenticated;

create function app.guard_ticket_files(ticket uuid, adds boolean) returns void
  language sql stable set search_path = '' as $$
  select app.guard_files_about(ticket, null, false)
$$;
comment on function app.guard_ticket_files(uuid, boolean) is
  'For app.keep_files(): a person adds and removes attachments as app.guard_ticket() lets them write the ticket.';
grant execute on function app.guard_ticket_files(uuid, boolean) to authenticated;

create function app.answer_words(answers jsonb) returns text
  language sql immutable set search_path = '' as $$
  select string_agg(' ' || "left"(a.value #>> '{}', 200), '' order by a.key) from jsonb_each(answers) a
  where jsonb_typeof(a.value) in ('string', 'number') and a.value <> '""'
$$;
comment on function app.answer_words(jsonb) is
  'The answers of a ticket as they are searched, behind its other words: the first 200 characters of each, so that the index stays small.';
grant execute on function app.answer_words(jsonb) to authenticated, service_role;

create function app.fold_ticket() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.search := app.fold('#' || new.number || ' ' || new.subject || ' ' || coalesce(new.requester_name, '') || ' ' || coalesce(new.description, '')
    || coalesce(app.answer_words(new.answers), ''));
  return new;
end $$;
comment on function app.fold_ticket() is 'Row trigger: the text of a ticket that is searched.';

create function app.name_ticket_people() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- A profile that was deleted leaves its name.
  if tg_op = 'INSERT' or new.requester_id is not null and new.requester_id is distinct from old.requester_id then
    new.requester_name := coalesce(app.member_name(new.requester_id, new.company_id, 'tickets_requester_id_fkey'),
      case when new.requester_email is not null then new.requester_name end);
  end if;
  if tg_op = 'INSERT' or new.assignee_id is distinct from old.assignee_id then
    new.assignee_name := app.member_name(new.assignee_id, new.company_id, 'tickets_assignee_id_fkey');
  end if;
  return new;
end $$;
comment on function app.name_ticket_people() is
  'Row trigger: requester and assignee belong to the ticket''s company, and it stores their names. Definer, because it reads people the writer may not.';

create function app.stamp_ticket() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app.ticket_numbers as n (company_id, last) values (new.company_id, 1)
      on conflict (company_id) do update set last = n.last + 1 returning n.last into new.number;
    if app.acting_user_id() is not null then
      new.created_by := (select p.id from public.profiles p where p.id = app.acting_user_id());
    end if;
  end if;
  if new.priority is null then
    new.priority := coalesce((select i.priority from public.ticket_issues i
      where i.company_id = new.company_id and i.id = new.issue_id), 'normal');
  end if;
  new.resolved_at := case when new.status in ('resolved', 'closed') then coalesce(new.resolved_at, now()) end;
  return new;
end $$;
comment on function app.stamp_ticket() is
  'Row trigger: number, author, the priority of the issue type where none was given, and when it was resolved, by the server''s clock. '
  'Definer, because the counter is nobody''s to write.';

create function app.member_name(person uuid, company uuid, reference text) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  found text;
begin
  if person is null then
    return null;
  end if;
  select p.name into found from public.profiles p join public.user_roles r on r.user_id = p.id
    where p.id = person and (r.company_id = company or r.role = 'Super Admin');
  if found is null then
    -- A stranger and nobody get the same answer: the one a missing record gives.
    raise exception using errcode = '23503', constraint = reference, table = 'tickets', schema = 'public',
      message = format('insert or update on table "tickets" violates foreign key constraint "%s"', reference),
      detail = format('Key (%s)=(%s) is not present in table "profiles".',
        regexp_replace(reference, '^tickets_(.*)_fkey$', '\1'), person);
  end if;
  return found;
end $$;
comment on function app.member_name(uuid, uuid, text) is
  'The name of somebody of the company (or of a Super Admin); anybody else is answered as a broken reference. Definer, because the caller may not read people.';

create function app.follow_profile_name() returns trigger
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
comment on function app.follow_profile_name() is
  'Row trigger on profiles: tickets show the name of today. Definer, because a person may rename themself and not write the tickets.';

-- Runs as the caller: row-level security decides which tickets are reached, the guard which columns are written.
create function public.assign_tickets(ids uuid[], assignee_id uuid default null) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require_rows('tickets', 'assign', ids);
  perform 1 from public.tickets t where t.id = any (ids) order by t.id for no key update;
  update public.tickets t set assignee_id = coalesce(assign_tickets.assignee_id, app.current_user_id()) where t.id = any (ids);
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.assign_tickets(uuid[], uuid) is 'Assigns these tickets to somebody, to the caller by default, and returns how many.';
grant execute on function public.assign_tickets(uuid[], uuid) to authenticated;

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

-- Runs as the caller: row-level security decides which tickets are counted.
create function public.open_tickets_of(ids uuid[]) returns integer
  language sql stable set search_path = '' as $$
  select count(*)::integer from public.tickets t where t.assignee_id = any (ids) and t.status in ('new', 'open', 'waiting')
$$;
comment on function public.open_tickets_of(uuid[]) is
  'How many open tickets are assigned to these people, of those that the caller sees: the question before they are deactivated tells it.';
grant execute on function public.open_tickets_of(uuid[]) to authenticated;

create function app.guard_ticket_watchers() returns trigger
  language plpgsql set search_path = '' as $$
declare
  link public.ticket_watchers := coalesce(new, old);
begin
  -- People watch and stop watching by themselves; whoever works the desk adds and removes others.
  if current_user in ('anon', 'authenticated') and link.user_id is distinct from app.current_user_id()
     and not exists (select 1 from public.tickets t where t.id = link.ticket_id and app.tickets_covers(t, 'assign')) then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: others watch a ticket when the desk adds them';
  end if;
  return link;
end $$;
comment on function app.guard_ticket_watchers() is
  'Row trigger: without the permission to assign the ticket a person lets only themself watch it.';

create function app.check_people_of_ticket_watchers() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  -- Row-level security asks after this. Of another company, both answer the same, whether or not somebody belongs to it.
  is_foreign constant boolean := app.current_user_id() is not null
    and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false));
begin
  if new.user_id is not null and not exists (
    select 1 from public.user_roles r
    where r.user_id = new.user_id and (r.company_id = new.company_id or r.role = 'Super Admin')
  ) then
    if is_foreign then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "ticket_watchers"';
    end if;
    raise exception using errcode = '23503', message = 'insert or update on table "ticket_watchers" violates foreign key constraint "ticket_watchers_user_id_fkey"',
      detail = 'Key (user_id) is not present in the company.';
  end if;
  return new;
end $$;
comment on function app.check_people_of_ticket_watchers() is
  'Row trigger: user_id names somebody of the row''s company, or a Super Admin. Definer, because the caller may not read every role.';

create function app.leave_tickets(ids uuid[]) returns integer
  language plpgsql volatile
  -- definer: a watcher reads a ticket without the right to edit it, and the links of a ticket are written by those who edit it
  security definer set search_path = '' as $$
declare
  changed integer;
begin
  delete from public.ticket_watchers w where w.ticket_id = any (ids) and w.user_id = app.current_user_id()
    and w.company_id = any (app.visible_company_ids())
    and exists (select 1 from public.tickets t where t.company_id = w.company_id and t.id = w.ticket_id and t.deleted_at is null);
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function app.leave_tickets(uuid[]) is 'Ends the watching of the caller, and of nobody else. Called by public.watch_tickets().';
grant execute on function app.leave_tickets(uuid[]) to authenticated;

-- Runs as the caller: row-level security decides which tickets are reached.
create function public.watch_tickets(ids uuid[], watching boolean default true) returns integer
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
grant execute on function public.watch_tickets(uuid[], boolean) to authenticated;

create function app.tickets_by_watchers() returns uuid[]
  language sql stable
  -- definer: the policies of the link table ask for the record, whose own policies call this function
  security definer set search_path = '' as $$
  select coalesce(array_agg(l.ticket_id), '{}') from public.ticket_watchers l where l.user_id = app.current_user_id()
$$;
comment on function app.tickets_by_watchers() is 'The records to which ticket_watchers links the caller, for row rules: (select app.tickets_by_watchers()).';
grant execute on function app.tickets_by_watchers() to authenticated;

create function app.tickets_by_approvers() returns uuid[]
  language sql stable
  -- definer: the policies of the link table ask for the record, whose own policies call this function
  security definer set search_path = '' as $$
  select coalesce(array_agg(l.ticket_id), '{}') from public.ticket_approvers l where l.user_id = app.current_user_id()
$$;
comment on function app.tickets_by_approvers() is 'The records to which ticket_approvers links the caller, for row rules: (select app.tickets_by_approvers()).';
grant execute on function app.tickets_by_approvers() to authenticated;

create function app.tickets_covers(t public.tickets, action text) returns boolean
  language sql stable set search_path = '' as $guard$
  select coalesce(app.sees_rows('tickets', action)
    or (app.has_rule('tickets', action, 'own') and ((t.requester_id = (select app.current_user_id()) or t.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or (app.has_rule('tickets', action, 'requested') and (t.requester_id = (select app.current_user_id())))
    or (app.has_rule('tickets', action, 'asked') and (t.id = any ((select app.tickets_by_approvers())::uuid[]))), false)
$guard$;
comment on function app.tickets_covers(public.tickets, text) is
  'Whether the caller may do `action` on this row of tickets: on every row, or by a row rule of their lines. For triggers and app.require_rows().';
grant execute on function app.tickets_covers(public.tickets, text) to authenticated;

create function app.tickets_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('tickets', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.tickets t
    where ((select app.has_rule('tickets', 'list', 'own')) and ((t.requester_id = (select app.current_user_id()) or t.id = any ((select app.tickets_by_watchers())::uuid[]))))
      or ((select app.has_rule('tickets', 'list', 'requested')) and (t.requester_id = (select app.current_user_id())))
      or ((select app.has_rule('tickets', 'list', 'asked')) and (t.id = any ((select app.tickets_by_approvers())::uuid[])))
    limit 501) f), '{}') end
$guard$;
comment on function app.tickets_by_rules() is
  'The ids of the rows of tickets that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.tickets_by_rules() to authenticated;
