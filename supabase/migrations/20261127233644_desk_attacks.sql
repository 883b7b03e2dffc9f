-- Desk attacks.

set check_function_bodies = off;

drop policy ticket_issues_select_member on public.ticket_issues;

alter table public.ticket_approvals add column asked_by uuid references public.profiles (id) on delete set null;

create index ticket_approvals_asked_by_idx on public.ticket_approvals (asked_by);

create function app.has_approval(ticket uuid) returns boolean
  language plpgsql stable
  -- definer: a requester reads no approvals
  security definer set search_path = '' as $$
begin
  return exists (select 1 from public.ticket_approvals a where a.ticket_id = ticket and a.status in ('queued', 'asked', 'approved'));
end $$;
comment on function app.has_approval(uuid) is
  'Whether a ticket waits for an approval or has one. For app.guard_ticket(), which knows the ticket; definer, because a requester reads no approvals.';
grant execute on function app.has_approval(uuid) to authenticated;

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
      when new.category_id is distinct from old.category_id and new.category_id is not null
        and not exists (select 1 from public.ticket_categories c where c.id = new.category_id) then 'category_id' end;
    -- An approval is about what its approver has read.
    if refused is null and (new.subject, new.description, new.category_id, new.issue_id, new.answers)
        is distinct from (old.subject, old.description, old.category_id, old.issue_id, old.answers)
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

create or replace function app.note_ticket_reply(company uuid, ticket uuid, author uuid, at timestamptz) returns void
  language plpgsql volatile security definer set search_path = '' as $$
declare
  found public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  is_desk boolean := author = any (app.desk_people(company))
    or exists (select 1 from public.user_roles r where r.user_id = author and r.role = 'Super Admin' and r.deactivated_at is null);
begin
  select t.* into found from public.tickets t where t.company_id = company and t.id = ticket for no key update;
  if found.id is null then
    return;
  end if;
  if author is distinct from found.requester_id and is_desk then
    update public.tickets t set first_responded_at = coalesce(t.first_responded_at, at), status = case t.status when 'new' then 'open' else t.status end
      where t.company_id = company and t.id = ticket and (t.first_responded_at is null or t.status = 'new');
  elsif author = found.requester_id then
    select s.* into settings from public.desk_settings s where s.company_id = company;
    if coalesce(settings.reopen_on_reply, true) and (found.status = 'waiting' and found.open_approvals = 0 or found.status = 'resolved'
      or found.status = 'closed' and coalesce(settings.reopen_days, 0) > 0 and found.resolved_at > at - make_interval(days => settings.reopen_days)) then
      update public.tickets t set status = 'open' where t.company_id = company and t.id = ticket;
    end if;
  end if;
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
  insert into public.ticket_approvals (company_id, ticket_id, step, person_id, person_name, role, question, asked_by, asked_by_name, status, asked_at)
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
      when request_approval.person_id in (ticket.requester_id, app.current_user_id())
        and not coalesce((select s.approve_own from public.desk_settings s where s.company_id = ticket.company_id), false) then 'approval_own'
      when ticket.merged_into_id is not null then 'approval_closed' end;
    if refused is not null then
      raise exception using errcode = '23514', hint = refused, message = 'the approval cannot be asked for: ' || refused
        || case when refused in ('approval_nobody', 'approval_person', 'approval_own') then ' (column "person_id")'
          when refused in ('approval_whom', 'approval_role') then ' (column "approver_role")' else '' end;
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
  next_step public.ticket_approvals%rowtype;
  ticket public.tickets%rowtype;
  settings public.desk_settings%rowtype;
  decided integer := 0;
begin
  perform app.require('ticket_approvals', 'approve');
  for wanted in select distinct a.ticket_id from public.ticket_approvals a where a.id = any (ids) order by 1 loop
    -- Two people of a role who decide at once: the second one finds it decided.
    select t.* into ticket from public.tickets t where t.id = wanted and t.deleted_at is null for no key update;
    continue when ticket.id is null or not app.tickets_covers(ticket, 'list');
    for approval in select a.* from public.ticket_approvals a where a.ticket_id = wanted and a.id = any (ids) order by a.step loop
      continue when not exists (select 1 from public.user_roles r where r.user_id = me and r.company_id = approval.company_id and r.deactivated_at is null
        and (approval.person_id = me or approval.person_id is null and r.role = approval.role) and app.ticket_approvals_covers(approval, 'approve'));
      if approval.status <> 'asked' then
        raise exception using errcode = '23514', hint = case approval.status when 'queued' then 'approval_queued' else 'approval_decided' end,
          message = format('the approval is %s', approval.status);
      end if;
      select s.* into settings from public.desk_settings s where s.company_id = approval.company_id;
      if (ticket.requester_id = me or approval.asked_by = me) and not coalesce(settings.approve_own, false) then
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
      else
        update public.ticket_approvals a set status = 'asked', asked_at = now() where a.id = (select x.id from public.ticket_approvals x
            where x.ticket_id = wanted and x.status = 'queued' order by x.step limit 1) returning * into next_step;
        if next_step.id is not null then
          perform app.tell_approval(next_step, 'approval_asked');
        else
          update public.tickets t set status = 'open' where t.id = wanted and t.status = 'waiting';
          perform app.tell_approval(approval, 'approval_given');
        end if;
      end if;
    end loop;
  end loop;
  if decided = 0 then
    -- An approval of others and none at all get one answer.
    raise exception 'No approval of yours was found.' using errcode = 'PT404', hint = 'approval_gone';
  end if;
  return decided;
