-- Approval requesters.

set check_function_bodies = off;

drop trigger profiles_comment_authors on public.profiles;

drop function app.has_approval(uuid, timestamptz);
drop function app.ask_file_guard(text, uuid);
drop function app.guard_ticket_files(uuid);

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

create or replace function app.guard_ticket() returns trigger
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

-- Security definer: a person renames themself and may not write the comments.
create or replace function app.follow_author_name() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  comments text;
begin
  for comments in select c.comments from app.commented c order by c.comments loop
    execute format('select from public.%I c where c.author_id = $1 order by c.id for no key update', comments) using new.id;
    execute format('update public.%I c set author_name = $1 where c.author_id = $2', comments)
      using new.name, new.id;
  end loop;
  return null;
end $$;

create function app.ask_file_guard(resource text, record_id uuid, adds boolean) returns void
  language plpgsql stable set search_path = '' as $$
declare
  guard constant text := app.file_guard(resource);
begin
  if guard is not null then
    execute format('select app.%I($1, $2)', guard) using record_id, adds;
  end if;
end $$;
comment on function app.ask_file_guard(text, uuid, boolean) is
  'Raises what the guard of a table''s attachments raises, as the caller: row-level security decides which record it sees.';
grant execute on function app.ask_file_guard(text, uuid, boolean) to authenticated, service_role;

create or replace function app.guard_file() returns trigger
  language plpgsql set search_path = '' as $$
declare
  file constant public.files := coalesce(new, old);
begin
  -- An upload that was not finished is nobody's to read: its uploader may always drop it.
  if current_user in ('anon', 'authenticated') and file.record_id is not null and file.field is null
    and not (tg_op = 'DELETE' and file.uploaded_at is null) then
    perform app.ask_file_guard(file.resource, file.record_id, tg_op <> 'DELETE');
  end if;
  return file;
end $$;
comment on function app.keep_files(regclass, jsonb, boolean, text, text[], text) is
  'For migrations: gives a table files. fields are its file fields with {"max_mb", "accept", "package"}, attachments whether a record has further ones; '
  'object and verbs say which permission an upload before the record is saved needs, the table''s create or edit by default; guard names a function '
  'app.<guard>(record uuid, adds boolean) that raises where the caller may not add or remove attachments of a record now, as its own triggers refuse a change '
  'of the record. A second call adds fields and keeps the guard.';

-- Runs as the caller: the record may have been closed, or given to somebody else, while the bytes were on their way.
create or replace function public.finish_file(file_id uuid) returns public.files
  language plpgsql volatile set search_path = '' as $$
declare
  file public.files%rowtype;
begin
  select f.* into file from public.files f where f.id = file_id and f.created_by = app.current_user_id() and f.uploaded_at is null;
  if file.id is null or not (case when file.record_id is null then app.may_draft_file(file.resource, file.field)
      else app.edits_record(file.resource, file.record_id) end) then
    raise exception using errcode = 'PT404', message = 'no such upload', hint = 'file_gone';
  end if;
  if file.record_id is not null and file.field is null then
    perform app.ask_file_guard(file.resource, file.record_id, true);
  end if;
  return app.end_upload(file_id);
end $$;

create or replace function app.move_ticket_work(company uuid, ids uuid[], target_id uuid) returns void
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

-- Security definer: whoever changes the requester writes no other table.
create or replace function app.keep_requester() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- An account that is deleted leaves its tickets without a requester.
  insert into app.past_requesters (company_id, ticket_id, user_id)
    select new.company_id, new.id, p.id from public.profiles p where p.id = any (app.requesters_of(old)) on conflict do nothing;
  return null;
end $$;

create or replace function app.requesters_of(ticket public.tickets) returns uuid[]
  language sql stable set search_path = '' as $$
  select array(select p.user_id from app.past_requesters p where p.company_id = ticket.company_id and p.ticket_id = ticket.id) || ticket.requester_id
    -- A mail that proves no sender opens a ticket without an account.
    || array(select p.id from public.profiles p where lower(p.email) = lower(ticket.requester_email))
$$;

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

-- As the caller, whose rows row-level security has chosen.
create or replace function app.guard_approved_words() returns trigger
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

-- Security definer: nobody writes approvals by hand, and whoever asks may not read roles.
create or replace function public.request_approval(ids uuid[], person_id uuid default null, approver_role text default null, question text default null) returns integer
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

-- After profiles_ticket_names and before profiles_work_names: a merge locks tickets, comments and time in this order.
create trigger profiles_words_authors after update of name on public.profiles
  for each row when (old.name is distinct from new.name) execute function app.follow_author_name();

create trigger tickets_requester_decided before update of requester_id on public.tickets
  for each row when (new.requester_id is not null and old.requester_id is distinct from new.requester_id) execute function app.guard_requester();
create or replace trigger tickets_requester_kept after update of requester_id, requester_email on public.tickets
  for each row when ((old.requester_id, old.requester_email) is distinct from (new.requester_id, new.requester_email))
  execute function app.keep_requester();
create trigger user_roles_timers after update of company_id, role, deactivated_at on public.user_roles
  for each row when (new.deactivated_at is not null or old.company_id is distinct from new.company_id or old.role is distinct from new.role)
  execute function app.end_left_timers();

-- Timers that run on in a former company, or of deactivated people.
update public.time_entries e
  set ended_at = greatest(least(now(), e.started_at + interval '31 days' - interval '1 second'), e.started_at)
  from public.user_roles r
  where r.user_id = e.user_id and e.ended_at is null and (r.deactivated_at is not null or e.company_id <> r.company_id and r.role <> 'Super Admin');
