-- Canceled approvals.

alter table app.ticket_mails drop constraint ticket_mails_events_check;
alter table app.ticket_mails add constraint ticket_mails_events_check check (events <@ array['received', 'reply', 'mention', 'opened', 'assigned', 'resolved', 'approval', 'approval_canceled', 'refused']);

create or replace function app.tell_approval(approval public.ticket_approvals, kind text) returns void
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  person uuid;
  key constant text := 'approval:' || approval.id;
  words jsonb;
  to_approver constant boolean := kind in ('approval_asked', 'approval_canceled');
  desk constant uuid[] := app.desk_people(approval.company_id);
begin
  select t.* into ticket from public.tickets t where t.company_id = approval.company_id and t.id = approval.ticket_id;
  words := jsonb_build_object('number', ticket.number::text, 'subject', ticket.subject, 'by', coalesce(approval.decided_by_name, ''));
  -- Whoever is asked by name sees the ticket only while they are asked: outside the desk the bell then leads nowhere.
  update public.notifications n set kind = tell_approval.kind, params = words, link = case when n.user_id = any (desk) then n.link end,
      read_at = coalesce(n.read_at, now())
    where n.once_key = key and n.kind = 'approval_asked' and tell_approval.kind <> 'approval_asked';
  foreach person in array case
    when not to_approver then coalesce(nullif(array[ticket.assignee_id], array[null]::uuid[]), desk)
    when approval.person_id is not null then array[approval.person_id]
    else array(select r.user_id from public.user_roles r
      where r.company_id = approval.company_id and r.role = approval.role and r.deactivated_at is null order by r.user_id) end
  loop
    continue when person = app.current_user_id();
    insert into public.notifications as n (user_id, company_id, kind, params, link, once_key)
      values (person, approval.company_id, tell_approval.kind, words,
        case when kind <> 'approval_canceled' or person = any (desk) then '/tickets/' || ticket.id end, key)
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
  'desk. The bell that asked says how it ended, and is read.';

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

create or replace function app.ticket_mail_content(mail app.ticket_mails) returns jsonb
  language plpgsql volatile set search_path = '' as $$
declare
  ticket public.tickets%rowtype;
  comments jsonb;
  events text[] := mail.events;
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
    if not exists (select 1 from public.ticket_approvals a
        where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked') then
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
      return case when events @> array['approval_canceled'] then jsonb_build_object('events', array['approval_canceled'], 'number', ticket.number,
        'subject', ticket.subject, 'comments', '[]'::jsonb, 'company', (select c.name from public.companies c where c.id = ticket.company_id)) end;
    end if;
  elsif lower(ticket.requester_email) is distinct from mail.email then
    return null;
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
    'question', case when events @> array['approval'] then (select a.question from public.ticket_approvals a
      where a.company_id = mail.company_id and a.ticket_id = mail.ticket_id and a.status = 'asked' order by a.step limit 1) end,
    'requester', ticket.requester_name, 'has_account', mail.user_id is not null, 'link', '/tickets/' || ticket.id,
    'company', (select c.name from public.companies c where c.id = ticket.company_id));
end $$;

create trigger ticket_approvals_canceled after update of status on public.ticket_approvals
  for each row when (old.status = 'asked' and new.status = 'canceled') execute function app.tell_canceled_approval();

-- The bells of approvals that are asked now are found by their approval from here on.
update public.notifications b set once_key = 'approval:' || n.subject_id from app.notices n
  where b.once_key = 'notice:' || n.id and b.user_id = n.user_id and b.kind = 'approval_asked';