end $$;

create function app.without_token(address text) returns text
  language sql immutable set search_path = '' as $$ select regexp_replace(address, '\+[a-z2-7]{52}@', '@', 'i') $$;
comment on function app.without_token(text) is
  'An address as it is kept: whoever reads its token could write in the name of the person who got it.';

create or replace function app.file_inbound(mail_id uuid, mail jsonb, files uuid[] default '{}') returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  verdict jsonb := app.judge_inbound(mail_id, mail);
  sender constant text := lower(mail ->> 'from');
  person uuid := (verdict ->> 'person')::uuid;
  company uuid := (verdict ->> 'company')::uuid;
  ticket uuid := (verdict ->> 'ticket')::uuid;
  sender_name text := "left"(coalesce(nullif(app.clean_text(mail ->> 'from_name', 100), ''), sender), 100);
  words text := coalesce(nullif(btrim("left"(mail ->> 'body', 20000)), ''), '–');
  comment_id uuid;
begin
  if verdict ->> 'status' = 'filed' and ticket is not null then
    insert into public.ticket_comments (company_id, ticket_id, kind, body, author_id, author_name, once_key)
    values (company, ticket, 'reply', words, person, case when person is null then sender_name end, mail_id)
    returning id into comment_id;
    if person is null then
      update public.tickets t set status = 'open'
      where t.company_id = company and t.id = ticket and lower(t.requester_email) = sender and t.status in ('waiting', 'resolved', 'closed')
        and coalesce((select s.reopen_on_reply from public.desk_settings s where s.company_id = company), true);
    end if;
    update public.files f set record_id = comment_id where f.company_id = company and f.id = any (files) and f.resource = 'ticket_comments' and f.record_id is null;
  elsif verdict ->> 'status' = 'filed' then
    insert into public.tickets (company_id, subject, description, category_id, requester_id, requester_email, requester_name, created_by)
    values (company, coalesce(nullif(app.clean_text(mail ->> 'subject', 200), ''), '–'), words, (verdict ->> 'category')::uuid, person,
      case when person is null then sender end, case when person is null then sender_name end, person)
    returning id into ticket;
    update public.files f set record_id = ticket where f.company_id = company and f.id = any (files) and f.resource = 'tickets' and f.record_id is null;
  elsif verdict ->> 'reason' = 'deactivated' and ticket is not null
    and not exists (select 1 from app.ticket_mails m where m.ticket_id = ticket and m.email = sender and m.events @> array['refused']) then
    perform app.queue_ticket_mail(company, ticket, person, sender, 'refused');
  end if;
  update public.inbound_mails m set company_id = company, ticket_id = ticket, status = verdict ->> 'status', reason = verdict ->> 'reason',
    from_address = "left"(sender, 255), from_name = sender_name, to_address = app.without_token("left"(mail #>> '{to,0}', 255)),
    subject = app.clean_text(mail ->> 'subject', 200), body = words, attachments = "left"(mail ->> 'attachments', 2000),
    message_id = "left"(mail ->> 'message_id', 500), error = null, updated_at = now()
  where m.id = mail_id;
  if verdict ->> 'status' <> 'held' then
    delete from app.inbound_raw r where r.mail_id = file_inbound.mail_id;
  else
    update app.inbound_raw r set waits_for = (verdict ->> 'waits_for')::uuid where r.mail_id = file_inbound.mail_id;
  end if;
  return verdict || jsonb_build_object('ticket', ticket, 'comment', comment_id);
end $$;

create or replace function app.fail_inbound(mail_id uuid, error text, is_final boolean, mail jsonb default '{}') returns void
  language sql volatile set search_path = '' as $$
  update public.inbound_mails m set
    status = case when is_final or m.attempts >= 3 then 'unreadable' else 'received' end,
    reason = case when is_final or m.attempts >= 3 then 'broken' end,
    error = "left"(fail_inbound.error, 500), from_address = lower("left"(mail ->> 'from', 255)), subject = app.clean_text(mail ->> 'subject', 200),
    to_address = app.without_token("left"(mail #>> '{to,0}', 255)), updated_at = now(),
    company_id = (select a.company_id from public.mail_addresses a where a.address in (select jsonb_array_elements_text(mail -> 'to')) limit 1)
  where m.id = mail_id
$$;

create policy ticket_issues_select_member on public.ticket_issues for select to authenticated
  using ((select app.can('ticket_issues', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company()))
    -- Row-level security leaves out the categories that are the desk's own.
    and exists (select 1 from public.ticket_categories c where c.company_id = ticket_issues.company_id and c.id = ticket_issues.category_id));

-- Tokens that were kept with the addresses of replies.
update public.inbound_mails set to_address = app.without_token(to_address) where to_address ~* '\+[a-z2-7]{52}@';
